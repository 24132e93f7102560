"""Keeps Qdrant in step with the graph: embeds and stores what is queued there, removes what was deleted.

The queue is the graph itself (design.md section 4, docs/decisions/0002): a record waits while it carries the label
`Unprojected`, a deletion while its `Tombstone` stands. Each step on Qdrant is followed by one statement that checks
that the graph still says the same, and queues again where it does not; so a death at any moment, a writer in between
and a second projector all end in the same place.

One window is left open: of several projectors, one dies between storing a point and settling it, while another carries
out the deletion or a later revision of the same record. The graph does not confirm such a point, so searches pass it
over, and `precedent repair` removes it.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential_jitter

from server.embedding.embedder import Embedder
from server.errors import InternalError, ModelMismatch, PrecedentError
from server.graph.graph import Graph
from server.types import Row
from server.vectors.outbox import change
from server.vectors.repair import requeue_missing
from server.vectors.store import Point, VectorStore, point_id, refuse_other_model, unpacked

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_BATCH = 32
"""Records of one step: some tenths of a second, as long as who waits to be searchable stands behind a backlog."""
_LONGEST_PAUSE = 15.0


@dataclass(frozen=True, slots=True)
class Lag:
    """How many records and deletions Qdrant has not followed yet, and since how many seconds it has been behind."""

    records: int
    deletions: int
    seconds: float


@dataclass(eq=False, slots=True)
class _Waiter:
    record: Mapping[str, str]
    revision: int
    searchable: anyio.Event = field(default_factory=anyio.Event)


class Projector:
    """Projects one graph into one vector store; any number of them may run on the same two."""

    def __init__(self, graph: Graph, vectors: VectorStore, embedder: Embedder, *, poll: float = 0.5) -> None:
        """`poll` is in seconds: how late, at most, it notices what other processes wrote."""
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder
        self._poll = poll
        self._wanted = anyio.Event()
        self._waiters: set[_Waiter] = set()
        self._behind_since: float | None = None
        self._prepared = False
        self._following = False

    @property
    def following(self) -> bool:
        """Whether it runs and its last look went through."""
        return self._following

    async def prepare(self) -> None:
        """Opens the vectors, and queues again what the graph takes for projected and the vectors lack.

        Raises `ModelMismatch` where graph or vectors were made with another model, `HomeInUse`, or an `Unavailable`.
        """
        if self._prepared:
            return
        model = self._embedder
        known = await self._graph.one("projection/model")
        if known is not None:
            refuse_other_model(
                stored_dimension=known["dimension"],
                stored_fingerprint=known["fingerprint"],
                dimension=model.dimension,
                fingerprint=model.fingerprint,
                where="The projection of this graph",
            )
        await self._vectors.open(model.dimension, model.fingerprint)
        if known is None:
            await self._graph.run(
                "projection/remember_model", name=model.name, dimension=model.dimension, fingerprint=model.fingerprint
            )
        await self._notice_loss()
        self._prepared = True

    async def run(self) -> None:
        """Projects until cancelled, with a growing pause while the graph or the vectors are down.

        Raises `ModelMismatch` where another process has changed the model meanwhile.
        """
        while True:
            await self._persistently(self._round)
            with anyio.move_on_after(self._poll):
                await self._wanted.wait()

    async def drain(self, report: Callable[[int], None] = lambda _: None) -> int:
        """Projects all that is queued now and returns how much it was; `report` hears of each step.

        Raises what `prepare` raises. For processes that project without a service: ingestion, `rebuild`, `repair`.
        """
        await self.prepare()
        total = 0
        while done := await self._step():
            total += done
            report(done)
        return total

    def wake(self) -> None:
        """Says that this process has just queued something."""
        self._wanted.set()

    async def wait_until_searchable(self, namespace: str, kind: str, key: str, revision: int, timeout: float) -> bool:
        """Waits, for `timeout` seconds at most, until Qdrant holds this revision or a later one; tells whether it does.

        Does not wait at all while the projection is known to be down: a write is not slowed by what it need not have.
        """
        waiter = _Waiter({"namespace": namespace, "kind": kind, "key": key}, revision)
        self._waiters.add(waiter)
        try:
            if self._following:
                self.wake()
                with anyio.move_on_after(timeout):
                    await waiter.searchable.wait()
        finally:
            self._waiters.discard(waiter)
        return waiter.searchable.is_set()

    async def lag(self) -> Lag:
        """How far Qdrant is behind the graph. Raises `GraphUnavailable`."""
        waiting = await self._graph.one("projection/lag")
        assert waiting is not None
        if not waiting["records"] and not waiting["deletions"]:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = time.monotonic()
        since = self._behind_since
        return Lag(waiting["records"], waiting["deletions"], 0.0 if since is None else time.monotonic() - since)

    async def _round(self) -> None:
        """All that is queued now."""
        self._wanted = anyio.Event()
        await self.prepare()
        self._following = True
        while await self._step():
            pass

    async def _step(self) -> int:
        """One batch of deletions and of records, those first that somebody waits for; returns how many it saw to."""
        if waiting := [waiter.record for waiter in self._waiters if not waiter.searchable.is_set()]:
            rows = await self._existing(waiting)
            # Who asked after the fact, or whose record another process projected, learns it from the graph.
            self._tell([row for row in rows if not row["queued"]])
            if queued := [row["element"] for row in rows if row["queued"]]:
                await self._project(queued)
        lag = await self.lag()
        buried = await self._bury() if lag.deletions else 0
        return buried + (await self._project([]) if lag.records else 0)

    async def _project(self, elements: Sequence[str]) -> int:
        """These of what is queued, or any where none are named; returns how many it were."""
        rows = await self._graph.run("projection/pending", elements=elements, limit=_BATCH)
        if not rows:
            return 0
        points = [_point(row, vector) for row, vector in zip(rows, await self._vectors_of(rows), strict=True)]
        # In one order everywhere, so that two projectors do not lock each other's records.
        settled = sorted(map(_settled, rows), key=lambda record: record["element"])
        # A stop waits for both: with other projectors at work, a point that nobody settles may outlive its record.
        with anyio.CancelScope(shield=True):
            await self._vectors.upsert(points)
            await change(self._graph, "projection/settle", records=settled)
        self._tell(rows)
        return len(rows)

    async def _vectors_of(self, rows: Sequence[Row]) -> list[Sequence[float]]:
        """What each record brought along, and what the model makes of those that brought nothing of its size."""
        size = self._embedder.dimension
        brought = [unpacked(row["vector"]) if isinstance(row["vector"], bytes) else [] for row in rows]
        lacking = [row["text"] for row, vector in zip(rows, brought, strict=True) if len(vector) != size]
        made = iter(await self._embedder.embed_passages(lacking))
        return [vector if len(vector) == size else next(made) for vector in brought]

    async def _bury(self) -> int:
        rows = await self._graph.run("projection/tombstones", limit=_BATCH)
        await self._vectors.delete([point_id(row["namespace"], row["kind"], row["key"]) for row in rows])
        # What was created anew under the old name, and projected by somebody before the deletion, has just lost it.
        if again := await self._existing(rows):
            await change(self._graph, "projection/requeue", elements=[row["element"] for row in again])
        await change(self._graph, "projection/bury", records=rows)
        return len(rows)

    async def _existing(self, records: Sequence[Mapping[str, str]]) -> list[Row]:
        return await self._graph.run("projection/existing", records=records)

    def _tell(self, projected: Sequence[Row]) -> None:
        revisions = {(row["namespace"], row["kind"], row["key"]): row["revision"] for row in projected}
        for waiter in self._waiters:
            record = waiter.record
            if revisions.get((record["namespace"], record["kind"], record["key"]), -1) >= waiter.revision:
                waiter.searchable.set()

    async def _notice_loss(self) -> None:
        """Compares counts; where Qdrant holds less than the graph takes for projected, looks which it lacks."""
        lag = await self.lag()
        records = sum(row["records"] for row in await self._graph.run("projection/scopes"))
        points = await self._vectors.count()
        if points < records - lag.records:
            found = await requeue_missing(self._graph, self._vectors)
            _log.warning("vectors_made_again", missing=found.missing, stale=found.stale)
        elif points > records + lag.deletions:
            _log.warning("vectors_without_records", points=points, records=records, mend="precedent repair")

    async def _persistently(self, work: Callable[[], Awaitable[T]]) -> T:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception(
                lambda error: isinstance(error, Exception) and not isinstance(error, ModelMismatch)
            ),
            wait=wait_exponential_jitter(multiplier=0.2, max=_LONGEST_PAUSE, jitter=0.2),
            before_sleep=self._step_back,
            sleep=anyio.sleep,
        ):
            with attempt:
                return await work()
        raise AssertionError("tenacity ends with an answer or an error")

    def _step_back(self, state: RetryCallState) -> None:
        """What Qdrant holds may have changed while it was away: the next attempt opens and compares again."""
        self._prepared = self._following = False
        error = state.outcome.exception() if state.outcome else None
        # A part that is away or slow is an ordinary day; anything else is a fault of ours, and the log says which.
        ordinary = isinstance(error, PrecedentError) and not isinstance(error, InternalError)
        _log.warning(
            "projection_waits",
            error=type(error).__name__,
            attempt=state.attempt_number,
            exc_info=None if ordinary else error,
        )


def _point(row: Row, vector: Sequence[float]) -> Point:
    where = (row["namespace"], row["kind"], row["key"])
    return Point(point_id(*where), vector, *where, row["revision"], row["scope"].split(), row["at"])


def _settled(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("element", "namespace", "kind", "key", "revision")}
