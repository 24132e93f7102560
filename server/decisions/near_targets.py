"""Targets in force that are written almost like a new one, and may mean the same. Source: DEC-12."""

import re
from collections.abc import Iterable, Sequence

from server.core.types import Row
from server.decisions.models import NearTarget
from server.graph.lucene import build_fuzzy_query, limit_to_namespace
from server.ranking.terms import extract_terms, stem_terms

COMPARED = 50
"""Decisions in force that are compared with a new target."""
_MOST = 3
"""Near targets that an answer names."""
_LONGEST = 200
"""Characters of a target that are compared: longer ones are sentences."""
_ONE_EDIT, _TWO_EDITS = 5, 9
"""Letters of a word from which on one edit, or two, count as a typing error."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GENERIC = frozenset({"choice", "choosing", "decision", "selection", "technology", "use"})
"""Words that do not tell one target from another."""


def build_near_query(namespace: str, target: str) -> str:
    """Build the full-text query for targets that may be near; empty where the target has no word."""
    return limit_to_namespace(namespace, build_fuzzy_query(" ".join(_split(target)))) or ""


def list_near_targets(target: str, target_key: str, in_force: Iterable[Row]) -> list[NearTarget]:
    """Return the first few decisions in force whose targets are near a new one, but not the same."""
    # A decision for the same target is a conflict, and its error names it.
    found = [row for row in in_force if row["target_key"] != target_key and is_near(target, row["target"])]
    return [
        NearTarget(target=row["target"], decision_id=row["decision_id"], title=row["title"]) for row in found[:_MOST]
    ]


def is_near(one: str, other: str) -> bool:
    """Whether two targets differ only by word order, small words, endings, separators, or one typing error.

    A number or another word makes another target: "API v1" is not near "API v2".
    """
    words, others = _split(one), _split(other)
    if "".join(words) == "".join(others):
        return True
    mine, theirs = _group_by_stem(words), _group_by_stem(others)
    left, right = mine.keys() - theirs.keys(), theirs.keys() - mine.keys()
    if not left and not right:
        return True
    return len(left) == len(right) == 1 and _is_typing_error(mine[left.pop()], theirs[right.pop()])


def _split(target: str) -> list[str]:
    return extract_terms(_CAMEL.sub(" ", target[:_LONGEST])) or target[:_LONGEST].lower().split()


def _group_by_stem(words: Sequence[str]) -> dict[str, str]:
    every = {stem: word for word in words for stem in stem_terms([word])}
    return {stem: word for stem, word in every.items() if word not in _GENERIC} or every


def _is_typing_error(one: str, other: str) -> bool:
    longer = max(len(one), len(other))
    # A different beginning often makes the opposite (in and out, on and off) and is rarely an error.
    if one[:2] != other[:2] or any(map(str.isdigit, one + other)):
        return False
    return longer >= _ONE_EDIT and _count_edits(one, other) <= (2 if longer >= _TWO_EDITS else 1)


def _count_edits(one: str, other: str) -> int:
    """Count the letters that have to be added, removed, replaced or swapped with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, its in enumerate(other, 1):
            least = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != its))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == its:
                least = min(least, earlier[to - 2] + 1)
            row.append(least)
    return row[-1]
