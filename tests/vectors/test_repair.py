"""`verify`, `repair` and `rebuild`: the graph is the authority, and its projection can always be rebuilt."""

import pytest

from server.core.errors import ModelMismatch
from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.repair import Report, rebuild, repair, verify
from server.vectors.store import PAGE, Point, VectorStore, point_id
from tests.vectors.conftest import Records, held
from tests.vectors.test_projector import Another

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["edge_store", "server_store"])
def store(request: pytest.FixtureRequest) -> VectorStore:
    """Both engines: a folder of this machine, and a Qdrant server."""
    found: VectorStore = request.getfixturevalue(request.param)
    return found


def _made_up(key: str, revision: int = 1, id_: str | None = None) -> Point:
    return Point(id_ or point_id("n", "passage", key), [1.0] + [0.0] * 383, "n", "passage", key, revision)


async def _damaged(records: Records, store: VectorStore, projector: Projector) -> None:
    """Five records: one whole, one missing, one stale, one queued, one never queued by who wrote it; two orphans."""
    await records.write("whole", "missing", "stale", "queued")
    await projector.drain()
    await records.write("queued")
    await records.run("CREATE (:Passage {namespace: 'n', id: 'unlabelled', name: 't', text: 'r', revision: 3})")
    await store.delete([point_id("n", "passage", "missing")])
    foreign = point_id("of", "nothing", "here")
    await store.upsert([_made_up("stale", revision=9), _made_up("orphan"), _made_up("whole", id_=foreign)])


@pytest.mark.proves("SVC-71")
async def test_verify_counts_differences_and_changes_nothing(
    graph: Graph, records: Records, store: VectorStore, projector: Projector
) -> None:
    await _damaged(records, store, projector)
    before = await held(store), await records.queued()
    report = await verify(graph, store)
    assert report == Report(records=5, points=5, queued=1, missing=2, stale=1, orphaned=2)
    assert not report.consistent
    assert (await held(store), await records.queued()) == before
    assert await records.tombstones() == set()


@pytest.mark.proves("SVC-71")
async def test_repair_removes_the_differences_that_verify_finds(
    graph: Graph, records: Records, store: VectorStore, projector: Projector
) -> None:
    await _damaged(records, store, projector)
    found = await verify(graph, store)
    assert await repair(graph, store) == found
    await projector.drain()
    assert await held(store) == await records.revisions()
    assert await verify(graph, store) == Report(records=5, points=5)
    assert await records.tombstones() == set()


async def test_a_complete_projection_needs_no_repair(
    graph: Graph, records: Records, store: VectorStore, projector: Projector
) -> None:
    await records.write("a", "b")
    await projector.drain()
    report = await repair(graph, store)
    assert report.consistent
    assert report == Report(records=2, points=2)
    assert await records.queued() == set()


async def test_every_page_of_every_namespace_is_compared(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder
) -> None:
    await store.open(embedder.dimension, embedder.fingerprint)
    for namespace in ("a", "b"):
        await records.write(*(f"{n:05}" for n in range(PAGE + 7)), namespace=namespace)
    await records.run("MATCH (n:Unprojected) REMOVE n:Unprojected")
    assert await verify(graph, store) == Report(records=2 * PAGE + 14, missing=2 * PAGE + 14)


@pytest.mark.proves("SVC-72")
async def test_a_rebuild_gives_the_same_points_again(
    graph: Graph, records: Records, store: VectorStore, projector: Projector, embedder: FastEmbedder
) -> None:
    await _damaged(records, store, projector)
    assert await rebuild(graph, store, embedder) == 5
    assert await projector.drain() == 5
    assert await held(store) == await records.revisions()
    [query] = await embedder.embed_passages(["whole \nbecause of whole"])
    [hit] = await store.search(query, 1, namespace="n", kinds=["passage"])
    assert hit.key == "whole"
    assert hit.score == pytest.approx(1, abs=1e-4)


@pytest.mark.proves("SVC-72")
async def test_a_rebuild_changes_the_model_and_one_cut_off_in_between_never_mixes_two(
    graph: Graph, records: Records, store: VectorStore, projector: Projector, embedder: FastEmbedder
) -> None:
    await records.write("a")
    await projector.drain()
    another = Another(embedder)
    await store.clear(another.dimension, another.fingerprint)  # as far as a rebuild that was cut off came
    if isinstance(store, EdgeStore):  # which opens at `open` alone
        await store.close()
    for model in (embedder, another):
        with pytest.raises(ModelMismatch, match="precedent rebuild"):
            await Projector(graph, store, model).prepare()
    await rebuild(graph, store, another)
    await Projector(graph, store, another).drain()
    assert await verify(graph, store) == Report(records=1, points=1)
