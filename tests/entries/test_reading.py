"""Reading in order and by id. Source: entries.md "Tool: `timeline`", "Tool: `get_entries`"; open-questions.md."""

import pytest

from tests.conftest import Cypher
from tests.entries.conftest import Agent

pytestmark = pytest.mark.anyio


async def _three(agent: Agent) -> list[str]:
    return [await agent.save(f"number {number}", project="p", session_id=f"s{number}") for number in range(3)]


async def test_a_timeline_tells_what_came_before_and_after_oldest_first(agent: Agent) -> None:
    ids = await _three(agent)
    answer = await agent.ask("timeline", anchor_id=ids[1])
    assert answer["anchor_id"] == ids[1]
    assert [item["id"] for item in answer["items"]] == ids
    assert {item["score"] for item in answer["items"]} == {0}
    assert set(answer["items"][0]) == {
        "id", "title", "entry_type", "project", "created_at", "score", "session_id", "status",
    }  # fmt: skip


async def test_a_timeline_keeps_to_the_project_across_types_and_sessions(modern: Agent) -> None:
    first = await modern.save("one", project="p", type="a", session_id="s")
    await modern.save("elsewhere", project="q", session_id="s")
    second = await modern.save("two", project="p", type="b")
    assert [item["id"] for item in await modern.items("timeline", anchor_id=second)] == [first, second]


@pytest.mark.parametrize(
    ("depths", "expected"),
    [
        ({"depth_before": 0, "depth_after": 0}, slice(10, 11)),
        ({"depth_before": -5, "depth_after": -1}, slice(10, 11)),
        ({"depth_before": 2, "depth_after": 1}, slice(8, 12)),
        ({}, slice(7, 14)),
        ({"depth_before": 1000, "depth_after": 10**30}, slice(0, 31)),
    ],
)
async def test_depths_are_clamped_to_twenty(
    modern: Agent, cypher: Cypher, depths: dict[str, int], expected: slice
) -> None:
    await cypher(
        "UNWIND range(0, 39) AS n CREATE (:Entry {namespace: $namespace, id: 'e' + n, node_id: -n, title: '', "
        "type: '', project: 'p', status: 'active', created_at: datetime({epochSeconds: n})})"
    )
    items = await modern.items("timeline", anchor_id="e10", **depths)
    assert [item["id"] for item in items] == [f"e{number}" for number in range(40)][expected]


async def test_entries_of_one_millisecond_have_one_order(modern: Agent, cypher: Cypher) -> None:
    ids = await _three(modern)
    await cypher("MATCH (e:Entry {namespace: $namespace}) SET e.created_at = datetime({epochSeconds: 1})")
    for anchor in ids:
        assert [item["id"] for item in await modern.items("timeline", anchor_id=anchor)] == ids


async def test_an_unknown_anchor_is_an_error_that_names_it(agent: Agent) -> None:
    error = await agent.refused("timeline", anchor_id="nobody")
    assert (error["code"], error["details"]) == ("ENTRY_NOT_FOUND", {"anchorId": "nobody"})


async def test_another_namespace_s_entry_is_as_unknown_as_none(agent: Agent) -> None:
    mine = await agent.save("secret plans")
    async with agent.at(namespace=agent.principal.namespace + "-other").connected() as stranger:
        assert (await stranger.refused("timeline", anchor_id=mine))["code"] == "ENTRY_NOT_FOUND"
        assert await stranger.items("get_entries", ids=[mine]) == []
        assert await stranger.found("secret plans") == []


async def test_entries_come_in_the_order_asked_for_twice_where_asked_twice_and_unknown_ones_are_left_out(
    agent: Agent,
) -> None:
    first, second, _ = await _three(agent)
    asked = [f" {second} ", "unknown", first, "", second]
    assert [item["id"] for item in await agent.items("get_entries", ids=asked)] == [second, first, second]


@pytest.mark.parametrize("ids", [[], ["", "  "], ["x"] * 201, "x", [1], [None], None])
async def test_ids_that_say_nothing_are_too_many_or_are_no_ids_are_an_error(agent: Agent, ids: object) -> None:
    assert (await agent.refused("get_entries", ids=ids))["code"] == "INVALID_ARGUMENT"
