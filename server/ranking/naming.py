"""The share of a question that names a record exactly: its id, target, title or number.

Case, width, spacing, signs and zeros before a number are ignored ("pep-0585" names PEP 585). The share is the part of
the question's words that the name makes up: a question that is a target has the share 1; one that happens to contain a
short target has a small share. Pure functions. Source: RET-19 to RET-21.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from server.ranking.terms import extract_terms

_WORD = re.compile(r"[^\W_]+")
_ZEROS = re.compile(r"0+(?=\d)")
_BORDER = re.compile(r"(?<=[^\W\d_])(?=\d)")
_SIGNS = ".,;:!?\"'()[]{}`\u00ab\u00bb\u201c\u201d\u2018\u2019"
_LONGEST = 12
"""The most words of a name in a question."""
_MOST = 200


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without signs, with numbers split off and without leading zeros."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return [_ZEROS.sub("", part) for word in _WORD.findall(plain) for part in _BORDER.split(word)]


def list_phrases(text: str) -> list[str]:
    """Return every run of words in a question: each could be the key of a target."""
    words = " ".join(unicodedata.normalize("NFKC", text).lower().split()).split(" ")[:_MOST]
    bare = [word.strip(_SIGNS) for word in words]
    found: dict[str, None] = {" ".join(words): None, " ".join(bare): None}
    for length in range(1, _LONGEST + 1):
        for start in range(len(bare) - length + 1):
            found[" ".join(bare[start : start + length])] = None
    return [phrase for phrase in found if phrase][:_MOST]


def find_numbers(text: str) -> list[str]:
    """Return the numbers of a text without leading zeros."""
    return [word for word in split_words(text) if word.isdecimal()]


def compute_named_share(question: str, names: Iterable[str]) -> float:
    """Return the greatest share of a question, 0 to 1, that is one of these names."""
    asked = split_words(question)
    weight = _weight(asked)
    if not asked:
        return 0.0
    best = 0.0
    for name in names:
        parts = split_words(name)
        if parts and len(parts) <= len(asked) and _contains(asked, parts):
            best = max(best, _weight(parts) / max(weight, _weight(parts)))
    return min(best, 1.0)


def compute_numbered_share(question: str, name: str) -> float:
    """Return the share of a question that is a record's number with words of its name before it.

    "PEP 585" and "585" name "PEP 585", and "ADR 12" names "shop ADR 12"; "in 12 months" does not.
    """
    parts = split_words(name)
    if not parts or not parts[-1].isdecimal():
        return 0.0
    asked = split_words(question)
    best = 0.0
    for at, word in enumerate(asked):
        if word == parts[-1]:
            first = at
            while first > 0 and asked[first - 1] in parts[:-1]:
                first -= 1
            if first < at or len(asked) == 1:
                best = max(best, (at - first + 1) / max(_weight(asked), at - first + 1))
    return best


def _contains(words: Sequence[str], parts: Sequence[str]) -> bool:
    return any(words[start : start + len(parts)] == parts for start in range(len(words) - len(parts) + 1))


def _weight(words: Sequence[str]) -> int:
    """Return how many words are no stop words; if all are, how many words there are."""
    return len(extract_terms(" ".join(words))) or len(words)
