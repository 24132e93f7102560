"""The words of a text, as both sides of a search by words see them: what is stored, and what is asked."""

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
"""Characters of a word that a full-text index takes."""


class _Separated(dict[int, str | int]):
    """Keeps letters, digits and marks, sets ideographs and pictures apart as words, and blanks the rest."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        category = unicodedata.category(character)
        if any(code in block for block in _IDEOGRAPHS) or category == "So":
            self[code] = f" {character} "
        else:
            self[code] = code if category[0] in "LNM" else " "
        return self[code]


_SEPARATED = _Separated()


def terms(text: str) -> list[str]:
    """The words of a text in its order: lower-case, without what English says too often to tell texts apart."""
    words = unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATED).split()
    return [word[:_LONGEST] for word in words if word not in _STOP_WORDS]


def is_common(text: str) -> bool:
    """Whether a text says nothing but what English says all the time."""
    return not terms(text)


def stems(words: Iterable[str]) -> set[str]:
    """What words come down to: "painted" and "painting" are one."""
    return set(_STEMMER.stem_words(list(set(words))))
