"""Damaged files of the vectors are found, and recreated from the graph; `make chaos` damages every kind of file."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from server.core.errors import VectorsDamaged
from server.graph.graph import Graph
from server.vectors.damage import find_dead
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.repair import Report, repair, verify
from server.vectors.store import point_id
from tests.vectors.conftest import Records, held

pytestmark = pytest.mark.anyio


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def _empty(file: Path) -> None:
    os.truncate(file, 0)


class Cheap:
    """An embedder of random vectors, one for each text: what is embedded does not matter here."""

    name = fingerprint = "cheap"
    dimension = 384

    async def embed_query(self, text: str) -> list[float]:
        return _vector(text)

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    direction = np.random.default_rng(list(text.encode())).standard_normal(Cheap.dimension)
    vector: list[float] = (direction / np.linalg.norm(direction)).tolist()
    return vector


Damage = Callable[[Path], None]
_SEEN: tuple[tuple[str, Damage], ...] = (
    ("vectors/chunk_0.mmap", Path.unlink),
    ("vectors/chunk_0.mmap", _empty),
    ("vectors/status.dat", Path.unlink),
    ("vectors/status.dat", _empty),
    ("*-namespac-map/tracker.dat", _zero),
    ("payload_storage/tracker.dat", _zero),
    ("mutable_id_tracker.mappings", Path.unlink),
    ("wal/first-index", _empty),
    ("model.json", _cut),
)
"""The first three opened without an error and found nothing by meaning; the others lose points, or are refused."""
_NAMES = [f"r{number}" for number in range(60)]


def _damage(folder: Path, pattern: str, does: Damage) -> None:
    (file,) = folder.rglob(pattern)
    does(file)


def _list_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.proves("SVC-70", "SVC-90")
@pytest.mark.parametrize(("pattern", "does"), _SEEN)
async def test_damaged_files_are_found_at_the_start_and_recreated(  # noqa: PLR0917 - what is damaged, and the parts
    graph: Graph,
    records: Records,
    store: EdgeStore,
    tmp_path: Path,
    pattern: str,
    does: Damage,
) -> None:
    projector = Projector(graph, store, Cheap())
    await records.write(*_NAMES)
    await projector.drain()
    await store.close()
    # Else the engine repairs much of it by its log.
    await store.open(Cheap.dimension, Cheap.fingerprint)
    await store.close()
    _damage(tmp_path / "vectors", pattern, does)
    restarted = Projector(graph, store, Cheap())
    await restarted.prepare()
    assert (await restarted.lag()).recreating
    await restarted.drain()
    assert not (await restarted.lag()).recreating
    assert await held(store) == await records.revisions()
    assert await verify(graph, store) == Report(records=len(_NAMES), points=len(_NAMES))
    found = await store.search(_vector(f"{_NAMES[7]} \nbecause of {_NAMES[7]}"), 1, namespace="n", kinds=["passage"])
    assert [hit.key for hit in found] == [_NAMES[7]]


@pytest.mark.proves("SVC-71")
async def test_verify_counts_dead_vectors_and_repair_recreates_them(
    graph: Graph, records: Records, store: EdgeStore, projector: Projector, tmp_path: Path
) -> None:
    await records.write("a", "b", "c")
    await projector.drain()
    await store.close()
    _damage(tmp_path / "vectors", "vectors/status.dat", Path.unlink)
    comparing = EdgeStore(tmp_path / "vectors", keep_damaged=True)
    await comparing.open(384, projector._embedder.fingerprint)
    damaged = Report(records=3, points=3, dead=3)
    assert await verify(graph, comparing) == damaged
    assert not damaged.consistent
    assert await repair(graph, comparing) == damaged
    await Projector(graph, comparing, projector._embedder).drain()
    assert await verify(graph, comparing) == Report(records=3, points=3)
    assert not find_dead(await comparing.vectors([point_id("n", "passage", key) for key in "abc"]))
    await comparing.close()


@pytest.mark.proves("SVC-71")
async def test_verify_reports_files_that_the_engine_refuses_and_changes_nothing(
    records: Records, store: EdgeStore, projector: Projector, tmp_path: Path
) -> None:
    await records.write("a")
    await projector.drain()
    await store.close()
    _damage(tmp_path / "vectors", "segment.json", Path.unlink)
    before = _list_files(tmp_path)
    with pytest.raises(VectorsDamaged, match="precedent repair"):
        await EdgeStore(tmp_path / "vectors", keep_damaged=True).open(384, projector._embedder.fingerprint)
    assert _list_files(tmp_path) == before
