"""Finds the entities that a text mentions: `[[Name]]` links, and names of existing entities.

A link creates a missing entity; prose does not. A link inside code does not count. A name in prose is between word
boundaries, in any case; of overlapping names the longest counts. Source: RET-6.
"""

import re
from collections.abc import Iterable
from itertools import accumulate
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from markdown_it import MarkdownIt

from server.graph.keys import comparison_key
from server.ranking.terms import is_common

MAX_MENTIONS = 50
"""The most entities that one record mentions; links come first, then the longest names."""
_READ = 100_000
"""Characters of a text that are read."""
_LONGEST = 6
"""The most words of a name in prose."""
_LONGEST_NAME = 200
_MOST_POSSIBLE = 50_000
_AFFIX = 10
"""The most characters that are no letters and belong to a name, before its first or after its last word."""
_LONGEST_LINK = 1_000

_LINK = re.compile(rf"\[\[(?! )([^\[\]|\n]{{1,{_LONGEST_LINK}}})(?<! )(?:\|[^\[\]\n]*)?\]\]")
_WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")
_SPACE = re.compile(r"\s+")
_CLOSING = ".,;:!?\u2026)]}>\"'\u201d\u2019\u00bb*`"
_NO_SIGN = ("", " ")
_TO_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""Of ASCII alone: each letter stays one, so spans stay the same."""
Spans = dict[str, list[tuple[int, int]]]
_MARKDOWN = MarkdownIt().disable(["html_block", "html_inline"])


def find_links(text: str) -> list[str]:
    """Return the names that a text links to, in its order; links in code and names without a letter do not count."""
    if "[[" not in text:
        return []
    prose = (
        "".join(part.content if part.type == "text" else "\n" for part in token.children or ())
        for token in _MARKDOWN.parse(text[:_READ])
        if token.type == "inline"
    )
    names = (_SPACE.sub(" ", match[1]) for inline in prose for match in _LINK.finditer(inline))
    return list(dict.fromkeys(name for name in names if any(map(str.isalpha, name))))[:MAX_MENTIONS]


def find_possible_names(text: str) -> Spans:
    """Return each run of words that could be the name of an entity, by its key, with its spans in the text.

    Spans are of the text with single spaces, as `" ".join(text.split())` returns it.

    A name has up to six words. It begins with a word or with the signs directly before one (`.NET`), and ends with a
    word or with the signs after it, but without the punctuation that closes a sentence (`C++.`).
    """
    # Keys have single spaces.
    read = " ".join(text[:_READ].split())
    lower = read.translate(_TO_LOWER)
    words = [match.span() for match in _WORD.finditer(read)]
    starts = [list({start, _extend_left(read, start)}) for start, _ in words]
    ends = [list({end, _extend_right(read, end)}) for _, end in words]
    found: Spans = {}
    for index, firsts in enumerate(starts):
        for lasts in ends[index : index + _LONGEST]:
            for end in lasts:
                for start in firsts:
                    key = lower[start:end]
                    if not key.isascii():
                        key = comparison_key(key)
                    if key in found:
                        found[key].append((start, end))
                    elif len(key) <= _LONGEST_NAME:
                        found[key] = [(start, end)]
        if len(found) > _MOST_POSSIBLE:
            break
    return found


def group_names(keys: Iterable[str]) -> dict[str, Any]:
    """Return the parameters `names`, `starts` and `ends` of a statement that looks up which of these keys are names.

    Keys with the same first two words follow each other: where no name starts with these, the graph looks up none of
    them. `starts` has the beginning of each group, empty for keys of one word; `ends` has the index after its last key.
    """
    groups: dict[str, list[str]] = {}
    for key in keys:
        first = key.find(" ")
        second = key.find(" ", first + 1)
        groups.setdefault("" if first < 0 else key if second < 0 else key[:second], []).append(key)
    return {
        "names": [key for group in groups.values() for key in group],
        "starts": list(groups),
        "ends": list(accumulate(map(len, groups.values()))),
    }


def choose_longest(found: Spans) -> list[str]:
    """Return the names that have a span outside of every longer name, longest first.

    Common English words ("It") are names in links only.
    """
    taken = bytearray(_READ)
    names: dict[str, None] = {}
    spans = ((start, end, name) for name, each in found.items() if not is_common(name) for start, end in each)
    for start, end, name in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if 1 not in taken[start:end]:
            taken[start:end] = b"\1" * (end - start)
            names[name] = None
    return list(names)[:MAX_MENTIONS]


def _extend_left(text: str, start: int) -> int:
    """Return where the signs directly before a word begin."""
    if start == 0 or text[start - 1] == " ":
        return start
    first = start
    while first > max(0, start - _AFFIX) and _is_sign(text[first - 1]):
        first -= 1
    return first


def _extend_right(text: str, end: int) -> int:
    """Return where the signs directly after a word end, without the punctuation that closes a sentence."""
    if text[end : end + 1] in _NO_SIGN:
        return end
    last = end
    while last < min(len(text), end + _AFFIX) and _is_sign(text[last]):
        last += 1
    while last > end and text[last - 1] in _CLOSING:
        last -= 1
    return last


def _is_sign(character: str) -> bool:
    return not (character.isspace() or character.isalnum() or character == "_")
