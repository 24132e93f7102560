"""`precedent ingest decisions`: files of decision records into the graph.

All records are read and compared with the ledger, their states are resolved together (`ingest.resolution`), and what
differs is written. Records that bear on which decision is in force for a target are written in one transaction: the
target never has two decisions in force and, if a file hands it on, never none. Links between records are written when
all records are stored. Nothing is removed: a record whose file is gone stays as history, with the status it had.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote

from anyio import to_thread

from ingest.decision_writer import DecisionRecordWriter, Plan, build_plan
from ingest.ledger import IngestRun, RecordSource, load_decision_sources
from ingest.pipeline import IngestSummary, Progress, Remark
from ingest.records import BadRecord, DecisionRecord, PassedOver, natural_sort_key
from ingest.resolution import Claims, Resolution, resolve
from ingest.sources.decisions import read_decisions
from server.core.errors import Conflict
from server.decisions.reindexing import reindex_decisions
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.sequence import IdSequence

_TIMEOUT = 120.0
_ATTEMPTS = 5
"""How often the run starts again because other callers decide on the same targets."""


async def ingest_decisions(
    graph: Graph,
    namespace: str,
    paths: list[Path],
    *,
    project: str | None = None,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> IngestSummary:
    """Store the decision records of files, folders and tar files, and return what was done.

    `project` names the collection of Markdown records instead of their folder. What cannot be a decision is set aside.
    Raises `Unavailable` when the graph cannot be reached; what was written until then is kept, and the next run
    continues from there; `Conflict` when others keep deciding on the same targets.
    """
    found = await to_thread.run_sync(lambda: list(read_decisions(paths, project)))
    run = IngestRun(graph, namespace, "decisions", dry_run=dry_run, again=again, progress=progress)
    before = known = await load_decision_sources(graph, namespace)
    written: set[str] = set()
    for attempt in range(1, _ATTEMPTS + 1):
        plan = await _plan(run, found, known)
        _count(run.summary, written | plan.touched, before, plan.records)
        if dry_run or not plan.touched:
            break
        await run.open()
        try:
            run.summary.entities_created = await DecisionRecordWriter(run, plan).write()
            await reindex_decisions(graph, IdSequence(graph))
            break
        except Conflict:
            # Another caller has decided on a target since the plan was made, and the graph is the authority.
            if attempt == _ATTEMPTS:
                raise
            written |= plan.touched
            known = await load_decision_sources(graph, namespace)
    return await run.close()


async def _plan(
    run: IngestRun, found: Iterable[DecisionRecord | BadRecord | PassedOver], known: Mapping[str, RecordSource]
) -> Plan:
    """What is to be written, by the ledger as it is now; the run's summary starts again."""
    summary = run.summary = IngestSummary("decisions", dry_run=run.dry_run)
    records = _select_records(found, known, summary)
    resolution = await _resolve(run, records, known)
    for key, reason in resolution.refused.items():
        if record := records.pop(key, None):
            summary.set_aside(BadRecord(_format_location(record), record.line, reason))
    summary.remarks = _list_remarks(records, resolution)
    return build_plan(records, known, resolution, again=run.again)


def _count(
    summary: IngestSummary,
    touched: set[str],
    before: Mapping[str, RecordSource],
    records: Mapping[str, DecisionRecord],
) -> None:
    """Count what is written; `before` is what the ledger knew when the run began."""
    summary.created = len(touched & records.keys() - before.keys())
    summary.updated = len(touched & records.keys() & before.keys())
    summary.unchanged = len(records.keys() - touched)
    summary.affected = len(touched & before.keys() - records.keys())


def _select_records(
    found: Iterable[DecisionRecord | BadRecord | PassedOver],
    known: Mapping[str, RecordSource],
    summary: IngestSummary,
) -> dict[str, DecisionRecord]:
    """The records by key; bad records, duplicates and files that were passed over go to the summary."""
    records: dict[str, DecisionRecord] = {}
    for part in found:
        if isinstance(part, PassedOver):
            summary.passed_over.append(part.file)
        elif isinstance(part, BadRecord):
            summary.set_aside(part)
        elif part.key in records:
            reason = f"{part.key} is also {_format_location(records[part.key])}; give one of them another number"
            summary.set_aside(BadRecord(_format_location(part), part.line, reason))
        elif (other := known.get(part.key)) and _is_other_record(part, other):
            reason = f"{part.key} is another record, read from {other.location}; name this project with --project"
            summary.set_aside(BadRecord(_format_location(part), part.line, reason))
        else:
            records[part.key] = part
    return records


def _is_other_record(record: DecisionRecord, other: RecordSource) -> bool:
    """Whether two projects have the same name: a record that only moved still has its title."""
    return record.form == "markdown" and record.uri != other.location and record.title != other.title


async def _resolve(
    run: IngestRun, records: Mapping[str, DecisionRecord], known: Mapping[str, RecordSource]
) -> Resolution:
    """The states of all records together: those just read, and those that the ledger knows."""
    before = {key: source.claims for key, source in known.items()}
    claims = before | {
        key: Claims.of(record, replaced_in_service=key in before and before[key].replaced_in_service)
        for key, record in records.items()
    }
    targets = {part.target for part in claims.values() if part.target} | claims.keys()
    keys = sorted(set(map(comparison_key, targets)))
    rows = await run.graph.run("ingest/find_holders", namespace=run.namespace, keys=keys, timeout=_TIMEOUT)
    # If several are in force for a target, the last row counts: a decision that is no record blocks every record.
    rows.sort(key=lambda row: row["id"] not in claims)
    return resolve(claims.values(), {row["key"]: row["id"] for row in rows}, before)


def _list_remarks(records: Mapping[str, DecisionRecord], resolution: Resolution) -> list[Remark]:
    notes = [(key, note) for key, record in records.items() for note in record.notes]
    notes += [(finding.key, finding.text) for finding in resolution.findings if finding.key in records]
    return [Remark(key, text) for key, text in sorted(notes, key=lambda pair: natural_sort_key(pair[0]))]


def _format_location(record: DecisionRecord) -> str:
    """The location of a record as a person would write it."""
    return unquote(record.uri.removeprefix("file://"))
