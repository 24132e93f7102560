"""The tools and resources of the cognitive layers, through a real MCP client."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client, MCPError
from neo4j import AsyncDriver

from server.app import App, open_app
from tests.interaction.conftest import Connect, settings_for
from tests.interaction.layers import tour
from tests.interaction.tools import ask, listed, read, refused

pytestmark = pytest.mark.anyio
# Behind the protocol both eras are the same: once is enough.
_ONE_ERA = pytest.mark.parametrize("era", ["2026-07-28"], indirect=True)
_GOOD: dict[str, dict[str, Any]] = {
    "store_raw_dialogue": {"session_id": "s", "speaker": "Ada", "content": "Hello."},
    "compress_to_l2_insight": {"content": "Ada greets everybody.", "source_ids": []},
    "hybrid_search": {"query_text": "greetings"},
    "update_working_memory": {"content": "Greet Ada."},
    "store_episode": {"query": "How to greet?", "reward": 0.5, "reflection": "Lesson: by name."},
}


_WRONG: dict[str, list[dict[str, Any]]] = {
    "store_raw_dialogue": [
        {"session_id": "x" * 256},
        {"speaker": "x" * 51},
        {"metadata": [1]},
        {"metadata": {"a": "x" * 1_048_576}},
    ],
    "compress_to_l2_insight": [
        *({"source_ids": ids} for ids in ([1_000_000_000], ["1"], [0], [2**53], list(range(1, 1_002)))),
        {"content": "x" * 1_048_577},
    ],
    "hybrid_search": [
        {"weights": {"semantic": 0.7, "keyword": 0.4}},
        {"query_embedding": [0.1] * 7},
        {"top_k": 0},
        {"top_k": 101},
        {"offset": 1_001},
        {"query_text": "x" * 10_001},
    ],
    "update_working_memory": [{"importance": 1.01}, {"importance": True}],
    "store_episode": [{"reward": 1.1}, {"reward": -1.1}, {"reflection": " "}],
}


async def _dated(driver: AsyncDriver, namespace: str, label: str, key: str, moments: dict[int, str]) -> None:
    """Sets the times of records: a test cannot wait for days."""
    text = "MATCH (n:$($label) {namespace: $namespace, id: $id}) SET n[$key] = datetime($moment)"
    for id_, moment in moments.items():
        await driver.execute_query(
            text, namespace=namespace, label=label, id=id_, key=key, moment=moment, database_="neo4j"
        )


@pytest.mark.proves("COG-2", "COG-10", "SVC-31")
async def test_every_layer_is_written_and_read(client: Client) -> None:
    await tour(client)


@pytest.mark.proves("COG-4", "COG-5", "COG-6", "COG-7")
@_ONE_ERA
@pytest.mark.parametrize("tool", sorted(_GOOD))
async def test_bad_arguments_get_the_error_object_and_store_nothing(
    client: Client, driver: AsyncDriver, namespace: str, tool: str
) -> None:
    good = _GOOD[tool]
    first = next(iter(good))
    for bad in ({}, {**good, "unknown": 1}, {**good, first: 7}, {**good, first: None}, {**good, first: " \n"}):
        error = await refused(client, tool, **bad)
        assert (error["error"], error["tool"]) == ("Parameter validation failed", tool)
        assert error["details"]
        assert error.get("embedding_status") == ("failed" if tool == "store_episode" else None)
    for wrong in _WRONG[tool]:
        error = await refused(client, tool, **{**good, **wrong})
        assert error["error"] == "Parameter validation failed"
        assert next(iter(wrong)) in error["details"]
    count = "MATCH (n) WHERE n.namespace = $namespace AND NOT n:Sequence RETURN count(n) AS nodes"
    records, _, _ = await driver.execute_query(count, namespace=namespace, database_="neo4j")
    assert records[0]["nodes"] == 0


@pytest.mark.proves("COG-8")
@_ONE_ERA
async def test_a_viewer_reads_and_is_denied_every_write(connect: Connect) -> None:
    async with connect(role="viewer") as viewer:
        for tool in sorted(set(_GOOD) - {"hybrid_search"}):
            error = await refused(viewer, tool, **_GOOD[tool])
            assert (error["code"], error["error"]) == ("PERMISSION_DENIED", "Tool execution failed")
        assert (await ask(viewer, "hybrid_search", query_text="anything"))["results"] == []
        for name in ("l2-insights", "working-memory", "l0-raw", "stale-memory"):
            assert await listed(viewer, f"memory://{name}") == []


@pytest.mark.proves("COG-51")
async def test_resources_are_listed_by_their_addresses_and_as_templates(client: Client) -> None:
    resources = (await client.list_resources()).resources
    assert [each.uri for each in resources] == [
        "memory://l2-insights",
        "memory://working-memory",
        "memory://episode-memory",
        "memory://l0-raw",
        "memory://stale-memory",
    ]
    templates = (await client.list_resource_templates()).resource_templates
    assert "memory://l0-raw{?session_id,date_range,speaker,limit,order}" in [each.uri_template for each in templates]
    assert len(templates) == 4, "working memory takes no parameters"
    assert {each.mime_type for each in resources} == {each.mime_type for each in templates} == {"application/json"}
    assert all(each.description for each in resources)
    assert all(each.description for each in templates)


@pytest.mark.proves("COG-53", "COG-54")
async def test_bad_parameters_answer_the_error_object_and_are_counted(app: App, client: Client) -> None:
    for uri, problem in (
        ("memory://l0-raw?limit=0", "limit"),
        ("memory://l0-raw?sesion_id=a", "session_id, date_range, speaker, limit, order"),
        ("memory://episode-memory", "query"),
        ("memory://stale-memory?reason=FORGOTTEN", "LRU_EVICTION"),
    ):
        error = await read(client, uri)
        assert (error["error"], error["resource"]) == ("Parameter validation failed", uri)
        assert problem in error["details"]
    assert b'precedent_tool_calls_total{outcome="INVALID_ARGUMENT",tool="memory://stale-memory"}' in app.metrics.text()


@pytest.mark.proves("COG-55")
async def test_an_address_that_is_no_resource_is_an_error_of_the_protocol_with_the_error_object(client: Client) -> None:
    with pytest.raises(MCPError) as error:
        await client.read_resource("memory://l1-raw")
    assert error.value.error.data["error"] == "Resource not found"
    assert "memory://l0-raw" in error.value.error.message


@pytest.mark.proves("COG-11", "COG-14")
@_ONE_ERA
async def test_dialogues_are_read_by_session_day_and_speaker_in_either_order(
    client: Client, driver: AsyncDriver, namespace: str
) -> None:
    ids: list[int] = []
    for session, speaker in (("a", "Ada"), ("a", "Bob"), ("b", "Ada"), ("b", "Bob"), ("a", "Ada")):
        dialogue = {"session_id": session, "speaker": speaker, "content": f"{speaker} in {session}"}
        ids.append((await ask(client, "store_raw_dialogue", **dialogue, metadata={"n": [len(ids), None]}))["id"])
    days = ["09T23:59:59.999", "10T00:00:00", "12T12:00:00", "15T23:59:59.999", "16T00:00:00"]
    moments = {id_: f"2026-01-{day}Z" for id_, day in zip(ids, days, strict=True)}
    await _dated(driver, namespace, "Dialogue", "created_at", moments)

    async def found(query: str = "") -> list[int]:
        return [ids.index(each["id"]) for each in await listed(client, f"memory://l0-raw{query}")]

    assert await found() == [4, 3, 2, 1, 0]
    assert await found("?order=asc&limit=2") == [0, 1]
    assert await found("?date_range=2026-01-10,2026-01-15") == [3, 2, 1], "whole days, the end included"
    assert await found("?session_id=a&order=asc") == [0, 1, 4]
    assert await found("?session_id=a&speaker=Ada&date_range=2026-01-01,2026-01-31") == [4, 0]
    assert await found("?speaker=Bob") == [3, 1]
    assert await found("?session_id=nobody") == []
    [last] = await listed(client, "memory://l0-raw?limit=1")
    assert last == {
        "id": ids[4],
        "session_id": "a",
        "speaker": "Ada",
        "content": "Ada in a",
        "timestamp": "2026-01-16T00:00:00.000Z",
        "metadata": {"n": [4, None]},
    }


@pytest.mark.proves("COG-18", "COG-23", "COG-24")
@_ONE_ERA
async def test_insights_are_read_by_day_fidelity_and_query(client: Client, driver: AsyncDriver, namespace: str) -> None:
    texts = ["Ada sails to Madeira.", "Bob bakes bread daily.", "It is so and was so to me.", "Zoë sails to Corsica."]
    stored = [await ask(client, "compress_to_l2_insight", content=text, source_ids=[]) for text in texts]
    ids = [each["id"] for each in stored]
    assert [each["fidelity_warning"] for each in stored] == [False, False, True, False], "a low one is stored as well"

    async def found(query: str = "") -> list[int]:
        return [ids.index(each["id"]) for each in await listed(client, f"memory://l2-insights{query}")]

    assert await found() == [3, 2, 1, 0]
    assert await found("?top_k=2") == [3, 2]
    assert await found("?fidelity_min=0.5") == [3, 1, 0]
    assert set((await found("?query=who+sails+to+an+island"))[:2]) == {0, 3}
    assert await found("?query=who+sails+to+an+island&top_k=1") in ([0], [3])
    assert 2 not in await found("?query=so+it+is&fidelity_min=0.5")
    today = datetime.now(UTC).date()
    assert await found(f"?created_after={today}&created_before={today + timedelta(days=1)}") == [3, 2, 1, 0]
    assert await found(f"?query=sails&created_before={today - timedelta(days=2)}") == []
    days = ["09T23:59:59.999", "10T00:00:00", "15T23:59:59.999", "16T00:00:00"]
    await _dated(
        driver, namespace, "Insight", "created_at", {i: f"2026-01-{d}Z" for i, d in zip(ids, days, strict=True)}
    )
    assert await found("?created_after=2026-01-10&created_before=2026-01-15") == [2, 1], "whole days, both included"
    [low] = await listed(client, "memory://l2-insights?created_after=2026-01-15&created_before=2026-01-15")
    assert low["content"] == texts[2]
    assert low["fidelity_score"] == stored[2]["fidelity_score"] < 0.5
    assert low["metadata"] == {"fidelity_warning": True, "warning_message": stored[2]["warning_message"]}
    assert low["source_ids"] == []


@pytest.mark.proves("COG-38", "COG-43", "COG-44")
@_ONE_ERA
async def test_items_that_leave_working_memory_are_read_as_stale(
    client: Client, driver: AsyncDriver, namespace: str
) -> None:
    kept = [
        await ask(client, "update_working_memory", content=f"item {number}", importance=0.9 if number == 1 else 0.4)
        for number in range(13)
    ]
    items = await listed(client, "memory://working-memory")
    assert [each["content"] for each in items] == [f"item {number}" for number in (*range(12, 3, -1), 1)]
    assert set(items[0]) == {"id", "content", "importance", "last_accessed", "created_at"}
    stale = await listed(client, "memory://stale-memory")
    assert [each["original_content"] for each in stale] == ["item 3", "item 2", "item 0"]
    assert [each["id"] for each in stale] == [each["archived_id"] for each in reversed(kept) if each["archived_id"]]
    assert stale[0]["evicted_by"] == kept[12]["added_id"]
    assert await listed(client, "memory://stale-memory?reason=LRU_EVICTION&limit=1") == stale[:1]
    assert await listed(client, "memory://stale-memory?reason=MANUAL_ARCHIVE") == []
    assert await listed(client, "memory://stale-memory?importance_min=0.5") == []
    assert await listed(client, "memory://stale-memory?importance_min=0.4") == stale
    old = (datetime.now(UTC) - timedelta(days=20)).isoformat()
    await _dated(driver, namespace, "StaleItem", "archived_at", {stale[0]["id"]: old})
    assert [each["id"] for each in await listed(client, "memory://stale-memory?days_back=7")] == [
        each["id"] for each in stale[1:]
    ]


@pytest.mark.proves("COG-45", "COG-48")
@_ONE_ERA
async def test_episodes_are_found_by_their_query_and_reward(
    client: Client, driver: AsyncDriver, namespace: str
) -> None:
    await ask(client, "graph_add_node", label="Place", name="Madeira")
    rewards = {"How do I sail to Madeira?": -0.65, "How do I sail to the island Madeira?": 0.61, "Bake bread": 1.0}
    ids = {
        query: (await ask(client, "store_episode", query=query, reward=reward, reflection=f"Lesson: {reward}"))["id"]
        for query, reward in rewards.items()
    }

    async def found(query: str) -> list[str]:
        contents = await listed(client, f"memory://episode-memory?query=how+do+I+sail+to+Madeira{query}")
        assert [each["similarity"] for each in contents] == sorted(
            (each["similarity"] for each in contents), reverse=True
        )
        return [each["query"] for each in contents]

    low, high, bread = rewards
    assert await found("") == [low, high], "a low reward is found as well, and what is unlike is not"
    assert await found("&min_similarity=0&top_k=3") == [low, high, bread]
    assert await found("&top_k=1") == [low]
    assert await found("&top_k=1&reward_min=0.6") == [high], "filtered where candidates are gathered"
    assert await found("&reward_min=0.62") == [], "and exactly"
    assert await found("&reward_min=-0.65") == [low, high]
    answer = await ask(client, "graph_query_neighbors", node_name="Madeira")
    assert {each["label"] for each in answer["neighbors"]} == {"Episode"}
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat()
    await _dated(driver, namespace, "Episode", "created_at", {ids[low]: old})
    assert await found("") == [high]
    assert await found("&days_back=32") == [low, high]


@pytest.mark.proves("COG-57")
async def test_the_tools_read_what_the_resources_read(client: Client) -> None:
    await tour(client)
    for number in range(11):
        await ask(client, "update_working_memory", content=f"item {number}")
    query = {"query": "Madeira", "min_similarity": 0.0}
    for tool, arguments, uri in (
        ("get_insights", {}, "l2-insights"),
        ("get_working_memory", {}, "working-memory"),
        ("get_working_memory", {"archived": True}, "stale-memory"),
        ("get_episodes", query, "episode-memory?query=Madeira&min_similarity=0"),
        ("get_dialogues", {}, "l0-raw"),
    ):
        items = (await ask(client, tool, **arguments))["items"]
        assert items
        assert items == await listed(client, f"memory://{uri}")


@pytest.mark.proves("COG-22")
@_ONE_ERA
async def test_a_path_runs_from_an_entity_through_an_insight_to_a_dialogue(client: Client) -> None:
    await ask(client, "graph_add_node", label="Boat", name="Curlew")
    said = await ask(client, "store_raw_dialogue", session_id="s", speaker="Ada", content="She leaks a little.")
    insight = await ask(client, "compress_to_l2_insight", content="Its hull needs repair.", source_ids=[said["id"]])
    await ask(client, "graph_add_node", label="Boat", name="Curlew", vector_id=insight["id"])
    path = (await ask(client, "graph_find_path", start_node="Curlew", end_node=str(said["id"])))["path"]
    assert [(step["label"], step["node_id"], step["relation_to_next"]) for step in path[1:]] == [
        ("Insight", insight["id"], "DISTILLED_FROM"),
        ("Dialogue", said["id"], None),
    ]
    assert (path[0]["name"], path[0]["relation_to_next"]) == ("Curlew", "DESCRIBED_BY")


@pytest.mark.proves("COG-9")
@_ONE_ERA
async def test_a_namespace_sees_only_its_own_layers(connect: Connect) -> None:
    async with connect() as client, connect(elsewhere=" elsewhere") as other:
        await tour(client)
        for name in ("l2-insights", "working-memory", "l0-raw", "stale-memory", "episode-memory?query=Madeira"):
            assert await listed(other, f"memory://{name}") == []
        assert (await ask(other, "hybrid_search", query_text="Madeira"))["results"] == []
        await tour(other)


@pytest.mark.proves("COG-56")
@_ONE_ERA
async def test_a_long_list_is_cut_and_says_so(app: App, client: Client) -> None:
    for number in range(6):
        await ask(client, "store_raw_dialogue", session_id="s", speaker="Ada", content=f"{number} {'x' * 10_000}")
    answer = await read(client, "memory://l0-raw")
    assert len(str(answer).encode()) <= app.settings.answer_limit
    assert [each["content"][0] for each in answer["contents"]] == ["5", "4", "3"]
    assert answer["truncated"] is True
    assert answer["left_out"].startswith("3 more contents did not fit")


@pytest.mark.proves("SVC-38")
@_ONE_ERA
@pytest.mark.usefixtures("no_passages")
async def test_resources_are_published_with_their_family_alone(
    neo4j: tuple[str, str, str], graph: object, connect: Connect, tmp_path: Any
) -> None:
    settings = settings_for(neo4j, tmp_path, PRECEDENT_TOOLSETS="entities")
    async with open_app(settings) as part, part.http.router.lifespan_context(part.http), connect(to=part) as client:
        assert client.server_capabilities.resources is None
        with pytest.raises(MCPError):
            await client.read_resource("memory://l0-raw")
