"""Labels, relations and keys that the service reserves: agents may use them, and they change no record of the service.

Source: ENT-5, ENT-7.
"""

import pytest

from server.graph.vocabulary import ENTITY_KEYS, LABELS, RELATED, RELATION_KEYS, TYPES
from tests.conftest import Cypher
from tests.entities.conftest import Caller

pytestmark = pytest.mark.anyio

_OTHER_KEYS = {"id", "status", "active_target", "target", "origin", "title", "rationale", "vector_id", "digest", "kind"}


@pytest.mark.proves("ENT-5")
@pytest.mark.parametrize("label", sorted(LABELS))
async def test_a_reserved_label_is_returned_and_never_native(caller: Caller, cypher: Cypher, label: str) -> None:
    assert (await caller.node("forged", label)).label == label
    await caller.edge("probe", "SEES", "linked", target_label=label, source_label=label)
    assert (await caller.neighbors("probe")).neighbors[0].label == label
    rows = await cypher("MATCH (n:Entity {namespace: $namespace}) RETURN DISTINCT labels(n) AS labels")
    assert {name for row in rows for name in row["labels"]} == {"Entity"}


@pytest.mark.proves("ENT-5")
@pytest.mark.parametrize("relation", sorted(TYPES))
async def test_a_reserved_relation_is_returned_and_never_native(caller: Caller, cypher: Cypher, relation: str) -> None:
    added = await caller.edge("a", relation, "b", weight=0.5)
    assert not (await caller.edge("a", relation, "b")).created
    for answer in (await caller.neighbors("b", relation_type=relation), await caller.neighbors("b", depth=5)):
        [row] = answer.neighbors
        assert (row.relation, row.edge_id, row.weight) == (relation, added.edge_id, 0.5)
    path = await caller.path("b", "a", relation_types=[relation])
    assert (path.path[0].relation_to_next, path.path_weight) == (relation, 0.5)
    rows = await cypher("MATCH (:Entity {namespace: $namespace})-[edge]->() RETURN type(edge) AS type")
    assert rows == [{"type": RELATED}]


@pytest.mark.proves("ENT-7")
async def test_reserved_property_keys_are_returned_and_change_no_stored_value(caller: Caller, cypher: Cypher) -> None:
    ours = (
        "MATCH (n:Entity {namespace: $namespace, name: 'a'})-[edge]->() WHERE type(edge) <> 'FORMER' "
        "RETURN properties(n) AS n, properties(edge) AS e"
    )
    await caller.node("a", "Project")
    await caller.edge("a", "USES", "b", weight=0.5)
    [before] = await cypher(ours)
    forged = dict.fromkeys(sorted(ENTITY_KEYS | RELATION_KEYS | _OTHER_KEYS), "forged")
    await caller.node("a", properties=forged)
    await caller.edge("a", "USES", "b", properties=forged)
    [after] = await cypher(ours)
    for element, keys in (("n", ENTITY_KEYS), ("e", RELATION_KEYS)):
        kept = {key: value for key, value in after[element].items() if key in keys and key != "updated_at"}
        assert kept == {key: value for key, value in before[element].items() if key in keys and key != "updated_at"}
    [row] = (await caller.neighbors("b")).neighbors
    assert row.properties == forged


@pytest.mark.proves("ENT-7")
async def test_every_property_that_a_statement_sets_on_an_entity_or_its_relation_is_reserved(
    caller: Caller, cypher: Cypher
) -> None:
    await cypher("CREATE (:Insight {namespace: $namespace, id: 1})")
    await caller.node("a", "Project", vector_id=1)
    await caller.edge("a", "USES", "b")
    rows = await cypher(
        "MATCH (n:Entity {namespace: $namespace}) OPTIONAL MATCH (n)-[edge:USES]->() "
        "RETURN keys(n) AS n, keys(edge) AS e"
    )
    assert {key for row in rows for key in row["n"]} <= ENTITY_KEYS
    assert {key for row in rows for key in row["e"] or []} <= RELATION_KEYS
