"""What a text is about, as far as it says so itself: `[[Name]]` links, and names that entities have already.

Source: issue "Entries and journal", "Entries mention entities". A link makes the entity where there is none; prose
never does. In code nothing is a link. A name in prose stands between word boundaries, in any case; where names overlap,
the longest counts.
"""

import re

from markdown_it import MarkdownIt

from server.ranking.terms import is_common

MOST = 50
"""Entities that one entry mentions at most; links come first, then the longest names."""
_READ = 100_000
"""Characters of a text that are looked at."""
_LONGEST = 6
"""Words of a name that is looked for in prose."""
_LONGEST_NAME = 200
_MOST_POSSIBLE = 50_000
_AFFIX = 10
"""Characters of signs that may belong to a name before its first and after its last word."""
_LONGEST_LINK = 1_000

_LINK = re.compile(rf"\[\[(?! )([^\[\]|\n]{{1,{_LONGEST_LINK}}})(?<! )(?:\|[^\[\]\n]*)?\]\]")
_WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")
_SPACE = re.compile(r"\s+")
_CLOSING = ".,;:!?\u2026)]}>\"'\u201d\u2019\u00bb*`"
Places = dict[str, list[tuple[int, int]]]
_MARKDOWN = MarkdownIt().disable(["html_block", "html_inline"])


def links(text: str) -> list[str]:
    """The names that a text links to, in its order; what stands in code is no link, nor is what has no letter."""
    if "[[" not in text:
        return []
    prose = (
        "".join(part.content if part.type == "text" else "\n" for part in token.children or ())
        for token in _MARKDOWN.parse(text[:_READ])
        if token.type == "inline"
    )
    names = (_SPACE.sub(" ", match[1]) for said in prose for match in _LINK.finditer(said))
    return list(dict.fromkeys(name for name in names if any(map(str.isalpha, name))))[:MOST]


def possible_names(text: str) -> Places:
    """Everything in a text that could be the name of an entity, lower-case, and the places where it stands.

    A name of up to six words begins where a word does or at the character before which there is space (`.NET`), and
    ends where a word does or before the punctuation that closes a sentence (`C++.`).
    """
    found: Places = {}
    read = text[:_READ]
    words = [(match.start(), match.end()) for match in _WORD.finditer(read)]
    for place, (word, _) in enumerate(words):
        starts = {word, _back(read, word)}
        for _, last in words[place : place + _LONGEST]:
            for end in {last, _forth(read, last)}:
                for start in starts:
                    found.setdefault(_SPACE.sub(" ", read[start:end]).lower(), []).append((start, end))
        if len(found) > _MOST_POSSIBLE:
            break
    return {name: places for name, places in found.items() if len(name) <= _LONGEST_NAME}


def longest(found: Places) -> list[str]:
    """Of names and the places where they stand, those that stand somewhere outside of a longer one, longest first.

    Names that English says all the time ("It") are left to links.
    """
    taken = bytearray(_READ)
    names: dict[str, None] = {}
    spans = ((start, end, name) for name, places in found.items() if not is_common(name) for start, end in places)
    for start, end, name in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if 1 not in taken[start:end]:
            taken[start:end] = b"\1" * (end - start)
            names[name] = None
    return list(names)[:MOST]


def _back(text: str, start: int) -> int:
    """Where the characters begin that stand before a word without a space."""
    first = start
    while first > max(0, start - _AFFIX) and _sign(text[first - 1]):
        first -= 1
    return first


def _forth(text: str, end: int) -> int:
    """Where the characters end that follow a word without a space, but for what closes a sentence."""
    last = end
    while last < min(len(text), end + _AFFIX) and _sign(text[last]):
        last += 1
    while last > end and text[last - 1] in _CLOSING:
        last -= 1
    return last


def _sign(character: str) -> bool:
    return not (character.isspace() or character.isalnum() or character == "_")
