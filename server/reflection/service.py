"""The use case of reflection: one pass over the evidence of a namespace, page by page.

Source: REF-1, REF-10, REF-15. Neo4j counts the evidence of each entity; memory does not grow with it. What is counted
is all evidence that no closed proposal and no decision in force has answered, so the same evidence gives the same
result, and a pass that was interrupted goes on where it was.
"""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import anyio
import structlog

from server.core.errors import Conflict
from server.core.tasks import retry_until_done
from server.core.types import Row
from server.graph.changes import SERVICE_PRINCIPAL, audit_context
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.reflection.drafts import DraftWriter, TargetEvidence
from server.reflection.lease import Lease, hold_lease
from server.reflection.linking import link_journal
from server.reflection.models import ReflectionReport
from server.reflection.rules import EVIDENCE

_log = structlog.get_logger(__name__)
_PAGE = 200
"""Entities that one transaction looks at."""
_TIMEOUT = 60.0
"""Seconds that a page may take: one entity may have most of the evidence."""
_LOOK = 600.0
"""Seconds between two looks for namespaces on which reflection is due."""


class ReflectionService:
    """Proposes decisions from evidence, and never decides."""

    def __init__(self, graph: Graph, sequence: IdSequence) -> None:
        self._graph = graph
        self._sequence = sequence

    async def reflect(
        self, namespace: str, *, dry_run: bool = False, at: datetime | None = None, page: int = _PAGE
    ) -> ReflectionReport:
        """Make one pass over a namespace and return what it did; `at` is its time, now by default.

        Raise `Conflict` while another process reflects on the namespace. A dry run writes nothing, not even the links
        of corrections and metrics to what they name, so it counts those alone that an earlier pass linked.
        """
        started = time.monotonic()
        report = ReflectionReport(namespace, dry_run=dry_run)
        at = at or datetime.now(UTC)
        if dry_run:
            await self._preview(report, at, page)
        else:
            with audit_context(SERVICE_PRINCIPAL, "reflect"):
                async with hold_lease(self._graph, namespace) as lease:
                    report.linked = await link_journal(self._graph, lease)
                    while await self._write_page(report, lease, at, page):
                        pass
                    lease.is_complete = True
        report.seconds = time.monotonic() - started
        return report

    async def run(self, every: timedelta) -> None:
        """Reflect on each namespace periodically, until cancelled; an interval of zero turns it off."""

        async def look() -> None:
            await self.reflect_where_due(every)

        while every:
            await anyio.sleep(_LOOK)
            await retry_until_done(look, "reflection_waits")

    async def reflect_where_due(self, every: timedelta) -> list[ReflectionReport]:
        """Reflect on the namespaces whose last complete pass is longer ago than this."""
        reports = []
        before = datetime.now(UTC) - every
        for row in await self._graph.run("reflection/namespaces", before=before):
            try:
                report = await self.reflect(row["namespace"])
            except Conflict:  # another process reflects on it
                continue
            reports.append(report)
            if report.created or report.falsified:
                _log.info("reflected", namespace=report.namespace, created=report.created, falsified=report.falsified)
        return reports

    async def _preview(self, report: ReflectionReport, at: datetime, page: int) -> None:
        load = partial(self._graph.run, timeout=_TIMEOUT)
        position = -1
        while targets := await _load_page(load, report.namespace, position, page):
            DraftWriter(report, at).preview(targets)
            report.targets += len(targets)
            position = targets[-1].number

    async def _write_page(self, report: ReflectionReport, lease: Lease, at: datetime, page: int) -> bool:
        """Look at the next page of entities in one transaction; return whether there was one."""

        async def work(transaction: Transaction) -> ReflectionReport:
            done = ReflectionReport(report.namespace)
            await lease.renew(transaction)
            targets = await _load_page(transaction.run, report.namespace, lease.position, page)
            await DraftWriter(done, at).write(transaction, targets, self._sequence)
            if targets:
                await lease.renew(transaction, targets[-1].number)
            done.targets = len(targets)
            return done

        done = await self._graph.transaction(work, timeout=_TIMEOUT)
        report.extend(done)
        return bool(done.targets)


async def _load_page(
    run: Callable[..., Awaitable[list[Row]]], namespace: str, after: int, limit: int
) -> list[TargetEvidence]:
    rows = await run("reflection/weigh", namespace=namespace, after=after, limit=limit, **EVIDENCE)
    return [TargetEvidence.from_row(row) for row in rows]
