"""The entities that a text mentions. Source: MEM-11, MEM-12."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.core.principals import Principal
from server.entities.models import AddEdge, AddNode, FindPath, QueryNeighbors
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.sequence import IdSequence
from server.retrieval.mentions import choose_longest, find_links, find_possible_names
from tests.conftest import Cypher
from tests.entries.conftest import Agent

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@pytest.mark.proves("MEM-11")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [[Neo4j]] and [[Qdrant Edge]].", ["Neo4j", "Qdrant Edge"]),
        ("[[Neo4j|the graph]] and **[[Bold]]** and\n- [[Listed]]", ["Neo4j", "Bold", "Listed"]),
        ("[[twice]] [[twice]]", ["twice"]),
        ("`[[code]]` and\n\n```\n[[fenced]]\n```\n\n    [[indented]]", []),
        ("[[ -f file ]] [[]] [[ ]] [[1, 2]] [[a\nb]] [[[nested]]]", ["nested"]),
        ("[single] [[unclosed]", []),
        ("no links", []),
        (f"[[{'x' * 1000}]] [[{'y' * 1001}]]", ["x" * 1000]),
    ],
)
def test_links_are_read_outside_of_code(text: str, expected: list[str]) -> None:
    assert find_links(text) == expected


@given(anything)
def test_any_text_has_links_and_possible_names_that_stand_in_it(text: str) -> None:
    spaced = " ".join(text.split())
    assert all(f"[[{name}" in spaced or "\\" in text or "&" in text for name in find_links(text))
    for name, places in find_possible_names(text).items():
        for start, end in places:
            assert comparison_key(spaced[start:end]) == name


@pytest.mark.proves("MEM-11")
@pytest.mark.parametrize(
    "name", ["neo4j", "c++", ".net", "node.js", "new york city", "東京", "o'brien", "one two three four five six"]
)
def test_names_of_many_forms_can_be_found(name: str) -> None:
    text = f"Well, {name.upper()}, it is ({name}). 住{name}! one two three four five six seven"
    assert name in find_possible_names(text)


@pytest.mark.proves("MEM-11")
def test_a_name_ends_where_words_do() -> None:
    names = find_possible_names("Javascript is not Java_EE nor XJava, but pre-Java")
    assert "java" in names
    assert len(names["java"]) == 1


@pytest.mark.proves("MEM-12")
def test_where_names_overlap_the_longest_counts() -> None:
    text = "New York City is in New York"
    found = {
        name: places for name, places in find_possible_names(text).items() if name in {"new york", "new york city"}
    }
    assert choose_longest(found) == ["new york city", "new york"]
    assert choose_longest({name: places[:1] for name, places in found.items()}) == ["new york city"]


def test_common_english_words_are_not_names() -> None:
    assert choose_longest({"it": [(0, 2)], "the": [(5, 8)], "it crowd": [(10, 18)]}) == ["it crowd"]


async def _mentioned(cypher: Cypher, id_: str) -> list[str]:
    rows = await cypher(
        "MATCH (:Entry {namespace: $namespace, id: $id})-[:MENTIONS]->(e:Entity) RETURN e.name AS name ORDER BY name",
        id=id_,
    )
    return [row["name"] for row in rows]


@pytest.mark.proves("MEM-11", "MEM-12")
@pytest.mark.anyio
async def test_prose_mentions_existing_entities_in_any_case_and_invents_none(modern: Agent, cypher: Cypher) -> None:
    await cypher(
        "UNWIND [['Neo4j', -1], ['Qdrant Edge', -2], ['Edge', -3], ['Java', -4]] AS row "
        "CREATE (:Entity {namespace: $namespace, name: row[0], name_key: toLower(row[0]), node_id: row[1]})"
    )
    id_ = await modern.save("we run NEO4J beside qdrant edge; Javascript and Postgres are out", title="Java, briefly")
    assert await _mentioned(cypher, id_) == ["Java", "Neo4j", "Qdrant Edge"]
    [row] = await cypher("MATCH (e:Entity {namespace: $namespace}) RETURN count(e) AS entities")
    assert row["entities"] == 4


@pytest.mark.proves("MEM-11")
@pytest.mark.anyio
async def test_a_link_creates_a_missing_entity_and_uses_an_existing_one(modern: Agent, cypher: Cypher) -> None:
    first = await modern.save("[[Precedent]] uses [[neo4j]]")
    second = await modern.save("[[precedent]] uses [[Neo4j]] and [[neo4j]]")
    assert await _mentioned(cypher, first) == ["Precedent", "neo4j"]
    assert await _mentioned(cypher, second) == ["Precedent", "neo4j"]
    rows = await cypher(
        "MATCH (e:Entity {namespace: $namespace}) RETURN e.label AS label, e.node_id AS id, e.scope AS s"
    )
    assert {row["label"] for row in rows} == {"Entity"}
    assert all(row["id"] > 0 and row["s"] for row in rows)


@pytest.mark.proves("MEM-12")
@pytest.mark.anyio
async def test_an_entry_mentions_fifty_entities_at_most(modern: Agent, cypher: Cypher) -> None:
    id_ = await modern.save(" ".join(f"[[Thing {number}]]" for number in range(60)))
    assert len(await _mentioned(cypher, id_)) == 50


@pytest.mark.proves("MEM-12")
@pytest.mark.anyio
async def test_entities_of_another_namespace_are_not_mentioned(modern: Agent, cypher: Cypher) -> None:
    await cypher("CREATE (:Entity {namespace: $namespace + 'x', name: 'Atlantis', name_key: 'atlantis', node_id: -1})")
    id_ = await modern.save("Atlantis has sunk")
    assert await _mentioned(cypher, id_) == []


@pytest.mark.proves("MEM-13", "ENT-53")
@pytest.mark.anyio
async def test_neighbors_and_paths_reach_the_entries_about_an_entity(
    modern: Agent, graph: Graph, sequence: IdSequence, principal: Principal
) -> None:
    entities = EntityService(graph, sequence)
    id_ = await modern.save("[[Ada]] prefers [[Neo4j]]", title="What Ada prefers")
    around = await entities.query_neighbors(QueryNeighbors.parse({"node_name": "Ada"}), principal)
    [entry] = around.neighbors
    assert (entry.label, entry.name, entry.relation) == ("Entry", "What Ada prefers", "MENTIONS")
    assert entry.properties["id"] == id_
    way = await entities.find_path(FindPath.parse({"start_node": "Ada", "end_node": "Neo4j"}), principal)
    assert [(step.label, step.name) for step in way.path] == [
        ("Entity", "Ada"),
        ("Entry", "What Ada prefers"),
        ("Entity", "Neo4j"),
    ]


@pytest.mark.proves("MEM-11")
@pytest.mark.anyio
async def test_an_entity_that_the_graph_tools_added_is_mentioned_in_any_case(
    modern: Agent, graph: Graph, sequence: IdSequence, principal: Principal, cypher: Cypher
) -> None:
    entities = EntityService(graph, sequence)
    await entities.add_node(AddNode.parse({"label": "Technology", "name": "Qdrant Edge"}), principal)
    edge = {"source_name": "Precedent", "target_name": "C++", "relation": "USES"}
    await entities.add_edge(AddEdge.parse(edge), principal)
    id_ = await modern.save("PRECEDENT keeps vectors in qdrant edge, which is not written in c++.")
    assert await _mentioned(cypher, id_) == ["C++", "Precedent", "Qdrant Edge"]
