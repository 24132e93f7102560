"""The projector keeps Qdrant in sync with the graph, whatever happens in between. Source: SVC-67, SVC-68, SVC-69."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from neo4j import AsyncDriver

from server.core.errors import ModelMismatch, VectorsUnavailable
from server.embedding.embedder import Embedder, FastEmbedder
from server.graph.graph import Graph
from server.graph.statements import load
from server.vectors.edge import EdgeStore
from server.vectors.projector import Lag, Projector
from server.vectors.store import Hit, Point, Vector, VectorStore, pack_vector, point_id
from tests.vectors.conftest import Records, held

pytestmark = pytest.mark.anyio


def _point(key: str, namespace: str = "n") -> str:
    return point_id(namespace, "passage", key)


@asynccontextmanager
async def _running(*projectors: Projector) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        for projector in projectors:
            tasks.start_soon(projector.run)
        try:
            await _until(_all_follow(projectors))
            yield
        finally:
            tasks.cancel_scope.cancel()


def _all_follow(projectors: Sequence[Projector]) -> Callable[[], Awaitable[bool]]:
    async def follow() -> bool:
        return all(projector.following for projector in projectors)

    return follow


async def _until(true: Callable[[], Awaitable[bool]]) -> None:
    with anyio.fail_after(120):
        while not await true():  # what Qdrant and Neo4j hold comes with no event
            await anyio.sleep(0.02)


class Between:
    """The real embedder; `does` runs after it has embedded and before anybody stores that."""

    def __init__(self, real: Embedder, does: Callable[[], Awaitable[None]]) -> None:
        self.name, self.dimension, self.fingerprint = real.name, real.dimension, real.fingerprint
        self._real = real
        self._does: Callable[[], Awaitable[None]] | None = does

    async def embed_query(self, text: str) -> list[float]:
        return await self._real.embed_query(text)

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        vectors = await self._real.embed_passages(texts, urgent=urgent)
        if does := self._does:
            self._does = None
            await does()
        return vectors


class Unsteady(EdgeStore):
    """The real store, away while `down` is set."""

    down = False

    async def upsert(self, points: Sequence[Point]) -> None:
        if self.down:
            raise VectorsUnavailable("away")
        await super().upsert(points)

    async def search(
        self,
        vector: Vector,
        limit: int,
        *,
        namespace: str,
        kinds: Sequence[str],
        **filters: Any,
    ) -> list[Hit]:
        if self.down:
            raise VectorsUnavailable("away")
        return await super().search(vector, limit, namespace=namespace, kinds=kinds, **filters)


async def test_a_queued_record_is_stored_with_its_revision_and_leaves_the_queue(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    await records.write("a", "b")
    await records.write("b")
    assert await projector.drain() == 2
    assert await held(store) == {_point("a"): 1, _point("b"): 2}
    assert await records.queued() == set()
    assert await projector.drain() == 0


async def test_a_passage_is_found_by_its_caption_and_its_text(
    projector: Projector, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    await records.write("a", title="PostgreSQL for billing")
    await projector.drain()
    [text] = await embedder.embed_passages(["a PostgreSQL for billing\nbecause of a"])
    [hit] = await store.search(text, 1, namespace="n", kinds=["passage"])
    assert (hit.namespace, hit.kind, hit.key, hit.revision) == ("n", "passage", "a", 1)
    assert hit.score == pytest.approx(1, abs=1e-4)


async def test_a_vector_that_a_record_brought_along_is_stored_instead_of_one_that_is_made(
    projector: Projector, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    await records.write("brought", "of another size", "by mistake")
    vector = [1.0] + [0.0] * (embedder.dimension - 1)
    given = {"brought": pack_vector(vector), "of another size": pack_vector([1.0]), "by mistake": "no vector"}
    for key, value in given.items():
        await records.run("MATCH (d:Passage {id: $key}) SET d.vector = $value", key=key, value=value)
    await projector.drain()
    held_ = await store.vectors([_point(key) for key in given])
    assert [held_[_point(key)] == vector for key in given] == [True, False, False]
    assert await records.run("MATCH (d:Passage) WHERE d.vector IS NOT NULL RETURN d.id AS id") == []


async def test_a_backlog_of_many_steps_is_worked_off(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    keys = [f"k{n}" for n in range(150)]
    await records.write(*keys)
    steps: list[int] = []
    assert await projector.drain(steps.append) == 150
    assert len(steps) > 1
    assert sum(steps) == 150
    assert await held(store) == {_point(key): 1 for key in keys}


async def test_a_record_that_changes_while_it_is_embedded_stays_queued(
    graph: Graph, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    await records.write("a", "b")

    async def change() -> None:
        await records.write("a", title="anew")

    projector = Projector(graph, store, Between(embedder, change))
    await projector.drain()
    assert await held(store) == await records.revisions()
    [now] = await embedder.embed_passages(["a anew\nbecause of a"])
    [hit] = await store.search(now, 9, namespace="n", kinds=["passage"], ids=[_point("a")])
    assert hit.score == pytest.approx(1, abs=1e-4)


@pytest.mark.proves("SVC-68")
async def test_a_record_that_is_deleted_while_it_is_embedded_leaves_no_point(
    graph: Graph, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    await records.write("a", "b")

    async def delete_and_let_another_projector_carry_it_out() -> None:
        await records.delete("a")
        await Projector(graph, store, embedder).drain()

    await Projector(graph, store, Between(embedder, delete_and_let_another_projector_carry_it_out)).drain()
    assert await held(store) == {_point("b"): 1}
    assert await records.tombstones() == set()


async def test_a_deletion_is_carried_out_and_its_tombstone_cleared(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    await records.write("a", "b")
    await projector.drain()
    await records.delete("a", "never projected")
    await projector.drain()
    assert await held(store) == {_point("b"): 1}
    assert await records.tombstones() == set()


async def test_a_record_that_is_recreated_under_a_deleted_key_keeps_its_point(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    await records.write("a")
    await projector.drain()
    await records.delete("a")
    await records.write("a", title="again")
    await records.run("MATCH (d:Passage {id: 'a'}) REMOVE d:Unprojected")  # another projector was there already
    await projector.drain()
    assert await held(store) == await records.revisions()
    assert set(await held(store)) == {_point("a")}
    assert await records.tombstones() == set()


async def test_a_revision_that_is_older_than_the_graphs_is_never_left_behind(
    graph: Graph, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    """A slow projector stores revision 1 after a quick one has stored and settled revision 2."""
    await records.write("a")

    async def overtake() -> None:
        await records.write("a")
        await Projector(graph, store, embedder).drain()

    await Projector(graph, store, Between(embedder, overtake)).drain()
    assert await held(store) == await records.revisions()
    assert await records.queued() == set()


async def test_it_projects_writes_of_other_processes(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    async with _running(projector):
        await records.write("a")

        async def there() -> bool:
            return await held(store) == {_point("a"): 1}

        await _until(there)


@pytest.mark.proves("SVC-67")
async def test_a_writer_learns_when_its_revision_is_searchable(
    graph: Graph, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    projector = Projector(graph, store, embedder, poll=60)  # it is woken, or it is too late
    async with _running(projector):
        await records.write("a")
        assert await projector.wait_until_searchable("n", "passage", "a", 1, 20)
        assert await store.revisions([_point("a")]) == {_point("a"): 1}
        assert await projector.wait_until_searchable("n", "passage", "a", 1, 20)  # also who asks after the fact
        assert not await projector.wait_until_searchable("n", "passage", "a", 2, 0.2)
        assert not await projector.wait_until_searchable("other", "passage", "a", 1, 0.2)


async def test_a_waiting_write_comes_before_a_backlog(
    graph: Graph, records: Records, store: VectorStore, embedder: Embedder
) -> None:
    projector = Projector(graph, store, embedder, poll=60)
    async with _running(projector):
        await records.write(*(f"backlog {n}" for n in range(400)))
        await records.write("mine")
        assert await projector.wait_until_searchable("n", "passage", "mine", 1, 20)
        assert len(await records.queued()) > 200


async def test_a_waiting_write_does_not_read_the_rest_of_the_queue(
    graph: Graph, records: Records, driver: AsyncDriver
) -> None:
    await records.write("mine", *(f"backlog {n}" for n in range(200)))
    await records.write("mine", namespace="other")
    [mine] = await graph.run("projection/existing", records=[{"namespace": "n", "kind": "passage", "key": "mine"}])
    statement = load("projection/pending")
    asked = statement.bind({"elements": [mine["element"]], "limit": 32})
    rows, summary, _ = await driver.execute_query(f"PROFILE {statement.query}", asked)
    assert [(row["namespace"], row["key"]) for row in rows] == [("n", "mine")]
    assert 0 < _hits(summary.profile) < 50


def _hits(plan: dict[str, Any] | None) -> int:
    assert plan is not None
    return int(plan.get("dbHits", 0)) + sum(map(_hits, plan.get("children", [])))


async def test_many_writers_at_once_are_all_answered(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    answers: list[bool] = []

    async def write(n: int) -> None:
        await records.write(f"k{n}")
        answers.append(await projector.wait_until_searchable("n", "passage", f"k{n}", 1, 30))

    async with _running(projector), anyio.create_task_group() as writers:
        for n in range(24):
            writers.start_soon(write, n)
    assert answers == [True] * 24


@pytest.mark.proves("SVC-67", "SVC-69")
async def test_while_the_vectors_are_down_writes_do_not_wait_and_nothing_is_lost(
    graph: Graph, records: Records, store: EdgeStore, embedder: Embedder
) -> None:
    unsteady = Unsteady(store._folder)
    projector = Projector(graph, unsteady, embedder, poll=0.05)
    try:
        async with _running(projector):
            unsteady.down = True
            await records.write("a")

            async def noticed() -> bool:
                projector.wake()
                return not projector.following

            await _until(noticed)
            with anyio.fail_after(60):
                assert not await projector.wait_until_searchable("n", "passage", "a", 1, 600)
            assert (await projector.lag()).records == 1
            unsteady.down = False

            async def there() -> bool:
                return await records.queued() == set()

            await _until(there)
            assert await held(unsteady) == {_point("a"): 1}
    finally:
        await unsteady.close()


@pytest.mark.proves("SVC-69")
async def test_the_lag_has_the_size_and_the_age_of_the_queue(
    projector: Projector, records: Records, embedder: FastEmbedder
) -> None:
    assert await projector.lag() == Lag(0, 0, 0.0)
    await records.write("a", "b")
    await records.delete("c")
    first = await projector.lag()
    later = await projector.lag()
    assert (first.records, first.deletions) == (2, 1)
    assert later.seconds > first.seconds
    await projector.drain()
    assert await projector.lag() == Lag(0, 0, 0.0, fingerprint=embedder.fingerprint)


@pytest.mark.proves("SVC-70")
async def test_lost_vectors_are_recreated_at_the_next_start(
    graph: Graph, records: Records, store: EdgeStore, projector: Projector, embedder: Embedder
) -> None:
    await records.write("a", "b", "c")
    await projector.drain()
    await store.clear(embedder.dimension, embedder.fingerprint)
    await records.write("c")
    await Projector(graph, store, embedder).drain()
    assert await held(store) == await records.revisions()
    assert set(await held(store)) == {_point("a"), _point("b"), _point("c")}


class Another:
    """An embedder of another model: the same vectors under another fingerprint, but nobody can know that."""

    def __init__(self, real: FastEmbedder) -> None:
        self.name, self.dimension, self.fingerprint = "another", real.dimension, "another"
        self.embed_query, self.embed_passages = real.embed_query, real.embed_passages


@pytest.mark.proves("SVC-72")
async def test_a_graph_of_another_model_is_refused_with_the_command_that_repairs_it(
    graph: Graph, records: Records, store: EdgeStore, projector: Projector, embedder: FastEmbedder
) -> None:
    await records.write("a")
    await projector.drain()
    with pytest.raises(ModelMismatch, match="precedent rebuild"):
        await Projector(graph, store, Another(embedder)).prepare()
    with pytest.raises(ModelMismatch):
        await Projector(graph, store, Another(embedder)).run()
    assert await held(store) == {_point("a"): 1}
    assert await records.run("MATCH (m:EmbeddingModel) RETURN m.fingerprint AS it") == [{"it": embedder.fingerprint}]


async def test_a_wrong_node_of_a_person_does_not_block_the_queue(
    projector: Projector, records: Records, store: VectorStore
) -> None:
    await records.run(
        """
        CREATE (:Passage:Unprojected {name: 'of no namespace and id'}),
               (:Passage:Unprojected {namespace: 'n', id: ['a', 'list'], name: 'x'}),
               (:Passage:Unprojected {namespace: 7, id: 'k'}),
               (:Thing:Unprojected {namespace: 'n', id: 'of no kind of ours'}),
               (:Passage:Unprojected {namespace: 'n', id: 'odd', name: ['a', 'list'], revision: 'first'})
        """
    )
    await records.write("a")
    await projector.drain()
    assert await held(store) == {_point("a"): 1, _point("odd"): 0}
    assert (await projector.lag()).records == 4


def test_every_kind_is_in_every_statement_that_lists_kinds() -> None:
    names = ("pending", "existing", "stored", "scopes")
    kinds = {
        name: sorted(re.findall(r"'([a-z_]+)'(?: AS|,| AND| RETURN)", load(f"projection/{name}").text))
        for name in names
    }
    assert kinds["pending"]
    assert kinds == dict.fromkeys(names, kinds["pending"])
