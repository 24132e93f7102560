"""Decision records in Markdown: MADR 2, 3 and 4, Nygard's form (adr-tools), and this project's own. Source: ING-18.

A value is looked for in this order: front matter, `Key: value` lines below the title (MADR 2, adr-tools), a section of
that name (Nygard). Front matter may have `title`, `status`, `date`, `deciders` (or `decision-makers`,
`authors`), `target`, `supersedes`, `superseded-by`, `requires`, `amends`, `amended-by`; and for the graph:

    relations:                       # how entities relate, as graph_add_edge would record it
      - [Precedent, STORES_IN, Neo4j]
    labels:                          # of entities that are new
      Neo4j: Technology
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, get_args

from ingest.records import MAX_INDEXED, BadRecord, DecisionRecord, PassedOver, RecordLink, Standing, is_storable
from ingest.sources.dates import parse_date
from ingest.sources.front_matter import (
    BadFrontMatter,
    canonical_name,
    parse_labels,
    parse_relations,
    split_front_matter,
    to_text,
)
from ingest.sources.outline import MARKDOWN, Outline, strip_markup
from ingest.sources.references import Claim, ReferenceResolver, build_key
from ingest.sources.status import NO_DATE, NO_STATUS, describe_unknown_status, parse_status
from ingest.sources.text_files import TextFile

_VERSION = "markdown 2"
"""Part of every digest: a new version of the reader reads unchanged files again."""


def read_markdown(document: TextFile, project: str | None = None) -> DecisionRecord | BadRecord | PassedOver:
    """The decision that a Markdown file records.

    `project` replaces the name that its folder gives to its collection. A file with neither a status nor a section on a
    decision is not a decision record: it is passed over in a folder, and a `BadRecord` if its path was given.
    """
    matter = split_front_matter(document.text)
    if isinstance(matter, BadFrontMatter):
        return BadRecord(str(document.path), matter.line, matter.reason)
    outline = Outline(matter.body)
    pairs, rest = outline.preamble()
    named = {
        name: value for key, value in reversed(pairs) if (name := canonical_name(key)) not in {"relations", "labels"}
    }
    values: dict[str, Any] = {name: value for name, value in named.items() if name} | matter.values
    if "status" not in values and (statuses := outline.texts("status")):
        values["status"] = statuses[0].split("\n")[0]
    if "status" not in values and not outline.has("decision"):
        reason = "it is not a decision record: it has neither a status nor a section on a decision"
        return BadRecord(str(document.path), 1, reason) if document.is_explicit else PassedOver(str(document.path))
    # The decision first, then its context: previews and embeddings use the beginning.
    texts = outline.texts("decision", "context") or outline.texts("", "options", "links") or [rest]
    names = ReferenceResolver(document, project or document.collection)
    return _build_record(names, values, outline, "\n\n".join(texts), matter.line)


def _build_record(
    names: ReferenceResolver, values: dict[str, Any], outline: Outline, rationale: str, line: int
) -> DecisionRecord | BadRecord:
    document, key = names.document, build_key(names.document.path, names.collection)
    title = to_text(values.get("title")) or outline.title
    status, target = to_text(values.get("status")), to_text(values.get("target")) or None
    relations, labels = parse_relations(values.get("relations")), parse_labels(values.get("labels"))
    if relations is None or labels is None:
        what = (
            "`relations` must list [head, relation, tail]"
            if relations is None
            else "`labels` must map entities to labels"
        )
        return BadRecord(str(document.path), 1, f"{what}, each a text of 1 to {MAX_INDEXED:,} characters")
    if problem := _find_problem(key, title, target, rationale, values):
        return BadRecord(str(document.path), line, problem)
    standing = parse_status(strip_markup(status)) if status else Standing.IN_FORCE
    created = parse_date(to_text(values.get("date")))
    claims = dict.fromkeys(_list_claims(values, outline, names))

    def list_claimed(kind: Claim) -> tuple[str, ...]:
        return tuple(other for claim, other in claims if claim == kind)

    related = tuple(
        RecordLink(kind, other) for kind in ("REQUIRES", "AMENDS", "AMENDED_BY") for other in list_claimed(kind)
    )
    stronger = {other for claim, other in claims if claim != "MENTIONS"} | {key}
    notes = (
        None if standing else describe_unknown_status(status),
        None if status else NO_STATUS,
        None if created else NO_DATE,
    )
    return DecisionRecord(
        form="markdown",
        key=key,
        title=title,
        target=target,
        standing=standing or Standing.PENDING,
        source_status=status,
        created=created,
        authors=_parse_people(values.get("deciders")),
        rationale=rationale,
        consequences=tuple(outline.consequences()),
        supersedes=list_claimed("supersedes"),
        superseded_by=list_claimed("superseded_by"),
        links=related
        + tuple(RecordLink("MENTIONS", other) for other in list_claimed("MENTIONS") if other not in stronger),
        relations=relations,
        labels=labels,
        uri=document.uri,
        line=line,
        digest=hashlib.sha256(f"{_VERSION}\n{document.text}".encode()).hexdigest(),
        notes=tuple(filter(None, notes)),
    )


def _find_problem(key: str, title: str, target: str | None, rationale: str, values: dict[str, Any]) -> str | None:
    if not title:
        return "it has no title: neither in front matter nor as its first heading"
    if not rationale:
        return "it has no text besides its title and status"
    if max(map(len, (key, title, target or ""))) > MAX_INDEXED:
        return f"title, target and file name have at most {MAX_INDEXED:,} characters"
    if not all(map(is_storable, _leaves(values))):
        return "its front matter has an escape that is not a Unicode character"
    return None


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value if isinstance(value, list) else [*value.keys(), *value.values()]:
            yield from _leaves(part)


def _list_claims(values: dict[str, Any], outline: Outline, names: ReferenceResolver) -> Iterator[tuple[Claim, str]]:
    """All claims of the record about other records, in one order."""
    for kind in get_args(Claim):
        value = values.get(kind)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield from ((kind, key) for key in _parse_references(text, names))
    yield from _find_claims(to_text(values.get("status")), names)
    for inline, role in outline.inlines():
        for claim, key in names.find_claims(inline, anywhere=role == "status"):
            if len(key) <= MAX_INDEXED:
                yield claim, key


def _parse_references(text: str, names: ReferenceResolver) -> list[str]:
    """The records that a value of front matter names: by number, file, key, or in Markdown with links."""
    if found := [key for _, key in _find_claims(text, names)]:
        return found
    parts = text.split(",") if re.fullmatch(r"[\s\d,#]+", text) else [text]
    return [key for part in parts if (key := names.resolve_name(part)) and len(key) <= MAX_INDEXED]


def _find_claims(text: str, names: ReferenceResolver) -> Iterator[tuple[Claim, str]]:
    for inline in MARKDOWN.parseInline(text):
        yield from names.find_claims(inline, anywhere=True)


def _parse_people(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else re.split(r",|;|\band\b", to_text(value))
    names = (strip_markup(re.sub(r"<[^>]*>", "", part)).strip(" {}@[]") for part in listed if isinstance(part, str))
    return tuple(dict.fromkeys(name for name in names if name and len(name) <= MAX_INDEXED))
