"""The graph tools through a real MCP client."""

from typing import Any

import pytest
from mcp import Client
from neo4j import AsyncDriver

from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio


@pytest.mark.proves("ENT-1", "ENT-11")
async def test_a_name_is_one_node(client: Client) -> None:
    first = await ask(client, "graph_add_node", label="Project", name="Atlas", properties={"a": 1})
    again = await ask(client, "graph_add_node", label="Other", name="Atlas", properties={"b": 2})
    assert (first["created"], again["created"]) == (True, False)
    assert (again["node_id"], again["label"]) == (first["node_id"], "Project")
    await ask(client, "graph_add_edge", source_name="Map", target_name="Atlas", relation="IN")
    around = await ask(client, "graph_query_neighbors", node_name="Map")
    assert around["neighbors"][0]["properties"] == {"a": 1, "b": 2}


@pytest.mark.proves("ENT-4", "ENT-5", "ENT-6", "ENT-7")
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


@pytest.mark.proves("ENT-15")
async def test_an_unknown_vector_id_is_refused_and_nothing_is_stored(client: Client) -> None:
    error = await refused(client, "graph_add_node", label="Project", name="Ghost", vector_id=999)
    assert "vector_id" in str(error)
    unknown = await refused(client, "graph_query_neighbors", node_name="Ghost")
    assert unknown["code"] == "NOT_FOUND"


@pytest.mark.proves("ENT-19", "ENT-20", "ENT-21")
async def test_an_edge_creates_its_nodes_and_is_stored_once(client: Client) -> None:
    arguments = {"source_name": "A", "target_name": "B", "relation": "USES", "source_label": "Project"}
    first = await ask(client, "graph_add_edge", **arguments, weight=0.25, properties={"since": 2020})
    again = await ask(client, "graph_add_edge", **arguments, weight=0.5, properties={"why": "fast"})
    assert (first["created"], first["source_created"], first["target_created"]) == (True, True, True)
    assert (again["created"], again["source_created"], again["target_created"]) == (False, False, False)
    assert (again["edge_id"], again["weight"]) == (first["edge_id"], 0.5)


@pytest.mark.proves("ENT-31", "ENT-32", "ENT-34")
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
    assert (answer["total_neighbors"], answer["total_rows"], answer["truncated"]) == (2, 3, False)
    one = await ask(client, "graph_query_neighbors", node_name="hub", limit=1)
    assert (len(one["neighbors"]), one["total_rows"], one["truncated"]) == (1, 3, True)
    incoming = await ask(client, "graph_query_neighbors", node_name="hub", direction="incoming")
    assert [row["name"] for row in incoming["neighbors"]] == ["y"]


@pytest.mark.proves("ENT-33")
async def test_each_neighbour_appears_at_its_shortest_distance(client: Client) -> None:
    for source, target in (("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("d", "a")):
        await ask(client, "graph_add_edge", source_name=source, target_name=target, relation="NEXT_TO")
    answer = await ask(client, "graph_query_neighbors", node_name="a", depth=3)
    assert {row["name"]: row["distance"] for row in answer["neighbors"]} == {"b": 1, "c": 1, "d": 1}


@pytest.mark.proves("ENT-30", "ENT-62")
async def test_an_unknown_node_is_an_error_with_similar_names(client: Client, driver: AsyncDriver) -> None:
    await ask(client, "graph_add_node", label="Technology", name="PostgreSQL")
    # The index of names is eventually consistent.
    await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", database_="neo4j")
    error = await refused(client, "graph_query_neighbors", node_name="PostgresSQL")
    assert set(error) >= {"error", "details", "tool"}
    assert error["tool"] == "graph_query_neighbors"
    assert "PostgreSQL" in error["details"]


@pytest.mark.proves("ENT-49", "ENT-50", "ENT-54", "ENT-55")
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


@pytest.mark.proves("ENT-37", "ENT-53")
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


@pytest.mark.proves("ENT-34", "ENT-38")
async def test_neighbours_come_with_the_start_node_and_active_ones_first(client: Client) -> None:
    await ask(client, "graph_add_node", label="Component", name="storage", properties={"owner": "Ada"})
    properties = {"since": 2020, "weight": "theirs"}
    edge = {"source_name": "Atlas", "target_name": "storage", "relation": "HAS", "weight": 0.1}
    await ask(client, "graph_add_edge", **edge, properties=properties)
    decision = {"title": "Choose SQLite", "target": "storage", "rationale": "It needs no server of its own."}
    old = await ask(client, "record_decision", **decision)
    decision |= {"title": "Choose Neo4j", "rationale": "It stores relations natively. " * 30}
    new = await ask(client, "supersede_decision", **decision, old_decision_ids=[old["decision_id"]])
    around = await ask(client, "graph_query_neighbors", node_name="storage")
    assert around["start"]["properties"] == {"owner": "Ada"}
    assert (around["start"]["label"], around["start"]["name"]) == ("Component", "storage")
    assert [row["name"] for row in around["neighbors"]] == ["Choose Neo4j", "Atlas", "Choose SQLite"]
    assert around["neighbors"][1]["edge_properties"] == properties
    assert (around["by_relation"], around["total_neighbors"]) == ({"ABOUT": 2, "HAS": 1}, 3)
    decided = (await ask(client, "graph_query_neighbors", node_name=new["decision_id"]))["start"]
    assert (decided["name"], decided["status"]) == ("Choose Neo4j", "active")
    assert {**decided["properties"], "title": "Choose Neo4j", "target": "storage", "origin": "agent"} == (
        decided["properties"]
    )
    assert len(decided["properties"]["rationale"]) == 500


@pytest.mark.proves("ENT-40")
async def test_a_client_that_pages_by_what_it_received_sees_each_row_once(client: Client) -> None:
    for number in range(25):
        names = {"source_name": f"thing {number % 20}", "target_name": "hub"}
        await ask(client, "graph_add_edge", **names, relation=f"R{number % 3}", weight=number % 4 / 4)
    whole = await ask(client, "graph_query_neighbors", node_name="hub")
    rows: list[dict[str, Any]] = []
    following: int | None = 0
    while following is not None:
        page = await ask(client, "graph_query_neighbors", node_name="hub", limit=7, offset=len(rows))
        rows += page["neighbors"]
        following = page["next_offset"]
        assert following in (None, len(rows))
    assert rows == whole["neighbors"]
    assert (whole["total_rows"], whole["total_neighbors"]) == (25, 20)


@pytest.mark.proves("ENT-28")
async def test_a_name_in_other_capitals_is_found(client: Client) -> None:
    await ask(client, "graph_add_edge", source_name="Message Queue", target_name="RabbitMQ", relation="RUNS_ON")
    around = await ask(client, "graph_query_neighbors", node_name="message  queue")
    assert (around["start_node"], around["neighbors"][0]["name"]) == ("Message Queue", "RabbitMQ")
    path = await ask(client, "graph_find_path", start_node="rabbitmq", end_node="MESSAGE QUEUE")
    assert (path["start_node"], path["end_node"], path["path_length"]) == ("RabbitMQ", "Message Queue", 1)


@pytest.mark.proves("ENT-12", "ENT-16", "ENT-24", "ENT-25")
async def test_an_unintended_entity_is_reported(client: Client, driver: AsyncDriver) -> None:
    decision = {"title": "Cache carts in Redis", "target": "cart cache", "rationale": "A lost cart is no loss."}
    made = await ask(client, "record_decision", **decision)
    await ask(client, "graph_add_node", label="Technology", name="PostgreSQL")
    # The index of names is eventually consistent.
    await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", database_="neo4j")
    edge = {"source_name": "Checkout", "relation": "FOLLOWS"}
    phantom = await ask(client, "graph_add_edge", **edge, target_name="cache carts in Redis")
    assert phantom["near"] == [{"name": "Cache carts in Redis", "label": "Decision", "kind": "decision"}]
    assert made["decision_id"] in phantom["message"]
    slip = await ask(client, "graph_add_node", label="Technology", name="PostgreSLQ")
    assert [near["name"] for near in slip["near"]] == ["PostgreSQL"]
    quiet = await ask(client, "graph_add_edge", source_name="Grace", target_name="Checkout", relation="OWNS")
    assert (quiet["near"], quiet["message"]) == ([], None)
    kept = await ask(client, "graph_add_node", label="Database", name="PostgreSQL")
    assert "keeps it" in kept["message"]
    no = await refused(client, "graph_add_edge", **edge, target_name="postgresql", create_missing=False)
    assert (no["code"], no["data"]["near_names"][0]) == ("NOT_FOUND", "PostgreSQL")
    assert (await ask(client, "graph_list_entities", name_contains="postgres"))["total"] == 2


@pytest.mark.proves("ENT-45", "ENT-46", "ENT-48")
async def test_entities_are_found_by_a_part_of_their_name_and_by_label(client: Client) -> None:
    for name, label in (("Redis", "Technology"), ("redis exporter", "Tool"), ("Neo4j", "Technology")):
        await ask(client, "graph_add_node", label=label, name=name)
    found = await ask(client, "graph_list_entities", name_contains="REDIS")
    assert ([item["name"] for item in found["items"]], found["total"]) == (["Redis", "redis exporter"], 2)
    first = await ask(client, "graph_list_entities", label="Technology", limit=1)
    assert (first["items"][0]["name"], first["next_offset"]) == ("Neo4j", 1)
    rest = await ask(client, "graph_list_entities", label="Technology", limit=1, offset=1)
    assert (rest["items"][0]["name"], rest["next_offset"]) == ("Redis", None)
    nothing = await ask(client, "graph_list_entities", label="technology")
    assert "'Technology' (2)" in nothing["message"]


@pytest.mark.proves("ENT-56")
async def test_the_next_best_paths_come_in_their_order(client: Client) -> None:
    for middle, weight in (("m1", 0.1), ("m2", 0.9), ("m3", 0.5), ("m4", 0.5)):
        for source, target in (("s", middle), (middle, "t")):
            edge = {"source_name": source, "target_name": target, "weight": weight}
            await ask(client, "graph_add_edge", **edge, relation="LINKS")
    one = await ask(client, "graph_find_path", start_node="s", end_node="t")
    answer = await ask(client, "graph_find_path", start_node="s", end_node="t", max_paths=3)
    assert (one["paths"], answer["path"]) == ([], one["path"])
    assert [path["path"][1]["name"] for path in [answer, *answer["paths"]]] == ["m2", "m3", "m4"]
    assert [path["path_weight"] for path in answer["paths"]] == [1.0, 1.0]


@pytest.mark.proves("ENT-60")
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
