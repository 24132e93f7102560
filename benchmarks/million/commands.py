"""What the operator does with a large home: restart it, compare it, export it, embed it anew."""

import contextlib
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
from anyio import move_on_after, open_process, sleep

from benchmarks.bench import Result, opened
from benchmarks.million.homes import NAMESPACE, BuiltHome
from server.composition import BATCHES, load_embedder
from server.core.settings import Settings
from server.vectors.projector import Projector
from server.vectors.repair import requeue
from tests.interaction.tools import ask

_REBUILT_SECONDS = 120.0
_TEXTS = 4_000


async def restart(full: BuiltHome, _: BuiltHome) -> list[Result]:
    """Start it twice: the first time may have to optimise what was written since the last start."""
    rows = []
    for which in ("first", "second"):
        started = time.perf_counter()
        await full.service.start()
        ready = time.perf_counter() - started
        async with full.service.client(NAMESPACE) as client:
            await ask(client, "search", query="Who plays the piano?")
        answered = time.perf_counter() - started
        await full.service.end(signal.SIGTERM)
        stopped = time.perf_counter() - started - answered
        sides = f"first search answered {answered:.1f} s, stop {stopped:.1f} s"
        rows.append(Result(f"{which} restart to ready", f"{ready:.1f} s", "≤ 20 s", sides))
    return rows


async def memory(full: BuiltHome, tenth: BuiltHome) -> list[Result]:
    """Resident memory after a hundred searches."""
    rows = []
    for home in (full, tenth):
        async with opened(home.service, home.folder) as bench, home.service.client(NAMESPACE) as client:
            for number in range(100):
                await ask(client, "search", query=f"Who plays piano number {number}?")
            assert bench.service.process is not None
            own, neo4j = (
                process.memory_info() for process in (psutil.Process(bench.service.process.pid), bench.service.neo4j)
            )
        await home.service.end(signal.SIGTERM)
        disk = {part: _size(getattr(home.service.home, part)) for part in ("neo4j", "vectors")}
        sides = f"Neo4j {neo4j.rss / 1e6:,.0f} MB; disk: graph {disk['neo4j']:,} MB, vectors {disk['vectors']:,} MB"
        what = f"memory of the service, {home.name} (of it not backed by files)"
        rows.append(Result(what, f"{own.rss / 1e6:,.0f} ({(own.rss - own.shared) / 1e6:,.0f}) MB", "", sides))
    return rows


def _size(folder: Path) -> int:
    return sum(each.stat().st_blocks * 512 for each in folder.rglob("*") if each.is_file()) // 10**6


async def verify(full: BuiltHome, tenth: BuiltHome) -> list[Result]:
    return await _compare_commands(full, tenth, "verify")


async def export(full: BuiltHome, tenth: BuiltHome) -> list[Result]:
    rows = await _compare_commands(full, tenth, "export", "backup.jsonl", "--namespace", NAMESPACE)
    for home in (full, tenth):
        (home.folder / "backup.jsonl").unlink()
    return rows


async def _compare_commands(full: BuiltHome, tenth: BuiltHome, *arguments: str) -> list[Result]:
    (seconds, peak), (less, smaller) = [await _watch(home, *arguments) for home in (full, tenth)]
    sides = f"{seconds:.0f} / {less:.0f} s; {peak:,.0f} / {smaller:,.0f} MB"
    return [Result(f"{arguments[0]}: memory / that at a tenth", f"{peak / smaller:.2f}", "≤ 1.1", sides)]


async def _watch(home: BuiltHome, *arguments: str) -> tuple[float, float]:
    """Run a command and return how long it took, and the most memory without files that it had."""
    peak, started = 0.0, time.perf_counter()
    environment = {**home.service.environment, "PYTHONPATH": str(Path.cwd())}
    command = [sys.executable, "-m", "cli", *arguments]
    with (home.folder / f"{arguments[0]}.log").open("wb") as output:
        process = await open_process(command, env=environment, cwd=home.folder, stdout=output, stderr=output)
        while process.returncode is None:
            with contextlib.suppress(psutil.Error):
                found = psutil.Process(process.pid).memory_info()
                peak = max(peak, (found.rss - found.shared) / 1e6)
            await sleep(0.2)
    assert process.returncode == 0, (home.folder / f"{arguments[0]}.log").read_text()[-2000:]
    return time.perf_counter() - started, peak


async def rebuild(full: BuiltHome, _: BuiltHome) -> list[Result]:
    """Queue all records again, as `rebuild` does, and project for two minutes, beside the embedding alone."""
    embedder = await load_embedder(Settings())
    async with full.graph() as graph, full.vectors() as vectors:
        pending = await graph.run("projection/pending", elements=[], limit=_TEXTS)
        assert not pending, "the last rebuild is not finished: build the home again"
        started = time.perf_counter()
        records = await requeue(graph, NAMESPACE)
        queued = time.perf_counter() - started
        texts = [row["text"] for row in await graph.run("projection/pending", elements=[], limit=_TEXTS)]
        started = time.perf_counter()
        for start in range(0, len(texts), 256):
            await embedder.embed_passages(texts[start : start + 256])
        alone = len(texts) / (time.perf_counter() - started)
        done: list[int] = []
        started = time.perf_counter()
        with move_on_after(_REBUILT_SECONDS):
            await Projector(graph, vectors, embedder, batch=BATCHES["here"]).drain(done.append)
        rate = sum(done) / (time.perf_counter() - started)
    sides = f"{rate:.0f} / {alone:.0f} a second; queueing {records:,} took {queued:.0f} s"
    return [Result("rebuild: passages a second / embedding alone", f"{rate / alone:.2f}", "≥ 0.8", sides)]


COMMANDS: dict[str, Callable[[BuiltHome, BuiltHome], Awaitable[list[Result]]]] = {
    "restart": restart, "memory": memory, "verify": verify, "export": export, "rebuild": rebuild,
}  # fmt: skip
