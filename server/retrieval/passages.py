"""Splits texts into passages of a few sentences, the units that search finds.

A short text is one passage. A longer one is split at its Markdown headings and at the ends of sentences, because the
embedding model and the ranking of words work best on short texts. A passage has the headings above it as its caption,
and finds its record. It is also found by the words around it: its own and those of the two passages before and after
it, in the same text and in the same session. Source: RET-1 to RET-5.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from server.ranking.terms import extract_terms

_TARGET = 200
"""Characters of a passage: about two sentences."""
_SHORTEST = 50
"""A last passage of a section with fewer characters is joined to the one before it."""
_BEGINNING = 40
"""Characters of a text's beginning that are the caption of its later passages."""
_LONGEST_HEADING = 120
_RAW_HEADING = 200
_MOST_MARKDOWN = 262_144
"""The longest text, in characters, whose headings are parsed; parsing is slow."""
_MOST = 4_000
NEIGHBOURS = 2
"""How many passages before and after a passage are around it."""
_LEAD = 40
"""Terms that a passage adds to the passages around it, and that a record as a whole is found by."""
_BEGINNING_WORDS = 20
"""Terms that a record as a whole adds to the records around it."""
_OPENING = 1_600
"""Characters of a record as a whole: slightly more than the embedding model reads."""

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_SPACE = re.compile(r"\s+")
_NEWLINE = re.compile(r"\r\n?")
# Inline markup is parsed for headings only, which is much faster.
_BLOCKS = MarkdownIt().disable(["inline", "text_join", "html_block"])
_INLINE = MarkdownIt()


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text: its caption, the innermost heading above it, and the text."""

    caption: str
    heading: str | None
    text: str

    def words(self) -> str:
        """Return its terms for the full-text index."""
        own = self.text if self.text.startswith(self.caption) else f"{self.caption}\n{self.text}"
        return " ".join(extract_terms(own))

    def take_lead(self) -> str:
        """Return the terms that it adds to the passages around it."""
        return take_lead(self.text)

    def opening(self) -> str:
        """Return its first terms, by which a record as a whole is found."""
        own = self.text if self.text.startswith(self.caption) else f"{self.caption}\n{self.text}"
        return " ".join(extract_terms(own)[:_LEAD])


def take_lead(text: str) -> str:
    """Return the terms of a passage's text that are added to the passages around it."""
    return " ".join(extract_terms(text)[:_LEAD])


def take_beginning(words: str) -> str:
    """Return the first of a record's terms, which are added to the records around it."""
    return " ".join(words.split()[:_BEGINNING_WORDS])


def build_whole(text: str, title: str | None, passages: Sequence[Passage]) -> Passage | None:
    """Return the passage for a text as a whole; None if the text is one passage."""
    if len(passages) == 1:
        return None
    return Passage(title or _beginning(text), None, text[:_OPENING])


def build_contexts(passages: Sequence[Passage], before: Sequence[str]) -> list[str]:
    """Return the words around each passage: its own, and the leads of its neighbours.

    `before` are the leads of the passages that stand before the first one, in order, `REACH` at most.
    """
    leads = [*before, *(passage.take_lead() for passage in passages)]
    return [
        " ".join(
            [passage.words(), *leads[max(place - NEIGHBOURS, 0) : place], *leads[place + 1 : place + 1 + NEIGHBOURS]]
        )
        for place, passage in enumerate(passages, start=len(before))
    ]


def split_text(text: str, title: str | None) -> list[Passage]:
    """Return the passages of a text, at least one; `title` is the author's title."""
    if len(text) <= _TARGET:
        return [Passage(title or text, None, text)]
    take_beginning = title or _beginning(text)
    passages = [
        Passage(_caption(title, path) or take_beginning, path[-1] if path else None, part)
        for path, section in _sections(text)
        for part in _cut(section, _TARGET)
    ]
    if 0 < len(passages) <= _MOST:
        return passages
    # The text is nothing but headings, or has a heading for every word.
    return [Passage(take_beginning, None, part) for part in _cut(text, max(_TARGET, len(text) // (_MOST // 4)))]


def find_first_heading(text: str) -> str | None:
    """Return the text of the first heading of level 1, or None."""
    return next((heading for level, _, heading in _headings(text) if level == 1), None)


def _beginning(text: str) -> str:
    line = text[: _BEGINNING + 1].partition("\n")[0]
    return line if len(line) <= _BEGINNING else (line.rpartition(" ")[0] or line[:_BEGINNING])


def _caption(title: str | None, path: Sequence[str]) -> str:
    return " \u203a ".join(dict.fromkeys([title, *path] if title else path))


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each section's path of headings and its text; a heading without text or subsection is its own text."""
    lines = _NEWLINE.sub("\n", text).split("\n")
    path: list[tuple[int, str]] = []
    start = 0
    for level, (first, following), heading in [*_headings(text), (0, (len(lines), 0), "")]:
        section = "\n".join(lines[start:first])
        if path and level <= path[-1][0] and not section.strip():
            section = path[-1][1]
        yield tuple(name for _, name in path), section
        path = [(depth, name) for depth, name in path if depth < level] + [(level, heading)]
        start = following


def _headings(text: str) -> Iterator[tuple[int, tuple[int, int], str]]:
    """Yield the level of each heading, its first line and the line after its last, and its text."""
    tokens = _BLOCKS.parse(text) if len(text) <= _MOST_MARKDOWN else []
    found = [pair for pair in pairwise(tokens) if pair[0].type == "heading_open" and pair[0].level == 0]
    # With too many headings, none is used.
    for opening, inline in found if len(found) <= _MOST else ():
        plain = _SPACE.sub(" ", _plain(inline.content[:_RAW_HEADING])).strip()[:_LONGEST_HEADING]
        if plain and opening.map:
            yield int(opening.tag[1:]), (opening.map[0], opening.map[1]), plain


def _plain(inline: str) -> str:
    [parsed] = _INLINE.parseInline(inline)
    return "".join(
        " " if token.type in {"softbreak", "hardbreak"} else token.content for token in parsed.children or ()
    )


def _cut(text: str, target: int) -> Iterator[str]:
    """Yield parts of about `target` characters that end with a sentence; only white space is lost."""
    start = 0
    ends = [*_ends(text, target), len(text)]
    parts: list[tuple[int, int]] = []
    for index, end in enumerate(ends):
        following = ends[index + 1] if index + 1 < len(ends) else None
        if following is None or following - start > target:
            parts.append((start, end))
            start = end
    if len(parts) > 1 and len(text[slice(*parts[-1])].strip()) < _SHORTEST:
        joined = (parts[-2][0], parts[-1][1])
        # White space between the two counts as well.
        if len(text[slice(*joined)].strip()) <= target + _SHORTEST:
            parts[-2:] = [joined]
    return (part for first, last in parts if (part := text[first:last].strip()))


def _ends(text: str, target: int) -> Iterator[int]:
    """Yield where a part may end: after each sentence, and inside sentences longer than a part."""
    start = 0
    for match in [*_SENTENCE_END.finditer(text), None]:
        end = match.end() if match else len(text)
        while end - start > target:
            space = max(text.rfind(" ", start + 1, start + target), text.rfind("\t", start + 1, start + target))
            start = space + 1 if space > start else start + target
            yield start
        if match:
            yield end
            start = end
