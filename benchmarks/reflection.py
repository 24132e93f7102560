"""How long does a pass of reflection over a hundred thousand pieces of evidence take, and how much memory?

Memories of errors and results, episodes, corrections and metrics about a thousand entities are written in the form of
the services, a tenth of them about one entity. Then a dry run, a first pass, a second without anything new, and one
after a hundred more errors, in a Neo4j of its own. Memory is that of the Python process.

By itself: `python -m benchmarks.reflection [N]`.
"""

import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import anyio
from neo4j import AsyncDriver, AsyncGraphDatabase
from psutil import Process
from rich.table import Table

from benchmarks.bench import console
from server.core.home import Cache, Home
from server.core.settings import Settings
from server.graph.graph import connect
from server.graph.migrations import migrate
from server.graph.sequence import IdSequence
from server.local.class_data import installation
from server.local.neo4j import USER, LocalNeo4j
from server.local.ports import Ports, free_ports
from server.reflection.service import ReflectionService

_NAMESPACE = "bench-reflection"
_ENTITIES = 1_000
_BATCH = 5_000
_NOW = datetime(2026, 6, 1, tzinfo=UTC)
_CREATE_ENTITIES = """
UNWIND range(1, $count) AS n
CREATE (:Entity {namespace: $namespace, node_id: n, name: 'thing ' + n, name_key: 'thing ' + n, label: 'Entity'})
"""
_WRITE = """
UNWIND $rows AS row
MATCH (entity:Entity {namespace: $namespace, node_id: row.about})
CREATE (record:$(row.label))
SET record = row.properties
FOREACH (_ IN CASE WHEN row.links THEN [1] ELSE [] END | CREATE (record)-[:MENTIONS]->(entity))
"""


async def run(count: int, folder: Path) -> Table:
    """Write the evidence, make the passes, and return the table."""
    settings = Settings()
    server = LocalNeo4j(
        installation(Cache(settings.cache)), Home(folder), Ports(*free_ports(2)), jvm_flags=settings.neo4j_jvm
    )
    await server.start()
    table = Table(
        "pass", "seconds", "pieces a second", "MB after it", "created", "updated", "falsified", title="reflection"
    )
    try:
        where = (server.uri, USER, server.password)
        async with connect(*where) as graph, AsyncGraphDatabase.driver(where[0], auth=where[1:]) as driver:
            await migrate(graph)
            await _write(driver, _CREATE_ENTITIES, count=_ENTITIES)
            rows = _list_evidence(count)
            while some := [row for row, _ in zip(rows, range(_BATCH), strict=False)]:
                await _write(driver, _WRITE, rows=some)
            reflection = ReflectionService(graph, IdSequence(graph))
            await graph.run("sequences/take", namespace=_NAMESPACE, count=10_000_000)
            for name in ("dry run", "first", "second", "after 100 more"):
                if name.startswith("after"):
                    await _write(driver, _WRITE, rows=list(_list_news()))
                report = await reflection.reflect(_NAMESPACE, dry_run=name == "dry run", at=_NOW)
                memory = Process().memory_info().rss
                counts = (report.created, report.updated, report.falsified)
                rate = count / report.seconds
                console.print(name, f"{report.seconds:.1f} s", report.linked, "links")
                table.add_row(name, f"{report.seconds:.1f}", f"{rate:,.0f}", f"{memory / 1e6:.0f}", *map(str, counts))
    finally:
        await server.stop()
    return table


def _list_evidence(count: int) -> Iterator[dict[str, Any]]:
    random = Random(7)
    for number in range(count):
        about = 1 if number % 10 == 0 else random.randint(1, _ENTITIES)
        # Some things mostly fail, most things mostly work.
        fails = random.random() < (0.9 if about % 5 == 0 else 0.3)
        yield _build_row(number, about, fails, _NOW - timedelta(minutes=30 * random.random() * 1_440))


def _list_news() -> Iterator[dict[str, Any]]:
    for number in range(100):
        yield _build_row(5_000_000 + 5 * number, 10 * (number + 1), True, _NOW)


def _build_row(number: int, about: int, fails: bool, at: datetime) -> dict[str, Any]:
    text = f"Record {number} about thing {about}, as an agent would write it in a sentence or two."
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("Entry", {"type": "error" if fails else "result", "metadata": "{}", "status": "active", "body": text}),
        ("Entry", {"type": "bug" if fails else "success", "metadata": "{}", "status": "active", "body": text}),
        ("Episode", {"reward": -0.7 if fails else 0.7, "query": text, "reflection": text}),
        ("Metric", {"metric_name": "success rate", "metric_value": 0.2 if fails else 0.9, "metadata": text}),
        ("Correction", {"correction_type": "fact", "reason": text}),
    ]
    label, own = kinds[number % len(kinds)]
    id_: object = number if label == "Episode" else f"{label}-{number}"
    common = {"namespace": _NAMESPACE, "id": id_, "node_id": 100_000 + number, "name": text[:60], "created_at": at}
    # Corrections and metrics are linked by the pass.
    return {"about": about, "label": label, "links": label in {"Entry", "Episode"}, "properties": common | own}


async def _write(driver: AsyncDriver, text: str, **parameters: Any) -> None:
    await driver.execute_query(text, parameters_={"namespace": _NAMESPACE, **parameters}, database_="neo4j")


def main() -> None:
    """Print the table for as many pieces of evidence as are given, by default 100,000."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        console.print(anyio.run(run, count, Path(folder)))


if __name__ == "__main__":
    main()
