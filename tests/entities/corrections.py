"""Retraction, renaming and merging of entities with the service's own statements."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from server.core.types import QueryName
from server.graph.keys import comparison_key
from server.graph.statements import load
from server.graph.vocabulary import BOOKKEEPING
from tests.conftest import Cypher


async def retract_relation(cypher: Cypher, source: str, relation: str, target: str) -> None:
    found = await cypher(
        "MATCH (:Entity {namespace: $namespace, name: $source})-[edge {relation: $relation}]->"
        "(:Entity {namespace: $namespace, name: $target}) WHERE type(edge) <> 'FORMER' "
        "RETURN elementId(edge) AS element",
        source=source,
        relation=relation,
        target=target,
    )
    await retract_records(cypher, [], [row["element"] for row in found])


async def retract_entity(cypher: Cypher, name: str) -> None:
    found = await cypher(
        "MATCH (thing:Entity {namespace: $namespace, name: $name}) RETURN elementId(thing) AS element", name=name
    )
    await retract_records(cypher, [row["element"] for row in found])


async def rename(cypher: Cypher, name: str, new_name: str) -> None:
    await _correct(
        cypher,
        "entities/rename_entity",
        name=name,
        new_name=new_name,
        new_key=comparison_key(new_name),
        alias_id=10_000_000,
    )


async def merge(cypher: Cypher, keep: str, drop: str) -> None:
    await _correct(cypher, "entities/merge_entities", keep=keep, drop=drop, bookkeeping=sorted(BOOKKEEPING))


async def retract_records(cypher: Cypher, records: list[str], relations: Sequence[str] = ()) -> None:
    """Retract records and relations, by their element ids."""
    await _correct(
        cypher,
        "curation/retract",
        records=records,
        relations=list(relations),
        bookkeeping=sorted(BOOKKEEPING),
        content_keys={},
    )


async def _correct(cypher: Cypher, statement: QueryName, **more: Any) -> None:
    [row] = await cypher("RETURN $namespace AS namespace")
    change = {"id": uuid4().hex, "operation": uuid4().hex, "name": "correct", "by": "tester", "at": datetime.now(UTC)}
    change = {**change, "namespace": row["namespace"]}
    await cypher(load(statement).text, reason="It was wrong.", change=change, **more)
