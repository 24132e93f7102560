"""Regardless of writers, crashes and races, graph and vectors end up the same. Source: SVC-68."""

import os
import random
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.repair import verify
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


async def test_a_revision_raised_while_it_is_settled_is_never_taken_for_projected(
    graph: Graph, records: Records
) -> None:
    """The statement takes the node's lock before it reads the revision; else the raised one would leave the queue."""
    for _ in range(60):
        await records.write("a")
        [row] = await graph.run("projection/pending", elements=[], limit=1)
        settled = {name: row[name] for name in ("element", "namespace", "kind", "key", "revision")}
        async with anyio.create_task_group() as race:
            race.start_soon(partial(graph.run, "projection/settle", records=[settled]))
            race.start_soon(records.write, "a")
        [now] = await graph.run("projection/existing", records=[settled])
        assert now["revision"] == row["revision"] + 1
        assert now["queued"]
