"""What the service takes of the machine, and how soon it is back."""

import signal
import time

import psutil

from benchmarks.bench import Bench
from tests.interaction.service import Service


async def memory(bench: Bench) -> list[tuple[str, str, str, str]]:
    """Resident memory of the service with the model loaded, after all that was measured."""
    assert bench.service.process is not None
    resident = psutil.Process(bench.service.process.pid).memory_info().rss / 1e6
    neo4j = bench.service.neo4j.memory_info().rss / 1e6
    return [("memory with the model loaded", f"{resident:.0f} MB", "≤ 600 MB", f"Neo4j beside it {neo4j:.0f} MB")]


async def second_start(made: Service) -> list[tuple[str, str, str, str]]:
    """From the command to the first healthy answer, in a home that has data."""
    await made.end(signal.SIGTERM)
    started = time.perf_counter()
    await made.start()
    return [("second start to ready", f"{time.perf_counter() - started:.1f} s", "≤ 20 s", "")]
