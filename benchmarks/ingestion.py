"""Triples a second through ingestion, beside the driver's best form of the same load."""

import csv
import gzip
import time
from collections import defaultdict

from benchmarks.bench import Bench
from ingest.triples import ingest_triples

NAMESPACE = "bench-codex"
_ROWS = 1_000
_NODES = """
UNWIND $names AS name
MERGE (entity:Entity {namespace: $namespace, name: name})
"""
_EDGES = """
UNWIND $rows AS row
MATCH (head:Entity {namespace: $namespace, name: row[0]})
MATCH (tail:Entity {namespace: $namespace, name: row[1]})
MERGE (head)-[edge:$($type)]->(tail)
ON CREATE SET edge.weight = 1.0
"""


async def measure(bench: Bench) -> list[tuple[str, str, str, str]]:
    """Loads CoDEx-S both ways into fresh namespaces of the same warm Neo4j, then once more through ingestion."""
    file = bench.data / "codex-s.tsv.gz"
    with gzip.open(file, "rt") as lines:
        triples = [(head, relation, tail) for head, relation, tail in csv.reader(lines, delimiter="\t")]
    await _bare(bench, "bench-warm", triples[:8_000])
    await _ingest(bench, "bench-warm-too")
    bare = await _bare(bench, "bench-bare", triples)
    first = await _ingest(bench, NAMESPACE)
    again = await _ingest(bench, NAMESPACE)
    rate, best = len(triples) / first, len(triples) / bare
    return [
        (
            "triples a second: ingestion / bare UNWIND",
            f"{rate / best:.2f}",
            "≥ 0.5",
            f"{rate:,.0f} / {best:,.0f} a second",
        ),
        (
            "ingesting the same file again / first time",
            f"{again / first:.3f}",
            "≤ 0.15",
            f"{again:.2f} / {first:.2f} s",
        ),
    ]


async def _bare(bench: Bench, namespace: str, triples: list[tuple[str, str, str]]) -> float:
    """The driver's best form: rows grouped by type, one dynamic parameter, a uniqueness constraint."""
    started = time.perf_counter()
    names = list({name for head, _, tail in triples for name in (head, tail)})
    for start in range(0, len(names), _ROWS):
        await _run(bench, _NODES, namespace=namespace, names=names[start : start + _ROWS])
    by_type = defaultdict(list)
    for head, relation, tail in triples:
        by_type[relation].append([head, tail])
    for relation, rows in by_type.items():
        for start in range(0, len(rows), _ROWS):
            await _run(bench, _EDGES, namespace=namespace, type=relation, rows=rows[start : start + _ROWS])
    return time.perf_counter() - started


async def _ingest(bench: Bench, namespace: str) -> float:
    started = time.perf_counter()
    await ingest_triples(bench.graph, namespace, bench.data / "codex-s.tsv.gz")
    return time.perf_counter() - started


async def _run(bench: Bench, text: str, **parameters: object) -> None:
    await bench.driver.execute_query(text, parameters_=parameters, database_="neo4j")
