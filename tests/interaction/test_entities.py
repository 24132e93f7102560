"""The graph tools of cognitive.md through a real MCP client."""

from typing import Any

import pytest
from mcp import Client
from neo4j import AsyncDriver

from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio


@pytest.mark.proves("entities:add-node:idempotent")
async def test_a_name_is_one_node(client: Client) -> None:
    first = await ask(client, "graph_add_node", label="Project", name="Atlas", properties={"a": 1})
    again = await ask(client, "graph_add_node", label="Other", name="Atlas", properties={"b": 2})
    assert (first["created"], again["created"]) == (True, False)
    assert (again["node_id"], again["label"]) == (first["node_id"], "Project")
    await ask(client, "graph_add_edge", source_name="Map", target_name="Atlas", relation="IN")
    around = await ask(client, "graph_query_neighbors", node_name="Map")
    assert around["neighbors"][0]["properties"] == {"a": 1, "b": 2}


@pytest.mark.proves("entities:add-node:round-trip")
@pytest.mark.parametrize("word", ["Decision", "SUPERSEDES", "a`b'c\"d", "🎉", "", " ", "x y", "$n", "}) RETURN 1 //"])
async def test_any_word_and_value_comes_back_exactly(client: Client, word: str) -> None:
    properties: dict[str, Any] = {
        word: {"deep": [1, None, {"x": []}]},
        "namespace": "forged",
        "active_target": word,
        "big": 2**80,
        "mixed": [1, 2.5, "x", True],
        "none": None,
        "text": word,
        "json:x": "not ours",
        "float": 1.0,
    }
    await ask(client, "graph_add_node", label=word, name="thing", properties=properties)
    await ask(client, "graph_add_edge", source_name="start", target_name="thing", relation=word, properties=properties)
    (row,) = (await ask(client, "graph_query_neighbors", node_name="start"))["neighbors"]
    assert (row["label"], row["relation"], row["name"]) == (word, word, "thing")
    assert row["properties"] == properties
    assert (await ask(client, "search_decisions", query="thing", mode="audit"))["results"] == []


@pytest.mark.proves("entities:add-node:vector-id")
async def test_a_vector_id_that_is_not_there_is_refused_and_nothing_is_stored(client: Client) -> None:
    error = await refused(client, "graph_add_node", label="Project", name="Ghost", vector_id=999)
    assert "vector_id" in str(error)
    unknown = await refused(client, "graph_query_neighbors", node_name="Ghost")
    assert unknown["code"] == "NOT_FOUND"


@pytest.mark.proves("entities:add-edge:upsert")
async def test_an_edge_brings_its_nodes_and_is_one(client: Client) -> None:
    arguments = {"source_name": "A", "target_name": "B", "relation": "USES", "source_label": "Project"}
    first = await ask(client, "graph_add_edge", **arguments, weight=0.25, properties={"since": 2020})
    again = await ask(client, "graph_add_edge", **arguments, weight=0.5, properties={"why": "fast"})
    assert (first["created"], first["source_created"], first["target_created"]) == (True, True, True)
    assert (again["created"], again["source_created"], again["target_created"]) == (False, False, False)
    assert (again["edge_id"], again["weight"]) == (first["edge_id"], 0.5)


@pytest.mark.proves("entities:neighbors:both")
async def test_neighbours_show_both_directions_and_every_parallel_relation(client: Client) -> None:
    for source, target, relation, weight in (
        ("hub", "x", "USES", 0.2),
        ("hub", "x", "LIKES", 0.9),
        ("y", "hub", "USES", 0.5),
    ):
        await ask(client, "graph_add_edge", source_name=source, target_name=target, relation=relation, weight=weight)
    answer = await ask(client, "graph_query_neighbors", node_name="hub")
    rows = [(row["name"], row["relation"], row["direction"], row["weight"]) for row in answer["neighbors"]]
    assert rows == [
        ("x", "LIKES", "outgoing", 0.9),
        ("y", "USES", "incoming", 0.5),
        ("x", "USES", "outgoing", 0.2),
    ]
    assert (answer["total_neighbors"], answer["truncated"]) == (3, False)
    one = await ask(client, "graph_query_neighbors", node_name="hub", limit=1)
    assert (len(one["neighbors"]), one["total_neighbors"], one["truncated"]) == (1, 3, True)
    incoming = await ask(client, "graph_query_neighbors", node_name="hub", direction="incoming")
    assert [row["name"] for row in incoming["neighbors"]] == ["y"]


@pytest.mark.proves("entities:neighbors:depth")
async def test_each_neighbour_stands_at_its_shortest_distance(client: Client) -> None:
    for source, target in (("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("d", "a")):
        await ask(client, "graph_add_edge", source_name=source, target_name=target, relation="NEXT_TO")
    answer = await ask(client, "graph_query_neighbors", node_name="a", depth=3)
    assert {row["name"]: row["distance"] for row in answer["neighbors"]} == {"b": 1, "c": 1, "d": 1}


@pytest.mark.proves("entities:neighbors:unknown", "entities:errors")
async def test_an_unknown_node_is_an_error_that_suggests_near_names(client: Client, driver: AsyncDriver) -> None:
    await ask(client, "graph_add_node", label="Technology", name="PostgreSQL")
    # The index of names follows a moment later.
    await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", database_="neo4j")
    error = await refused(client, "graph_query_neighbors", node_name="PostgresSQL")
    assert set(error) >= {"error", "details", "tool"}
    assert error["tool"] == "graph_query_neighbors"
    assert "PostgreSQL" in error["details"]


@pytest.mark.proves("entities:path:shortest", "entities:path:none")
async def test_a_path_has_the_fewest_hops_and_then_the_greatest_weight(client: Client) -> None:
    for source, target, weight in (("s", "m1", 0.1), ("m1", "t", 0.2), ("t", "m2", 0.9), ("m2", "s", 0.3)):
        await ask(client, "graph_add_edge", source_name=source, target_name=target, relation="LINKS", weight=weight)
    answer = await ask(client, "graph_find_path", start_node="s", end_node="t")
    assert (answer["path_found"], answer["path_length"]) == (True, 2)
    assert [step["name"] for step in answer["path"]] == ["s", "m2", "t"]
    assert [step["relation_to_next"] for step in answer["path"]] == ["LINKS", "LINKS", None]
    assert [step["direction_to_next"] for step in answer["path"]] == ["incoming", "incoming", None]
    same = await ask(client, "graph_find_path", start_node="s", end_node="s")
    assert (same["path_found"], same["path_length"], len(same["path"])) == (True, 0, 1)
    await ask(client, "graph_add_node", label="Island", name="island")
    none = await ask(client, "graph_find_path", start_node="s", end_node="island", max_depth=10)
    assert (none["path_found"], none["path"]) == (False, [])
    error = await refused(client, "graph_find_path", start_node="s", end_node="nowhere")
    assert error["code"] == "NOT_FOUND"


@pytest.mark.proves("entities:path:decision")
async def test_a_path_runs_through_the_decision_that_connects(client: Client) -> None:
    made = await ask(
        client, "record_decision", title="Choose Neo4j", target="storage", rationale="It stores relations natively."
    )
    await ask(client, "graph_add_edge", source_name="Atlas", target_name="storage", relation="HAS")
    answer = await ask(client, "graph_find_path", start_node="Atlas", end_node=made["decision_id"])
    assert [(step["label"], step["name"]) for step in answer["path"]][-1] == ("Decision", "Choose Neo4j")
    assert answer["path"][-1]["status"] == "active"
    around = await ask(client, "graph_query_neighbors", node_name="storage")
    assert {row["name"] for row in around["neighbors"]} == {"Choose Neo4j", "Atlas"}


@pytest.mark.proves("entities:schemas")
async def test_schemas_are_those_of_the_page(client: Client) -> None:
    schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    node, edge, around, path = (
        schemas[f"graph_{name}"] for name in ("add_node", "add_edge", "query_neighbors", "find_path")
    )
    assert node["required"] == ["label", "name"]
    assert node["properties"]["vector_id"]["minimum"] == 1
    assert node["properties"]["properties"]["type"] == "object"
    assert edge["required"] == ["source_name", "target_name", "relation"]
    weight = edge["properties"]["weight"]
    assert (weight["type"], weight["minimum"], weight["maximum"]) == ("number", 0.0, 1.0)
    assert around["required"] == ["node_name"]
    depth = around["properties"]["depth"]
    assert (depth["minimum"], depth["maximum"], depth["default"]) == (1, 5, 1)
    assert path["required"] == ["start_node", "end_node"]
    depth = path["properties"]["max_depth"]
    assert (depth["minimum"], depth["maximum"], depth["default"]) == (1, 10, 5)
