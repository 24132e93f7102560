"""Decision records in Markdown: MADR 2, 3 and 4, Nygard's form (adr-tools), and our own.

What a record says is looked for in this order: front matter, `Key: value` lines below the title (MADR 2, adr-tools),
a section of that name (Nygard). Front matter may hold `title`, `status`, `date`, `deciders` (or `decision-makers`,
`authors`), `target`, `supersedes`, `superseded-by`, `requires`, `amends`, `amended-by`; and for the graph

    relations:                       # how entities relate, as graph_add_edge would record it
      - [Precedent, STORES_IN, Neo4j]
    labels:                          # of entities that are new
      Neo4j: Technology
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, get_args

from ingest.records import MAX_INDEXED, BadRecord, DecisionRecord, Link, PassedOver, Standing, storable
from ingest.sources.dates import parse_date
from ingest.sources.documents import Document
from ingest.sources.front_matter import Broken, labels_of, our_name, relations_of, split_front_matter, text_of
from ingest.sources.outline import MARKDOWN, Outline, plain
from ingest.sources.references import Claim, Names, key_of
from ingest.sources.status import NO_DATE, NO_STATUS, standing_of, unknown_status

_VERSION = "markdown 1"
"""Part of every digest: when this reader learns to see more, unchanged files are read again."""


def read_markdown(document: Document, project: str | None = None) -> DecisionRecord | BadRecord | PassedOver:
    """Returns the decision that a Markdown file records.

    `project` replaces the name that its folder gives to its collection. A file that has neither a status nor a section
    on a decision is no decision record: passed over in a folder, a `BadRecord` where it was named itself.
    """
    matter = split_front_matter(document.text)
    if isinstance(matter, Broken):
        return BadRecord(str(document.path), matter.line, matter.reason)
    outline = Outline(matter.body)
    pairs, rest = outline.preamble()
    named = {name: value for key, value in reversed(pairs) if (name := our_name(key)) not in {"relations", "labels"}}
    values: dict[str, Any] = {name: value for name, value in named.items() if name} | matter.values
    if "status" not in values and (said := outline.texts("status")):
        values["status"] = said[0].split("\n")[0]
    if "status" not in values and not outline.has("decision"):
        reason = "it is no decision record: it has neither a status nor a section on a decision"
        return BadRecord(str(document.path), 1, reason) if document.named else PassedOver(str(document.path))
    # The decision first, then its context: previews and embeddings see the beginning.
    texts = outline.texts("decision", "context") or outline.texts("", "options", "links") or [rest]
    names = Names(document, project or document.collection)
    return _record(names, values, outline, "\n\n".join(texts), matter.line)


def _record(
    names: Names, values: dict[str, Any], outline: Outline, rationale: str, line: int
) -> DecisionRecord | BadRecord:
    document, key = names.document, key_of(names.document.path, names.collection)
    title = text_of(values.get("title")) or outline.title
    status, target = text_of(values.get("status")), text_of(values.get("target")) or None
    relations, labels = relations_of(values.get("relations")), labels_of(values.get("labels"))
    if relations is None or labels is None:
        what = (
            "`relations` must list [head, relation, tail]"
            if relations is None
            else "`labels` must map entities to labels"
        )
        return BadRecord(str(document.path), 1, f"{what}, each a text of 1 to {MAX_INDEXED:,} characters")
    if problem := _problem(key, title, target, rationale, values):
        return BadRecord(str(document.path), line, problem)
    standing = standing_of(plain(status)) if status else Standing.IN_FORCE
    created = parse_date(text_of(values.get("date")))
    claims = dict.fromkeys(_claims(values, outline, names))

    def claimed(kind: Claim) -> tuple[str, ...]:
        return tuple(other for claim, other in claims if claim == kind)

    related = tuple(Link(kind, other) for kind in ("REQUIRES", "AMENDS", "AMENDED_BY") for other in claimed(kind))
    stronger = {other for claim, other in claims if claim != "MENTIONS"} | {key}
    notes = (
        None if standing else unknown_status(status),
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
        authors=_people(values.get("deciders")),
        rationale=rationale,
        consequences=tuple(outline.consequences()),
        supersedes=claimed("supersedes"),
        superseded_by=claimed("superseded_by"),
        links=related + tuple(Link("MENTIONS", other) for other in claimed("MENTIONS") if other not in stronger),
        relations=relations,
        labels=labels,
        uri=document.uri,
        line=line,
        digest=hashlib.sha256(f"{_VERSION}\n{document.text}".encode()).hexdigest(),
        notes=tuple(filter(None, notes)),
    )


def _problem(key: str, title: str, target: str | None, rationale: str, values: dict[str, Any]) -> str | None:
    if not title:
        return "it has no title: neither in front matter nor as its first heading"
    if not rationale:
        return "it says nothing beyond its title and status"
    if max(map(len, (key, title, target or ""))) > MAX_INDEXED:
        return f"title, target and file name hold at most {MAX_INDEXED:,} characters"
    if not all(map(storable, _leaves(values))):
        return "its front matter holds an escape that is no Unicode character"
    return None


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value if isinstance(value, list) else [*value.keys(), *value.values()]:
            yield from _leaves(part)


def _claims(values: dict[str, Any], outline: Outline, names: Names) -> Iterator[tuple[Claim, str]]:
    """Everything the record says about other records, in one order."""
    for kind in get_args(Claim):
        value = values.get(kind)
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str):
                yield from ((kind, key) for key in _named(word, names))
    yield from _said(text_of(values.get("status")), names)
    for inline, role in outline.inlines():
        for claim, key in names.claims(inline, anywhere=role == "status"):
            if len(key) <= MAX_INDEXED:
                yield claim, key


def _named(word: str, names: Names) -> list[str]:
    """The records that a value of front matter names: numbers, files, keys, or Markdown with links."""
    if found := [key for _, key in _said(word, names)]:
        return found
    parts = word.split(",") if re.fullmatch(r"[\s\d,#]+", word) else [word]
    return [key for part in parts if (key := names.key_of_word(part)) and len(key) <= MAX_INDEXED]


def _said(text: str, names: Names) -> Iterator[tuple[Claim, str]]:
    for inline in MARKDOWN.parseInline(text):
        yield from names.claims(inline, anywhere=True)


def _people(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else re.split(r",|;|\band\b", text_of(value))
    names = (plain(re.sub(r"<[^>]*>", "", part)).strip(" {}@[]") for part in listed if isinstance(part, str))
    return tuple(dict.fromkeys(name for name in names if name and len(name) <= MAX_INDEXED))
