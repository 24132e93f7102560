"""Reading entries in order of time and by id. Source: MEM-33, MEM-37."""

import pytest

from tests.conftest import Cypher
from tests.entries.conftest import Agent

pytestmark = pytest.mark.anyio


async def _three(agent: Agent) -> list[str]:
    return [await agent.save(f"number {number}", project="p", session_id=f"s{number}") for number in range(3)]


@pytest.mark.proves("MEM-33")
async def test_a_timeline_lists_earlier_and_later_entries_oldest_first(agent: Agent) -> None:
    ids = await _three(agent)
    answer = await agent.ask("timeline", anchor_id=ids[1])
    assert answer["anchor_id"] == ids[1]
    assert [item["id"] for item in answer["items"]] == ids
    assert {item["score"] for item in answer["items"]} == {0}
    assert set(answer["items"][0]) == {
        "id", "title", "entry_type", "project", "created_at", "score", "session_id", "source_ref", "status",
    }  # fmt: skip


@pytest.mark.proves("MEM-33")
async def test_a_timeline_keeps_to_the_project_across_types_and_sessions(modern: Agent) -> None:
    first = await modern.save("one", project="p", type="a", session_id="s")
    await modern.save("elsewhere", project="q", session_id="s")
    second = await modern.save("two", project="p", type="b")
    assert [item["id"] for item in await modern.items("timeline", anchor_id=second)] == [first, second]


@pytest.mark.proves("MEM-34")
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


@pytest.mark.proves("MEM-35")
async def test_entries_of_one_millisecond_have_one_order(modern: Agent, cypher: Cypher) -> None:
    ids = await _three(modern)
    await cypher("MATCH (e:Entry {namespace: $namespace}) SET e.created_at = datetime({epochSeconds: 1})")
    for anchor in ids:
        assert [item["id"] for item in await modern.items("timeline", anchor_id=anchor)] == ids


@pytest.mark.proves("MEM-36")
async def test_an_unknown_anchor_is_an_error_that_names_it(agent: Agent) -> None:
    error = await agent.refused("timeline", anchor_id="nobody")
    assert (error["code"], error["details"]) == ("ENTRY_NOT_FOUND", {"anchorId": "nobody"})


@pytest.mark.proves("MEM-66")
async def test_an_entry_of_another_namespace_is_unknown(agent: Agent) -> None:
    mine = await agent.save("secret plans")
    async with agent.at(namespace=agent.principal.namespace + "-other").connected() as stranger:
        assert (await stranger.refused("timeline", anchor_id=mine))["code"] == "ENTRY_NOT_FOUND"
        assert await stranger.items("get_entries", ids=[mine]) == []
        assert await stranger.found("secret plans") == []


@pytest.mark.proves("MEM-37")
async def test_entries_come_in_the_order_of_the_ids_with_repetitions_and_without_unknown_ones(
    agent: Agent,
) -> None:
    first, second, _ = await _three(agent)
    asked = [f" {second} ", "unknown", first, "", second]
    assert [item["id"] for item in await agent.items("get_entries", ids=asked)] == [second, first, second]


@pytest.mark.proves("MEM-37")
@pytest.mark.parametrize("ids", [[], ["", "  "], ["x"] * 201, "x", [1], [None], None])
async def test_blank_ids_invalid_ids_and_too_many_are_an_error(agent: Agent, ids: object) -> None:
    assert (await agent.refused("get_entries", ids=ids))["code"] == "INVALID_ARGUMENT"
