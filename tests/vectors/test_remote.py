"""What the adapter of a Qdrant server promises where the network is in between."""

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common import client_exceptions
from qdrant_client.http import exceptions as http_exceptions
from qdrant_client.http.exceptions import UnexpectedResponse

from server.core.errors import InternalError, PrecedentError, SetupError, VectorsUnavailable
from server.vectors.remote import _INDEXES, Layout, RemoteStore, connect, translate
from server.vectors.store import Point, point_id
from tests.qdrant import Qdrant, serving

pytestmark = pytest.mark.anyio
_SECRET = "key=hunter2 at /some/path"


def _classes(*modules: ModuleType) -> list[type[Exception]]:
    found = {cls for module in modules for _, cls in inspect.getmembers(module, inspect.isclass)}
    return sorted((cls for cls in found if issubclass(cls, Exception)), key=lambda cls: cls.__name__)


@pytest.mark.proves("SVC-51")
@pytest.mark.parametrize("cls", _classes(http_exceptions, client_exceptions), ids=lambda cls: cls.__name__)
def test_each_error_class_of_the_client_is_translated_without_its_text(cls: type[Exception]) -> None:
    assert issubclass(cls, http_exceptions.ApiException | client_exceptions.QdrantException)
    error = _unexpected(500) if cls is UnexpectedResponse else cls.__new__(cls, _SECRET)
    ours = translate(error)
    assert isinstance(ours, VectorsUnavailable)
    assert "hunter2" not in ours.message


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, InternalError),
        (401, SetupError),
        (403, SetupError),
        (404, VectorsUnavailable),
        (429, VectorsUnavailable),
        (500, VectorsUnavailable),
        (503, VectorsUnavailable),
        (None, VectorsUnavailable),
    ],
)
def test_answers_are_grouped_by_what_can_be_done(status: int | None, expected: type[PrecedentError]) -> None:
    ours = translate(_unexpected(status))
    assert type(ours) is expected
    assert "hunter2" not in ours.message


@pytest.mark.proves("SVC-51")
@pytest.mark.parametrize("code", StatusCode)
def test_each_status_of_grpc_is_translated_without_its_text(code: StatusCode) -> None:
    expected = {
        StatusCode.UNAUTHENTICATED: SetupError,
        StatusCode.PERMISSION_DENIED: SetupError,
        StatusCode.INVALID_ARGUMENT: InternalError,
        StatusCode.UNAVAILABLE: VectorsUnavailable,
        StatusCode.NOT_FOUND: VectorsUnavailable,
    }
    ours = translate(AioRpcError(code, Metadata(), Metadata(), _SECRET))
    assert type(ours) is expected.get(code, type(ours))
    assert "hunter2" not in ours.message


def _unexpected(status: int | None) -> UnexpectedResponse:
    return UnexpectedResponse(status, "reason", _SECRET.encode(), httpx.Headers())


class Server:
    """The far end of the wire: answers with what it is told, in this order, and remembers what it was asked."""

    def __init__(self, *answers: Callable[[], httpx.Response]) -> None:
        self._answers = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return self._answers.pop(0)()

    def store(self) -> RemoteStore:
        transport = httpx.MockTransport(self)
        return RemoteStore(AsyncQdrantClient(url="http://qdrant", check_compatibility=False, transport=transport), "c")


def _count() -> httpx.Response:
    return httpx.Response(200, json={"result": {"count": 3}, "status": "ok", "time": 0.0})


def _fails() -> httpx.Response:
    raise httpx.ConnectError("refused")


@pytest.mark.parametrize(
    "trouble",
    [
        _fails,
        lambda: httpx.Response(503),
        lambda: httpx.Response(500, json={"status": {"error": "busy"}}),
        lambda: httpx.Response(429),
        lambda: httpx.Response(429, headers={"Retry-After": "0"}, json={"status": {"error": "slow down"}}),
    ],
    ids=["no connection", "503", "500", "429", "429 with a time"],
)
async def test_a_passing_trouble_is_waited_out(trouble: Callable[[], httpx.Response]) -> None:
    server = Server(trouble, trouble, _count)
    assert await server.store().count() == 3
    assert len(server.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 422])
async def test_a_permanent_error_is_not_retried(status: int) -> None:
    server = Server(lambda: httpx.Response(status, text=_SECRET))
    with pytest.raises(PrecedentError) as raised:
        await server.store().count()
    assert len(server.asked) == 1
    assert "hunter2" not in raised.value.message


async def test_a_server_that_stays_away_is_unavailable_after_a_bounded_time() -> None:
    server = Server(*[_fails] * 20)
    with pytest.raises(VectorsUnavailable):
        await server.store().search([1.0], 1, namespace="n", kinds=["Decision"])
    assert 1 < len(server.asked) <= 5


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    store = RemoteStore(connect("http://127.0.0.1:1"), "c")
    with pytest.raises(VectorsUnavailable):
        await store.open(4, "model")
    await store.close()


async def test_a_collection_that_another_process_made_at_the_same_moment_is_used() -> None:
    def none() -> httpx.Response:
        return httpx.Response(200, json={"result": {"exists": False}, "status": "ok", "time": 0.0})

    def info() -> httpx.Response:
        kept = {"data_type": "keyword", "points": 0}
        result = {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "payload_schema": dict.fromkeys(_INDEXES, kept),
            "config": {
                "params": {"vectors": {"size": 4, "distance": "Cosine"}},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
                "metadata": {"fingerprint": "model"},
            },
        }
        return httpx.Response(200, json={"result": result, "status": "ok", "time": 0.0})

    server = Server(none, none, lambda: httpx.Response(409, json={"status": {"error": "exists"}}), info)
    await server.store().open(4, "model")
    assert [request.method for request in server.asked] == ["GET", "GET", "PUT", "GET"]


@pytest.mark.proves("SVC-73")
@pytest.mark.parametrize("transport", ["http", "grpc"])
async def test_a_server_that_comes_back_answers_within_seconds(tmp_path: Path, transport: str) -> None:
    async with serving(tmp_path) as node:
        store = RemoteStore(connect(node.url, grpc_port=node.grpc_port if transport == "grpc" else None), "c")
        await store.open(4, "model")
        await store.upsert([Point(point_id("n", "p", "k"), [1, 0, 0, 0], "n", "p", "k", 1)])
        await node.stop()
        with pytest.raises(VectorsUnavailable, match="nothing was lost"):
            await store.count()
        await node.start()
        assert await store.count() == 1, "what was acknowledged is there after a kill"
        await store.close()


@pytest.mark.parametrize("transport", ["http", "grpc"])
async def test_a_collection_that_was_dropped_is_missing_and_is_created_again(qdrant: Qdrant, transport: str) -> None:
    port = qdrant.grpc_port if transport == "grpc" else None
    store = RemoteStore(connect(qdrant.url, grpc_port=port), f"dropped-{transport}")
    await store.open(4, "model")
    await store._clients[0].delete_collection(f"dropped-{transport}")
    with pytest.raises(VectorsUnavailable, match="missing"):
        await store.search([1, 0, 0, 0], 1, namespace="n", kinds=["p"])
    await store.open(4, "model")
    assert await store.count() == 0
    with pytest.raises(InternalError):
        await store.upsert([Point(point_id("n", "p", "k"), [1, 0], "n", "p", "k", 1)])
    await store.close()


async def test_the_next_node_is_used_where_one_does_not_answer(qdrant: Qdrant) -> None:
    dead, alive = connect("http://127.0.0.1:1"), connect(qdrant.url)
    store = RemoteStore(dead, "next", None, alive)
    await store.open(4, "model")
    assert await store.count() == 0
    await store.close()


async def test_a_collection_has_the_layout_of_the_settings_and_exact_vectors_on_disk(qdrant: Qdrant) -> None:
    client = connect(qdrant.url)
    store = RemoteStore(client, "layout", Layout(shards=3, replicas=1, write_consistency=1))
    await store.open(4, "model")
    info = await client.get_collection("layout")
    assert info.config.params.shard_number == 3
    assert isinstance(info.config.params.vectors, models.VectorParams)
    assert info.config.params.vectors.on_disk
    assert info.config.quantization_config is not None
    await store.close()
