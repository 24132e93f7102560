"""`precedent ingest decisions`: files of decision records into the graph.

Read all, ask the ledger, decide from all records together (`ingest.chains`), write what differs. Records that bear on
which decision is in force for a target are written in one transaction, so that a target never has two and, where a file
says so, never none. Links between records follow when all records are there. Nothing is ever removed: a record whose
file is gone stays as history, with the status it had.
"""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote

import anyio

from ingest.chains import Claims, Resolution, resolve
from ingest.decision_writer import DecisionWriter, planned
from ingest.ledger import DecisionSource, Run, decision_sources
from ingest.pipeline import Progress, Remark, Silent, Summary
from ingest.records import BadRecord, DecisionRecord, PassedOver, natural
from ingest.sources.decisions import read_decisions
from server.errors import Conflict
from server.graph.graph import Graph

_TIMEOUT = 120.0
_TURNS = 5
"""Times that others may get in between before the run gives up."""


async def ingest_decisions(
    graph: Graph,
    namespace: str,
    paths: list[Path],
    *,
    project: str | None = None,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Brings the decision records of files, folders and archives into the graph, and tells what it did.

    `project` names the collection of Markdown records instead of their folder. With `dry_run` nothing is written, and
    the summary tells what would be. `again` writes every record, whatever the ledger says. What cannot be a decision is
    set aside and the rest goes on. Raises `Unavailable` when the graph cannot be reached; what was written until then
    is kept, and the next run goes on from there; `Conflict` when others keep deciding about the same targets.
    """
    started = time.monotonic()
    found = await anyio.to_thread.run_sync(lambda: list(read_decisions(paths, project)))
    run = Run(graph, namespace, "decisions")
    touched: set[str] = set()
    first: Mapping[str, DecisionSource] | None = None
    for turn in range(_TURNS):
        summary = Summary("decisions", dry_run=dry_run)
        known = await decision_sources(graph, namespace)
        first = known if first is None else first
        records = _sorted_out(found, known, summary)
        resolution = await _resolved(graph, namespace, records, known)
        for key, reason in resolution.refused.items():
            if record := records.pop(key, None):
                summary.set_aside(BadRecord(place(record), record.line, reason))
        _remark(records, resolution, summary)
        plan = planned(records, known, resolution, again=again)
        _count(summary, touched | plan.touched, first, records)
        if dry_run or not plan.touched:
            break
        await run.open()
        try:
            writer = DecisionWriter(graph, namespace, run.id, plan, progress or Silent())
            summary.entities_created = await writer.write()
            break
        except Conflict:
            # Somebody else decided about a target since we asked. The graph has the last word, so ask again.
            if turn == _TURNS - 1:
                raise
            touched |= plan.touched
    await run.close(summary)
    summary.seconds = time.monotonic() - started
    return summary


def _count(
    summary: Summary, touched: set[str], first: Mapping[str, DecisionSource], records: Mapping[str, DecisionRecord]
) -> None:
    """`first` is what the ledger knew when the run began."""
    summary.created = len(touched & records.keys() - first.keys())
    summary.updated = len(touched & records.keys() & first.keys())
    summary.unchanged = len(records.keys() - touched)
    summary.affected = len(touched & first.keys() - records.keys())


def _sorted_out(
    found: Iterable[DecisionRecord | BadRecord | PassedOver], known: Mapping[str, DecisionSource], summary: Summary
) -> dict[str, DecisionRecord]:
    """The records by key; what is bad, passed over or named twice goes into the summary."""
    records: dict[str, DecisionRecord] = {}
    for part in found:
        if isinstance(part, PassedOver):
            summary.passed_over.append(part.file)
        elif isinstance(part, BadRecord):
            summary.set_aside(part)
        elif part.key in records:
            reason = f"{part.key} is also {place(records[part.key])}; number them apart"
            summary.set_aside(BadRecord(place(part), part.line, reason))
        elif (other := known.get(part.key)) and _another(part, other):
            reason = f"{part.key} is another record, read from {other.location}; name this project with --project"
            summary.set_aside(BadRecord(place(part), part.line, reason))
        else:
            records[part.key] = part
    return records


def _another(record: DecisionRecord, other: DecisionSource) -> bool:
    """Whether two projects of the same name meet: a record that merely moved still has its title."""
    return record.form == "markdown" and record.uri != other.location and record.title != other.title


async def _resolved(
    graph: Graph, namespace: str, records: Mapping[str, DecisionRecord], known: Mapping[str, DecisionSource]
) -> Resolution:
    """What all records come to: those just read, and those that the ledger knows."""
    before = {key: source.claims for key, source in known.items()}
    claims = before | {
        key: Claims.of(record, replaced_in_service=key in before and before[key].replaced_in_service)
        for key, record in records.items()
    }
    targets = {part.target for part in claims.values() if part.target} | claims.keys()
    rows = await graph.run("ingest/holders", namespace=namespace, targets=sorted(targets), timeout=_TIMEOUT)
    return resolve(claims.values(), {row["target"]: row["id"] for row in rows}, before)


def _remark(records: Mapping[str, DecisionRecord], resolution: Resolution, summary: Summary) -> None:
    told = [(key, note) for key, record in records.items() for note in record.notes]
    told += [(finding.key, finding.told) for finding in resolution.findings if finding.key in records]
    summary.remarks = [Remark(key, text) for key, text in sorted(told, key=lambda pair: natural(pair[0]))]


def place(record: DecisionRecord) -> str:
    """Where a record stands, as a person would write it."""
    return unquote(record.uri.removeprefix("file://"))
