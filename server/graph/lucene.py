"""Queries of full-text indexes (Lucene), built from free text: every string gives a valid query.

A full-text index covers all namespaces. Each indexed node therefore has a tag of its namespace in the property `scope`,
and `limit_to_namespace` requires that tag. The builders take only letters, digits and symbols that have no meaning in
Lucene's syntax from a text.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b

_ATOM = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # the analyzers take each as a term of its own
    r"|[^\W\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{1,255}"
    r"|[^\w\s\x00-\x7f]"
)
_MOST_TERMS = 50
"""Lucene accepts 1,024 clauses: terms times two forms of each, times the indexed properties."""
_LONGEST_TERM = 50
_MOST_TERMS_OF_A_NAME = 12
_SHORT = 2
"""A term of at most this many characters is matched exactly."""


def namespace_tag(namespace: str) -> str:
    """Return the tag of a namespace: a term in the property `scope` of the nodes in full-text indexes."""
    return "ns" + digest(namespace)


def digest(text: str) -> str:
    """Return a digest of a text: 16 hexadecimal digits, one term to every analyzer."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def build_fuzzy_query(text: str) -> str:
    """Build a query for nodes that contain a term similar to one of the text.

    A similar term differs by one or two letters or continues the term. Only the first 50 terms count.
    """
    clauses: list[str] = []
    for match in list(dict.fromkeys(atom[0].lower() for atom in _ATOM.finditer(text)))[:_MOST_TERMS]:
        term = match[:_LONGEST_TERM]
        clauses.append(f"{term}~{1 if len(term) < 6 else 2}" if len(term) > _SHORT else term)  # noqa: PLR2004 - Lucene's AUTO
        clauses.append(f"{term}*")
    return " ".join(clauses)


def build_misspelling_query(names: Iterable[str]) -> str:
    """Build a query for nodes that contain all terms of one of the names, each with at most one letter changed.

    The term of a one-term name may also continue by two or three letters. Names without a term, or with more than
    twelve, are left out.
    """
    queries: list[str] = []
    for name in names:
        terms = list(dict.fromkeys(atom[0].lower()[:_LONGEST_TERM] for atom in _ATOM.finditer(name)))
        if 0 < len(terms) <= _MOST_TERMS_OF_A_NAME:
            # One letter, because two make the query several times slower. Digits are compared exactly.
            clauses = [f"+{term}~1" if len(term) > _SHORT and not term.isdigit() else f"+{term}" for term in terms]
            queries.append(f"({' '.join(clauses)})")
            if len(terms) == 1 and len(terms[0]) > _SHORT:
                queries += [f"{terms[0]}??", f"{terms[0]}???"]
    return " ".join(queries)


def limit_to_namespace(namespace: str, query: str) -> str | None:
    """Limit a query to the nodes of one namespace; return None where the query is empty.

    The namespace's tag adds nothing to the score. Where the analyzer drops every term, all nodes of the namespace match
    with score 0, so statements require `score > 0`.
    """
    return f"+scope:{namespace_tag(namespace)}^0 +({query})" if query else None
