"""Whether what was written behind the product's back has the shape of what the product wrote."""

from typing import Any

from neo4j import AsyncDriver

from benchmarks.million.entries import FIRST_ID
from benchmarks.million.homes import NAMESPACE

_RECORDS = {
    "entry": "MATCH (n:Entry {namespace: $namespace}) WHERE (n:Passage) = $short AND (n.node_id < $first) = $product",
    "decision": "MATCH (n:Decision {namespace: $namespace, status: $status}) WHERE (n.node_id < $first) = $product",
}
_AROUND = """
WITH n ORDER BY n.node_id DESC LIMIT 1
MATCH (n)-[edge]-(near)
WHERE NOT near:Entry AND NOT near:Decision
RETURN labels(n) AS labels, [key IN keys(n) | [key, valueType(n[key])]] AS properties,
  collect(DISTINCT [type(edge), startNode(edge) = n, keys(edge), labels(near),
    CASE WHEN near:Passage OR near:Change THEN [key IN keys(near) | [key, valueType(near[key])]] END]) AS around
"""


async def require_same_shapes(driver: AsyncDriver) -> None:
    """Compare a record of each kind, with everything next to it, with one that the product wrote before."""
    for name, given in (
        ("entry", {"short": True, "status": ""}),
        ("entry", {"short": False, "status": ""}),
        ("decision", {"short": False, "status": "active"}),
        ("decision", {"short": False, "status": "superseded"}),
    ):
        ours, product = [await _shape(driver, name, product=product, **given) for product in (False, True)]
        assert ours == product, f"{name} {given}: {_difference(ours, product)}"


async def _shape(driver: AsyncDriver, name: str, **given: Any) -> set[str]:
    answer = await driver.execute_query(
        _RECORDS[name] + _AROUND, parameters_={"namespace": NAMESPACE, "first": FIRST_ID, **given}, database_="neo4j"
    )
    [row] = answer.records
    around = {repr([*map(_sorted, each)]) for each in row["around"]}
    return {f"labels {sorted(row['labels'])}", *map(repr, row["properties"]), *around}


def _sorted(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _difference(ours: set[str], product: set[str]) -> str:
    return f"only ours {sorted(ours - product)}, only the product's {sorted(product - ours)}"
