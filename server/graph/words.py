"""Free text as a query of a full-text index: any string is a valid one.

A full-text index spans all namespaces, so each indexed node carries `scope`, one word that stands for its namespace,
and each query requires it: `within(namespace, any_of(text))`. Lucene's syntax in the text is escaped, never obeyed.
"""

import re
from hashlib import blake2b

_ATOM = re.compile(
    r"[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # each is a word by itself to the analyzers
    r"|[^\W\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{1,255}"
    r"|[^\w\s\x00-\x7f]"
)
_SYNTAX = re.compile(r"""([+\-!(){}\[\]^"~*?:\\/&|<>=])""")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_MOST_WORDS = 200
"""Lucene takes 1,024 clauses: words times indexed properties."""
_LONGEST_FUZZY = 50


def scope_token(namespace: str) -> str:
    """The word that stands for a namespace in the property `scope` of what full-text indexes hold."""
    return "ns" + digest(namespace)


def digest(text: str) -> str:
    """Any text as a word of 16 letters and digits."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def any_of(text: str) -> str:
    """Lucene query for nodes with any word of the text, best match first; empty where the text has no word.

    Takes the first 200 words. The index's analyzer decides what a word is, so a text of stop words alone matches none.
    """
    atoms = [atom.end() for atom, _ in zip(_ATOM.finditer(text), range(_MOST_WORDS), strict=False)]
    chunks = dict.fromkeys(text[: atoms[-1]].split()) if atoms else {}
    return " ".join(_escaped(chunk) for chunk in chunks if _ATOM.search(chunk))


def near(text: str) -> str:
    """Lucene query for nodes with a word like one of the text: a letter or two off, or beginning with it."""
    terms: list[str] = []
    for match in list(dict.fromkeys(atom[0].lower() for atom in _ATOM.finditer(text)))[: _MOST_WORDS // 4]:
        word = match[:_LONGEST_FUZZY]
        terms.append(f"{word}~{1 if len(word) < 6 else 2}" if len(word) > 2 else word)  # noqa: PLR2004 - Lucene's AUTO
        terms.append(f"{word}*")
    return " ".join(terms)


def within(namespace: str, query: str) -> str | None:
    """The query for one namespace's nodes alone, or None where there is nothing to look for.

    The scope adds nothing to the score; where the analyzer drops every word, all nodes of the namespace come back
    with score 0: statements keep `score > 0`.
    """
    return f"+scope:{scope_token(namespace)}^0 +({query})" if query else None


def _escaped(chunk: str) -> str:
    return chunk.lower() if chunk in _OPERATORS else _SYNTAX.sub(r"\\\1", chunk)
