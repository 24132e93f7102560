"""A Markdown text as its sections, each with its role in a decision record."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Role = Literal["", "status", "decision", "context", "consequences", "positive", "negative", "options", "links"]

MARKDOWN = MarkdownIt("commonmark")
_ROLES: dict[str, Role] = {
    "status": "status",
    "decision": "decision", "decision outcome": "decision", "outcome": "decision", "resolution": "decision",
    "context": "context", "context and problem statement": "context", "problem": "context",
    "problem statement": "context", "background": "context", "motivation": "context", "rationale": "context",
    "decision drivers": "context", "issue": "context",
    "consequences": "consequences", "implications": "consequences",
    "positive consequences": "positive", "negative consequences": "negative",
    "considered options": "options", "options": "options", "alternatives": "options",
    "pros and cons of the options": "options",
    "links": "links", "more information": "links", "related decisions": "links", "references": "links",
    "notes": "links",
}  # fmt: skip
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NUMBER = re.compile(
    r"^(?:adr[-_ #]*)?\d{1,6}\s*[.:)\u2013\u2014-]+\s*|^adr[-_ #]*\d{0,6}\s*[.:\u2013\u2014-]+\s*", re.IGNORECASE
)
_KEY_VALUE = re.compile(r"^\s*(?:[*+-]\s+)?[*_]*([A-Za-z][A-Za-z -]{2,20}?)[*_]*\s*:[*_]*\s*(\S.*)$")
_LONGEST = 4_000
"""Characters of a heading or status that are read; titles are much shorter."""
_SIGNS: dict[str, str] = {"consequences": "", "positive": "Positive: ", "negative": "Negative: "}


@dataclass(slots=True)
class _Section:
    """A heading's role and level, and its lines up to the next heading; the preamble has level 0."""

    role: Role
    level: int
    start: int
    end: int

    def contains(self, token: Token) -> bool:
        return token.map is not None and self.start <= token.map[0] < self.end


class Outline:
    """The sections of one Markdown text; a subsection without a role has that of its parent."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._tokens = MARKDOWN.parse(text)
        self._title = ""
        self._sections = [_Section("", 0, 0, len(self._lines))]
        parents: list[_Section] = []
        for index, token in enumerate(self._tokens):
            if token.type != "heading_open" or token.level != 0 or token.map is None:
                continue
            level, name = int(token.tag[1]), self._tokens[index + 1].content
            if level == 1 and not self._title and len(self._sections) == 1:
                self._title = _NUMBER.sub("", strip_markup(name)).strip()
                self._sections[0].start = token.map[1]
                continue
            parents = [parent for parent in parents if parent.level < level]
            role = _ROLES.get(re.sub(r"^[\d.\s]+", "", strip_markup(name)).rstrip(" :").lower())
            self._sections[-1].end = token.map[0]
            self._sections.append(
                _Section(role or (parents[-1].role if parents else ""), level, token.map[1], len(self._lines))
            )
            parents.append(self._sections[-1])

    @property
    def title(self) -> str:
        """The first heading without its number, if it is of the first level."""
        return self._title

    def has(self, role: Role) -> bool:
        return any(section.role == role for section in self._sections)

    def texts(self, *roles: Role) -> list[str]:
        """The texts of the sections with these roles, role by role, without comments."""
        found = (self._text(part) for role in roles for part in self._sections if part.role == role and part.level)
        return [text for text in found if text]

    def preamble(self) -> tuple[list[tuple[str, str]], str]:
        """The `Key: value` lines between the title and the first section, and the other text there."""
        lines = self._text(self._sections[0]).split("\n")
        pairs = [(match[1], match[2].strip()) for match in map(_KEY_VALUE.match, lines) if match]
        return pairs, "\n".join(line for line in lines if not _KEY_VALUE.match(line)).strip()

    def inlines(self) -> Iterator[tuple[Token, Role]]:
        """Every line of running text with the role of its section."""
        starts = [section.start for section in self._sections]
        for token in self._tokens:
            if token.type == "inline" and token.map is not None:
                section = self._sections[max(bisect_right(starts, token.map[0]) - 1, 0)]
                yield token, section.role if section.contains(token) else ""

    def consequences(self) -> Iterator[str]:
        """The items of the sections on consequences, or their paragraphs; the two lists of MADR 2 keep their sign."""
        for part in (part for part in self._sections if part.role in _SIGNS):
            for token in filter(part.contains, self._tokens):
                item = token.type == "list_item_open" and token.level == 1
                if item or (token.type == "paragraph_open" and token.level == 0):
                    text = _COMMENT.sub("", "\n".join(self._lines[slice(*(token.map or ()))])).strip()
                    text = re.sub(r"^(?:[*+-]|\d{1,9}[.)])(?:\s+|$)", "", text) if item else text
                    if text:
                        yield _SIGNS[part.role] + text

    def _text(self, section: _Section) -> str:
        return _COMMENT.sub("", "\n".join(self._lines[section.start : section.end])).strip()


def strip_markup(text: str) -> str:
    """One line of Markdown without emphasis, code marks, struck-out words and addresses of links."""
    bare = re.sub(r"~~.*?~~", "", text[:_LONGEST])
    bare = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", bare)
    return re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", bare).strip(" -+")
