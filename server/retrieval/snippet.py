"""The part of a text that shows why it was found."""

import re

from server.ranking.terms import stems, terms

LONGEST = 300
_BEFORE = 60
"""Characters before the first word that is shown for."""
_WORD = re.compile(r"\w+")
_ELLIPSIS = "…"


def snippet(text: str, asked: set[str]) -> str:
    """At most 300 characters of a text: from shortly before the first word whose stem is asked for, or its start."""
    if len(text) <= LONGEST:
        return text
    first = next((match.start() for match in _WORD.finditer(text) if stems(terms(match[0])) & asked), 0)
    start = max(0, min(first - _BEFORE, len(text) - LONGEST + 1))
    end = start + LONGEST - (2 if start else 1)
    return f"{_ELLIPSIS if start else ''}{text[start:end]}{_ELLIPSIS if end < len(text) else ''}"
