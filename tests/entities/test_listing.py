import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.entities.models import Entities, Entity
from server.graph.keys import comparison_key
from tests.conftest import Cypher
from tests.entities.conftest import Caller, create_graph

pytestmark = pytest.mark.anyio
_NAMES = [
    "Redis",
    "redis cache",
    "REDIS 2",
    "Neo4j",
    "neo4j-driver",
    "é",
    "Ärger",
    "\uff37\uff49\uff44\uff45",
    "知識グラフ",
    "🧠",
    "a  b",
    "%",
    "*",
]


def _names(answer: Entities) -> list[str]:
    return [item.name for item in answer.items]


@pytest.mark.proves("ENT-45", "ENT-47")
async def test_all_are_listed_by_name_without_regard_to_case(caller: Caller) -> None:
    await caller.edge("beta", "USES", "Alpha", source_label="Service")
    await caller.edge("beta", "LIKES", "Alpha")
    gamma = await caller.node("Gamma", "Tool")
    answer = await caller.listed()
    assert answer.total == 3
    assert _names(answer) == ["Alpha", "beta", "Gamma"]
    assert answer.items[2] == Entity(node_id=gamma.node_id, label="Tool", name="Gamma", degree=0)
    assert [(item.label, item.degree) for item in answer.items] == [("Entity", 2), ("Service", 2), ("Tool", 0)]
    assert (answer.next_offset, answer.message) == (None, None)


@pytest.mark.proves("ENT-45", "ENT-46")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.sampled_from(_NAMES) | st.text("abAB é", min_size=1, max_size=5), unique=True),
    part=st.sampled_from(["", "REDIS", "neo", "b", "wide", "É", "グラ", "🧠", "A B", "%", "*", ".", "none"]),
    limit=st.integers(1, 4),
)
async def test_pages_contain_each_match_once(
    caller: Caller, cypher: Cypher, names: list[str], part: str, limit: int
) -> None:
    await cypher("MATCH (n:Entity {namespace: $namespace}) DETACH DELETE n")
    await create_graph(cypher, [], names)
    expected = sorted(
        (name for name in names if comparison_key(part) in comparison_key(name)),
        key=lambda name: (comparison_key(name), name),
    )
    found: list[str] = []
    following: int | None = 0
    while following is not None:
        page = await caller.listed(**({"name_contains": part} if part else {}), limit=limit, offset=following)
        assert page.total == len(expected)
        found += _names(page)
        following = page.next_offset
    assert found == expected


@pytest.mark.proves("ENT-45")
async def test_a_label_is_an_exact_filter_with_or_without_a_part_of_the_name(caller: Caller, cypher: Cypher) -> None:
    for name, label in (("Redis", "Technology"), ("Neo4j", "Technology"), ("Redis team", "Team"), ("x", "")):
        await caller.node(name, label)
    await cypher("CREATE (:Entity:Person {namespace: $namespace, name: 'Ada', name_key: 'ada'})")
    assert _names(await caller.listed(label="Technology")) == ["Neo4j", "Redis"]
    assert _names(await caller.listed(label="Technology", name_contains="REDIS")) == ["Redis"]
    assert _names(await caller.listed(label="")) == ["x"]
    assert _names(await caller.listed(label="Person")) == ["Ada"]
    assert (await caller.listed(label="Technology", limit=1)).next_offset == 1


@pytest.mark.proves("ENT-48")
async def test_an_empty_list_says_what_to_try(caller: Caller) -> None:
    assert (await caller.listed()).message == "There are no entities yet; graph_add_node and graph_add_edge store them."
    for name, label in (("Redis", "Technology"), ("Neo4j", "Technology"), ("Ada", "Person")):
        await caller.node(name, label)
    no_label = await caller.listed(label="technology")
    assert (no_label.items, no_label.total, no_label.next_offset) == ([], 0, None)
    assert no_label.message == "No entity has this label; labels: 'Technology' (2), 'Person' (1)."
    assert (await caller.listed(name_contains="graphql")).message == "No name contains this text; try a shorter one."
    beyond = await caller.listed(offset=3)
    assert (beyond.items, beyond.total, beyond.next_offset, beyond.message) == ([], 3, None, None)


@pytest.mark.proves("ENT-47")
async def test_the_degree_counts_only_relations_that_are_followed(caller: Caller, cypher: Cypher) -> None:
    await caller.edge("a", "USES", "b")
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: 'a'}) "
        "CREATE (a)-[:IN]->(:EntryProject {namespace: $namespace, name: 'box'}), "
        "  (a)<-[:ABOUT]-(:Decision {namespace: $namespace, id: 'd', node_id: 9, name: 'd'})"
    )
    assert [(item.name, item.degree) for item in (await caller.listed()).items] == [("a", 2), ("b", 1)]


@pytest.mark.proves("ENT-64")
async def test_another_namespace_is_not_listed(caller: Caller) -> None:
    await caller.elsewhere(f"{caller.principal.namespace}-b").node("Redis", "Technology")
    assert (await caller.listed()).total == 0
    assert (await caller.listed(label="Technology")).message == (
        "There are no entities yet; graph_add_node and graph_add_edge store them."
    )
