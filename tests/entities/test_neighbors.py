from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.entities.models import Neighbors
from server.errors import NotFound
from server.graph.vocabulary import BOOKKEEPING
from tests.conftest import Cypher
from tests.entities import reference
from tests.entities.conftest import Caller, Edge, indexed, lay

pytestmark = pytest.mark.anyio

_NAMES = ["a", "b", "c", "d", "e", "f", "é", "🧠", "\uffff", "Z"]
_edges = st.lists(
    st.tuples(
        st.sampled_from(_NAMES),
        st.sampled_from(["R", "S", "T"]),
        st.sampled_from(_NAMES),
        st.sampled_from([0.0, 0.25, 0.5, 0.5, 1.0]),
    ),
    max_size=24,
    unique_by=lambda edge: edge[:3],
)


def _rows(answer: Neighbors) -> list[tuple[int, float, str, str, str]]:
    return [(row.distance, row.weight, row.name, row.relation, row.direction) for row in answer.neighbors]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=_edges,
    options=st.fixed_dictionaries(
        {"depth": st.integers(1, 5), "direction": st.sampled_from(["both", "both", "outgoing", "incoming"])},
        optional={"relation_type": st.sampled_from(["R", "S"])},
    ),
)
async def test_neighbors_are_exactly_what_breadth_first_search_finds_in_the_promised_order(
    caller: Caller, cypher: Cypher, edges: list[Edge], options: dict[str, Any]
) -> None:
    await cypher("MATCH (n:Entity {namespace: $namespace}) DETACH DELETE n")
    await lay(cypher, edges, _NAMES)
    answer = await caller.neighbors("a", **options)
    assert _rows(answer) == reference.neighbors(edges, "a", **options)
    assert (answer.total_neighbors, answer.truncated) == (len(answer.neighbors), False)
    few = await caller.neighbors("a", **options, limit=3)
    assert few.neighbors == answer.neighbors[:3]
    assert (few.total_neighbors, few.truncated) == (answer.total_neighbors, answer.total_neighbors > 3)


async def test_a_row_tells_all_that_is_specified(caller: Caller) -> None:
    node = await caller.node("PostgreSQL", "Technology", properties={"type": "database", "version": "15+"})
    edge = await caller.edge("Memory", "USES", "PostgreSQL", weight=0.9)
    answer = await caller.neighbors("Memory")
    assert answer.model_dump() == {
        "neighbors": [
            {
                "node_id": node.node_id,
                "label": "Technology",
                "name": "PostgreSQL",
                "properties": {"type": "database", "version": "15+"},
                "relation": "USES",
                "distance": 1,
                "weight": 0.9,
                "direction": "outgoing",
                "edge_id": edge.edge_id,
            }
        ],
        "start_node": "Memory",
        "depth": 1,
        "total_neighbors": 1,
        "truncated": False,
        "status": "success",
    }


async def test_decisions_about_an_entity_and_what_they_replaced_are_among_its_neighbors(
    caller: Caller, cypher: Cypher
) -> None:
    await caller.node("db", "Technology")
    await cypher(
        "MATCH (db:Entity {namespace: $namespace, name: 'db'}) "
        "CREATE (new:Decision:Unprojected {namespace: $namespace, id: 'd-2', node_id: 902, name: 'Use Neo4j', "
        "  status: 'active', target: 'db', origin: 'agent', created_at: datetime('2025-01-15T10:00:00Z')}) "
        "CREATE (old:Decision {namespace: $namespace, id: 'd-1', node_id: 901, name: 'Use SQLite', "
        "  status: 'superseded', target: 'db', origin: 'human', created_at: datetime('2024-01-15T10:00:00Z')}) "
        "CREATE (db)<-[:ABOUT]-(new)-[:SUPERSEDES {reason: 'why'}]->(old)-[:ABOUT]->(db)"
    )
    rows = (await caller.neighbors("db")).neighbors
    assert [(row.name, row.label, row.relation, row.direction, row.weight, row.edge_id) for row in rows] == [
        ("Use Neo4j", "Decision", "ABOUT", "incoming", 1.0, None),
        ("Use SQLite", "Decision", "ABOUT", "incoming", 1.0, None),
    ]
    assert rows[0].properties == {
        "id": "d-2",
        "status": "active",
        "target": "db",
        "origin": "agent",
        "created_at": "2025-01-15T10:00:00Z",
    }
    from_decision = (await caller.neighbors("d-2", relation_type="SUPERSEDES")).neighbors
    assert [(row.node_id, row.direction) for row in from_decision] == [(901, "outgoing")]


async def test_an_entity_comes_before_a_decision_of_that_id(caller: Caller, cypher: Cypher) -> None:
    await caller.edge("d-1", "USES", "x")
    await cypher("CREATE (:Decision {namespace: $namespace, id: 'd-1', node_id: 901, name: 'other'})")
    assert [row.name for row in (await caller.neighbors("d-1")).neighbors] == ["x"]


@pytest.mark.parametrize("kind", sorted(BOOKKEEPING))
async def test_bookkeeping_is_never_travelled(caller: Caller, cypher: Cypher, kind: str) -> None:
    await caller.node("a")
    await caller.node("b")
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: 'a'}), (b:Entity {namespace: $namespace, name: 'b'}) "
        "CREATE (box:EntryProject {namespace: $namespace, name: 'box'}) "
        "CREATE (a)-[:$($kind)]->(box)<-[:$($kind)]-(b)",
        kind=kind,
    )
    assert (await caller.neighbors("a", depth=5)).neighbors == []
    assert (await caller.neighbors("a", depth=5, relation_type=kind)).neighbors == []
    assert not (await caller.path("a", "b")).path_found


async def test_an_agents_relation_called_like_bookkeeping_is_travelled(caller: Caller) -> None:
    await caller.edge("Berlin", "IN", "Germany")
    await caller.edge("Germany", "IN", "Europe")
    rows = (await caller.neighbors("Berlin", depth=2, relation_type="IN")).neighbors
    assert [(row.name, row.distance) for row in rows] == [("Germany", 1), ("Europe", 2)]
    assert (await caller.path("Europe", "Berlin", relation_types=["IN"])).path_length == 2


async def test_no_neighbors_are_an_empty_list(caller: Caller) -> None:
    await caller.node("alone")
    answer = await caller.neighbors("alone", depth=5)
    assert (answer.neighbors, answer.total_neighbors, answer.truncated) == ([], 0, False)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("postgresql", "PostgreSQL"),
        ("PostgreSLQ", "PostgreSQL"),
        ("Postgres", "PostgreSQL"),
        ("cognitive memory", "Cognitive Memory System"),
        ("知識グラ", "知識グラフ"),
    ],
)
async def test_an_unknown_name_is_an_error_that_names_near_ones(
    caller: Caller, cypher: Cypher, asked: str, near: str
) -> None:
    for name in ("PostgreSQL", "Cognitive Memory System", "知識グラフ", "Neo4j"):
        await caller.node(name)
    await indexed(cypher)
    with pytest.raises(NotFound, match="Start node not found") as refused:
        await caller.neighbors(asked)
    assert refused.value.details["near_names"][0] == near
    assert near in refused.value.message


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=1000)
    | st.text('+-&|!(){}[]^"~*?:\\/ANDORT ', min_size=1, max_size=60)
)
async def test_any_unknown_name_is_the_same_error(caller: Caller, name: str) -> None:
    with pytest.raises(NotFound):
        await caller.neighbors(name)


async def test_a_thousand_ideographs_or_a_thousand_words_are_an_unknown_name_like_any_other(caller: Caller) -> None:
    for name in ("知" * 1000, "a b c d e " * 100, " ".join(map(str, range(250)))[:1000], "🧠" * 1000):
        with pytest.raises(NotFound):
            await caller.neighbors(name)


async def test_what_a_person_made_by_hand_is_shown_too(caller: Caller, cypher: Cypher) -> None:
    await caller.node("a")
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: 'a'}) "
        "CREATE (a)-[:KNOWS]->(:Entity:Person {namespace: $namespace, name: 'Ada', born: date('1815-12-10')})"
    )
    [row] = (await caller.neighbors("a")).neighbors
    assert (row.name, row.label, row.relation, row.weight) == ("Ada", "Person", "KNOWS", 1.0)
    assert row.properties == {"born": "1815-12-10"}
    assert (await caller.path("Ada", "a")).path_length == 1
    mended = await caller.edge("a", "TRUSTS", "Ada")
    assert not mended.target_created
    assert {row.node_id for row in (await caller.neighbors("a")).neighbors} == {mended.target_node_id}


async def test_a_hub_with_thousands_of_neighbors_answers_with_the_first_and_the_true_number(
    caller: Caller, cypher: Cypher
) -> None:
    await lay(cypher, [("hub", "R", f"n{number:04}", number / 3000) for number in range(3000)])
    answer = await caller.neighbors("hub", limit=50)
    assert (answer.total_neighbors, answer.truncated) == (3000, True)
    assert [row.name for row in answer.neighbors] == [f"n{number:04}" for number in range(2999, 2949, -1)]
    far = await caller.neighbors("n0000", depth=2, limit=1)
    assert (far.total_neighbors, far.neighbors[0].name) == (3000, "hub")
