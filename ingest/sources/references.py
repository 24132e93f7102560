"""References between decision records in Markdown: links to files, "ADR-0005", "PEP 8"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal
from urllib.parse import unquote

from markdown_it.token import Token

from ingest.sources.text_files import TextFile

Claim = Literal["supersedes", "superseded_by", "REQUIRES", "AMENDS", "AMENDED_BY", "MENTIONS"]

_NUMBERED = re.compile(r"^(?:adr[-_ .]?)?(\d{1,6})(?=[-_ .]|$)", re.IGNORECASE)
_DATED = re.compile(r"^\d{4}[-_]\d{2}[-_]\d{2}")
_LINK = "\ue000{}\ue001"  # private use: marks the n-th link in the text that is searched for phrases
_NAMED = r"\ue000(\d+)\ue001|\bADR[-# ]{0,2}(\d{1,6})\b|\bPEP[- ]?(\d{1,6})\b"
_ONE = re.compile(_NAMED, re.IGNORECASE)
_ONE_OR_FILE = re.compile(rf"{_NAMED}|\b(\d{{1,6}}-[a-z][\w.-]*)", re.IGNORECASE)
_REF = "(?:" + re.sub(r"(?<!\\)\((?!\?)", "(?:", _ONE_OR_FILE.pattern) + ")"
_PHRASES: dict[str, Claim] = {
    r"(?:superseded|superceded|replaced)\s+(?:by|with)": "superseded_by",
    r"(?:supersedes|supercedes|replaces)": "supersedes",
    r"(?:amended|refined|extended)\s+by": "AMENDED_BY",
    r"(?:amends|refines|extends)": "AMENDS",
    r"(?:requires|depends\s+on|builds\s+on)": "REQUIRES",
}
_CLAIM = re.compile(
    "(?:"
    + "|".join(f"({phrase})" for phrase in _PHRASES)
    + rf")[\s:]{{1,9}}({_REF}(?:[\s,&+]{{0,9}}(?:and\s{{1,9}})?{_REF})*)",
    re.IGNORECASE,
)
_NOTHING = frozenset({"", "-", "none", "no", "n/a", "na", "null", "~"})
_LINE_START = re.compile(r"^\W*(?:status\W+)?$", re.IGNORECASE)


def build_key(path: PurePath, collection: str) -> str:
    """The key of a Markdown record: "shop ADR 12" if its file name begins with a number, else "shop use-postgres".

    A date in front of the name is part of the name, not a number.
    """
    number = None if _DATED.match(path.stem) else _NUMBERED.match(path.stem)
    return f"{collection} ADR {int(number[1])}" if number else f"{collection} {path.stem}"


@dataclass(frozen=True, slots=True)
class ReferenceResolver:
    """Resolves references in one document to the keys of records."""

    document: TextFile
    collection: str

    def resolve_link(self, href: str) -> str | None:
        """The key of the Markdown file that a relative link leads to, else None."""
        target = unquote(href.partition("#")[0].partition("?")[0])
        if "://" in target or not target.lower().endswith((".md", ".markdown")) or "\0" in target:
            return None
        parts: list[str] = list(self.document.path.parent.parts)
        for part in target.split("/"):
            if part == ".." and len(parts) > 1:
                parts.pop()
            elif part not in {"", ".", ".."}:
                parts.append(part)
        linked = TextFile(PurePath(*parts), "")
        same = linked.path.parent == self.document.path.parent
        return build_key(linked.path, self.collection if same else linked.collection)

    def resolve_name(self, name: str) -> str | None:
        """The key of a value of front matter: 5, "0005", "ADR-5", "0005-x.md", "0005-x", "PEP 8", or a key."""
        text = name.strip().strip("\"'<>[]() ")
        if text.lower() in _NOTHING:
            return None
        if text.isascii() and text.lstrip("#").isdecimal():
            return f"{self.collection} ADR {int(text.lstrip('#'))}" if len(text) <= 7 else None  # noqa: PLR2004
        if match := re.fullmatch(_ONE, text):
            return f"PEP {int(match[3])}" if match[3] else f"{self.collection} ADR {int(match[2])}"
        if linked := self.resolve_link(text):
            return linked
        return text if re.search(r"[\s/\\\0]", text) else build_key(PurePath(f"{text}.md"), self.collection)

    def find_claims(self, inline: Token, *, anywhere: bool) -> Iterator[tuple[Claim, str]]:
        """Yield the claims of a line of text about other records. Source: ING-30.

        A phrase such as "superseded by" counts if a line begins with it, or `anywhere` in a status; in prose it is a
        mention ("we do not want one that supersedes ADR 3").
        """
        text, links = _flatten(inline)
        for line in text.split("\n"):
            taken: list[tuple[int, int]] = []
            for match in _CLAIM.finditer(line):
                if anywhere or _LINE_START.match(line[: match.start()]):
                    *phrases, references = match.groups()
                    claim = next(claim for claim, phrase in zip(_PHRASES.values(), phrases, strict=True) if phrase)
                    taken.append(match.span())
                    yield from ((claim, key) for key in self._resolve_all(references, links))
            for match in _ONE.finditer(line):
                if not any(start <= match.start() < end for start, end in taken):
                    yield from (("MENTIONS", key) for key in self._resolve_all(match[0], links))

    def _resolve_all(self, text: str, links: list[tuple[str, str]]) -> Iterator[str]:
        for link, adr, pep, stem in _ONE_OR_FILE.findall(text):
            if link:
                href, label = links[int(link)]
                named = _ONE.search(label)
                key = self.resolve_link(href) or (self.resolve_name(named[0]) if named else None)
            else:
                key = self.resolve_name(stem.rstrip(".") or (f"ADR-{adr}" if adr else f"PEP {pep}"))
            if key:
                yield key


def _flatten(inline: Token) -> tuple[str, list[tuple[str, str]]]:
    """The text of a line with each link replaced by a mark, and the links as (address, text)."""
    parts: list[str] = []
    links: list[tuple[str, str]] = []
    label: list[str] | None = None
    for child in inline.children or []:
        if child.type == "link_open":
            links.append((str(child.attrGet("href") or ""), ""))
            label = []
        elif child.type == "link_close" and label is not None:
            links[-1] = (links[-1][0], "".join(label))
            parts.append(_LINK.format(len(links) - 1))
            label = None
        elif child.type in {"softbreak", "hardbreak"}:
            (parts if label is None else label).append("\n" if label is None else " ")
        elif child.type in {"text", "code_inline"}:
            (parts if label is None else label).append(child.content.replace("\ue000", "").replace("\ue001", ""))
    return "".join(parts), links
