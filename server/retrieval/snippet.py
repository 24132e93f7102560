"""The part of a text that shows why it was found."""

import re

from server.ranking.terms import extract_terms, stem_terms

LONGEST = 300
_BEFORE = 60
"""Characters before the first matching word."""
_WORD = re.compile(r"\w+")
_ELLIPSIS = "…"


def build_snippet(text: str, asked: set[str]) -> str:
    """Return at most 300 characters of a text, from shortly before its first word with a stem of the query."""
    if len(text) <= LONGEST:
        return text
    first = next((match.start() for match in _WORD.finditer(text) if stem_terms(extract_terms(match[0])) & asked), 0)
    start = max(0, min(first - _BEFORE, len(text) - LONGEST + 1))
    end = start + LONGEST - (2 if start else 1)
    return f"{_ELLIPSIS if start else ''}{text[start:end]}{_ELLIPSIS if end < len(text) else ''}"
