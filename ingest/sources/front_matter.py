"""Front matter of Markdown records: YAML above the text, with one canonical name for each of its many names."""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from ingest.records import MAX_INDEXED

_NAMES = {
    "title": "title", "status": "status", "date": "date", "target": "target",
    "deciders": "deciders", "decision makers": "deciders", "decided by": "deciders", "authors": "deciders",
    "author": "deciders",
    "supersedes": "supersedes", "replaces": "supersedes",
    "superseded by": "superseded_by", "replaced by": "superseded_by",
    "requires": "REQUIRES", "depends on": "REQUIRES", "amends": "AMENDS", "amended by": "AMENDED_BY",
    "relations": "relations", "entities": "labels", "labels": "labels",
}  # fmt: skip
_HANDLER = YAMLHandler()
_EMPTY = ("", "null", "~", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values above a text, by canonical name; the text below them, and the line on which it begins."""

    body: str
    values: dict[str, Any] = field(default_factory=dict)
    line: int = 1


@dataclass(frozen=True, slots=True)
class BadFrontMatter:
    """Front matter that cannot be read: the line and the reason."""

    line: int
    reason: str


def canonical_name(name: str) -> str | None:
    """The canonical name for a name of front matter or of a `Key: value` line; None for an unknown name."""
    return _NAMES.get(re.sub(r"[-_\s]+", " ", name).strip().lower())


def split_front_matter(text: str) -> FrontMatter | BadFrontMatter:
    """Separate front matter from the text; a text that begins with a thematic break has none."""
    if not _HANDLER.detect(text):
        return FrontMatter(text)
    try:
        above, body = _HANDLER.split(text)
    except ValueError:  # one boundary only
        return FrontMatter(text)
    try:
        # Plain strings only: YAML would read the number 0010 as 8 and the word "no" as false. And only the loader
        # written in Python: the one in C, the library's default, ends the process on deeply nested input.
        loaded = yaml.load(above, Loader=yaml.BaseLoader)  # noqa: S506 - BaseLoader makes nothing but strings
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return BadFrontMatter(line, f"its front matter is not valid YAML: {error.problem or 'it cannot be read'}")
    except (yaml.YAMLError, RecursionError):
        return BadFrontMatter(1, "its front matter is not valid YAML")
    if not isinstance(loaded, dict):
        return FrontMatter(text)
    named = ((canonical_name(str(name)), value) for name, value in loaded.items())
    values = {name: value for name, value in named if name and value not in _EMPTY}
    return FrontMatter(body, values, text.count("\n") - body.lstrip().count("\n") + 1)


def to_text(value: object) -> str:
    """A value as text: a scalar, or a list of scalars joined by commas."""
    if isinstance(value, list):
        return ", ".join(part.strip() for part in value if isinstance(part, str))
    return value.strip() if isinstance(value, str) else ""


def parse_relations(value: object) -> tuple[tuple[str, str, str], ...] | None:
    """The rows of `relations`, or None if one of them is not [head, relation, tail]."""
    rows = value if isinstance(value, list) else None if value else []
    if rows is None or not all(isinstance(row, list) and len(row) == 3 and all(map(_is_name, row)) for row in rows):  # noqa: PLR2004
        return None
    return tuple((row[0], row[1], row[2]) for row in rows)


def parse_labels(value: object) -> tuple[tuple[str, str], ...] | None:
    """The pairs of `labels`, or None if it does not map names to labels."""
    pairs = list(value.items()) if isinstance(value, dict) else None if value else []
    if pairs is None or not all(_is_name(name) and _is_name(label) for name, label in pairs):
        return None
    return tuple(pairs)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= MAX_INDEXED
