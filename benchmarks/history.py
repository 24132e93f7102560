"""Questions about the past over MCP HTTP: `why` beside its bare statement, searches as of a time beside those of today.

Alone: `python -m benchmarks.history`, about two minutes.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import anyio

from benchmarks.baselines import bare
from benchmarks.bench import Bench, Result, in_a_throw_away_folder, opened
from benchmarks.decisions import QUERIES
from benchmarks.measure import in_turn
from ingest.decisions import ingest_decisions
from server.graph.keys import comparison_key
from server.graph.statements import load
from tests.interaction.service import service
from tests.interaction.tools import ask

_NAMESPACE = "bench-history"
_ROUNDS = 5


async def measure(bench: Bench) -> list[tuple[str, str, str, str]]:
    """318 PEPs: the chains of 60 of their targets, and 28 queries, each five times."""
    await ingest_decisions(bench.graph, _NAMESPACE, [bench.data / "peps-0001-0499.tar.gz"])
    with anyio.fail_after(300):
        while bench.service.status()["unprojected"]:
            await anyio.sleep(1)
    later = (datetime.now(UTC) + timedelta(minutes=1)).isoformat()
    async with bench.service.client(_NAMESPACE) as client:
        listed = (await ask(client, "list_decisions", limit=60))["decisions"]
        targets = [each["target"] for each in listed] * _ROUNDS
        explained, plain = await in_turn(
            [partial(ask, client, "why", of=target) for target in targets],
            [partial(_bare_why, bench, target) for target in targets],
        )
        queries = [f"{query} {number}" for number in range(_ROUNDS) for query in QUERIES]
        past, today = await in_turn(
            [partial(ask, client, "search_decisions", query=query, as_of=later) for query in queries],
            [partial(ask, client, "search_decisions", query=f"{query} now") for query in queries],
        )
    return [
        (
            "why p50 / its statement made bare",
            f"{explained.p50 / plain.p50:.2f}",
            "≤ 2",
            f"{explained.p50:.1f} / {plain.p50:.1f} ms",
        ),
        (
            "search_decisions as_of p50 / without",
            f"{past.p50 / today.p50:.2f}",
            "≤ 1.5",
            f"{past.p50:.1f} / {today.p50:.1f} ms",
        ),
    ]


async def _bare_why(bench: Bench, target: str) -> None:
    now = datetime.now(UTC)
    await bare(
        bench,
        load("history/why").text,
        namespace=_NAMESPACE,
        as_of=now,
        known_at=now,
        retracted=False,
        name=target,
        key=comparison_key(target),
        most=60,
        text=4_000,
    )


async def _run(folder: Path) -> list[Result]:
    with service(folder) as made:
        async with opened(made, folder) as bench:
            return [Result(*row) for row in await measure(bench)]


if __name__ == "__main__":
    in_a_throw_away_folder(_run)
