"""Qdrant Edge: Qdrant's engine in this process, with one owner at a time, in a folder of the home.

It compares all points and has no HNSW index, because building one blocks the interpreter (docs/decisions/0004); a graph
that needs an index needs a Qdrant server. To be fast with many points, a search first compares vectors of one byte per
dimension, then the exact vectors of twice as many points as requested (docs/decisions/0010).
"""

import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast
from uuid import UUID

import qdrant_edge as edge
import structlog
from anyio import CapacityLimiter, to_thread
from filelock import FileLock, Timeout

from server.core.errors import HomeInUse, VectorsDamaged, VectorsUnavailable
from server.core.files import sync_folder, write_atomically
from server.vectors.damage import set_aside, translate
from server.vectors.store import HIT_FIELDS, PAGE, Hit, Point, StoredPoint, Vector, refuse_other_model

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_Id = UUID | int | str
_NO_GRAPH = edge.HnswIndexConfig(m=0, ef_construct=1, full_scan_threshold=0)
_BYTES = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True)
_NEAREST = edge.SearchParams(quantization=edge.QuantizationSearchParams(rescore=True, oversampling=2.0))
_VALUES = 20
"""How many values of a field are looked up one by one at the start."""
_MORE = 3
"""How many times as many points are found by the first condition alone, before those that meet all are chosen.

Each condition reads a field of every point, which takes as long as comparing the point, and a time ten times as long.
"""
_EXACT = edge.SearchParams(exact=True)
_FLUSHED_AFTER = 2_000
"""Points after which the segments are flushed, so that no start has many more of the log to repeat: 1 ms each."""

_INDEXES: dict[str, edge.KeywordIndexParams | edge.IntegerIndexParams] = {
    "namespace": edge.KeywordIndexParams(is_tenant=True),
    "kind": edge.KeywordIndexParams(),
    "scope": edge.KeywordIndexParams(),
    "at": edge.IntegerIndexParams(lookup=False, range=True),
    "record": edge.IntegerIndexParams(lookup=True, range=False),
    "whole": edge.IntegerIndexParams(lookup=True, range=False),
}


class EdgeStore:
    """A `VectorStore` in a folder of this machine.

    Where its files are damaged, `open` sets them aside and creates an empty store: the projector fills it again. With
    `keep_damaged` it raises `VectorsDamaged` instead, and changes nothing. Source: SVC-90.
    """

    shared: ClassVar[bool] = False

    def __init__(self, folder: Path, *, keep_damaged: bool = False) -> None:
        self._folder = folder
        self._keep_damaged = keep_damaged
        self._shard_folder = folder / "shard"
        self._model_file = folder / "model.json"
        self._draft = folder / "next"
        self._lock = FileLock(folder / "lock", thread_local=False)
        self._shard: edge.EdgeShard | None = None
        self._unflushed = 0
        # The engine is blocking and for one caller at a time.
        self._one_at_a_time = CapacityLimiter(1)

    async def open(self, dimension: int, fingerprint: str) -> None:
        await self._run(self._open, dimension, fingerprint)

    async def upsert(self, points: Sequence[Point]) -> None:
        if points:
            await self._run(self._upsert, points)

    async def delete(self, ids: Sequence[str]) -> None:
        if ids:
            await self._run(self._update, edge.UpdateOperation.delete_points(list(ids)), len(ids))

    async def search(
        self,
        vector: Vector,
        limit: int,
        *,
        namespace: str,
        kinds: Sequence[str],
        ids: Sequence[str] | None = None,
        records: Sequence[int] | None = None,
        wholes: bool = False,
        scope: str | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> list[Hit]:
        count = limit if ids is None else min(limit, len(ids))
        if not kinds or count < 1 or records == []:
            return []
        must = _build_conditions(namespace, kinds, ids, records, wholes=wholes, scope=scope, since=since, until=until)
        if ids is not None or records is not None:
            return await self._run(self._query, vector, count, must, _EXACT)
        if len(must) == 1:
            return await self._run(self._query, vector, count, must, _NEAREST)
        near = await self._run(self._query, vector, _MORE * count, must[:1], _NEAREST)
        found = [
            hit
            for hit in near
            if hit.namespace == namespace
            and hit.kind in kinds
            and (not wholes or (hit.origin is not None and hit.origin.whole))
            and (since is None or (hit.at is not None and hit.at >= since))
            and (until is None or (hit.at is not None and hit.at <= until))
        ]
        if len(found) < count and len(near) == _MORE * count:
            return await self._run(self._query, vector, count, must, _NEAREST)
        return found[:count]

    async def revisions(self, ids: Sequence[str]) -> dict[str, int]:
        return await self._run(self._revisions, ids)

    async def vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        return await self._run(self._vectors, ids)

    async def scan(self) -> AsyncIterator[list[StoredPoint]]:
        offset: _Id | None = None
        while True:
            page, offset = await self._run(self._page, offset)
            if page:
                yield page
            if offset is None:
                return

    async def count(self) -> int:
        return await self._run(lambda: self._ready.count(edge.CountRequest(exact=True)))

    def draft(self, fingerprint: str) -> "EdgeStore":  # noqa: ARG002 - the file of its model has it
        return EdgeStore(self._draft)

    async def reopen(self, dimension: int, fingerprint: str) -> None:
        await self._run(self._reopen, dimension, fingerprint)

    async def clear(self, dimension: int, fingerprint: str) -> None:
        await self._run(self._clear, dimension, fingerprint)

    async def close(self) -> None:
        await self._run(self._close)

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        return await to_thread.run_sync(self._call, work, arguments, limiter=self._one_at_a_time)

    def _call(self, work: Callable[..., T], arguments: Sequence[Any]) -> T:
        """Do the work, and translate the engine's errors: of the class `Exception`, panics only of `BaseException`."""
        try:
            return work(*arguments)
        except BaseException as error:
            translated = translate(error, self._folder)
            if translated is error:
                raise
            if isinstance(translated, VectorsDamaged):
                # Only `open` decides that: other calls may fail by what they were given.
                translated = VectorsUnavailable(
                    "The local vector store does not answer. If it still does not after a restart, `precedent rebuild` "
                    "recreates it from the graph."
                )
            raise translated from error

    # All methods below run in a worker thread, one call at a time.

    @property
    def _ready(self) -> edge.EdgeShard:
        if self._shard is None:
            raise VectorsUnavailable("The vectors are not open; retry in a few seconds.")
        return self._shard

    def _acquire(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self._lock.is_locked:
            try:
                self._lock.acquire(timeout=0)
            except Timeout as error:
                raise HomeInUse(
                    "Another process uses the vectors of this home; stop it with `precedent stop`."
                ) from error

    def _open(self, dimension: int, fingerprint: str) -> None:
        if self._shard is not None:
            return
        self._acquire()
        with self._release_unless_opened():
            try:
                self._shard = self._load(dimension, fingerprint)
            except BaseException as error:  # noqa: BLE001 - a panic of the engine is no Exception
                damage = translate(error, self._folder)
                if self._keep_damaged or not isinstance(damage, VectorsDamaged):
                    raise damage from (None if damage is error else error)
                kept = set_aside(self._folder, (self._shard_folder.name, self._model_file.name), damage.reason)
                _log.error("vectors_set_aside", reason=kept.reason, folder=kept.folder)
                self._shard = self._load(dimension, fingerprint)

    def _load(self, dimension: int, fingerprint: str) -> edge.EdgeShard:
        """Load the shard, or create it where there is none. Raises `ModelMismatch`, and the engine's errors."""
        self._take_draft_over({"dimension": dimension, "fingerprint": fingerprint})
        if not self._shard_folder.exists():
            self._create(dimension, fingerprint)
        # Without its model's name the vectors are of no use: `json` and `KeyError` count as damage.
        stored = json.loads(self._model_file.read_text(encoding="utf-8"))
        refuse_other_model(
            stored_dimension=stored["dimension"],
            stored_fingerprint=stored["fingerprint"],
            dimension=dimension,
            fingerprint=fingerprint,
            where="The local vector store",
        )
        shard = edge.EdgeShard.load(str(self._shard_folder))
        for field in _INDEXES.keys() - shard.info().payload_schema.keys():
            shard.update(edge.UpdateOperation.create_field_index(field, _INDEXES[field]))
        # Rewrites segments with many deletions; this takes time, so it happens before the first search.
        shard.optimize()
        shard.flush()
        self._unflushed = 0
        _check_sample(shard)
        return shard

    def _take_draft_over(self, model: dict[str, Any]) -> None:
        """Replace the shard by a draft of this model; after a crash in between, the next call goes on."""
        try:
            if json.loads((self._draft / self._model_file.name).read_text(encoding="utf-8")) != model:
                return
        except (OSError, ValueError):
            return
        drafted = self._draft / self._shard_folder.name
        if drafted.exists():
            shutil.rmtree(self._shard_folder, ignore_errors=True)
            write_atomically(self._model_file, json.dumps(model))
            drafted.rename(self._shard_folder)
        shutil.rmtree(self._draft, ignore_errors=True)

    @contextmanager
    def _release_unless_opened(self) -> Iterator[None]:
        try:
            yield
        finally:
            if self._shard is None:
                self._lock.release()

    def _create(self, dimension: int, fingerprint: str) -> None:
        """Create an empty shard atomically: build it in another folder, then rename the folder."""
        draft = self._folder / "shard.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        write_atomically(self._model_file, json.dumps({"dimension": dimension, "fingerprint": fingerprint}))
        shard = edge.EdgeShard.create(
            str(draft),
            edge.EdgeConfig(
                vectors=edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine),
                hnsw_config=_NO_GRAPH,
                quantization_config=_BYTES,
            ),
        )
        shard.close()
        draft.rename(self._shard_folder)

    def _upsert(self, points: Sequence[Point]) -> None:
        made = [edge.Point(UUID(point.id), list(point.vector), dict(point.payload)) for point in points]
        self._update(edge.UpdateOperation.upsert_points(made), len(points))

    def _update(self, operation: edge.UpdateOperation, points: int) -> None:
        """Store an operation so that it survives a power cut: it is in the log, and the log on the disk.

        To flush the segments as well takes 100 ms, during which the engine lets no other thread of Python run.
        """
        self._ready.update(operation)
        self._unflushed += points
        if self._unflushed >= _FLUSHED_AFTER:
            self._ready.flush()
            self._unflushed = 0
        else:
            sync_folder(self._shard_folder / "wal")

    def _query(self, vector: Vector, limit: int, must: list[Any], params: edge.SearchParams) -> list[Hit]:
        request = edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(list(vector)),
            filter=edge.Filter(must=must),
            params=params,
            # Only the fields of a hit: loading the rest takes as long as the search.
            with_payload=list(HIT_FIELDS),
        )
        return [Hit.of(found.id, found.score, found.payload) for found in self._ready.query(request)]

    def _revisions(self, ids: Sequence[str]) -> dict[str, int]:
        found = self._ready.retrieve([UUID(one) for one in ids], with_payload=True, with_vector=False)
        return {str(record.id): StoredPoint.of(record.id, record.payload).revision for record in found}

    def _vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        found = self._ready.retrieve([UUID(one) for one in ids], with_payload=False, with_vector=True)
        # A point whose vector is lost has an empty map instead.
        return {str(each.id): cast("list[float]", each.vector) if each.vector else [] for each in found}

    def _page(self, offset: _Id | None) -> tuple[list[StoredPoint], _Id | None]:
        request = edge.ScrollRequest(offset=offset, limit=PAGE, with_payload=True, with_vector=False)
        records, following = self._ready.scroll(request)
        return [StoredPoint.of(record.id, record.payload) for record in records], following

    def _reopen(self, dimension: int, fingerprint: str) -> None:
        self._acquire()
        if self._shard is not None:
            self._shard.close()
            self._shard = None
        self._open(dimension, fingerprint)

    def _clear(self, dimension: int, fingerprint: str) -> None:
        self._acquire()
        if self._shard is not None:
            self._shard.close()
            self._shard = None
        with self._release_unless_opened():
            shutil.rmtree(self._shard_folder, ignore_errors=True)
            self._model_file.unlink(missing_ok=True)
            self._open(dimension, fingerprint)

    def _close(self) -> None:
        if self._shard is not None:
            shard, self._shard = self._shard, None
            shard.close()
        self._lock.release()


def _build_conditions(
    namespace: str,
    kinds: Sequence[str],
    ids: Sequence[str] | None,
    records: Sequence[int] | None,
    *,
    wholes: bool,
    scope: str | None,
    since: int | None,
    until: int | None,
) -> list[Any]:
    """Return the conditions of a search. The first alone limits it to a namespace: a tag implies namespace and kind."""
    if scope is not None:
        must: list[Any] = [edge.FieldCondition("scope", edge.MatchValue(scope))]
    else:
        kind = edge.MatchValue(kinds[0]) if len(kinds) == 1 else edge.MatchAny(list(kinds))
        must = [edge.FieldCondition("namespace", edge.MatchValue(namespace)), edge.FieldCondition("kind", kind)]
    if ids is not None:
        must.append(edge.HasIdCondition({UUID(one) for one in ids}))
    if records is not None:
        must.append(edge.FieldCondition("record", edge.MatchAny(list(records))))
    if wholes:
        must.append(edge.FieldCondition("whole", edge.MatchValue(1)))
    if since is not None or until is not None:
        must.append(edge.FieldCondition("at", range=edge.RangeFloat(gte=since, lte=until)))
    return must


def _check_sample(shard: edge.EdgeShard) -> None:
    """Read a page of points, and find them by each field: some damage shows in no other way.

    Raises `VectorsDamaged`, or the engine's error. Ids are hashes, so the first page has points of every age.
    """
    records, _ = shard.scroll(edge.ScrollRequest(limit=PAGE, with_payload=True, with_vector=True))
    lost = sum(not record.payload for record in records)
    if lost:
        raise VectorsDamaged(f"{lost} of {len(records)} points have lost their payload")
    for field in _INDEXES:
        having = {each.id: each.payload[field] for each in records if each.payload and field in each.payload}
        by_value: dict[Any, set[Any]] = {}
        for id_, stored in having.items():
            for value in stored if isinstance(stored, list) else [stored]:
                by_value.setdefault(value, set()).add(id_)
        # One value finds what a lost page answers with zeros for, all values find what is lost of any point.
        for value in sorted(by_value)[:: max(1, len(by_value) // _VALUES)]:
            _require_found(shard, field, [value], by_value[value])
        if having:
            _require_found(shard, field, sorted(by_value), set(having))


def _require_found(shard: edge.EdgeShard, field: str, values: list[Any], ids: set[Any]) -> None:
    """Raise `VectorsDamaged` unless the index of a field finds these points by these values."""
    if field == "at":
        condition = edge.FieldCondition(field, range=edge.RangeFloat(gte=values[0], lte=values[-1]))
    else:
        condition = edge.FieldCondition(field, edge.MatchAny(values))
    within = edge.Filter(must=[edge.HasIdCondition(ids), condition])
    if (found := shard.count(edge.CountRequest(exact=True, filter=within))) != len(ids):
        raise VectorsDamaged(f"the index of {field!r} finds {found} of {len(ids)} points")
