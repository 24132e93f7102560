"""Terms: the words of a text as search by words uses them, for records and for queries. Source: RET-5."""

import unicodedata
from collections.abc import Iterable

from py_rust_stemmers import SnowballStemmer

_STEMMER = SnowballStemmer("english")
_STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but by
    can could d did do does doing down during each few for from further had has have having he her here hers herself him
    himself his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once only or
    other our ours ourselves out over own re s same she should so some such t than that the their theirs them themselves
    then there these they this those through to too under until up ve very was we were what when where which while who
    whom why will with would you your yours yourself yourselves
    """.split()  # noqa: SIM905 - as prose it can be read
)
_IDEOGRAPHS = (range(0x2E80, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x40000))
_LONGEST = 255
"""The most characters of a term: the limit of the full-text index."""


class _Separated(dict[int, str | int]):
    """Keeps letters, digits and marks, separates ideographs and pictograms, and replaces the rest by spaces."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        category = unicodedata.category(character)
        if any(code in block for block in _IDEOGRAPHS) or category == "So":
            self[code] = f" {character} "
        else:
            self[code] = code if category[0] in "LNM" else " "
        return self[code]


_SEPARATED = _Separated()


def extract_terms(text: str) -> list[str]:
    """Return the terms of a text in its order: lower-case, without common English words."""
    words = unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATED).split()
    return [word[:_LONGEST] for word in words if word not in _STOP_WORDS]


def is_common(text: str) -> bool:
    """Return whether a text has common English words only."""
    return not extract_terms(text)


def stem_terms(words: Iterable[str]) -> set[str]:
    """Return the stems of words: "painted" and "painting" have the same stem."""
    return set(_STEMMER.stem_words(list(set(words))))
