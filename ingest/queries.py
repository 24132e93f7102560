"""`precedent ingest golden` and `ground-truth`: queries with the insights that a search for them should find.

A query is known by its words: the same words again change what they should find, and a query that is gone from the file
stays. A batch is written in one transaction. An unchanged file is known by its bytes; what was interrupted goes on with
the queries that are not there yet.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import anyio

from ingest.ledger import FileLedger, Run, digest_of
from ingest.pipeline import Progress, Remark, Silent, Summary
from ingest.records import BadRecord, ExpectedFinds
from ingest.sources.queries import read_queries
from server.evaluation.golden import query_type
from server.graph.graph import Graph
from server.graph.sequence import IdSequence

QueryKind = Literal["golden", "ground-truth"]
_BATCH = 500
_CAPTION = 60
_TIMEOUT = 60.0
_STATEMENTS = {
    "golden": ("ingest/known_golden_queries", "ingest/write_golden_queries"),
    "ground-truth": ("ingest/known_ground_truth", "ingest/write_ground_truth"),
}
Row = dict[str, Any]


async def ingest_queries(
    graph: Graph,
    namespace: str,
    path: Path,
    kind: QueryKind,
    *,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Brings a file's queries into the golden set or the ground truth, and tells what it did.

    With `dry_run` nothing is written, and the summary tells what would be. `again` writes every query, also one that is
    there as it is. A query that expects an insight which the namespace does not have is set aside and the rest goes on.
    Raises `Unavailable` when the graph cannot be reached; what was written until then is kept.
    """
    started, summary, told = time.monotonic(), Summary(kind, dry_run=dry_run), progress or Silent()
    ledger, run = FileLedger(graph, namespace, path, kind), Run(graph, namespace, kind)
    known = None if again else await ledger.look_up()
    digest = await anyio.to_thread.run_sync(digest_of, path)
    written = known is not None and known.state == "done" and known.digest == digest
    if not digest:
        summary.set_aside(BadRecord(str(path), 0, "there is no such file, or it cannot be read"))
    elif known and written and not known.set_aside:
        summary.unchanged = known.records
    else:
        work = _Work(graph, namespace, path, kind, summary, ledger=ledger, run=run, ids=IdSequence(graph), again=again)
        await work.through(told)
        if not dry_run and not written:
            await work.open()
            await ledger.close(digest, [], summary)
        await run.close(summary)
    summary.seconds = time.monotonic() - started
    return summary


@dataclass(slots=True)
class _Work:
    """One pass through a file."""

    graph: Graph
    namespace: str
    path: Path
    kind: QueryKind
    summary: Summary
    ledger: FileLedger
    run: Run
    ids: IdSequence
    again: bool
    opened: bool = False
    share: float = 0.0

    async def through(self, progress: Progress) -> None:
        def at(share: float) -> None:
            self.share = share

        reader = read_queries(self.path, self.kind, at=at)
        progress.at(self.kind, 0, 0.0)
        while batch := await anyio.to_thread.run_sync(_next, reader):
            for record in batch:
                if isinstance(record, BadRecord):
                    self.summary.set_aside(record)
            await self._batch([record for record in batch if isinstance(record, ExpectedFinds)])
            progress.at(self.kind, self.summary.read, self.share)

    async def open(self) -> None:
        if not self.opened:
            await self.ledger.open(self.run)
            self.opened = True

    async def _batch(self, records: list[ExpectedFinds]) -> None:
        looking, writing = _STATEMENTS[self.kind]
        rows = await self._resolved(records)
        found = await self.graph.run(
            looking, namespace=self.namespace, queries=[row["query"] for row in rows], timeout=_TIMEOUT
        )
        known = {row["query"]: row for row in found}
        new = [row for row in rows if row["query"] not in known]
        there = [row for row in rows if row["query"] in known]
        changed = [row for row in there if self.again or not _same(row, known[row["query"]])]
        if (new or changed) and not self.summary.dry_run:
            await self.open()
            for row, number in zip(new, await self.ids.take(self.namespace, len(new)), strict=True):
                row["id"] = number
            await self.graph.run(
                writing, namespace=self.namespace, uri=self.ledger.uri, rows=[*new, *changed], timeout=_TIMEOUT
            )
        self._count(new, len(changed), len(there) - len(changed))

    def _count(self, new: list[Row], changed: int, unchanged: int) -> None:
        self.summary.created += len(new)
        self.summary.updated += changed
        self.summary.unchanged += unchanged
        if self.kind == "ground-truth" and not self.summary.dry_run:
            # The tool that has documents judged asks for it.
            self.summary.remarks += [Remark(row["query"][:_CAPTION], f"its query_id is {row['id']}") for row in new]

    async def _resolved(self, records: list[ExpectedFinds]) -> list[Row]:
        """The rows to write, with the ids of the insights; a query whose insights are not there is set aside."""
        wanted = {each for record in records for each in record.expected}
        found = await self.graph.run(
            "ingest/insights_meant",
            namespace=self.namespace,
            ids=[each for each in wanted if isinstance(each, int)],
            contents=[each for each in wanted if isinstance(each, str)],
            timeout=_TIMEOUT,
        )
        meant: dict[int | str, list[int]] = {row["id"]: [row["id"]] for row in found}
        for row in found:
            if row["content"] in wanted:
                meant.setdefault(row["content"], []).append(row["id"])
        rows = []
        for record in records:
            missing = [each for each in record.expected if each not in meant]
            if missing:
                self.summary.set_aside(BadRecord(str(self.path), record.line, _missing(missing[0])))
                continue
            expected = sorted({number for each in record.expected for number in meant[each]})
            kind = record.query_type or query_type(record.query)
            rows.append({"query": record.query, "query_type": kind, "expected": expected, "id": None})
        return rows


def _next(reader: Iterator[ExpectedFinds | BadRecord]) -> list[ExpectedFinds | BadRecord]:
    return list(islice(reader, _BATCH))


def _same(row: Row, known: Row) -> bool:
    """Whether the graph says the same of a query; ground truth has no type there."""
    return known == {name: row[name] for name in known}


def _missing(expected: int | str) -> str:
    if isinstance(expected, int):
        return f"it expects the insight {expected}, which is not in the namespace"
    return f"no insight has this content, word by word: {expected[:_CAPTION]!r}"
