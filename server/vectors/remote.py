"""A Qdrant server or cluster, which many processes may share; 1.17 or newer. Why so: docs/decisions/0029."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar, cast

from grpc import StatusCode
from grpc.aio import AioRpcError
from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_after_delay,
    wait_random_exponential,
)

from server.core.errors import InternalError, PrecedentError, SetupError, VectorsUnavailable
from server.vectors.store import HIT_FIELDS, PAGE, Hit, Point, StoredPoint, Vector, refuse_other_model

T = TypeVar("T")
_PATIENCE = 3.0
"""Seconds of retries; callers that can wait longer, such as the projector, retry themselves."""
_BACKOFF = wait_random_exponential(multiplier=0.1, max=1)
_KEYWORD, _INTEGER = models.KeywordIndexType.KEYWORD, models.IntegerIndexType.INTEGER
# Links in the HNSW graph for what narrows most searches; they take time and memory, so other fields have none.
_INDEXES: dict[str, models.KeywordIndexParams | models.IntegerIndexParams] = {
    "namespace": models.KeywordIndexParams(type=_KEYWORD, is_tenant=True),
    "kind": models.KeywordIndexParams(type=_KEYWORD, enable_hnsw=False),
    "scope": models.KeywordIndexParams(type=_KEYWORD),
    "at": models.IntegerIndexParams(type=_INTEGER, lookup=False, range=True, enable_hnsw=False),
    "record": models.IntegerIndexParams(type=_INTEGER, lookup=True, range=False, enable_hnsw=False),
    "whole": models.IntegerIndexParams(type=_INTEGER, lookup=True, range=False, enable_hnsw=False),
}
# One byte per dimension in memory finds the candidates; the exact vectors, on disk, order twice as many as requested.
_BYTES = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=0.99, always_ram=True)
)
_NEAREST = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0))
_EXACT = models.SearchParams(exact=True)
# Replicas apply the writes of several projectors in one order.
_ORDER = models.WriteOrdering.MEDIUM
_STORED_FIELDS = ["namespace", "kind", "key", "revision"]
_CHANNEL = {"grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 1_000}
"""gRPC by itself waits up to two minutes before it connects again to a server that was away."""
_PASSING = {
    StatusCode.UNAVAILABLE,
    StatusCode.DEADLINE_EXCEEDED,
    StatusCode.RESOURCE_EXHAUSTED,
    StatusCode.ABORTED,
    StatusCode.INTERNAL,
    StatusCode.UNKNOWN,
    StatusCode.CANCELLED,
}
_HTTP_STATUS = {
    StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
}
_ERRORS = (ApiException, QdrantException, AioRpcError)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a new collection is spread over a cluster; an existing one keeps its own."""

    shards: int | None = None
    replicas: int = 1
    write_consistency: int = 1


def connect(url: str, api_key: SecretStr | None = None, grpc_port: int | None = None) -> AsyncQdrantClient:
    """Return a client of a Qdrant server, without connecting yet; with `grpc_port`, it speaks gRPC."""
    return AsyncQdrantClient(
        url=url,
        api_key=api_key.get_secret_value() if api_key else None,
        check_compatibility=False,
        timeout=5,
        prefer_grpc=grpc_port is not None,
        grpc_port=grpc_port or 6334,
        grpc_options=dict(_CHANNEL),  # the client adds to it
    )


class RemoteStore:
    """A `VectorStore` in one collection of a Qdrant server; closing it closes its clients."""

    shared: ClassVar[bool] = True

    def __init__(
        self,
        client: AsyncQdrantClient,
        collection: str,
        layout: Layout | None = None,
        *others: AsyncQdrantClient,
        borrows_clients: bool = False,
    ) -> None:
        """`others` are clients of more nodes of the same cluster; each is used when the one before does not answer.

        With `borrows_clients`, another store closes the clients.
        """
        self._borrows_clients = borrows_clients
        self._clients = (client, *others)
        self._named = self._collection = collection
        self._layout = layout or Layout()
        self._position = 0

    async def open(self, dimension: int, fingerprint: str) -> None:
        beside = _name_beside(self._named, fingerprint)
        self._collection = beside if await self._exists(beside) else self._named
        if not await self._exists(self._collection):
            await self._create(dimension, fingerprint)
        info = await self._retry(lambda client: client.get_collection(self._collection))
        stored = info.config.params.vectors
        refuse_other_model(
            stored_dimension=stored.size if isinstance(stored, models.VectorParams) else 0,
            stored_fingerprint=str((info.config.metadata or {}).get("fingerprint", "")),
            dimension=dimension,
            fingerprint=fingerprint,
            where=f"The Qdrant collection {self._collection!r}",
        )
        for field in _INDEXES.keys() - info.payload_schema.keys():
            await self._index(field)

    async def upsert(self, points: Sequence[Point]) -> None:
        if not points:
            return
        structs = [models.PointStruct(id=one.id, vector=list(one.vector), payload=dict(one.payload)) for one in points]
        await self._retry(lambda client: client.upsert(self._collection, structs, wait=True, ordering=_ORDER))

    async def delete(self, ids: Sequence[str]) -> None:
        if ids:
            selector = models.PointIdsList(points=list(ids))
            await self._retry(lambda client: client.delete(self._collection, selector, wait=True, ordering=_ORDER))

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
        must: list[models.Condition] = [
            models.FieldCondition(key="namespace", match=models.MatchValue(value=namespace)),
            models.FieldCondition(key="kind", match=models.MatchAny(any=list(kinds))),
        ]
        if ids is not None:
            must.append(models.HasIdCondition(has_id=list(ids)))
        if records is not None:
            must.append(models.FieldCondition(key="record", match=models.MatchAny(any=list(records))))
        if wholes:
            must.append(models.FieldCondition(key="whole", match=models.MatchValue(value=1)))
        if scope is not None:
            must.append(models.FieldCondition(key="scope", match=models.MatchValue(value=scope)))
        if since is not None or until is not None:
            must.append(models.FieldCondition(key="at", range=models.Range(gte=since, lte=until)))
        answer = await self._retry(
            lambda client: client.query_points(
                self._collection,
                query=list(vector),
                query_filter=models.Filter(must=must),
                search_params=_NEAREST if ids is None and records is None else _EXACT,
                limit=count,
                with_payload=list(HIT_FIELDS),
            )
        )
        return [Hit.of(found.id, found.score, found.payload) for found in answer.points]

    async def revisions(self, ids: Sequence[str]) -> dict[str, int]:
        found = await self._retry(
            lambda client: client.retrieve(self._collection, list(ids), with_payload=["revision"])
        )
        return {str(record.id): StoredPoint.of(record.id, record.payload).revision for record in found}

    async def vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        found = await self._retry(
            lambda client: client.retrieve(self._collection, list(ids), with_payload=False, with_vectors=True)
        )
        return {str(record.id): cast("list[float]", record.vector) for record in found}

    async def scan(self) -> AsyncIterator[list[StoredPoint]]:
        offset: Any = None
        while True:
            page, offset = await self._page(offset)
            if page:
                yield page
            if offset is None:
                return

    async def _page(self, offset: Any) -> tuple[list[StoredPoint], Any]:
        records, following = await self._retry(
            lambda client: client.scroll(self._collection, limit=PAGE, offset=offset, with_payload=_STORED_FIELDS)
        )
        return [StoredPoint.of(record.id, record.payload) for record in records], following

    async def count(self) -> int:
        return (await self._retry(lambda client: client.count(self._collection, exact=True))).count

    def draft(self, fingerprint: str) -> "RemoteStore":
        first, *others = self._clients
        name = _name_beside(self._named, fingerprint)
        return RemoteStore(first, name, self._layout, *others, borrows_clients=True)

    async def reopen(self, dimension: int, fingerprint: str) -> None:
        former = {self._named, self._collection}
        await self.open(dimension, fingerprint)
        for collection in former - {self._collection}:
            await self._delete_collection(collection)

    async def clear(self, dimension: int, fingerprint: str) -> None:
        await self._delete_collection(self._collection)
        await self.open(dimension, fingerprint)

    async def close(self) -> None:
        for client in () if self._borrows_clients else self._clients:
            await client.close()

    async def _exists(self, collection: str) -> bool:
        return await self._retry(lambda client: client.collection_exists(collection))

    async def _delete_collection(self, collection: str) -> None:
        await self._retry(lambda client: client.delete_collection(collection))

    async def _create(self, dimension: int, fingerprint: str) -> None:
        layout = self._layout
        try:
            await self._retry(
                lambda client: client.create_collection(
                    self._collection,
                    vectors_config=models.VectorParams(size=dimension, distance=models.Distance.COSINE, on_disk=True),
                    quantization_config=_BYTES,
                    on_disk_payload=True,
                    shard_number=layout.shards,
                    replication_factor=layout.replicas,
                    write_consistency_factor=layout.write_consistency,
                    metadata={"fingerprint": fingerprint},
                )
            )
        except PrecedentError as error:
            # Another process created it at the same moment; `open` checks its model.
            if not (isinstance(error.__cause__, _ERRORS) and _status(error.__cause__) == HTTPStatus.CONFLICT):
                raise

    async def _index(self, field: str) -> None:
        index = _INDEXES[field]
        await self._retry(lambda client: client.create_payload_index(self._collection, field, index, wait=True))

    async def _retry(self, call: Callable[[AsyncQdrantClient], Awaitable[T]]) -> T:
        """Make a call, and repeat it after errors that may pass, with the next node; all calls here are idempotent."""
        try:
            async for attempt in AsyncRetrying(
                retry=retry_if_exception(_may_pass),
                wait=_wait,
                stop=stop_after_attempt(5) | stop_after_delay(_PATIENCE),
                after=self._turn_to_next,
                reraise=True,
            ):
                with attempt:
                    return await call(self._clients[self._position])
        except _ERRORS as error:
            raise translate(error) from error
        raise AssertionError("tenacity ends with an answer or an error")

    def _turn_to_next(self, _: RetryCallState) -> None:
        self._position = (self._position + 1) % len(self._clients)


def _name_beside(collection: str, fingerprint: str) -> str:
    """Return the name of the collection for a model that came after the first one."""
    return f"{collection}-{fingerprint[:12]}"


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    requested = float(error.retry_after_s) if isinstance(error, ResourceExhaustedResponse) else 0.0
    return min(max(requested, _BACKOFF(state)), _PATIENCE)


def _status(error: BaseException) -> int:
    """Return the HTTP status of an answer, or the one that a status of gRPC stands for; 0 without an answer."""
    if isinstance(error, AioRpcError):
        return 0 if error.code() in _PASSING else _HTTP_STATUS.get(error.code(), HTTPStatus.BAD_REQUEST)
    return (error.status_code or 0) if isinstance(error, UnexpectedResponse) else 0


def _may_pass(error: BaseException) -> bool:
    """Return whether the same call may succeed a moment later."""
    if isinstance(error, UnexpectedResponse):
        status = error.status_code or 0
        return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if isinstance(error, AioRpcError):
        return error.code() in _PASSING
    return isinstance(error, ResponseHandlingException | ResourceExhaustedResponse)


def translate(error: ApiException | QdrantException | AioRpcError) -> PrecedentError:
    """Translate an error of the client to the error for the caller."""
    match _status(error):
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return SetupError("Qdrant rejects the key; check QDRANT_API_KEY.")
        case HTTPStatus.NOT_FOUND:
            return VectorsUnavailable("The Qdrant collection is missing; the service recreates it. Retry in a minute.")
        case status if status and status < HTTPStatus.INTERNAL_SERVER_ERROR and not _may_pass(error):
            return InternalError("Qdrant rejected a request of the service; the service's log has the details.")
    return VectorsUnavailable("The vectors are not available; nothing was lost. Retry in a few seconds.")
