"""Sixteen callers who relate the same hubs at once: what they wait for each other, and how often two block each other.

`python -m benchmarks.contention [--seconds N]`
"""

import argparse
import random
import time
from functools import partial
from pathlib import Path

import anyio

from benchmarks.bench import Bench, Result, in_a_throw_away_folder, opened
from benchmarks.measure import Times
from server.core.principals import Principal, Role
from server.entities.models import AddEdge
from server.entities.service import EntityService
from server.graph.sequence import IdSequence
from tests.interaction.service import service

_CALLERS = 16
_HUBS = 10
_LEAVES = 2_000
_SECONDS = 15.0
_NAMESPACE = "bench-contention"


def _choose_ends(chosen: random.Random) -> list[str]:
    """Two hubs, or a hub and one of many leaves, in either direction."""
    hubs = [f"hub {number}" for number in chosen.sample(range(_HUBS), 2)]
    ends = hubs if chosen.random() < 0.5 else [hubs[0], f"leaf {chosen.randrange(_LEAVES)}"]
    chosen.shuffle(ends)
    return ends


async def measure(bench: Bench, seconds: float = _SECONDS) -> list[tuple[str, str, str, str]]:
    """Calls `graph_add_edge` without HTTP: the callers are as many transactions at once."""
    entities = EntityService(bench.graph, IdSequence(bench.graph))
    milliseconds: list[float] = []

    async def relate(number: int, until: float) -> None:
        caller = Principal(f"caller {number}", "agent", Role.AGENT, _NAMESPACE)
        chosen = random.Random(number)
        while (started := time.perf_counter()) < until:
            source, target = _choose_ends(chosen)
            ends = {"source_name": source, "target_name": target}
            await entities.add_edge(AddEdge.parse({**ends, "relation": "KNOWS", "weight": chosen.random()}), caller)
            milliseconds.append((time.perf_counter() - started) * 1000)

    await relate(_CALLERS, time.perf_counter() + 2)  # what the first call of a service costs is another figure
    milliseconds.clear()
    retried, until = bench.graph.retried, time.perf_counter() + seconds
    async with anyio.create_task_group() as tasks:
        for number in range(_CALLERS):
            tasks.start_soon(relate, number, until)
    times, retried = Times(milliseconds), bench.graph.retried - retried
    sides = f"{times.p99:.0f} / {times.p50:.0f} ms; {len(milliseconds) / seconds:.0f} calls a second"
    return [
        (f"graph_add_edge by {_CALLERS} callers on hubs: p99 / p50", f"{times.p99 / times.p50:.1f}", "≤ 10", sides),
        ("  transactions repeated because two blocked each other", f"{retried}", "0", f"of {len(milliseconds):,}"),
    ]


async def _run(folder: Path, seconds: float) -> list[Result]:
    with service(folder) as made:
        async with opened(made, folder) as bench:
            return [Result(*row) for row in await measure(bench, seconds)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contention", description=__doc__)
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    options = parser.parse_args()
    in_a_throw_away_folder(partial(_run, seconds=options.seconds))


if __name__ == "__main__":
    main()
