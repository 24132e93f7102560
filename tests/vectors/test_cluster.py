"""`make cluster`: three nodes of Qdrant on loopback, two copies of each shard, and one node killed under load.

Searches go on through the other nodes, and so do writes. With two of three nodes away, writes are refused, and the
projector keeps the records queued in the graph.
"""

import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import anyio
import numpy as np
import pytest

from server.core.errors import VectorsUnavailable
from server.vectors.remote import Layout, RemoteStore, connect
from server.vectors.store import Point, point_id
from tests.qdrant import Qdrant, cluster

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(300)]
_DIMENSION = 384
_LOAD_SECONDS = 6.0
_VECTORS = np.random.default_rng(1).standard_normal((500, _DIMENSION))


def _points(start: int, count: int) -> list[Point]:
    return [
        Point(point_id("n", "passage", str(key)), _VECTORS[key % 500].tolist(), "n", "passage", str(key), 1)
        for key in range(start, start + count)
    ]


def _store(nodes: list[Qdrant], collection: str, layout: Layout) -> RemoteStore:
    first, *others = (connect(node.url) for node in nodes)
    return RemoteStore(first, collection, layout, *others)


async def _refuses(store: RemoteStore, points: list[Point]) -> bool:
    try:
        await store.upsert(points)
    except VectorsUnavailable:
        return True
    return False


async def test_one_node_of_three_is_killed_under_load(tmp_path: Path) -> None:
    async with cluster(tmp_path) as made:
        nodes = list(made)
        store = _store(nodes, "load", Layout(shards=3, replicas=2))
        await store.open(_DIMENSION, "model")
        await store.upsert(_points(0, 500))
        outcomes: Counter[str] = Counter()
        longest = {"search": 0.0, "write": 0.0}
        written = 500

        async def search(until: float) -> None:
            number = 0
            while time.monotonic() < until:
                number += 1
                began = time.monotonic()
                [hit] = await store.search(_VECTORS[number % 500].tolist(), 1, namespace="n", kinds=["passage"])
                outcomes["found" if int(hit.key) % 500 == number % 500 else "not found"] += 1
                longest["search"] = max(longest["search"], time.monotonic() - began)

        async def write(until: float) -> None:
            nonlocal written
            while time.monotonic() < until:
                began = time.monotonic()
                refused = await _refuses(store, _points(written, 32))  # the projector tries again
                written += 0 if refused else 32
                outcomes["write refused" if refused else "written"] += 1
                longest["write"] = max(longest["write"], time.monotonic() - began)

        until = time.monotonic() + _LOAD_SECONDS
        async with anyio.create_task_group() as load:
            for _ in range(4):
                load.start_soon(search, until)
            load.start_soon(write, until)
            await anyio.sleep(_LOAD_SECONDS / 3)
            await nodes[0].stop()  # the one that the client has used until now
        sys.stdout.write(f"{dict(outcomes)}, longest in seconds: {longest}\n")
        assert outcomes["not found"] == 0
        assert outcomes["written"] > 0
        assert await store.count() == written
        await nodes[1].stop()
        with pytest.raises(VectorsUnavailable, match="nothing was lost"):
            await store.upsert(_points(written, 100))
        async with anyio.create_task_group() as restarting:  # a node alone has no majority to be ready with
            for node in nodes[:2]:
                restarting.start_soon(partial(node.start, cluster=True))
        with anyio.fail_after(60):
            while await _refuses(store, _points(written, 100)):
                await anyio.sleep(0.2)
        assert await store.count() == written + 100
        await store.close()
