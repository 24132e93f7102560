"""Regardless of writers, crashes and races, graph and vectors end up the same. Source: SVC-68."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from server.core.types import Row
from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore, connect
from server.vectors.repair import verify
from server.vectors.store import Point, point_id
from tests.qdrant import Qdrant
from tests.vectors.conftest import Records, held

pytestmark = pytest.mark.anyio

# Writes, changes and deletes passages without end, in a process that also projects them: what a service does.
_SERVICE = """
import random, sys
from pathlib import Path
import anyio
from neo4j import AsyncGraphDatabase
from server.embedding.embedder import FastEmbedder
from server.embedding.provision import model_folder
from server.graph.graph import connect
from server.core.home import Cache
from server.core.settings import Settings
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from tests.vectors.conftest import Records

async def serve(uri, user, password, folder, seed):
    chance = random.Random(seed)
    embedder = await FastEmbedder.load(model_folder(Cache(Settings().cache)))
    async with connect(uri, user, password) as graph, AsyncGraphDatabase.driver(uri, auth=(user, password)) as driver:
        projector, records = Projector(graph, EdgeStore(Path(folder)), embedder, poll=0.05), Records(driver)
        await projector.prepare()
        print("ready", flush=True)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(projector.run)
            while True:
                keys = chance.sample([f"k{n}" for n in range(40)], 5)
                await (records.delete(*keys) if chance.random() < 0.3 else records.write(*keys))
                projector.wake()
                print("wrote", flush=True)

anyio.run(serve, *sys.argv[1:])
"""


def _serve_until_killed(where: tuple[str, str, str], folder: Path, chance: random.Random) -> None:
    """Runs the service and kills it at a random moment after its first writes."""
    command = [sys.executable, "-c", _SERVICE, *where, str(folder), str(chance.random())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as service:
        assert service.stdout is not None
        writes = chance.randint(1, 60)
        for _ in range(writes + 1):
            assert service.stdout.readline().strip() in {"ready", "wrote"}
        os.kill(service.pid, signal.SIGKILL)
    assert service.returncode == -signal.SIGKILL


@pytest.mark.proves("SVC-68")
@pytest.mark.timeout(600)  # each round starts a service with the model
@pytest.mark.long
async def test_a_service_that_is_killed_at_any_moment_converges_at_its_next_start(
    graph: Graph, neo4j: tuple[str, str, str], records: Records, embedder: FastEmbedder, tmp_path: Path
) -> None:
    chance = random.Random(5)
    for _ in range(2):
        await to_thread.run_sync(_serve_until_killed, neo4j, tmp_path, chance)
        store = EdgeStore(tmp_path)
        try:
            await Projector(graph, store, embedder).drain()
            assert await held(store) == await records.revisions()
            assert await records.queued() == await records.tombstones() == set()
            assert (await verify(graph, store)).consistent
        finally:
            await store.close()


@pytest.mark.proves("SVC-68")
async def test_projectors_and_writers_that_race_leave_no_trace(
    graph: Graph, records: Records, store: EdgeStore, embedder: FastEmbedder
) -> None:
    projectors = [Projector(graph, store, embedder, poll=0.01) for _ in range(3)]
    chance = random.Random(7)

    async def write() -> None:
        for _ in range(60):
            key = f"k{chance.randrange(8)}"
            await (records.delete(key) if chance.random() < 0.3 else records.write(key))

    async with anyio.create_task_group() as running:
        for projector in projectors:
            running.start_soon(projector.run)
        async with anyio.create_task_group() as writers:
            for _ in range(4):
                writers.start_soon(write)
        running.cancel_scope.cancel()
    await projectors[0].drain()
    assert await held(store) == await records.revisions()
    assert (await verify(graph, store)).consistent


def _settled(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("element", "namespace", "kind", "key", "revision")}


class _Pause:
    """A moment at which one change of the store waits until it is released."""

    def __init__(self) -> None:
        self.reached, self.release = anyio.Event(), anyio.Event()


class _Pausing:
    """What makes a real store pause once at each moment that a test names."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._pauses: dict[str, _Pause] = {}

    def pause(self, moment: str) -> _Pause:
        return self._pauses.setdefault(moment, _Pause())

    async def _wait(self, moment: str) -> None:
        if pause := self._pauses.pop(moment, None):
            pause.reached.set()
            await pause.release.wait()

    async def upsert(self, points: Sequence[Point]) -> None:
        await super().upsert(points)  # type: ignore[misc]
        await self._wait("after upsert")

    async def delete(self, ids: Sequence[str]) -> None:
        await self._wait("before delete")
        await super().delete(ids)  # type: ignore[misc]
        await self._wait("after delete")


class _SlowEdge(_Pausing, EdgeStore):
    pass


class _SlowServer(_Pausing, RemoteStore):
    pass


_SlowStore = _SlowEdge | _SlowServer


@pytest.fixture
def slow_edge(tmp_path: Path) -> _SlowEdge:
    return _SlowEdge(tmp_path / "slow")


@pytest.fixture
def slow_server(qdrant: Qdrant, namespace: str) -> _SlowServer:
    return _SlowServer(connect(qdrant.url), namespace)


@pytest.fixture(params=["slow_edge", "slow_server"])
def made_slow(request: pytest.FixtureRequest) -> _SlowStore:
    """Both engines: a folder of this machine, and a Qdrant server."""
    made: _SlowStore = request.getfixturevalue(request.param)
    return made


@pytest.fixture
async def slow_store(made_slow: _SlowStore) -> AsyncIterator[_SlowStore]:
    yield made_slow
    await made_slow.close()


async def test_a_late_deletion_of_a_point_that_is_not_settled_yet_loses_no_point(
    graph: Graph, records: Records, slow_store: _SlowStore, embedder: FastEmbedder
) -> None:
    """The record is queued all the time, so queueing it again has to be visible to the projector that settles it."""
    await records.write("a")
    stored = slow_store.pause("after upsert")
    async with anyio.create_task_group() as race:
        race.start_soon(Projector(graph, slow_store, embedder).drain)
        await stored.reached.wait()
        # What a late projector does that has read the tombstone of an earlier record of this key.
        await slow_store.delete([point_id("n", "passage", "a")])
        existing = await graph.run("projection/existing", records=[{"namespace": "n", "kind": "passage", "key": "a"}])
        await graph.run("projection/requeue", elements=[row["element"] for row in existing])
        stored.release.set()
    assert await held(slow_store) == await records.revisions() != {}


async def test_a_record_that_lives_and_dies_while_an_older_deletion_is_processed_leaves_no_point(
    graph: Graph, records: Records, slow_store: _SlowStore, embedder: FastEmbedder
) -> None:
    await records.delete("a")
    deleted = slow_store.pause("after delete")
    async with anyio.create_task_group() as race:
        race.start_soon(Projector(graph, slow_store, embedder).drain)
        await deleted.reached.wait()
        await records.write("a")
        [row] = await graph.run("projection/pending", elements=[], limit=1)
        point = Point(point_id("n", "passage", "a"), [0.1] * embedder.dimension, "n", "passage", "a", row["revision"])
        await slow_store.upsert([point])
        await graph.run("projection/settle", records=[_settled(row)])
        await records.delete("a")
        deleted.release.set()
    assert await held(slow_store) == {}
    assert await records.tombstones() == set()


async def test_a_newer_revision_that_an_older_one_overwrites_before_it_is_settled_is_projected_again(
    graph: Graph, records: Records, slow_store: _SlowStore, embedder: FastEmbedder
) -> None:
    await records.write("a")
    [older] = await graph.run("projection/pending", elements=[], limit=1)
    await records.write("a")
    stored = slow_store.pause("after upsert")
    async with anyio.create_task_group() as race:
        race.start_soon(Projector(graph, slow_store, embedder).drain)
        await stored.reached.wait()
        await slow_store.upsert(
            [Point(point_id("n", "passage", "a"), [0.1] * embedder.dimension, "n", "passage", "a", 1)]
        )
        await graph.run("projection/settle", records=[_settled(older)])
        stored.release.set()
    assert await held(slow_store) == await records.revisions() != {}


async def test_a_projector_that_is_stopped_during_a_deletion_queues_the_record_that_lives_again(
    graph: Graph, records: Records, slow_store: _SlowStore, embedder: FastEmbedder
) -> None:
    stopped, other = (Projector(graph, slow_store, embedder) for _ in range(2))
    await other.prepare()
    await records.delete("a")
    deletion = slow_store.pause("before delete")
    async with anyio.create_task_group() as race:
        race.start_soon(stopped.drain)
        await deletion.reached.wait()
        await records.write("a")
        await other.drain()
        deleted = slow_store.pause("after delete")
        deletion.release.set()
        await deleted.reached.wait()
        race.cancel_scope.cancel()
        deleted.release.set()
    await other.drain()
    assert await held(slow_store) == await records.revisions() != {}


async def test_a_revision_raised_while_it_is_settled_is_never_taken_for_projected(
    graph: Graph, records: Records
) -> None:
    """The statement takes the node's lock before it reads the revision; else the raised one would leave the queue."""
    for _ in range(60):
        await records.write("a")
        [row] = await graph.run("projection/pending", elements=[], limit=1)
        async with anyio.create_task_group() as race:
            race.start_soon(partial(graph.run, "projection/settle", records=[_settled(row)]))
            race.start_soon(records.write, "a")
        [now] = await graph.run("projection/existing", records=[_settled(row)])
        assert now["revision"] > row["revision"]
        assert now["queued"]
