"""What the engine in the process guarantees beyond the common tests of vector stores. Source: SVC-73."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from server.core.errors import DiskFull, HomeInUse, ModelMismatch, VectorsDamaged, VectorsUnavailable
from server.vectors.damage import find_set_aside, translate
from server.vectors.edge import EdgeStore
from server.vectors.store import Point, point_id

pytestmark = pytest.mark.anyio

_WRITER = """
import sys
from pathlib import Path
import anyio
from server.vectors import edge
from server.vectors.edge import EdgeStore
from server.vectors.store import Point, point_id

edge._FLUSHED_AFTER = 50

async def write():
    store = EdgeStore(Path(sys.argv[1]))
    await store.open(4, "model")
    for n in range(100_000):
        await store.upsert([Point(point_id("n", "Decision", str(n)), [1, n, 0, 0], "n", "Decision", str(n), n)])
        print(n, flush=True)

anyio.run(write)
"""


def _point(key: str) -> Point:
    return Point(point_id("n", "Decision", key), [1, 0, 0, 0], "n", "Decision", key, 1)


async def test_a_second_owner_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    first, second = EdgeStore(tmp_path), EdgeStore(tmp_path)
    await first.open(4, "model")
    with pytest.raises(HomeInUse, match="precedent stop"):
        await second.open(4, "model")
    with pytest.raises(HomeInUse):
        await second.clear(4, "other")
    await first.upsert([_point("kept")])
    await first.close()
    await second.open(4, "model")
    assert await second.count() == 1
    await second.close()


def _write_until_killed(folder: Path, after: int) -> int:
    """Runs a writer of points 0, 1, 2 … that is killed about there; returns the last one it said it had stored."""
    command = [sys.executable, "-c", _WRITER, str(folder)]
    last = -1
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            last = int(line) if line.endswith("\n") else last
            if last == after:
                os.kill(writer.pid, signal.SIGKILL)
    return last


@pytest.mark.parametrize("kill_after", [1, 37, 150])
async def test_stored_points_survive_the_death_of_their_owner(tmp_path: Path, kill_after: int) -> None:
    last = _write_until_killed(tmp_path, kill_after)
    assert last >= kill_after
    store = EdgeStore(tmp_path)
    await store.open(4, "model")
    ids = [point_id("n", "Decision", str(n)) for n in range(last + 1)]
    assert await store.revisions(ids) == dict(zip(ids, range(last + 1), strict=True))
    await store.close()


async def test_what_is_stored_is_on_the_disk_before_the_call_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EdgeStore(tmp_path)
    await store.open(4, "model")
    synced: list[int] = []
    sync = os.fsync

    def record(file: int) -> None:
        synced.append(os.fstat(file).st_ino)
        sync(file)

    monkeypatch.setattr(os, "fsync", record)
    log = {file.stat().st_ino for file in (tmp_path / "shard" / "wal").glob("open-*")}
    for change in (store.upsert([_point("k")]), store.delete([_point("k").id])):
        await change
        assert log and log <= set(synced)
        synced.clear()
    await store.close()


async def test_a_refused_change_is_not_in_the_way_of_the_next_start(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "first")
    await store.open(4, "model")
    await store.upsert([_point("before")])
    with pytest.raises(VectorsUnavailable):
        await store.upsert([Point(point_id("n", "Decision", "k"), [1, 0], "n", "Decision", "k", 1)])
    await store.upsert([_point("after")])
    # What a process that is killed now leaves.
    shutil.copytree(tmp_path / "first", tmp_path / "second", ignore=shutil.ignore_patterns("lock"))
    await store.close()
    left = EdgeStore(tmp_path / "second")
    await left.open(4, "model")
    assert set(await left.revisions([_point("before").id, _point("after").id])) == {
        _point("before").id,
        _point("after").id,
    }
    await left.close()


async def test_an_interrupted_creation_starts_again(tmp_path: Path) -> None:
    (tmp_path / "shard.new" / "segments" / "half").mkdir(parents=True)
    store = EdgeStore(tmp_path)
    await store.open(4, "model")
    await store.upsert([_point("k")])
    assert await store.count() == 1
    await store.close()


async def test_a_comparison_names_the_command_that_repairs_a_broken_store_and_leaves_it(tmp_path: Path) -> None:
    await _break(tmp_path)
    comparing = EdgeStore(tmp_path, keep_damaged=True)
    for _ in range(2):
        with pytest.raises(VectorsDamaged, match="precedent repair") as raised:
            await comparing.open(4, "model")
        assert str(tmp_path) not in raised.value.message + raised.value.reason
        assert "edge_config.json" in raised.value.reason
    assert find_set_aside(tmp_path) is None
    await comparing.clear(4, "model")
    assert await comparing.count() == 0
    await comparing.close()


async def _break(folder: Path, wrong: str = "{ nonsense") -> None:
    """Leave a store of one point with a file that the engine refuses."""
    store = EdgeStore(folder)
    await store.open(4, "model")
    await store.upsert([_point("k")])
    await store.close()
    (folder / "shard" / "edge_config.json").write_text(wrong)


def _list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.proves("SVC-90")
async def test_a_broken_store_is_set_aside_once_with_the_reason(tmp_path: Path) -> None:
    for wrong in ("{ nonsense", "{ other nonsense"):
        await _break(tmp_path, wrong)
        store = EdgeStore(tmp_path)
        await store.open(4, "model")
        assert await store.count() == 0
        await store.upsert([_point("k")])
        await store.close()
    kept = find_set_aside(tmp_path)
    assert kept is not None
    assert "edge_config.json" in kept.reason
    assert (Path(kept.folder) / "shard" / "edge_config.json").read_text() == "{ other nonsense"
    assert _list_names(tmp_path) == ["damaged", "lock", "model.json", "shard"]


@pytest.mark.proves("SVC-90")
async def test_what_is_not_damage_is_never_set_aside(tmp_path: Path) -> None:
    owner, other = EdgeStore(tmp_path), EdgeStore(tmp_path)
    await owner.open(4, "model")
    await owner.upsert([_point("k")])
    with pytest.raises(HomeInUse):
        await other.open(4, "model")
    await owner.close()
    with pytest.raises(ModelMismatch):
        await other.open(4, "another model")
    for passing in (OSError(errno.EACCES, "Permission denied"), Exception("Too many open files (os error 24)")):
        assert type(translate(passing, tmp_path)) is VectorsUnavailable
    assert type(translate(OSError(errno.ENOSPC, "No space left on device"), tmp_path)) is DiskFull
    assert find_set_aside(tmp_path) is None
    await owner.open(4, "model")
    assert await owner.count() == 1
    await owner.close()


async def test_a_store_that_is_not_open_is_unavailable(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    with pytest.raises(VectorsUnavailable):
        await store.count()
    await store.open(4, "model")
    await store.close()
    with pytest.raises(VectorsUnavailable):
        await store.search([1, 0, 0, 0], 1, namespace="n", kinds=["Decision"])


async def test_a_vector_of_another_dimension_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    await store.open(4, "model")
    with pytest.raises(VectorsUnavailable):
        await store.upsert([Point(point_id("n", "Decision", "k"), [1, 0], "n", "Decision", "k", 1)])
    assert await store.count() == 0
    await store.upsert([_point("k")])
    assert await store.count() == 1
    await store.close()


async def test_space_of_deleted_points_is_won_back_at_the_next_start(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    await store.open(4, "model")
    points = [_point(str(n)) for n in range(3_000)]
    await store.upsert(points)
    await store.delete([point.id for point in points[:2_500]])
    await store.close()
    await store.open(4, "model")
    assert await store.count() == 500
    hits = await store.search([1, 0, 0, 0], 1_000, namespace="n", kinds=["Decision"])
    assert {hit.id for hit in hits} == {point.id for point in points[2_500:]}
    await store.close()
