"""Python Enhancement Proposals: RFC 822 headers, then reStructuredText, as PEP 1 describes. Source: ING-18."""

import hashlib
import re
from email.parser import HeaderParser

from ingest.records import MAX_INDEXED, BadRecord, DecisionRecord, RecordLink, Standing
from ingest.sources.dates import parse_date
from ingest.sources.status import NO_DATE, describe_unknown_status, parse_status
from ingest.sources.text_files import TextFile

_VERSION = "pep 2"
"""Part of every digest: a new version of the reader reads unchanged files again."""

_FIRST_HEADER = re.compile(r"\A\s*PEP:[ \t]*\S", re.IGNORECASE)
_ROLE = re.compile(r":pep:`(?:[^`<]*<)?\s*(\d{1,6})[^`]*`", re.IGNORECASE)
_PLAIN = re.compile(r"\bPEPs?[ -](\d{1,6})\b")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.])\1*\s*")
_WHY = ("abstract", "motivation", "rationale")
_THEN = frozenset({
    "backwards compatibility", "backward compatibility", "compatibility", "security implications",
    "security considerations", "consequences", "impact",
})  # fmt: skip
_ENOUGH = 300
"""Characters of a rationale; to a shorter one the next sections are added, because some abstracts are one line."""
_BANNERS = "highlight|contents|sectnum|default-role|rejected|superseded|withdrawn|canonical-[\\w-]+"
_FURNITURE = re.compile(rf"^\.\. (?:_[^:\n]+:|(?:{_BANNERS})::.*)$", re.MULTILINE)
_NO_REASON = ("copyright", "references", "footnotes")


def is_pep(document: TextFile) -> bool:
    """Whether the text begins with the first header of a PEP."""
    return bool(_FIRST_HEADER.match(document.text))


def read_pep(document: TextFile) -> DecisionRecord | BadRecord:
    """The decision that a PEP records.

    The rationale is its Abstract, Motivation and Rationale, followed by other sections if these are short; consequences
    are the paragraphs on compatibility and security. `Replaces`, `Superseded-By` and `Requires` are claims; a PEP named
    in the text is a MENTIONS link.
    """
    head, _, body = document.text.lstrip().partition("\n\n")
    line = document.text.count("\n", 0, len(document.text) - len(document.text.lstrip())) + 1
    headers = HeaderParser().parsestr(head)

    def header(name: str) -> str:
        return " ".join(str(headers.get(name, "")).split())

    def bad(reason: str, name: str) -> BadRecord:
        lines = (number for number, text in enumerate(head.split("\n"), line) if text.lower().startswith(name.lower()))
        return BadRecord(str(document.path), next(lines, line), reason)

    number, title, status = header("PEP"), header("Title"), header("Status")
    if not re.fullmatch(r"[0-9]{1,6}", number):
        return bad(f"the header PEP is not a number: {number[:40]!r}", "PEP:")
    if not title or len(title) > MAX_INDEXED:
        return bad(f"the header Title must have 1 to {MAX_INDEXED:,} characters", "Title:")
    if not status:
        return bad("the header Status is missing", "PEP:")
    key = _build_key(number)
    standing, created = parse_status(status), parse_date(header("Created"))
    sections = _split_sections(body)
    requires = tuple(RecordLink("REQUIRES", other) for other in _parse_keys(header("Requires")) if other != key)
    mentioned = (_build_key(match) for match in _ROLE.findall(body) + _PLAIN.findall(body))
    return DecisionRecord(
        form="pep",
        key=key,
        title=title,
        standing=standing or Standing.PENDING,
        source_status=status,
        created=created,
        authors=_parse_authors(str(headers.get("Author", ""))),
        rationale=_select_rationale(sections) or title,
        consequences=tuple(
            paragraph for name, text in sections if name in _THEN and text for paragraph in text.split("\n\n")
        ),
        supersedes=_parse_keys(header("Replaces")),
        superseded_by=_parse_keys(header("Superseded-By")),
        links=requires + tuple(RecordLink("MENTIONS", other) for other in sorted(set(mentioned) - {key})),
        uri=document.uri,
        line=line,
        digest=hashlib.sha256(f"{_VERSION}\n{document.text}".encode()).hexdigest(),
        notes=tuple(
            filter(None, (None if standing else describe_unknown_status(status), None if created else NO_DATE))
        ),
    )


def _build_key(number: str) -> str:
    return f"PEP {int(number)}"


def _parse_keys(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_build_key(number) for number in re.findall(r"\b[0-9]{1,6}\b", value)))


def _parse_authors(value: str) -> tuple[str, ...]:
    """Names from `Name <address>`, `address (Name)` and plain names; addresses are not stored."""
    names: list[str] = []
    for part in re.split(r",|\n", value):
        bracketed = re.fullmatch(r"\S+@\S+\s*\((.+)\)", part.strip())
        name = bracketed[1] if bracketed else re.sub(r"<[^>]*>?", "", part)
        name = " ".join(name.split()).strip("\"'")
        if names and name in {"Jr.", "Sr.", "II", "III"}:
            names[-1] += f", {name}"
        elif name and "@" not in name and len(name) <= MAX_INDEXED:
            names.append(name)
    return tuple(dict.fromkeys(names))


def _split_sections(body: str) -> list[tuple[str, str]]:
    """Top sections as (lower-case title, text with its subsections); text before the first has the title ""."""
    lines = body.split("\n")
    found: list[tuple[str, list[str]]] = [("", [])]
    style = ""
    for index, text in enumerate(lines):
        underline = lines[index + 1] if index + 1 < len(lines) else ""
        above = lines[index - 1] if index else ""
        is_title = (
            bool(text.strip())
            and not text[0].isspace()
            and not above.strip()
            and bool(_UNDERLINE.fullmatch(underline))
            and len(underline.rstrip()) >= len(text.rstrip())
        )
        if is_title and (not style or underline[0] == style):
            style = underline[0]
            found.append((text.strip().lower(), []))
        elif not (found[-1][0] and not found[-1][1] and _UNDERLINE.fullmatch(text)):
            found[-1][1].append(text)
    return [(title, _clean("\n".join(part))) for title, part in found]


def _select_rationale(sections: list[tuple[str, str]]) -> str:
    chosen = [index for index, (name, _) in enumerate(sections) if name.startswith(_WHY)]
    for index, (name, _) in enumerate(sections):
        if sum(len(sections[part][1]) for part in chosen) >= _ENOUGH:
            break
        if index not in chosen and not name.startswith(_NO_REASON):
            chosen.append(index)
    return "\n\n".join(text for index in chosen if (text := sections[index][1]))


def _clean(text: str) -> str:
    """The text with its `:pep:` roles as a reader sees them, and at most one blank line in a row."""
    readable = _FURNITURE.sub("", _ROLE.sub(lambda match: _build_key(match[1]), text))
    return re.sub(r"\n\s*\n", "\n\n", readable).strip()
