"""Projectors of one Qdrant server share the work, and a projector that was killed leaves nothing behind."""

from collections.abc import Awaitable, Callable, Sequence

import anyio
import pytest

from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.vectors.claims import ProjectionClaims
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.repair import verify
from server.vectors.store import Point, VectorStore, point_id
from tests.vectors.conftest import Records, held

pytestmark = pytest.mark.anyio


@pytest.fixture
def store(server_store: RemoteStore) -> VectorStore:
    """A Qdrant server: the engine in the process has one owner, and no claims."""
    return server_store


class _Counting:
    """The real embedder, which counts the texts."""

    def __init__(self, real: FastEmbedder) -> None:
        self.name, self.dimension, self.fingerprint = real.name, real.dimension, real.fingerprint
        self.embed_query = real.embed_query
        self._real = real
        self.texts: list[str] = []

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        self.texts += texts
        return await self._real.embed_passages(texts, urgent=urgent)


async def _expire_claims(records: Records) -> None:
    """Let five seconds pass for the claims of projectors that were killed."""
    await records.run("MATCH (claim:ProjectionClaim) SET claim.until = 0")


async def _wait_until_held(store: VectorStore, expected: dict[str, int]) -> None:
    with anyio.fail_after(60):
        while await held(store) != expected:  # Qdrant sends no event
            await anyio.sleep(0.02)


@pytest.mark.proves("SVC-92")
async def test_projectors_share_a_backlog_and_embed_no_record_twice(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder
) -> None:
    await records.write(*(f"k{number}" for number in range(200)))
    counting = _Counting(embedder)
    done: list[int] = []

    async def drain() -> None:
        done.append(await Projector(graph, store, counting).drain())

    async with anyio.create_task_group() as running:
        for _ in range(3):
            running.start_soon(drain)
    assert len(counting.texts) == len(set(counting.texts)) == sum(done) == 200
    assert await held(store) == await records.revisions()
    assert await records.run("MATCH (claim:ProjectionClaim) RETURN claim") == []


@pytest.mark.proves("SVC-92")
async def test_a_writer_learns_that_another_projector_has_projected_its_record(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder
) -> None:
    waiting, other = (Projector(graph, store, embedder, poll=60) for _ in range(2))
    claims = ProjectionClaims(graph)
    async with anyio.create_task_group() as running:
        await other.drain()
        running.start_soon(waiting.run)
        with anyio.fail_after(60):
            while not waiting.following:
                await anyio.sleep(0.01)
        await records.write("a")
        await claims.take([], 32)
        async with anyio.create_task_group() as writer:

            async def wait() -> None:
                assert await waiting.wait_until_searchable("n", "passage", "a", 1, 30)

            writer.start_soon(wait)
            assert await held(store) == {}
            await claims.release()
        assert await held(store) == await records.revisions()
        running.cancel_scope.cancel()


async def _set_clock_back(records: Records) -> None:
    """Let claims of projectors that were killed end in an hour, as they do where the clock was set back by one."""
    await records.run("MATCH (claim:ProjectionClaim) SET claim.until = claim.until + 3600000")


@pytest.mark.parametrize("pass_time", [_expire_claims, _set_clock_back])
@pytest.mark.proves("SVC-92", "SVC-68")
async def test_records_of_a_projector_that_was_killed_are_taken_over_when_its_claim_expires(
    pass_time: Callable[[Records], Awaitable[None]],
    graph: Graph,
    records: Records,
    store: VectorStore,
    embedder: FastEmbedder,
) -> None:
    survivor = Projector(graph, store, embedder, poll=0.05)
    await survivor.prepare()
    await records.write("a", "b")
    killed = ProjectionClaims(graph)
    [_] = await killed.take([], 1)
    async with anyio.create_task_group() as running:
        running.start_soon(survivor.run)
        with anyio.fail_after(60):
            while len(await records.queued()) != 1:
                await anyio.sleep(0.02)
        assert len(await held(store)) == 1
        await pass_time(records)
        await _wait_until_held(store, await records.revisions())
        running.cancel_scope.cancel()


@pytest.mark.proves("SVC-68")
async def test_a_point_that_a_killed_projector_stored_after_its_record_was_deleted_is_removed(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder
) -> None:
    survivor = Projector(graph, store, embedder, poll=0.05)
    await survivor.prepare()
    await records.write("a")
    await ProjectionClaims(graph).take([], 32)
    async with anyio.create_task_group() as running:
        running.start_soon(survivor.run)
        await records.delete("a")
        await records.write("b")
        with anyio.fail_after(60):
            while await records.queued():  # by then the survivor has seen the deletion, too
                await anyio.sleep(0.02)
        # The last thing that the killed projector does.
        await store.upsert([_point(embedder, "a")])
        assert await records.tombstones() == {"a"}
        await _expire_claims(records)
        await _wait_until_held(store, await records.revisions())
        running.cancel_scope.cancel()
    assert (await verify(graph, store)).consistent


async def test_points_without_a_record_are_removed_in_the_background(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder
) -> None:
    await records.write("a")
    await Projector(graph, store, embedder).drain()
    foreign = Point(point_id("of", "nothing", "here"), [1.0] * embedder.dimension, "n", "passage", "a", 1)
    await store.upsert([_point(embedder, "orphan"), foreign])
    async with anyio.create_task_group() as running:
        running.start_soon(Projector(graph, store, embedder, poll=0.05).run)
        await _wait_until_held(store, await records.revisions())
        running.cancel_scope.cancel()


async def test_projectors_and_writers_that_race_on_a_server_leave_no_trace(
    graph: Graph, records: Records, store: VectorStore, embedder: FastEmbedder
) -> None:
    projectors = [Projector(graph, store, embedder, poll=0.01) for _ in range(3)]

    async def write(writer: int) -> None:
        for turn in range(12):
            key = f"k{(writer + turn) % 5}"
            await (records.delete(key) if turn % 3 == 2 else records.write(key))

    async with anyio.create_task_group() as running:
        for projector in projectors:
            running.start_soon(projector.run)
        async with anyio.create_task_group() as writers:
            for number in range(3):
                writers.start_soon(write, number)
        running.cancel_scope.cancel()
    await projectors[0].drain()
    assert await held(store) == await records.revisions()
    assert (await verify(graph, store)).consistent


def _point(embedder: FastEmbedder, key: str) -> Point:
    return Point(point_id("n", "passage", key), [1.0] * embedder.dimension, "n", "passage", key, 1)
