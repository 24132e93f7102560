"""Searching decisions over MCP HTTP, beside the same embedding, vector and Cypher calls made bare."""

import time
from contextlib import AsyncExitStack
from functools import partial
from statistics import median
from typing import Any

import anyio

from benchmarks.bench import Bench
from benchmarks.measure import in_turn
from ingest.decisions import ingest_decisions
from server.app import load_embedder
from server.graph.statements import load
from server.graph.words import any_of, within
from server.settings import Settings
from server.vectors.edge import EdgeStore
from server.vectors.store import Point, point_id
from tests.interaction.tools import ask

_NAMESPACE = "bench-peps"
_QUERIES = [
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
    await _copy_of_vectors(bench, vectors, embedder)
    queries = [f"{query} {number}" for number in range(6) for query in _QUERIES]
    async with bench.service.client(_NAMESPACE) as client:
        ours = [partial(ask, client, "search_decisions", query=query) for query in queries]
        bare = [partial(_bare, bench, vectors, embedder, query) for query in queries]
        await in_turn(ours[:28], bare[:28])
        service, parts = await in_turn(ours[28:], bare[28:])
        rates = [(await _rate(bench, queries, clients=1), await _rate(bench, queries, clients=8)) for _ in range(3)]
        one, eight = (median(side) for side in zip(*rates, strict=True))
    await vectors.close()
    return [
        (
            "search_decisions p50 / its parts made bare",
            f"{service.p50 / parts.p50:.2f}",
            "≤ 1.5",
            f"{service.p50:.1f} / {parts.p50:.1f} ms",
        ),
        ("searches a second: 8 clients / 1 client", f"{eight / one:.2f}", "≥ 1.6", f"{eight:.0f} / {one:.0f} a second"),
    ]


async def _copy_of_vectors(bench: Bench, vectors: EdgeStore, embedder: Any) -> None:
    """The same points in an engine of this process: what the service holds belongs to it alone."""
    await vectors.open(embedder.dimension, embedder.fingerprint)
    answer = await bench.driver.execute_query(
        "MATCH (d:Decision {namespace: $namespace}) RETURN d.id AS id", namespace=_NAMESPACE, database_="neo4j"
    )
    ids = [record["id"] for record in answer.records]
    rows = await bench.graph.run("decisions/texts", namespace=_NAMESPACE, decisions=ids, proposals=[])
    embedded = await embedder.embed_passages([row["text"] for row in rows])
    named = [(row["id"], point_id(_NAMESPACE, "decision", row["id"])) for row in rows]
    await vectors.upsert(
        [
            Point(point, vector, _NAMESPACE, "decision", key, 1)
            for (key, point), vector in zip(named, embedded, strict=True)
        ]
    )


async def _bare(bench: Bench, vectors: EdgeStore, embedder: Any, query: str) -> None:
    vector = await embedder.embed_query(query)
    hits = await vectors.search(vector, 50, namespace=_NAMESPACE, kinds=["decision", "proposal"])
    words = within(_NAMESPACE, any_of(query))
    ids = [hit.key for hit in hits]
    await _run(bench, "decisions/candidates", decisions=ids, proposals=[], query=words, limit=50, preview=200)


async def _run(bench: Bench, name: str, **parameters: object) -> list[dict[str, Any]]:
    answer = await bench.driver.execute_query(
        load(name).text, parameters_={"namespace": _NAMESPACE, **parameters}, database_="neo4j", routing_="r"
    )
    return [record.data() for record in answer.records]


async def _rate(bench: "Bench", queries: list[str], *, clients: int) -> float:
    """Searches a second of so many clients, each with a connection of its own that has been used before."""
    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(bench.service.client(_NAMESPACE)) for _ in range(clients)]
        for caller in callers:
            await ask(caller, "search_decisions", query="a first question reads the schemas")

        async def work(number: int) -> None:
            for query in queries[number::clients]:
                await ask(callers[number], "search_decisions", query=f"{query} {clients}")

        started = time.perf_counter()
        async with anyio.create_task_group() as tasks:
            for number in range(clients):
                tasks.start_soon(work, number)
        return len(queries) / (time.perf_counter() - started)
