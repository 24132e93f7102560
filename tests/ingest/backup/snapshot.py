"""A namespace as one comparable value, read with the bare driver; `uid` identifies its nodes."""

from pathlib import Path
from typing import Any

from neo4j import AsyncDriver

from ingest.backup.exporting import ExportResult, export_backup
from ingest.backup.importing import ImportResult, import_backup
from ingest.pipeline import NoProgress
from server.graph.graph import Graph

Rows = list[list[Any]]
_PROPERTIES = (
    "[key IN keys(x) WHERE key <> 'namespace' | [key, valueType(x[key]),"
    " CASE WHEN x[key] IS :: LIST<ANY> THEN [each IN x[key] | toString(each)] ELSE toString(x[key]) END]]"
)


async def cypher(driver: AsyncDriver, text: str, **parameters: Any) -> Rows:
    answer = await driver.execute_query(text, parameters, database_="neo4j")
    return [list(record.values()) for record in answer.records]


async def take_snapshot(driver: AsyncDriver, namespace: str) -> tuple[Rows, Rows]:
    """Every node and every relationship of a namespace: labels, types, properties and their types; sorted."""
    nodes = await cypher(
        driver, f"MATCH (x {{namespace: $n}}) WHERE NOT x:Sequence RETURN labels(x), {_PROPERTIES}", n=namespace
    )
    relations = await cypher(
        driver,
        f"MATCH (a {{namespace: $n}})-[x]->(b) RETURN a.uid, type(x), b.uid, b.namespace = $n, {_PROPERTIES}",
        n=namespace,
    )
    return (
        sorted(([sorted(labels), sorted(properties)] for labels, properties in nodes), key=repr),
        sorted(([*where, sorted(properties)] for *where, properties in relations), key=repr),
    )


async def exported(graph: Graph, namespace: str, path: Path) -> ExportResult:
    return await export_backup(graph, namespace, path, NoProgress())


async def imported(graph: Graph, path: Path, namespace: str | None = None) -> ImportResult:
    return await import_backup(graph, path, namespace, NoProgress())
