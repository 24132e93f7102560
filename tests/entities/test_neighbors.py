from collections import Counter
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from server.core.errors import NotFound
from server.core.types import Json
from server.entities.models import Neighbor, Neighbors
from server.graph.statements import load
from server.graph.vocabulary import BOOKKEEPING
from tests.conftest import Cypher
from tests.entities import reference
from tests.entities.conftest import Caller, Edge, create_graph, wait_for_index
from tests.entities.test_properties import documents, same

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


async def _all_pages(caller: Caller, name: str, **options: Any) -> list[Neighbor]:
    rows: list[Neighbor] = []
    following: int | None = 0
    while following is not None:
        page = await caller.neighbors(name, **options, offset=following)
        assert (page.start is None) == (following > 0)
        rows += page.neighbors
        following = page.next_offset
    return rows


@pytest.mark.proves("ENT-31", "ENT-32", "ENT-33", "ENT-34", "ENT-39", "ENT-40")
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
    await create_graph(cypher, edges, _NAMES)
    answer = await caller.neighbors("a", **options)
    assert _rows(answer) == reference.neighbors(edges, "a", **options)
    assert (answer.total_rows, answer.truncated, answer.next_offset) == (len(answer.neighbors), False, None)
    assert answer.total_neighbors == len({row.node_id for row in answer.neighbors})
    assert answer.by_relation == Counter(row.relation for row in answer.neighbors)
    few = await caller.neighbors("a", **options, limit=3)
    assert few.neighbors == answer.neighbors[:3]
    assert (few.total_rows, few.truncated) == (answer.total_rows, answer.total_rows > 3)
    assert await _all_pages(caller, "a", **options, limit=2) == answer.neighbors


@pytest.mark.proves("ENT-36", "ENT-38")
async def test_a_row_has_every_specified_field(caller: Caller) -> None:
    node = await caller.node("PostgreSQL", "Technology", properties={"type": "database", "version": "15+"})
    edge = await caller.edge("Memory", "USES", "PostgreSQL", weight=0.9, properties={"since": 2020})
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
                "edge_properties": {"since": 2020},
            }
        ],
        "start_node": "Memory",
        "start": {
            "node_id": edge.source_node_id,
            "label": "Entity",
            "name": "Memory",
            "status": None,
            "properties": {},
        },
        "depth": 1,
        "total_neighbors": 1,
        "total_rows": 1,
        "by_relation": {"USES": 1},
        "truncated": False,
        "next_offset": None,
        "status": "success",
    }


@pytest.mark.proves("ENT-37")
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


@pytest.mark.proves("ENT-28")
async def test_an_entity_comes_before_a_decision_of_that_id(caller: Caller, cypher: Cypher) -> None:
    await caller.edge("d-1", "USES", "x")
    await cypher("CREATE (:Decision {namespace: $namespace, id: 'd-1', node_id: 901, name: 'other'})")
    assert [row.name for row in (await caller.neighbors("d-1")).neighbors] == ["x"]


@pytest.mark.proves("ENT-42")
@pytest.mark.parametrize("kind", sorted(BOOKKEEPING))
async def test_bookkeeping_is_never_followed(caller: Caller, cypher: Cypher, kind: str) -> None:
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


@pytest.mark.proves("ENT-42")
async def test_an_agents_relation_named_like_bookkeeping_is_followed(caller: Caller) -> None:
    await caller.edge("Berlin", "IN", "Germany")
    await caller.edge("Germany", "IN", "Europe")
    rows = (await caller.neighbors("Berlin", depth=2, relation_type="IN")).neighbors
    assert [(row.name, row.distance) for row in rows] == [("Germany", 1), ("Europe", 2)]
    assert (await caller.path("Europe", "Berlin", relation_types=["IN"])).path_length == 2


@pytest.mark.proves("ENT-44")
async def test_no_neighbors_are_an_empty_list(caller: Caller) -> None:
    await caller.node("alone")
    answer = await caller.neighbors("alone", depth=5)
    assert (answer.neighbors, answer.total_neighbors, answer.truncated) == ([], 0, False)


@pytest.mark.proves("ENT-30")
@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("PostgreSLQ", "PostgreSQL"),
        ("Postgres", "PostgreSQL"),
        ("cognitive memory", "Cognitive Memory System"),
        ("知識グラ", "知識グラフ"),
    ],
)
async def test_an_unknown_name_is_an_error_with_similar_names(
    caller: Caller, cypher: Cypher, asked: str, near: str
) -> None:
    for name in ("PostgreSQL", "Cognitive Memory System", "知識グラフ", "Neo4j"):
        await caller.node(name)
    await wait_for_index(cypher)
    with pytest.raises(NotFound, match="Start node not found") as refused:
        await caller.neighbors(asked)
    assert refused.value.details["near_names"][0] == near
    assert near in refused.value.message


@pytest.mark.proves("ENT-30")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=1000)
    | st.text('+-&|!(){}[]^"~*?:\\/ANDORT ', min_size=1, max_size=60)
)
async def test_any_unknown_name_is_the_same_error(caller: Caller, name: str) -> None:
    with pytest.raises(NotFound):
        await caller.neighbors(name)


@pytest.mark.proves("ENT-30")
async def test_a_thousand_ideographs_or_a_thousand_words_are_an_unknown_name_like_any_other(caller: Caller) -> None:
    for name in ("知" * 1000, "a b c d e " * 100, " ".join(map(str, range(250)))[:1000], "🧠" * 1000):
        with pytest.raises(NotFound):
            await caller.neighbors(name)


@pytest.mark.proves("ENT-43")
async def test_nodes_that_a_person_created_are_neighbors_too(caller: Caller, cypher: Cypher) -> None:
    await caller.node("a")
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: 'a'}) "
        "CREATE (a)-[:KNOWS]->(:Entity:Person {namespace: $namespace, name: 'Ada', born: date('1815-12-10')})"
    )
    [row] = (await caller.neighbors("a")).neighbors
    assert (row.name, row.label, row.relation, row.weight) == ("Ada", "Person", "KNOWS", 1.0)
    assert row.properties == {"born": "1815-12-10"}
    assert (await caller.path("Ada", "a")).path_length == 1
    written = await caller.edge("a", "TRUSTS", "Ada")
    assert not written.target_created
    assert {row.node_id for row in (await caller.neighbors("a")).neighbors} == {written.target_node_id}


@pytest.mark.proves("ENT-41")
async def test_a_hub_with_thousands_of_neighbors_answers_with_the_first_and_the_true_number(
    caller: Caller, cypher: Cypher
) -> None:
    await create_graph(cypher, [("hub", "R", f"n{number:04}", number / 3000) for number in range(3000)])
    answer = await caller.neighbors("hub", limit=50)
    assert (answer.total_neighbors, answer.truncated) == (3000, True)
    assert [row.name for row in answer.neighbors] == [f"n{number:04}" for number in range(2999, 2949, -1)]
    far = await caller.neighbors("n0000", depth=2, limit=1)
    assert (far.total_neighbors, far.neighbors[0].name) == (3000, "hub")


@pytest.mark.proves("ENT-34")
async def test_active_records_come_before_drafts_and_drafts_before_replaced_ones(
    caller: Caller, cypher: Cypher
) -> None:
    await caller.edge("z", "USES", "db", weight=0.1)
    await cypher(
        "MATCH (db:Entity {namespace: $namespace, name: 'db'}) "
        "UNWIND range(0, 4) AS at "
        "CREATE (n:$(['Decision', 'Decision', 'Decision', 'Proposal', 'Proposal'][at]) {namespace: $namespace, "
        "  id: 'd-' + at, node_id: 900 + at, name: 'd-' + at, target: 'db', "
        "  status: ['superseded', 'deprecated', 'active', 'draft', 'rejected'][at]})-[:ABOUT]->(db) "
        "MERGE (e:Entry {namespace: $namespace, id: 'e-' + (at % 2)}) "
        "SET e.node_id = 800 + at % 2, e.name = e.id, e.status = ['active', 'superseded'][at % 2] "
        "MERGE (e)-[:MENTIONS]->(db)"
    )
    await caller.edge("far", "USES", "z", weight=1.0)
    rows = (await caller.neighbors("db", depth=2)).neighbors
    assert [row.name for row in rows] == ["d-2", "e-0", "z", "d-3", "d-0", "d-1", "d-4", "e-1", "far"]


@pytest.mark.proves("ENT-35")
async def test_a_property_status_of_an_agent_does_not_change_the_order(caller: Caller) -> None:
    await caller.edge("a", "USES", "old", weight=0.9)
    await caller.edge("a", "USES", "new", weight=0.1)
    await caller.node("old", properties={"status": "superseded"})
    assert [row.name for row in (await caller.neighbors("a")).neighbors] == ["old", "new"]
    start = (await caller.neighbors("old")).start
    assert start is not None
    assert (start.name, start.label, start.status) == ("old", "Thing", None)
    assert start.properties == {"status": "superseded"}


@pytest.mark.proves("ENT-38")
async def test_a_decision_as_the_start_has_its_text(caller: Caller, cypher: Cypher) -> None:
    await cypher(
        "CREATE (:Decision {namespace: $namespace, id: 'd-1', node_id: 901, name: 'Use Neo4j', title: 'Use Neo4j', "
        "  target: 'db', status: 'active', origin: 'agent', rationale: $rationale, "
        "  created_at: datetime('2025-01-15T10:00:00Z')})"
        "-[:SUPERSEDES {reason: 'faster', by: 'Ada', at: datetime('2025-01-15T10:00:00Z')}]->"
        "(:Decision {namespace: $namespace, id: 'd-0', node_id: 900, name: 'Use SQLite', status: 'superseded', "
        "  rationale: 'short'})",
        rationale="because " * 100,
    )
    answer = await caller.neighbors("d-1")
    assert answer.start is not None
    assert (answer.start_node, answer.start.name, answer.start.label) == ("d-1", "Use Neo4j", "Decision")
    assert (answer.start.node_id, answer.start.status) == (901, "active")
    rationale = answer.start.properties.pop("rationale")
    assert answer.start.properties == {
        "id": "d-1",
        "title": "Use Neo4j",
        "target": "db",
        "status": "active",
        "origin": "agent",
        "created_at": "2025-01-15T10:00:00Z",
    }
    assert (len(rationale), rationale[:16], rationale[-1]) == (500, "because because ", "…")
    [row] = answer.neighbors
    assert row.edge_properties == {"reason": "faster", "by": "Ada", "at": "2025-01-15T10:00:00Z"}
    old = (await caller.neighbors("d-0")).start
    assert old is not None
    assert old.properties["rationale"] == "short"


@pytest.mark.proves("ENT-6")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(node=documents, edge=documents)
async def test_any_properties_of_the_start_and_of_relations_come_back_exactly(
    caller: Caller, node: dict[str, Json], edge: dict[str, Json]
) -> None:
    name = f"node {uuid4()}"
    await caller.node(name, properties=node)
    await caller.edge(name, "USES", f"other of {name}", properties=edge)
    answer = await caller.neighbors(name)
    assert answer.start is not None
    assert same(answer.start.properties, node)
    assert same(answer.neighbors[0].edge_properties, edge)


async def test_of_parallel_relations_of_a_person_the_strongest_is_shown(caller: Caller, cypher: Cypher) -> None:
    await caller.edge("a", "R", "b", weight=0.2, properties={"of": "the agent"})
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: 'a'}), (b:Entity {namespace: $namespace, name: 'b'}) "
        "CREATE (a)-[:R {relation: 'R', weight: 0.7, of: 'a person'}]->(b)"
    )
    answer = await caller.neighbors("a")
    assert [(row.weight, row.edge_properties) for row in answer.neighbors] == [(0.7, {"of": "a person"})]
    assert (answer.total_rows, answer.by_relation) == (1, {"R": 1})


@pytest.mark.proves("ENT-31", "ENT-39")
async def test_a_node_that_is_related_in_several_ways_is_one_neighbor_in_several_rows(caller: Caller) -> None:
    for source, relation, target in (("a", "R", "b"), ("a", "S", "b"), ("b", "R", "a"), ("a", "R", "c")):
        await caller.edge(source, relation, target)
    answer = await caller.neighbors("a", limit=2)
    assert (answer.total_neighbors, answer.total_rows) == (2, 4)
    assert (answer.by_relation, answer.next_offset) == ({"R": 3, "S": 1}, 2)


@pytest.mark.proves("ENT-40")
async def test_an_offset_past_the_end_is_an_empty_page_with_the_totals(caller: Caller) -> None:
    await caller.edge("a", "R", "b")
    page = await caller.neighbors("a", offset=7)
    assert (page.neighbors, page.next_offset, page.truncated) == ([], None, False)
    assert (page.total_neighbors, page.total_rows, page.by_relation) == (1, 1, {"R": 1})


@pytest.mark.proves("ENT-39")
async def test_of_hundreds_of_relations_the_most_frequent_are_counted(caller: Caller, cypher: Cypher) -> None:
    edges = [("hub", f"R{number:03}", f"n{number}", 0.5) for number in range(150)]
    await create_graph(cypher, [*edges, ("hub", "R149", "n0", 0.5)])
    answer = await caller.neighbors("hub", limit=1)
    assert (answer.total_rows, len(answer.by_relation)) == (151, 100)
    assert list(answer.by_relation.items())[:2] == [("R149", 2), ("R000", 1)]


@pytest.mark.proves("ENT-41")
async def test_rows_outside_of_the_page_are_not_loaded(caller: Caller, driver: AsyncDriver, cypher: Cypher) -> None:
    """Of a row that is passed over or that is left out, only what the order needs is read."""
    await create_graph(cypher, [("hub", "R", f"n{number:04}", number / 2000) for number in range(2000)])
    statement = load("entities/query_neighbors")
    asked: dict[str, Any] = {
        "name": "hub",
        "element": None,
        "depth": 1,
        "relation": None,
        "direction": "both",
        "bookkeeping": [],
        "hub": 5_000,
    }

    async def hits(offset: int, limit: int) -> int:
        given = statement.bind({**asked, "namespace": caller.principal.namespace, "offset": offset, "limit": limit})
        result = await driver.execute_query("PROFILE " + statement.query, given, database_="neo4j")
        plans = [result.summary.profile or {}]
        total = 0
        while plans:
            plan = plans.pop()
            total += plan.get("dbHits", 0)
            plans += plan.get("children", [])
        return total

    few, middle, many = await hits(0, 10), await hits(1000, 10), await hits(0, 1000)
    assert abs(few - middle) < 50
    assert many - few > 5 * 990
