"""Paths, neighbours and edges over MCP HTTP, beside the bare driver on the same graph."""

import random
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.ingestion import NAMESPACE
from benchmarks.measure import in_turn, timed
from tests.interaction.tools import ask

_PAIRS = 300
_DEPTH = 6
_DEGREES = """
MATCH (entity:Entity {namespace: $namespace})
RETURN entity.name AS name, COUNT { (entity)--() } AS degree
ORDER BY degree DESC, name
"""
_SHORTEST = """
MATCH (start:Entity {namespace: $namespace, name: $start})
MATCH (end:Entity {namespace: $namespace, name: $end})
MATCH path = SHORTEST 1 (start)-[edge]-{1,6}(end)
RETURN [node IN nodes(path) | node.name] AS names, [edge IN relationships(path) | type(edge)] AS types
"""
_WRITE = """
MERGE (a:Entity {namespace: $namespace, name: $source})
MERGE (b:Entity {namespace: $namespace, name: $target})
MERGE (a)-[edge:USES]->(b)
SET edge.weight = 1.0
"""


async def measure(bench: Bench) -> list[tuple[str, str, str, str]]:
    """The client sees CoDEx-S in the namespace that it was loaded into."""
    async with bench.service.client(NAMESPACE) as client:
        return [*await _paths(bench, client), *await _neighbours(bench, client), *await _edges(bench, client)]


async def _paths(bench: Bench, client: Any) -> list[tuple[str, str, str, str]]:
    names = [row["name"] for row in await _rows(bench, _DEGREES)]
    chosen = random.Random(20261121)
    pairs = [chosen.sample(names, 2) for _ in range(2 * _PAIRS)]
    calls = [
        partial(ask, client, "graph_find_path", start_node=start, end_node=end, max_depth=_DEPTH)
        for start, end in pairs
    ]
    bare = [partial(_rows, bench, _SHORTEST, start=start, end=end) for start, end in pairs]
    await in_turn(calls[_PAIRS:], bare[_PAIRS:])  # other pairs: both plans cached, both compiled, all caches warm
    service, driver = await in_turn(calls[:_PAIRS], bare[:_PAIRS])
    sides = f"{service.p50:.1f} / {driver.p50:.1f} ms"
    return [
        ("graph_find_path p50 / bare SHORTEST", f"{service.p50 / driver.p50:.2f}", "≤ 2.0", sides),
        (
            "graph_find_path p99 / p50",
            f"{service.p99 / service.p50:.2f}",
            "≤ 5",
            f"{service.p99:.1f} / {service.p50:.1f} ms (bare {driver.p99:.1f} / {driver.p50:.1f})",
        ),
    ]


async def _neighbours(bench: Bench, client: Any) -> list[tuple[str, str, str, str]]:
    degrees = await _rows(bench, _DEGREES)
    hub, ordinary = degrees[0], degrees[len(degrees) // 2]
    calls = [partial(ask, client, "graph_query_neighbors", node_name=row["name"], limit=50) for row in (hub, ordinary)]
    await in_turn([calls[0]] * 20, [calls[1]] * 20)
    large, small = await in_turn([calls[0]] * 100, [calls[1]] * 100)
    return [
        (
            f"neighbours of the {hub['degree']}-degree hub / of a median node ({ordinary['degree']})",
            f"{large.p50 / small.p50:.2f}",
            "≤ 3",
            f"{large.p50:.1f} / {small.p50:.1f} ms",
        )
    ]


async def _edges(bench: Bench, client: Any) -> list[tuple[str, str, str, str]]:
    def write_edge(number: int) -> Any:
        names = {"source_name": f"bench source {number}", "target_name": f"bench target {number}"}
        return partial(ask, client, "graph_add_edge", relation="USES", **names)

    def bare(number: int) -> Any:
        return partial(_rows, bench, _WRITE, source=f"bare source {number}", target=f"bare target {number}")

    for number in range(20):
        await timed(write_edge(-number - 1))
        await timed(bare(-number - 1))
    service, driver = await in_turn([write_edge(n) for n in range(150)], [bare(n) for n in range(150)])
    return [
        (
            "graph_add_edge p50 / one bare durable write",
            f"{service.p50 / driver.p50:.2f}",
            "≤ 3",
            f"{service.p50:.1f} / {driver.p50:.1f} ms",
        )
    ]


async def _rows(bench: Bench, text: str, **parameters: object) -> list[dict[str, Any]]:
    answer = await bench.driver.execute_query(
        text, parameters_={"namespace": NAMESPACE, **parameters}, database_="neo4j"
    )
    return [record.data() for record in answer.records]
