"""The passages of a text: the few sentences at a time that a memory is found by.

A short text is one passage. A longer one is cut at its Markdown headings and at the ends of sentences, because the
embedding model and the ranking of words both see best what is short; each passage is captioned by what it stands under,
and finds the entry. What surrounds a passage is found by as well: `around` holds its own words and those of the two
passages before and after, in the same text and in the same session. How much each gives is measured
(docs/decisions, benchmarks/retrieval.py).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from server.ranking.terms import terms

_TARGET = 200
"""Characters of a passage: about two sentences."""
_SHORTEST = 50
"""Characters below which the last passage of a section joins the one before it."""
_BEGINNING = 40
"""Characters of a text's beginning that caption its later passages: who speaks, and about what."""
_LONGEST_HEADING = 120
_RAW_HEADING = 200
_MOST_MARKDOWN = 262_144
"""Characters of a text whose headings are looked for: parsing takes a second for each half megabyte."""
_MOST = 4_000
REACH = 2
"""How many passages before and after count as around a passage."""
_LEAD = 40
"""Words that a passage gives to what is around it."""

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_SPACE = re.compile(r"\s+")
_NEWLINE = re.compile(r"\r\n?")
# Only headings are read word by word, which takes a tenth of the time.
_BLOCKS = MarkdownIt().disable(["inline", "text_join", "html_block"])
_INLINE = MarkdownIt()


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text: the caption it stands under, the innermost heading, and the text itself."""

    caption: str
    heading: str | None
    text: str

    def words(self) -> str:
        """What it is found by, for a full-text index."""
        own = self.text if self.text.startswith(self.caption) else f"{self.caption}\n{self.text}"
        return " ".join(terms(own))

    def lead(self) -> str:
        """What it gives to the passages around it."""
        return lead(self.text)


def lead(text: str) -> str:
    """The words of a passage's text that count for the passages around it."""
    return " ".join(terms(text)[:_LEAD])


def around(passages: Sequence[Passage], before: Sequence[str]) -> list[str]:
    """What is around each passage: its own words, and the leads of its neighbours.

    `before` are the leads of the passages that stand before the first one, in order, `REACH` at most.
    """
    leads = [*before, *(passage.lead() for passage in passages)]
    return [
        " ".join([passage.words(), *leads[max(place - REACH, 0) : place], *leads[place + 1 : place + 1 + REACH]])
        for place, passage in enumerate(passages, start=len(before))
    ]


def cut(text: str, title: str | None) -> list[Passage]:
    """The passages of a text, at least one; `title` is what its author calls it."""
    if len(text) <= _TARGET:
        return [Passage(title or text, None, text)]
    beginning = title or _beginning(text)
    passages = [
        Passage(_caption(title, path) or beginning, path[-1] if path else None, part)
        for path, section in _sections(text)
        for part in _cut(section, _TARGET)
    ]
    if 0 < len(passages) <= _MOST:
        return passages
    # Nothing but headings, or a heading to every word.
    return [Passage(beginning, None, part) for part in _cut(text, max(_TARGET, len(text) // (_MOST // 4)))]


def first_heading(text: str) -> str | None:
    """The text of the first heading of the first level, if there is one."""
    return next((heading for level, _, heading in _headings(text) if level == 1), None)


def _beginning(text: str) -> str:
    line = text[: _BEGINNING + 1].partition("\n")[0]
    return line if len(line) <= _BEGINNING else (line.rpartition(" ")[0] or line[:_BEGINNING])


def _caption(title: str | None, path: Sequence[str]) -> str:
    return " \u203a ".join(dict.fromkeys([title, *path] if title else path))


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each section's path of headings, and its text without the heading; of a heading without either, itself."""
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
    """Each heading's level, its lines (first, and the one after the last), and its text."""
    tokens = _BLOCKS.parse(text) if len(text) <= _MOST_MARKDOWN else []
    found = [pair for pair in pairwise(tokens) if pair[0].type == "heading_open" and pair[0].level == 0]
    # Nothing but headings says nothing.
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
    """Parts of about `target` characters that end where sentences do; nothing but white space is lost."""
    start = 0
    ends = [*_ends(text, target), len(text)]
    parts: list[tuple[int, int]] = []
    for place, end in enumerate(ends):
        following = ends[place + 1] if place + 1 < len(ends) else None
        if following is None or following - start > target:
            parts.append((start, end))
            start = end
    if len(parts) > 1 and len(text[slice(*parts[-1])].strip()) < _SHORTEST:
        parts[-2:] = [(parts[-2][0], parts[-1][1])]
    return (part for first, last in parts if (part := text[first:last].strip()))


def _ends(text: str, target: int) -> Iterator[int]:
    """Where a part may end: after each sentence, and within sentences that are longer than a part."""
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
