"""A Qdrant server or cluster over HTTP, which many processes may share; 1.16 or newer, for collection metadata."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any, TypeVar, cast

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
_KEYWORD = models.KeywordIndexType.KEYWORD
_INDEXES: dict[str, models.KeywordIndexParams | models.IntegerIndexParams] = {
    "namespace": models.KeywordIndexParams(type=_KEYWORD, is_tenant=True),
    "kind": models.KeywordIndexParams(type=_KEYWORD),
    "scope": models.KeywordIndexParams(type=_KEYWORD),
    "at": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=False, range=True),
    "record": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False),
    "whole": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False),
}


def connect(url: str, api_key: SecretStr | None = None) -> AsyncQdrantClient:
    """Return a client of a Qdrant server, without connecting yet."""
    return AsyncQdrantClient(
        url=url, api_key=api_key.get_secret_value() if api_key else None, check_compatibility=False, timeout=5
    )


class RemoteStore:
    """A `VectorStore` in one collection of a Qdrant server; closing it closes its client."""

    def __init__(self, client: AsyncQdrantClient, collection: str) -> None:
        self._client = client
        self._collection = collection

    async def open(self, dimension: int, fingerprint: str) -> None:
        if not await _retry(lambda: self._client.collection_exists(self._collection)):
            await self._create(dimension, fingerprint)
        info = await _retry(lambda: self._client.get_collection(self._collection))
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
        await _retry(lambda: self._client.upsert(self._collection, structs, wait=True))

    async def delete(self, ids: Sequence[str]) -> None:
        if ids:
            selector = models.PointIdsList(points=list(ids))
            await _retry(lambda: self._client.delete(self._collection, selector, wait=True))

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
        answer = await _retry(
            lambda: self._client.query_points(
                self._collection,
                query=list(vector),
                query_filter=models.Filter(must=must),
                search_params=None if ids is None and records is None else models.SearchParams(exact=True),
                limit=count,
                with_payload=list(HIT_FIELDS),
            )
        )
        return [Hit.of(found.id, found.score, found.payload) for found in answer.points]

    async def revisions(self, ids: Sequence[str]) -> dict[str, int]:
        found = await _retry(lambda: self._client.retrieve(self._collection, list(ids), with_payload=["revision"]))
        return {str(record.id): StoredPoint.of(record.id, record.payload).revision for record in found}

    async def vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        found = await _retry(
            lambda: self._client.retrieve(self._collection, list(ids), with_payload=False, with_vectors=True)
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
        records, following = await _retry(
            lambda: self._client.scroll(self._collection, limit=PAGE, offset=offset, with_payload=True)
        )
        return [StoredPoint.of(record.id, record.payload) for record in records], following

    async def count(self) -> int:
        return (await _retry(lambda: self._client.count(self._collection, exact=True))).count

    async def clear(self, dimension: int, fingerprint: str) -> None:
        await _retry(lambda: self._client.delete_collection(self._collection))
        await self.open(dimension, fingerprint)

    async def close(self) -> None:
        await self._client.close()

    async def _create(self, dimension: int, fingerprint: str) -> None:
        try:
            await _retry(
                lambda: self._client.create_collection(
                    self._collection,
                    vectors_config=models.VectorParams(size=dimension, distance=models.Distance.COSINE),
                    metadata={"fingerprint": fingerprint},
                )
            )
        except PrecedentError as error:
            # Another process created it at the same moment; `open` checks its model.
            if not (
                isinstance(error.__cause__, UnexpectedResponse) and error.__cause__.status_code == HTTPStatus.CONFLICT
            ):
                raise

    async def _index(self, field: str) -> None:
        index = _INDEXES[field]
        await _retry(lambda: self._client.create_payload_index(self._collection, field, index, wait=True))


async def _retry(call: Callable[[], Awaitable[T]]) -> T:
    """Make a call, and repeat it after errors that may pass; all calls here are idempotent."""
    try:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            wait=_wait,
            stop=stop_after_attempt(5) | stop_after_delay(_PATIENCE),
            reraise=True,
        ):
            with attempt:
                return await call()
    except (ApiException, QdrantException) as error:
        raise translate(error) from error
    raise AssertionError("tenacity ends with an answer or an error")


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    requested = float(error.retry_after_s) if isinstance(error, ResourceExhaustedResponse) else 0.0
    return min(max(requested, _BACKOFF(state)), _PATIENCE)


def _may_pass(error: BaseException) -> bool:
    """Return whether the same call may succeed a moment later."""
    if isinstance(error, UnexpectedResponse):
        status = error.status_code or 0
        return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(error, ResponseHandlingException | ResourceExhaustedResponse)


def translate(error: ApiException | QdrantException) -> PrecedentError:
    """Translate an error of the client to the error for the caller."""
    if isinstance(error, UnexpectedResponse):
        match error.status_code:
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                return SetupError("Qdrant rejects the key; check QDRANT_API_KEY.")
            case HTTPStatus.NOT_FOUND:
                return VectorsUnavailable(
                    "The Qdrant collection is missing; the service recreates it. Retry in a minute."
                )
            case status if status and status < HTTPStatus.INTERNAL_SERVER_ERROR and not _may_pass(error):
                return InternalError("Qdrant rejected a request of the service; the service's log has the details.")
    return VectorsUnavailable("The vectors are not available; nothing was lost. Retry in a few seconds.")
