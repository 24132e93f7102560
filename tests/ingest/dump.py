"""A namespace of the graph as one comparable value."""

from typing import Any

from neo4j import AsyncDriver

_FRESH = {"namespace", "change_operation", "scope", "node_id", "edge_id", "updated_at", "first_read_at", "read_at"}
"""What differs between two graphs that say the same: where they are, numbers from a sequence, clocks."""

_FRESH_OF_PASSAGES = {"id", "record"}
_NAMED = (
    "CASE WHEN {0}:Passage THEN {0}.name + ' ' + toString({0}.place) + ' ' + toString({0}.whole) "
    "ELSE coalesce({0}.id, {0}.name) END"
)
"""What identifies a node: a passage has another id in each graph."""


async def dump(driver: AsyncDriver, namespace: str, *, uris: bool = True, history: bool = True) -> dict[str, list[Any]]:
    """Every node and relationship of a namespace, without what is fresh each time, runs and changes; sorted.

    Original dates of decisions are kept. Without `uris`, where files were read is left out; without `history`, former
    relations are.
    """
    nodes = await driver.execute_query(
        "MATCH (n {namespace: $namespace}) WHERE NOT (n:IngestRun OR n:Sequence OR n:Change OR n:Principal) "
        "AND NOT (n:Tombstone AND n.kind = 'passage') "
        "RETURN labels(n) AS labels, properties(n) AS properties",
        namespace=namespace,
        database_="neo4j",
    )
    edges = await driver.execute_query(
        "MATCH (a {namespace: $namespace})-[r]->(b) WHERE NOT type(r) IN ['PART_OF_RUN', 'DID', 'CHANGED', 'WAS'] "
        "AND ($history OR type(r) <> 'FORMER') "
        f"RETURN labels(a) AS la, {_NAMED.format('a')} AS a, type(r) AS type, properties(r) AS properties, "
        f"labels(b) AS lb, {_NAMED.format('b')} AS b, b.namespace = $namespace AS inside",
        namespace=namespace,
        history=history,
        database_="neo4j",
    )
    assert all(record["inside"] for record in edges.records)
    return {
        "nodes": sorted(
            repr((sorted(record["labels"]), _kept(record["properties"], "Decision" in record["labels"], uris=uris)))
            for record in nodes.records
        ),
        "edges": sorted(
            repr((
                sorted(record["la"]), record["a"], record["type"], _kept(record["properties"], uris=uris),
                sorted(record["lb"]), record["b"],
            ))
            for record in edges.records
        ),
    }  # fmt: skip


async def ids(driver: AsyncDriver, namespace: str) -> list[int]:
    """Every integer id of a namespace's nodes and relationships."""
    found = await driver.execute_query(
        "CALL () { MATCH (n {namespace: $namespace}) WHERE n.node_id IS NOT NULL RETURN n.node_id AS id "
        "UNION ALL MATCH ({namespace: $namespace})-[r]->() WHERE r.edge_id IS NOT NULL RETURN r.edge_id AS id } "
        "RETURN id",
        namespace=namespace,
        database_="neo4j",
    )
    return [record["id"] for record in found.records]


def _kept(properties: dict[str, Any], dated: bool = False, *, uris: bool) -> list[tuple[str, str]]:
    fresh = _FRESH | (_FRESH_OF_PASSAGES if "whole" in properties else set())
    left_out = fresh | (set() if dated else {"created_at"}) | (set() if uris else {"uri", "location"})
    return sorted((key, repr(value)) for key, value in properties.items() if key not in left_out)
