"""Lists that are longer than an answer: a client that goes on where each answer says sees everything once."""

from typing import Any

import pytest
from mcp import Client

from server.app import App
from tests.interaction.tools import ask, pages

pytestmark = [pytest.mark.anyio, pytest.mark.proves("SVC-49")]

_LONG = "x" * 3_000


async def _saved(client: Client, count: int, **more: Any) -> list[str]:
    saved = [await ask(client, "save_memory", text=f"Number {n}: a heron. {_LONG}", **more) for n in range(count)]
    return [answer["id"] for answer in saved]


def _items(answers: list[dict[str, Any]], many: str = "items") -> list[Any]:
    return [item for answer in answers for item in answer[many]]


@pytest.mark.proves("MEM-32")
async def test_memories_are_read_whole_in_as_many_answers_as_it_takes(app: App, client: Client) -> None:
    ids = await _saved(client, 24)
    asked = [ids[0], "unknown", *ids, "unknown", " ", ids[-1], f" {ids[3]} ", "unknown"]
    answers = await pages(client, "get_entries", "items", ids=asked)
    assert len(answers) >= 3
    assert all(answer["truncated"] for answer in answers[:-1])
    assert [item["id"] for item in _items(answers)] == [ids[0], *ids, ids[-1], ids[3]]
    assert (await ask(client, "get_entries", ids=asked, offset=len(asked)))["items"] == []


@pytest.mark.proves("MEM-32")
async def test_an_item_larger_than_an_answer_holds_nobody_up(client: Client) -> None:
    [before] = await _saved(client, 1)
    large = (await ask(client, "save_memory", text="y" * 50_000))["id"]
    [after] = await _saved(client, 1)
    answers = await pages(client, "get_entries", "items", ids=[before, large, after])
    assert [item["id"] for item in _items(answers)] == [before, large, after]


@pytest.mark.proves("MEM-32")
async def test_what_was_found_is_paged_to_its_end(client: Client) -> None:
    ids = await _saved(client, 23)
    answers = await pages(client, "search", "items", query="heron", limit=5)
    found = [item["id"] for item in _items(answers)]
    assert sorted(found) == sorted(ids)
    assert [len(answer["items"]) for answer in answers] == [5, 5, 5, 5, 3]
    assert {answer["total"] for answer in answers} == {23}


@pytest.mark.proves("MEM-32")
async def test_a_timeline_goes_on_where_it_was_left(client: Client) -> None:
    ids = await _saved(client, 9)
    whole = await ask(client, "timeline", anchor_id=ids[4], depth_before=20, depth_after=20)
    assert [item["id"] for item in whole["items"]] == ids
    assert (whole["total"], "next_offset" in whole) == (9, False)
    rest = await ask(client, "timeline", anchor_id=ids[4], depth_before=20, depth_after=20, offset=7)
    assert [item["id"] for item in rest["items"]] == ids[7:]


@pytest.mark.proves("MEM-32")
async def test_candidates_for_removal_are_told_in_pages_of_one_order(client: Client) -> None:
    saved = [await ask(client, "save_memory", text=f"Short {n}.", project="old") for n in range(30)]
    asked = {"max_entries_per_project": 1, "now": "2026-11-22T00:00:00Z", "project": "old"}
    whole = await ask(client, "retention_dry_run", **asked)
    assert whole["candidate_ids"] == sorted(answer["id"] for answer in saved[:-1])
    rest = await ask(client, "retention_dry_run", **asked, offset=20)
    assert rest["candidate_ids"] == whole["candidate_ids"][20:]
    assert (rest["total_candidates"], "next_offset" in rest) == (29, False)


async def test_proposals_and_insights_are_paged(client: Client) -> None:
    said = await _saved(client, 3)
    for number in range(7):
        proposed = {
            "title": f"Plan {number}",
            "target": f"plan {number}",
            "rationale": "It is long enough. " + _LONG * 3,
        }
        await ask(client, "propose_decision", **proposed, confidence=0.5, evidence_ids=said)
    answers = await pages(client, "list_proposals", "proposals", limit=4)
    assert [item["title"] for item in _items(answers, "proposals")] == [f"Plan {n}" for n in reversed(range(7))]
    assert len(answers) >= 3, "cut where it is too large, and paged where it is not the last"
    stored = [
        await ask(client, "compress_to_l2_insight", content=f"Herons eat fish {n}. {_LONG * 3}", source_ids=[])
        for n in range(6)
    ]
    found = await pages(client, "hybrid_search", "results", query_text="herons", top_k=20)
    assert len(found) >= 2
    assert sorted(item["id"] for item in _items(found, "results")) == sorted(answer["id"] for answer in stored)


@pytest.mark.proves("SVC-47")
async def test_a_whole_number_with_a_point_is_taken_over_mcp(client: Client) -> None:
    [id_] = await _saved(client, 1)
    found = await ask(client, "search", query="heron", limit=10.0, offset=0.0)
    assert (found["limit"], found["offset"], len(found["items"])) == (10, 0, 1)
    answer = await ask(client, "timeline", anchor_id=id_, depth_before=2.0)
    assert len(answer["items"]) == 1
