"""The contract of a vector store, for the engine in this process and for the adapter of a Qdrant server.

The adapter runs over HTTP and gRPC against a real server; where there is none, only against its client's local mode.

Source: SVC-73.
"""

import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from qdrant_client import AsyncQdrantClient

from server.core.errors import ModelMismatch
from server.vectors.edge import EdgeStore
from server.vectors.remote import RemoteStore, connect
from server.vectors.store import PAGE, Hit, PassageOrigin, Point, StoredPoint, VectorStore, point_id
from tests.qdrant import Qdrant

pytestmark = [
    pytest.mark.anyio,
    # The client's local mode searches exactly and has no payload indexes, and says so.
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
_DIMENSION = 4
_KINDS = ("Decision", "Entry")
_numbers = itertools.count(1)


_STORES = ("edge", "local mode", "http", "grpc")


Make = Callable[[Path], VectorStore]


@pytest.fixture(scope="module", params=["edge", "local mode", "http", "grpc"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a store, not open yet; a folder has one."""
    if request.param == "edge":
        return lambda folder: EdgeStore(folder / "vectors")
    if request.param == "local mode":
        return lambda _: RemoteStore(AsyncQdrantClient(":memory:"), "precedent")
    server: Qdrant = request.getfixturevalue("qdrant")
    port = server.grpc_port if request.param == "grpc" else None
    return lambda _: RemoteStore(connect(server.url, grpc_port=port), f"contract-{next(_numbers)}")


@pytest.fixture(scope="module")
async def store(make: Make, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[VectorStore]:
    """An open store; tests share it and keep apart by namespace."""
    made = make(tmp_path_factory.mktemp("vectors"))
    await made.open(_DIMENSION, "model-a")
    yield made
    await made.close()


@pytest.fixture
async def own(make: Make, tmp_path: Path) -> AsyncIterator[VectorStore]:
    """A store of the test's own, not open yet."""
    made = make(tmp_path)
    yield made
    await made.close()


@pytest.fixture
def namespace() -> str:
    return f"contract-{next(_numbers)}"


def _point(namespace: str, key: str, vector: Sequence[float], kind: str = "Decision", revision: int = 1) -> Point:
    return Point(point_id(namespace, kind, key), vector, namespace, kind, key, revision)


async def _all(store: VectorStore) -> list[StoredPoint]:
    return [held async for page in store.scan() for held in page]


@pytest.mark.proves("SVC-2")
async def test_a_hit_has_the_record_and_its_similarity(store: VectorStore, namespace: str) -> None:
    point = _point(namespace, "k", [3, 4, 0, 0], revision=7)
    await store.upsert([point])
    [hit] = await store.search([1, 0, 0, 0], 5, namespace=namespace, kinds=["Decision"])
    assert hit == Hit(point.id, hit.score, namespace, "Decision", "k", 7)
    assert hit.score == pytest.approx(0.6, abs=1e-6)


async def test_a_search_is_narrowed_to_a_scope_and_a_time_before_the_best_are_taken(
    store: VectorStore, namespace: str
) -> None:
    def point(key: str, x: float, scope: Sequence[str], at: int | None) -> Point:
        return Point(point_id(namespace, "Entry", key), [1, x, 0, 0], namespace, "Entry", key, 1, scope, at)

    near = [point(f"near{number}", number / 100, ["all", "other"], 2_000_000_000_000) for number in range(20)]
    far = [point("early", 2, ["all", "mine"], 1), point("mid", 3, ["all", "mine"], 1_600_000_000_001)]
    await store.upsert([*near, *far, point("timeless", 4, ["all", "mine"], None)])

    async def found(limit: int, **narrow: Any) -> list[str]:
        return [
            hit.key for hit in await store.search([1, 0, 0, 0], limit, namespace=namespace, kinds=["Entry"], **narrow)
        ]

    assert await found(2, scope="mine") == ["early", "mid"]
    [hit, *_] = await store.search([1, 0, 0, 0], 1, namespace=namespace, kinds=["Entry"], scope="mine")
    assert hit.at == 1
    assert await found(9, scope="mine") == ["early", "mid", "timeless"]
    assert await found(9, scope="min") == []
    assert await found(9, until=1_600_000_000_001) == ["early", "mid"]
    assert await found(9, until=1_600_000_000_000) == ["early"]
    assert await found(9, since=2, until=1_999_999_999_999) == ["mid"]
    assert await found(9, scope="mine", since=1_600_000_000_001) == ["mid"]


async def test_a_hit_has_the_origin_of_its_passage(store: VectorStore, namespace: str) -> None:
    origins = [
        PassageOrigin(7, whole=True, parts=3, session="talk", first_place=4, last_place=6),
        PassageOrigin(7, parts=3, session="talk", first_place=5, last_place=5),
        PassageOrigin(8, whole=True),
        None,
    ]
    await store.upsert(
        [
            Point(point_id(namespace, "p", str(n)), [1, n / 10, 0, 0], namespace, "p", str(n), 1, origin=origin)
            for n, origin in enumerate(origins)
        ]
    )

    async def found(**filters: Any) -> list[PassageOrigin | None]:
        hits = await store.search([1, 0, 0, 0], 9, namespace=namespace, kinds=["p"], **filters)
        return [hit.origin for hit in hits]

    assert await found() == origins
    assert await found(wholes=True) == [origins[0], origins[2]]
    assert await found(records=[7]) == origins[:2]
    assert await found(records=[7, 8], wholes=True) == [origins[0], origins[2]]
    assert await found(records=[]) == []


async def test_the_nearest_come_first_and_no_more_than_asked(store: VectorStore, namespace: str) -> None:
    await store.upsert([_point(namespace, str(x), [1, x, 0, 0]) for x in (3, 1, 0, 2)])
    hits = await store.search([1, 0, 0, 0], 3, namespace=namespace, kinds=["Decision"])
    assert [hit.key for hit in hits] == ["0", "1", "2"]


async def test_a_search_sees_its_own_namespace_and_kinds_alone(store: VectorStore, namespace: str) -> None:
    mine, entry = _point(namespace, "mine", [0, 1, 0, 0]), _point(namespace, "entry", [1, 0, 0, 0], "Entry")
    theirs = _point(f"{namespace}-other", "theirs", [1, 0, 0, 0])
    await store.upsert([mine, entry, theirs])
    assert [hit.key for hit in await store.search([1, 0, 0, 0], 9, namespace=namespace, kinds=["Decision"])] == ["mine"]
    both = await store.search([1, 0, 0, 0], 9, namespace=namespace, kinds=_KINDS)
    assert [hit.key for hit in both] == ["entry", "mine"]
    assert await store.search([1, 0, 0, 0], 9, namespace=namespace, kinds=[]) == []


@pytest.mark.proves("SVC-73")
async def test_the_filter_works_inside_the_search_not_after_it(store: VectorStore, namespace: str) -> None:
    nearer = [_point(f"{namespace}-other", str(n), [1, 0, 0, n / 1000]) for n in range(300)]
    await store.upsert([*nearer, _point(namespace, "far", [-1, 0, 0, 0])])
    assert [hit.key for hit in await store.search([1, 0, 0, 0], 1, namespace=namespace, kinds=["Decision"])] == ["far"]


async def test_with_ids_just_those_are_compared(store: VectorStore, namespace: str) -> None:
    points = [_point(namespace, str(x), [1, x, 0, 0]) for x in range(6)]
    await store.upsert(points)
    wanted = [points[4].id, points[2].id, point_id(namespace, "Decision", "not there")]
    hits = await store.search([1, 0, 0, 0], 10, namespace=namespace, kinds=["Decision"], ids=wanted)
    assert [hit.key for hit in hits] == ["2", "4"]
    assert await store.search([1, 0, 0, 0], 10, namespace=namespace, kinds=["Decision"], ids=[]) == []
    assert await store.search([1, 0, 0, 0], 10, namespace="another", kinds=["Decision"], ids=wanted) == []


async def test_vectors_are_read_back_and_stored_again_unchanged(store: VectorStore, namespace: str) -> None:
    point = _point(namespace, "k", [0.6, 0.64, 0.48, 0])
    await store.upsert([point])
    told = await store.vectors([point.id, point_id(namespace, "Decision", "nobody's")])
    assert told == {point.id: pytest.approx([0.6, 0.64, 0.48, 0], abs=1e-6)}
    await store.upsert([_point(namespace, "k", told[point.id])])
    assert await store.vectors([point.id]) == told


async def test_an_upsert_replaces_the_point_of_the_same_record(store: VectorStore, namespace: str) -> None:
    await store.upsert([_point(namespace, "k", [1, 0, 0, 0], revision=1)])
    await store.upsert([_point(namespace, "k", [0, 1, 0, 0], revision=2)])
    [hit] = await store.search([0, 1, 0, 0], 5, namespace=namespace, kinds=["Decision"])
    assert hit.revision == 2
    assert hit.score == pytest.approx(1.0, abs=1e-6)


async def test_a_deleted_point_is_not_found(store: VectorStore, namespace: str) -> None:
    kept, gone = _point(namespace, "kept", [1, 0, 0, 0]), _point(namespace, "gone", [1, 0, 0, 0])
    await store.upsert([kept, gone])
    await store.delete([gone.id, point_id(namespace, "Decision", "never was")])
    assert [hit.key for hit in await store.search([1, 0, 0, 0], 5, namespace=namespace, kinds=["Decision"])] == ["kept"]
    assert await store.revisions([kept.id, gone.id]) == {kept.id: 1}


async def test_nothing_to_do_is_no_error(store: VectorStore, namespace: str) -> None:
    before = await store.count()
    await store.upsert([])
    await store.delete([])
    assert await store.revisions([]) == {}
    assert await store.search([1, 0, 0, 0], 0, namespace=namespace, kinds=["Decision"]) == []
    assert await store.count() == before


async def test_a_scan_returns_every_point_once_in_pages(own: VectorStore) -> None:
    await own.open(_DIMENSION, "model-a")
    points = [_point("scan", str(n), [1, n, 0, 0], revision=n) for n in range(PAGE * 2 + 5)]
    await own.upsert(points)
    pages = [page async for page in own.scan()]
    assert max(len(page) for page in pages) <= PAGE
    found = [held for page in pages for held in page]
    expected = [StoredPoint(one.id, one.namespace, one.kind, one.key, one.revision) for one in points]
    assert sorted(found, key=lambda held: held.id) == sorted(expected, key=lambda held: held.id)
    assert await own.count() == len(points)


async def test_a_scan_of_an_empty_store_is_empty(own: VectorStore) -> None:
    await own.open(_DIMENSION, "model-a")
    assert await _all(own) == []


@pytest.mark.proves("SVC-72")
@pytest.mark.parametrize(("dimension", "fingerprint"), [(_DIMENSION, "model-b"), (_DIMENSION + 1, "model-a")])
async def test_another_model_is_refused_with_the_command_that_repairs_it_and_nothing_is_dropped(
    own: VectorStore, dimension: int, fingerprint: str
) -> None:
    await own.open(_DIMENSION, "model-a")
    await own.upsert([_point("kept", "k", [1, 0, 0, 0])])
    if isinstance(own, EdgeStore):
        await own.close()
    with pytest.raises(ModelMismatch, match="precedent rebuild"):
        await own.open(dimension, fingerprint)
    await own.open(_DIMENSION, "model-a")
    assert await own.count() == 1


async def test_clearing_leaves_an_empty_store_of_the_new_model(own: VectorStore) -> None:
    await own.open(_DIMENSION, "model-a")
    await own.upsert([_point("gone", "k", [1, 0, 0, 0])])
    await own.clear(2, "model-b")
    assert await _all(own) == []
    await own.upsert([_point("new", "k", [1, 0])])
    assert [hit.key for hit in await own.search([1, 0], 5, namespace="new", kinds=["Decision"])] == ["k"]
    await own.open(2, "model-b")
    assert await own.count() == 1


async def test_a_store_that_was_never_opened_can_be_cleared(own: VectorStore) -> None:
    await own.clear(_DIMENSION, "model-a")
    assert await own.count() == 0


_coordinate = st.integers(-8, 8)
_vector = st.lists(_coordinate, min_size=_DIMENSION, max_size=_DIMENSION).filter(any)
_record = st.tuples(st.sampled_from(["a", "b\n'\"`", "ü😀"]), st.sampled_from(_KINDS), st.integers(0, 30))


@pytest.mark.proves("SVC-73")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.dictionaries(_record, _vector, max_size=25),
    removed=st.sets(_record, max_size=5),
    query=_vector,
    limit=st.integers(1, 12),
    kinds=st.sets(st.sampled_from(_KINDS), min_size=1),
)
async def test_a_search_has_the_exact_cosine_order_of_the_filtered_points(
    store: VectorStore,
    *,
    records: dict[tuple[str, str, int], list[int]],
    removed: set[tuple[str, str, int]],
    query: list[int],
    limit: int,
    kinds: set[str],
) -> None:
    prefix = f"property-{next(_numbers)}-"
    await store.upsert([_point(prefix + ns, str(key), vector, kind) for (ns, kind, key), vector in records.items()])
    await store.delete([point_id(prefix + ns, kind, str(key)) for ns, kind, key in removed])
    hits = await store.search(query, limit, namespace=prefix + "a", kinds=sorted(kinds))
    expected = {
        point_id(prefix + ns, kind, str(key)): _cosine(query, vector)
        for (ns, kind, key), vector in records.items()
        if ns == "a" and kind in kinds and (ns, kind, key) not in removed
    }
    best = sorted(expected.values(), reverse=True)[:limit]
    assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-5)
    assert len({hit.id for hit in hits}) == len(hits)
    for hit in hits:  # equal scores may come in any order, but each must be its own record's
        assert hit.score == pytest.approx(expected[hit.id], abs=1e-5)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))
