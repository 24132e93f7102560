"""`precedent ingest golden` and `ground-truth`: queries with the insights that a search for them should find.

A query is identified by its text: the same text again changes what it should find, and a query that is no longer in the
file stays. A batch is written in one transaction. An unchanged file is recognised by its bytes; an interrupted run
continues with the queries that are not stored yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ingest.files import ingest_file
from ingest.ledger import FileLedger, IngestRun
from ingest.pipeline import IngestSummary, Progress, Remark
from ingest.records import BadRecord, ExpectedFinds
from ingest.sources.queries import QueryKind, read_queries
from server.evaluation.golden import classify_query
from server.graph.graph import Graph
from server.graph.sequence import IdSequence

_BATCH = 500
_CAPTION = 60
_TIMEOUT = 60.0
_STATEMENTS = {
    "golden": ("ingest/known_golden_queries", "ingest/write_golden_queries"),
    "ground-truth": ("ingest/known_ground_truth", "ingest/write_ground_truth"),
}
Row = dict[str, Any]


@dataclass(slots=True)
class QueryBatch:
    """Consecutive queries of a file."""

    queries: list[ExpectedFinds] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)


async def ingest_queries(
    graph: Graph,
    namespace: str,
    path: Path,
    kind: QueryKind,
    *,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> IngestSummary:
    """Write a file's queries to the golden set or the ground truth, and return what was done.

    A query that expects an insight which is not in the namespace is set aside.
    """
    run = IngestRun(graph, namespace, kind, dry_run=dry_run, again=again, progress=progress)
    ledger = FileLedger(run, path)
    writer = QueryWriter(ledger, kind, IdSequence(graph))
    return await ingest_file(ledger, lambda at: _split(read_queries(path, kind, at=at)), writer.write)


def _split(records: Iterator[ExpectedFinds | BadRecord]) -> Iterator[QueryBatch]:
    while some := list(islice(records, _BATCH)):
        batch = QueryBatch()
        for record in some:
            if isinstance(record, BadRecord):
                batch.bad.append(record)
            else:
                batch.queries.append(record)
        yield batch


@dataclass(slots=True)
class QueryWriter:
    """The writer of a file's new and changed queries."""

    ledger: FileLedger
    kind: QueryKind
    ids: IdSequence

    async def write(self, batch: QueryBatch) -> None:
        run, (load_known, write) = self.ledger.run, _STATEMENTS[self.kind]
        rows = await self._find_insights(batch.queries)
        stored = await run.graph.run(
            load_known, namespace=run.namespace, queries=[row["query"] for row in rows], timeout=_TIMEOUT
        )
        known = {row["query"]: row for row in stored}
        new = [row for row in rows if row["query"] not in known]
        present = [row for row in rows if row["query"] in known]
        changed = [row for row in present if run.again or not _is_stored(row, known[row["query"]])]
        if (new or changed) and not run.dry_run:
            await self.ledger.open()
            for row, number in zip(new, await self.ids.take(run.namespace, len(new)), strict=True):
                row["id"] = number
            await run.graph.run(
                write, namespace=run.namespace, uri=self.ledger.uri, rows=[*new, *changed], timeout=_TIMEOUT
            )
        self._count(new, len(changed), len(present) - len(changed))

    def _count(self, new: list[Row], changed: int, unchanged: int) -> None:
        run, summary = self.ledger.run, self.ledger.run.summary
        summary.created += len(new)
        summary.updated += changed
        summary.unchanged += unchanged
        if self.kind == "ground-truth" and not run.dry_run:
            # `store_dual_judge_scores` asks for it.
            summary.remarks += [Remark(row["query"][:_CAPTION], f"its query_id is {row['id']}") for row in new]

    async def _find_insights(self, queries: list[ExpectedFinds]) -> list[Row]:
        """The rows to write, with the ids of the insights; a query is set aside if an insight is missing."""
        run = self.ledger.run
        expected = {each for query in queries for each in query.expected}
        found = await run.graph.run(
            "ingest/find_insights",
            namespace=run.namespace,
            ids=[each for each in expected if isinstance(each, int)],
            contents=[each for each in expected if isinstance(each, str)],
            timeout=_TIMEOUT,
        )
        insights: dict[int | str, list[int]] = {row["id"]: [row["id"]] for row in found}
        for row in found:
            if row["content"] in expected:
                insights.setdefault(row["content"], []).append(row["id"])
        rows = []
        for query in queries:
            missing = [each for each in query.expected if each not in insights]
            if missing:
                run.summary.set_aside(BadRecord(str(self.ledger.path), query.line, _describe_missing(missing[0])))
                continue
            rows.append(
                {
                    "id": None,
                    "query": query.query,
                    "query_type": query.query_type or classify_query(query.query),
                    "expected": sorted({number for each in query.expected for number in insights[each]}),
                }
            )
        return rows


def _is_stored(row: Row, known: Row) -> bool:
    """Whether the graph stores the same of a query; ground truth has no type there."""
    return known == {name: row[name] for name in known}


def _describe_missing(expected: int | str) -> str:
    if isinstance(expected, int):
        return f"it expects the insight {expected}, which is not in the namespace"
    return f"no insight has exactly this content: {expected[:_CAPTION]!r}"
