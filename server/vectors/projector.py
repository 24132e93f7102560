"""Keeps Qdrant in sync with the graph: embeds and stores queued records, and removes deleted ones.

The queue is part of the graph (docs/decisions/0002): a record is queued while it has the label `Unprojected`, a
deletion while its `Tombstone` exists. After each change of Qdrant, one statement checks that the graph is unchanged,
and otherwise queues the record again. Therefore a crash at any moment, a writer in between and a second projector all
lead to the same result.

Projectors of one Qdrant server claim what they process (server/vectors/claims.py). A claim also delays the deletion
of its records, so that a projector that is killed after storing a point leaves a tombstone for it. Where there are more
points than records all the same, such as after a restore, the projector removes those without a record, page by page.

Source: SVC-67, SVC-68, SVC-69, SVC-92.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential_jitter

from server.core.errors import InternalError, ModelMismatch, PrecedentError
from server.core.types import Row
from server.embedding.embedder import CurrentEmbedder, Embedder
from server.graph.graph import Graph
from server.vectors.claims import ProjectionClaims
from server.vectors.damage import describe
from server.vectors.outbox import change_queued
from server.vectors.repair import has_dead_sample, queue_orphans, remember_model, requeue_missing
from server.vectors.store import PassageOrigin, Point, VectorStore, point_id, refuse_other_model, unpack_vector

T = TypeVar("T")
_log = structlog.get_logger(__name__)
BATCH = 32
"""Records of one step. A write that waits to be searchable waits at most for one step of a backlog."""
_LONGEST_PAUSE = 15.0
_SHORT_PAUSE = 0.05
"""Seconds between two looks at a record that a caller waits for and another process projects."""


@dataclass(frozen=True, slots=True)
class Lag:
    """The number of queued records and deletions, and the seconds since the queue was last empty.

    `recreating`: lost vectors are being recreated, and until then searches use words alone. `fingerprint` is that of
    the embedding model that the graph names, if it does.
    """

    records: int
    deletions: int
    seconds: float
    recreating: bool = False
    fingerprint: str | None = None


@dataclass(eq=False, slots=True)
class _Waiter:
    record: Mapping[str, str]
    revision: int
    searchable: anyio.Event = field(default_factory=anyio.Event)


class Projector:
    """Projects one graph into one vector store; several projectors may run on the same graph and store."""

    def __init__(
        self, graph: Graph, vectors: VectorStore, embedder: Embedder, *, poll: float = 0.5, batch: int = BATCH
    ) -> None:
        """`poll` is in seconds: the longest time until writes of other processes are noticed.

        `batch` is the number of records of one step.
        """
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder
        self._poll = poll
        self._batch = batch
        self._wake_up = anyio.Event()
        self._waiters: set[_Waiter] = set()
        self._behind_since: float | None = None
        self._prepared = self._was_prepared = False
        self._following = False
        self._is_compare_due = False
        self._projected: list[str] = []
        self._claims = ProjectionClaims(graph) if vectors.shared else None
        self._orphans: AsyncIterator[int] | None = None

    @property
    def following(self) -> bool:
        """Whether it runs and its last round succeeded."""
        return self._following

    async def prepare(self) -> None:
        """Open the vectors, and queue records again whose points are missing.

        Raises `ModelMismatch` where graph or vectors were made with another model, `HomeInUse`, or an `Unavailable`.
        """
        if self._prepared:
            return
        model = self._embedder
        known = await self._graph.one("projection/model")
        if known is not None and self._can_change_to(known["fingerprint"]):
            model = await self._load_model(known["fingerprint"])
        elif known is not None:
            refuse_other_model(
                stored_dimension=known["dimension"],
                stored_fingerprint=known["fingerprint"],
                dimension=model.dimension,
                fingerprint=model.fingerprint,
                where="The projection of this graph",
            )
        self._is_compare_due = self._is_compare_due or (known is not None and known["compare"])
        if self._is_compare_due:
            await self._vectors.reopen(model.dimension, model.fingerprint)
        else:
            await self._vectors.open(model.dimension, model.fingerprint)
        if model is not self._embedder:
            self._use_model(model)
        if known is None:
            await remember_model(self._graph, model)
        await (self._compare_all() if self._is_compare_due else self._queue_missing())
        self._prepared = self._was_prepared = True

    async def run(self) -> None:
        """Project until cancelled, with growing pauses while the graph or the vectors are not available.

        Raises `ModelMismatch` where another process has changed the model meanwhile.
        """
        try:
            while True:
                await self._retry_until_done(self._project_all)
                with anyio.move_on_after(_SHORT_PAUSE if self._waiters and self._claims else self._poll):
                    await self._wake_up.wait()
        finally:
            await self._release_claim()

    async def drain(self, report: Callable[[int], None] = lambda _: None) -> int:
        """Project everything that is queued and return the number of records; `report` gets the number of each step.

        For processes without a service: ingestion, `rebuild`, `repair`. Raises the errors of `prepare`.
        """
        await self.prepare()
        total = 0
        try:
            while (done := await self._step()) or await self._wait_for_others():
                total += done
                report(done)
        finally:
            await self._release_claim()
        return total

    def wake(self) -> None:
        """Notify the projector that this process has queued something."""
        self._wake_up.set()

    async def wait_until_searchable(self, namespace: str, kind: str, key: str, revision: int, timeout: float) -> bool:
        """Wait until Qdrant has this revision or a later one, at most `timeout` seconds; return whether it has.

        Does not wait while the projector is not running, so that writes stay fast.
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
        """Return how far Qdrant is behind the graph. Raises `GraphUnavailable`."""
        waiting = await self._graph.row("projection/lag")
        if not waiting["records"] and not waiting["deletions"]:
            self._behind_since = None
        elif self._behind_since is None:
            self._behind_since = time.monotonic()
        since = self._behind_since
        seconds = 0.0 if since is None else time.monotonic() - since
        return Lag(waiting["records"], waiting["deletions"], seconds, waiting["recreating"], waiting["fingerprint"])

    async def _project_all(self) -> None:
        """Project everything that is queued."""
        self._wake_up = anyio.Event()
        await self.prepare()
        self._following = True
        while await self._step() or await self._queue_orphans():
            pass
        await self._release_claim()

    async def _release_claim(self) -> None:
        if self._claims:
            await self._claims.release()

    async def _wait_for_others(self) -> bool:
        """Wait a moment for other projectors if they process the rest of the queue; return whether they do."""
        if not self._claims or not await self._claims.others_exist():
            return False
        lag = await self.lag()
        await anyio.sleep(_SHORT_PAUSE)
        return bool(lag.records or lag.deletions)

    async def _step(self) -> int:
        """Process one batch of deletions and of records, waited-for records first; return their number."""
        if waiting := [waiter.record for waiter in self._waiters if not waiter.searchable.is_set()]:
            rows = await self._existing(waiting)
            # These are projected already, perhaps by another process.
            self._notify_waiters([row for row in rows if not row["queued"]])
            if queued := [row["element"] for row in rows if row["queued"]]:
                await self._project(queued)
        lag = await self.lag()
        if lag.fingerprint not in {None, self._embedder.fingerprint}:
            await self._leave_model()
            return 0
        self._projected.clear()
        deleted = await self._delete_points() if lag.deletions else 0
        projected = await self._project([]) if lag.records else 0
        if lag.recreating and projected >= lag.records:
            # What was queued is projected. An empty queue might never come while others write.
            await self._graph.run("projection/set_recreating", recreating=False)
        return deleted + projected

    async def _project(self, elements: Sequence[str]) -> int:
        """Project these queued records, or any if none are given; return their number."""
        if self._claims:
            elements = await self._claims.take(elements, self._batch)
            if not elements:
                return 0
        rows = await self._graph.run("projection/pending", elements=elements, limit=self._batch)
        if not rows:
            return 0
        points = [build_point(row, vector) for row, vector in zip(rows, await self._vectors_of(rows), strict=True)]
        # In one order everywhere, so that two projectors cannot deadlock.
        settled = sorted(map(_select_key, rows), key=lambda record: record["element"])
        # A stop waits for both: next to other projectors, a point that is not settled may outlive its record.
        with anyio.CancelScope(shield=True):
            await self._vectors.upsert(points)
            await change_queued(self._graph, "projection/settle", records=settled)
        self._projected += [record["element"] for record in settled]
        self._notify_waiters(rows)
        return len(rows)

    async def _vectors_of(self, rows: Sequence[Row]) -> list[Sequence[float]]:
        """Return the vector of each record: an imported one of the right dimension, otherwise a new one."""
        size = self._embedder.dimension
        imported = [unpack_vector(row["vector"]) if isinstance(row["vector"], bytes) else [] for row in rows]
        texts = [row["text"] for row, vector in zip(rows, imported, strict=True) if len(vector) != size]
        embedded = iter(await self._embedder.embed_passages(texts))
        return [vector if len(vector) == size else next(embedded) for vector in imported]

    async def _delete_points(self) -> int:
        """Delete the points of one batch of tombstones; return their number."""
        owner = self._claims.owner if self._claims else ""
        rows = await self._graph.run("projection/tombstones", owner=owner, limit=BATCH)
        if not rows:
            return 0
        # A stop waits for all three: next to other projectors, the tombstone may be gone before the next round.
        with anyio.CancelScope(shield=True):
            await self._vectors.delete([point_id(row["namespace"], row["kind"], row["key"]) for row in rows])
            # A record that was created again under the same key and already projected has just lost its point.
            if recreated := await self._existing(rows):
                await change_queued(self._graph, "projection/requeue", elements=[row["element"] for row in recreated])
            await change_queued(self._graph, "projection/remove_tombstones", records=rows)
        return len(rows)

    async def _existing(self, records: Sequence[Mapping[str, str]]) -> list[Row]:
        return await self._graph.run("projection/existing", records=records)

    def _notify_waiters(self, projected: Sequence[Row]) -> None:
        revisions = {(row["namespace"], row["kind"], row["key"]): row["revision"] for row in projected}
        for waiter in self._waiters:
            record = waiter.record
            if revisions.get((record["namespace"], record["kind"], record["key"]), -1) >= waiter.revision:
                waiter.searchable.set()

    def _can_change_to(self, fingerprint: str) -> bool:
        """Return whether this is another model that the graph named while this process ran."""
        followed = self._was_prepared and isinstance(self._embedder, CurrentEmbedder)
        return followed and fingerprint != self._embedder.fingerprint

    async def _load_model(self, fingerprint: str) -> Embedder:
        """Load the model that the graph names now; its vectors were made while others wrote."""
        assert isinstance(self._embedder, CurrentEmbedder)
        model = await self._embedder.load(fingerprint)
        self._is_compare_due = True
        return model

    def _use_model(self, model: Embedder) -> None:
        assert isinstance(self._embedder, CurrentEmbedder)
        self._embedder.use(model)
        _log.info("embedding_model_changed", model=model.name, fingerprint=model.fingerprint)

    async def _leave_model(self) -> None:
        """Queue again what was projected with the former model since the graph names another one.

        Raises `ModelMismatch` where this process does not change its model.
        """
        await change_queued(self._graph, "projection/requeue", elements=self._projected)
        self._projected.clear()
        self._prepared = False
        await self.prepare()

    async def _compare_all(self) -> None:
        """Compare every record with its point, where others wrote while the points were made."""
        found = await requeue_missing(self._graph, self._vectors, words_alone=False)
        self._orphans = queue_orphans(self._graph, self._vectors)
        await self._graph.run("projection/set_compared", fingerprint=self._embedder.fingerprint)
        self._is_compare_due = False
        _log.info("vectors_compared", missing=found.missing, stale=found.stale, dead=found.dead)

    async def _queue_missing(self) -> None:
        """Compare the numbers of records and points, and a sample of vectors; queue the records that lack one."""
        lag = await self.lag()
        records = sum(row["records"] for row in await self._graph.run("projection/scopes"))
        points = await self._vectors.count()
        if points < records - lag.records or await has_dead_sample(self._vectors):
            found = await requeue_missing(self._graph, self._vectors)
            _log.warning("vectors_requeued", missing=found.missing, stale=found.stale, dead=found.dead)
        elif points > records + lag.deletions:
            _log.warning("vectors_without_records", points=points, records=records)
            self._orphans = queue_orphans(self._graph, self._vectors)

    async def _queue_orphans(self) -> bool:
        """Queue the removal of points without a record, of one page of points; return whether there was a page."""
        if self._orphans and await anext(self._orphans, None) is None:
            self._orphans = None
        return self._orphans is not None

    async def _retry_until_done(self, work: Callable[[], Awaitable[T]]) -> T:
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
        """Open and compare the vectors again at the next attempt: Qdrant may have lost points meanwhile."""
        self._prepared = self._following = False
        error = state.outcome.exception() if state.outcome else None
        # That a part is not available is expected; any other error is logged with its traceback.
        is_expected = isinstance(error, PrecedentError) and not isinstance(error, InternalError)
        _log.warning(
            "projection_waits",
            error=type(error).__name__,
            reason=describe(error),
            attempt=state.attempt_number,
            exc_info=None if is_expected else error,
        )


def build_point(row: Row, vector: Sequence[float]) -> Point:
    name = (row["namespace"], row["kind"], row["key"])
    origin = row["origin"] and PassageOrigin(**row["origin"])
    return Point(point_id(*name), vector, *name, row["revision"], row["scope"].split(), row["at"], origin)


def _select_key(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("element", "namespace", "kind", "key", "revision")}
