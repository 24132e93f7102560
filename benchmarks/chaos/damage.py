"""Damages every kind of file of the embedded Qdrant in turn, and starts on what is left.

Each case is a process of its own, because the engine may end it. The outcome of a start is one of: nothing lost,
recreated (points that were missing or dead), set aside (files that the engine refuses). Anything else is a defect:
points that differ from what was stored, or a search that does not find them. About five minutes.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import numpy as np

from benchmarks.bench import console
from server.vectors.damage import find_dead, find_set_aside
from server.vectors.edge import EdgeStore
from server.vectors.store import PassageOrigin, Point, point_id

_POINTS = 1_500
_SEARCHES = 20
_SIZE = 384
_KINDS = ((r"segments/[0-9a-f-]{36}", "segments/*"), (r"payload_index/[0-9a-z]{20,}-", "payload_index/"))
DAMAGES: Mapping[str, Callable[[Path], None]] = {
    "deleted": Path.unlink,
    "emptied": lambda file: os.truncate(file, 0),
    "half": lambda file: os.truncate(file, file.stat().st_size // 2),
    "4 KB": lambda file: os.truncate(file, min(4096, file.stat().st_size // 2)),
    "zeros": lambda file: _overwrite(file, bytes(file.stat().st_size)),
    "garbage": lambda file: _overwrite(file, np.random.default_rng(1).bytes(file.stat().st_size)),
}


def _overwrite(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _build_points() -> list[Point]:
    directions = np.random.default_rng(1).standard_normal((_POINTS, _SIZE))
    vectors = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return [
        Point(point_id("n", "passage", str(n)), vector, "n", "passage", str(n), 1, ["scope"], n, PassageOrigin(n))
        for n, vector in enumerate(vectors.tolist())
    ]


async def _create(folder: Path) -> None:
    store = EdgeStore(folder)
    await store.open(_SIZE, "model")
    points = _build_points()
    for start in range(0, _POINTS, 100):
        await store.upsert(points[start : start + 100])
    await store.close()
    # Else the engine repairs much of it by its log.
    await store.open(_SIZE, "model")
    await store.close()


async def inspect(folder: Path) -> str:
    """Start on a damaged folder as the service does, recreate what it finds lost, and compare; return the outcome."""
    store, points = EdgeStore(folder), _build_points()
    await store.open(_SIZE, "model")
    stored = await store.revisions([point.id for point in points])
    dead = find_dead(await store.vectors(list(stored)))
    lost = [point for point in points if stored.get(point.id) != point.revision or point.id in dead]
    for start in range(0, len(lost), 100):
        await store.upsert(lost[start : start + 100])
    wrong = await _count_wrong(store, points)
    await store.close()
    if wrong:
        return f"DEFECT: {wrong}"
    if find_set_aside(folder):
        return "set aside"
    return "recreated" if lost else "nothing lost"


async def _count_wrong(store: EdgeStore, points: list[Point]) -> str:
    vectors = await store.vectors([point.id for point in points])
    differing = sum(not np.allclose(vectors[point.id], point.vector, atol=1e-4) for point in points)
    missed: Counter[str] = Counter()
    for number in range(0, _POINTS, _POINTS // _SEARCHES):
        point = points[number]
        for name, narrow in {
            "all": {},
            "records": {"records": [number]},
            "scope": {"scope": "scope"},
            "since": {"since": number, "until": number},
            "ids": {"ids": [point.id]},
        }.items():
            hits = await store.search(point.vector, 1, namespace="n", kinds=["passage"], **narrow)  # type: ignore[arg-type]
            missed[name] += [hit.id for hit in hits] != [point.id]
    found = {name: times for name, times in missed.items() if times}
    return f"{differing} vectors differ, searches miss {found}" if differing or found else ""


def measure_damage() -> str:
    """Damage each kind of file in each way; return the outcomes as a Markdown table."""
    outcomes: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="precedent-damage-") as folder:
        whole, work = Path(folder) / "whole", Path(folder) / "work"
        anyio.run(_create, whole)
        files = {_name_kind(str(file.relative_to(whole))): file for file in sorted(whole.rglob("*")) if file.is_file()}
        files.pop("lock")
        for kind, file in files.items():
            for damage, does in DAMAGES.items():
                shutil.rmtree(work, ignore_errors=True)
                subprocess.run(["cp", "-a", "--sparse=always", str(whole), str(work)], check=True)
                does(work / file.relative_to(whole))
                outcome = _inspect_in_process(work)
                outcomes[damage, outcome.partition(":")[0]] += 1
                if outcome.startswith("DEFECT"):
                    console.print(f"{damage:8} {kind}: {outcome}", highlight=False, markup=False)
    columns = sorted({outcome for _, outcome in outcomes})
    head = [f"| damage to each of {len(files)} kinds of files | {' | '.join(columns)} |"]
    head.append("| --- |" + " --: |" * len(columns))
    rows = [f"| {name} | {' | '.join(str(outcomes[name, column]) for column in columns)} |" for name in DAMAGES]
    return "\n".join([*head, *rows])


def _name_kind(path: str) -> str:
    for pattern, name in _KINDS:
        path = re.sub(pattern, name, path)
    return path


def _inspect_in_process(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.chaos.damage", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("OUTCOME ")]
    return (
        lines[-1].removeprefix("OUTCOME ") if lines else f"DEFECT: ended with {done.returncode}: {done.stderr[-300:]}"
    )


if __name__ == "__main__":
    print("OUTCOME", anyio.run(inspect, Path(sys.argv[1])))  # noqa: T201
