"""A namespace as one comparable value, looked at behind the product's back; its nodes are told apart by `uid`."""

from pathlib import Path
from typing import Any

from neo4j import AsyncDriver

from ingest.archive.loading import Imported, import_archive
from ingest.archive.writing import Exported, export_archive
from ingest.pipeline import Silent
from server.graph.graph import Graph

Rows = list[list[Any]]
_SAID = (
    "[key IN keys(x) WHERE key <> 'namespace' | [key, valueType(x[key]),"
    " CASE WHEN x[key] IS :: LIST<ANY> THEN [each IN x[key] | toString(each)] ELSE toString(x[key]) END]]"
)


async def cypher(driver: AsyncDriver, text: str, **parameters: Any) -> Rows:
    answer = await driver.execute_query(text, parameters, database_="neo4j")
    return [list(record.values()) for record in answer.records]


async def picture(driver: AsyncDriver, namespace: str) -> tuple[Rows, Rows]:
    """Every node and every relationship of a namespace: labels, types, properties and their types; sorted."""
    nodes = await cypher(
        driver, f"MATCH (x {{namespace: $n}}) WHERE NOT x:Sequence RETURN labels(x), {_SAID}", n=namespace
    )
    relations = await cypher(
        driver,
        f"MATCH (a {{namespace: $n}})-[x]->(b) RETURN a.uid, type(x), b.uid, b.namespace = $n, {_SAID}",
        n=namespace,
    )
    return (
        sorted(([sorted(labels), sorted(said)] for labels, said in nodes), key=repr),
        sorted(([*where, sorted(said)] for *where, said in relations), key=repr),
    )


async def exported(graph: Graph, namespace: str, path: Path) -> Exported:
    return await export_archive(graph, namespace, path, Silent())


async def imported(graph: Graph, path: Path, namespace: str | None = None) -> Imported:
    return await import_archive(graph, path, namespace, Silent())
