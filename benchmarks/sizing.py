"""Memory and disk of a Qdrant server for each million vectors: `python -m benchmarks.sizing`.

Two collections of different size are measured after a restart, and the difference of the two counts: what the server
needs by itself does not. Vectors lie around centres, as those of texts do; payloads are those of memories.
"""

import tempfile
from pathlib import Path
from uuid import uuid4

import anyio
import numpy as np
import psutil
from numpy.typing import NDArray
from qdrant_client.models import CollectionStatus

from benchmarks.bench import console
from server.vectors.remote import RemoteStore, connect
from server.vectors.store import PassageOrigin, Point
from tests.qdrant import Qdrant

_SIZES = (30_000, 60_000)
_DIMENSION = 384
_BATCH = 256
_MILLION = 1_000_000


def _vectors(count: int, chance: np.random.Generator) -> NDArray[np.float32]:
    centres = chance.standard_normal((400, _DIMENSION))
    made = centres[chance.integers(0, 400, count)] + chance.standard_normal((count, _DIMENSION))
    return made.astype(np.float32)


def _points(vectors: NDArray[np.float32], first: int) -> list[Point]:
    return [
        Point(
            str(uuid4()),
            vector.tolist(),
            "default",
            "passage",
            str(uuid4()),
            1,
            ["nsdefault", f"project{(first + n) % 50}"],
            1_700_000_000_000 + first + n,
            PassageOrigin((first + n) // 3, whole=n % 3 == 0, parts=3, session=f"session{n % 100}"),
        )
        for n, vector in enumerate(vectors)
    ]


async def _measure(size: int) -> tuple[float, float]:
    """Return the resident memory after a restart and the disk of a collection of this size, in MB."""
    with tempfile.TemporaryDirectory() as folder:
        node = Qdrant(Path(folder))
        try:
            await node.start()
            await _fill(node, size)
            await node.stop()
            await node.start()
            await _settle(node)
            assert node.process is not None
            memory = psutil.Process(node.process.pid).memory_info().rss / 1e6
            used = (await anyio.run_process(["du", "-sk", folder])).stdout
            return memory, int(used.split()[0]) * 1024 / 1e6
        finally:
            await node.stop()


async def _fill(node: Qdrant, size: int) -> None:
    chance = np.random.default_rng(size)
    store = RemoteStore(connect(node.url, grpc_port=node.grpc_port), "sizing")
    await store.open(_DIMENSION, "sizing")
    for first in range(0, size, _BATCH):
        await store.upsert(_points(_vectors(min(_BATCH, size - first), chance), first))
    await store.close()
    await _settle(node)


async def _settle(node: Qdrant) -> None:
    """Wait until the server has built its indexes, and has searched once."""
    client = connect(node.url)
    with anyio.fail_after(900):
        green = 0
        while green < 3:
            await anyio.sleep(1)
            green = green + 1 if (await client.get_collection("sizing")).status == CollectionStatus.GREEN else 0
    store = RemoteStore(client, "sizing")
    for vector in _vectors(100, np.random.default_rng(1)):
        await store.search(vector.tolist(), 100, namespace="default", kinds=["passage"])
    await store.close()


async def main() -> None:
    """Measure both sizes and print what a million more vectors take."""
    measured = [await _measure(size) for size in _SIZES]
    for size, (memory, disk) in zip(_SIZES, measured, strict=True):
        console.print(f"{size:,} vectors: {memory:.0f} MB of memory, {disk:.0f} MB of disk")
    more = _SIZES[1] - _SIZES[0]
    for name, small, large in zip(("memory", "disk"), *measured, strict=True):
        each = (large - small) * 1e6 / more
        console.print(f"{name}: {each:,.0f} bytes a vector, {each * _MILLION / 1e9:.1f} GB a million")


if __name__ == "__main__":
    anyio.run(main)
