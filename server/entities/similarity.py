"""Similarity of names: pure functions that decide whether two names probably mean the same entity.

Similar names differ in case, width, spacing, separators, one wrong letter, a plural, or an omitted ending. Numbers
distinguish names (`node 1`, `node 2`), and so do short words (`cart`, `card`).

Source: ENT-17.
"""

import re
from difflib import SequenceMatcher
from itertools import takewhile

from server.graph.keys import comparison_key

_SEPARATORS = re.compile(r"[\s\-_./]+")
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DIGITS = re.compile(r"\d+")
# In these scripts each character is a word, so a different character is a different word, not a mistake.
_IDEOGRAPHS = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_JOINTS = ("", " ", "-", "_", ".")
_LONGEST = 100
"""Characters; a longer name is a text, which has no other spelling."""
_LONGEST_WORD = 40
_SHORTEST_MISSPELT = 5
"""Letters of the shortest word in which a wrong letter counts as a mistake."""
_SHORTEST_PLURAL = 3
_LONGEST_ENDING = 3
"""Letters of the longest ending that may be omitted."""


def list_spelling_keys(name: str) -> list[str]:
    """Return the comparison keys of a name and of its other spellings, by which similar names are looked up."""
    key = comparison_key(name)
    if len(key) > _LONGEST:
        return [key]
    joined = [joint.join(_SEPARATORS.split(key)) for joint in _JOINTS]
    if len(parts := _CAPITALS.split(name)) > 1:
        joined += [comparison_key(joint.join(parts)) for joint in _JOINTS]
    keys = [key, *joined, *(other for each in (key, *joined) for other in _list_number_forms(each))]
    if not _SEPARATORS.search(key) and len(key) <= _LONGEST_WORD:
        longest = min(_LONGEST_ENDING, len(key) - _SHORTEST_MISSPELT)
        keys += [key[:-letters] for letters in range(1, longest + 1)]
        keys += [f"{key[:at]}{joint}{key[at:]}" for at in range(2, len(key) - 1) for joint in (" ", "-")]
    return list(dict.fromkeys(each for each in keys if each))


def are_similar(one: str, other: str) -> bool:
    """Whether two names are so similar that one may be a misspelling of the other."""
    a, b = comparison_key(one), comparison_key(other)
    if a == b:
        return True
    words, others = (list(filter(None, _SEPARATORS.split(key))) for key in (a, b))
    if not words or not others or max(len(a), len(b)) > _LONGEST:
        return False
    if "".join(words) == "".join(others):
        return True
    if _DIGITS.findall(a) != _DIGITS.findall(b):
        return False
    if len(words) != len(others):
        return _are_similar_words("".join(words), "".join(others))
    differ = [(mine, theirs) for mine, theirs in zip(words, others, strict=True) if mine != theirs]
    return len(differ) == 1 and _are_similar_words(*differ[0])


def compute_similarity(one: str, other: str) -> float:
    """Return how similar two names are, 0 to 1, to order suggestions."""
    return SequenceMatcher(a=one.casefold(), b=other.casefold()).ratio()


def _are_similar_words(one: str, other: str) -> bool:
    if one in _list_number_forms(other) or other in _list_number_forms(one):
        return True
    if min(len(one), len(other)) < _SHORTEST_MISSPELT or _IDEOGRAPHS.search(one + other):
        return False
    start = _count_common(one, other)
    if start == 0:
        return False
    rest, other_rest = one[start:], other[start:]
    if not rest or not other_rest:
        return len(rest + other_rest) <= _LONGEST_ENDING
    end = _count_common(rest[::-1], other_rest[::-1])
    left, right = rest[: len(rest) - end], other_rest[: len(other_rest) - end]
    return len(left) + len(right) == 1 or (len(left) == len(right) and (len(left) == 1 or _are_swapped(left, right)))


def _count_common(one: str, other: str) -> int:
    """Return the number of letters that two words have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _are_swapped(one: str, other: str) -> bool:
    return len(one) == 2 and one == other[::-1]  # noqa: PLR2004 - two letters


def _list_number_forms(word: str) -> set[str]:
    """Return the possible plurals of a word, and its possible singulars."""
    found = {f"{word}s", f"{word}es", f"{word[:-1]}ies" if word.endswith("y") else "", word.removesuffix("s")}
    found |= {word.removesuffix("es"), f"{word[:-3]}y" if word.endswith("ies") else ""}
    return {each for each in found - {word} if min(len(each), len(word)) >= _SHORTEST_PLURAL}
