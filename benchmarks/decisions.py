"""Searching decisions over MCP HTTP, beside the same embedding, vector and Cypher calls made bare."""

import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from statistics import median

import anyio

from benchmarks.baselines import Parts, bare
from benchmarks.bench import Bench
from benchmarks.measure import in_turn
from ingest.decisions import ingest_decisions
from server.composition import load_embedder
from server.core.settings import Settings
from server.decisions.passages import build_decision_tag
from server.graph.statements import load
from server.ranking.naming import list_phrases
from server.vectors.edge import EdgeStore
from tests.interaction.tools import ask

_NAMESPACE = "bench-peps"
QUERIES = [
    "how are annotations evaluated", "adding a match statement", "string formatting with format specifiers",
    "removing the global interpreter lock", "package versioning scheme", "async and await syntax",
    "generators and yield from", "unicode in source files", "import hooks and finders", "decorators for functions",
    "type hints for variables", "the buffer protocol", "integer division semantics", "context managers and with",
    "metaclasses and class creation", "virtual environments", "wheel package format", "dictionary ordering",
    "lambda expressions", "keyword only arguments", "exception chaining", "documentation conventions for docstrings",
    "style guide for code", "release schedule", "set literals", "nested scopes", "list comprehensions", "decimal type",
]  # fmt: skip


async def measure(bench: Bench) -> list[tuple[str, str, str, str]]:
    """318 PEPs, 28 queries, each asked several times in other words so that no cache of ours can answer."""
    await ingest_decisions(bench.graph, _NAMESPACE, [bench.data / "peps-0001-0499.tar.gz"])
    with anyio.fail_after(300):
        while bench.service.status()["unprojected"]:
            await anyio.sleep(1)
    embedder = await load_embedder(Settings())
    vectors = EdgeStore(bench.folder / "bare-vectors")
    await vectors.open(embedder.dimension, embedder.fingerprint)
    parts = Parts(bench, embedder, vectors, _NAMESPACE)
    await parts.copy()
    queries = [f"{query} {number}" for number in range(6) for query in QUERIES]
    async with bench.service.client(_NAMESPACE) as client:
        ours = [partial(ask, client, "search_decisions", query=query) for query in queries]
        plain = [partial(_bare, bench, parts, query) for query in queries]
        await in_turn(ours[:28], plain[:28])
        service, made = await in_turn(ours[28:], plain[28:])
        rates = [
            (await _rate(bench, queries, round_, clients=1), await _rate(bench, queries, round_, clients=8))
            for round_ in range(3)
        ]
        one, eight = (median(side) for side in zip(*rates, strict=True))
    await vectors.close()
    return [
        (
            "search_decisions p50 / its parts made bare",
            f"{service.p50 / made.p50:.2f}",
            "≤ 1.5",
            f"{service.p50:.1f} / {made.p50:.1f} ms",
        ),
        ("searches a second: 8 clients / 1 client", f"{eight / one:.2f}", "≥ 1.6", f"{eight:.0f} / {one:.0f} a second"),
    ]


async def _bare(bench: Bench, parts: Parts, query: str) -> None:
    hits = await parts.passages(build_decision_tag(_NAMESPACE), query, all_words=True)
    await bare(
        bench,
        load("decisions/candidates").text,
        namespace=_NAMESPACE,
        records=sorted({hit.origin.record for hit in hits if hit.origin}),
        keys=list_phrases(query),
        target_key=None,
        about_key=None,
        statuses=None,
        since=None,
        until=None,
        now=datetime.now(UTC),
        limit=200,
        preview=200,
    )


async def _rate(bench: "Bench", queries: list[str], round_: int, *, clients: int) -> float:
    """Searches a second of so many clients, each with a connection of its own that has been used before."""
    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(bench.service.client(_NAMESPACE)) for _ in range(clients)]
        for caller in callers:
            await ask(caller, "search_decisions", query="a first question reads the schemas")

        async def work(number: int) -> None:
            for query in queries[number::clients]:
                await ask(callers[number], "search_decisions", query=f"{query} {clients} {round_}")

        started = time.perf_counter()
        async with anyio.create_task_group() as tasks:
            for number in range(clients):
                tasks.start_soon(work, number)
        return len(queries) / (time.perf_counter() - started)
