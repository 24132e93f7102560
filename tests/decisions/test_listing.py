"""Decisions are listed: what is in force, or what is asked for, page by page."""

from datetime import UTC, datetime
from typing import Any

import pytest
from neo4j import AsyncDriver

from server.core.errors import InvalidArgument
from server.decisions.reading_models import DecisionList, ListDecisions
from server.graph.statements import load
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Store

pytestmark = pytest.mark.anyio


async def listed(caller: Caller, **asked: Any) -> DecisionList:
    return await caller.service.list_decisions(ListDecisions.parse(asked), caller.principal)


async def titles(caller: Caller, **asked: Any) -> list[str]:
    return [each.title for each in (await listed(caller, **asked)).decisions]


@pytest.fixture
async def stored_ids(store_decisions: Store) -> list[str]:
    """Four decisions, a day apart from the first of January."""
    return await store_decisions(
        {"title": "old", "target": "queue", "status": "superseded", "at": 0},
        {"title": "new", "target": "queue", "at": 1, "replaces": [0], "origin": "agent"},
        {"title": "gone", "target": "cache", "status": "deprecated", "at": 2},
        {"title": "other", "target": "Database", "at": 3},
    )


@pytest.mark.proves("DEC-52")
async def test_what_is_in_force_is_listed_newest_first(viewer: Caller, stored_ids: list[str]) -> None:
    answer = await listed(viewer)
    assert [(each.id, each.status) for each in answer.decisions] == [
        (stored_ids[3], "active"),
        (stored_ids[1], "active"),
    ]
    assert (answer.total, answer.next_offset) == (2, None)
    assert await titles(viewer, status="all") == ["other", "gone", "new", "old"]
    assert await titles(viewer, status="all", order="oldest") == ["old", "new", "gone", "other"]
    assert await titles(viewer, status="all", order="target") == ["gone", "other", "new", "old"]
    assert await titles(viewer, status="superseded") == ["old"]
    [old] = (await listed(viewer, status="superseded")).decisions
    assert old.superseded_by == stored_ids[1]


@pytest.mark.proves("DEC-52")
async def test_the_list_is_filtered_by_target_origin_and_time(
    viewer: Caller, stored_ids: list[str], cypher: Cypher
) -> None:
    assert await titles(viewer, target="queue", status="all") == ["new", "old"]
    assert await titles(viewer, origin="agent", status="all") == ["new"]
    assert await titles(viewer, since="2026-01-03", status="all") == ["other", "gone"]
    assert await titles(viewer, until="2026-01-02", status="all") == ["new", "old"], "a day is meant to its end"
    assert await titles(viewer, until="2026-01-01T23:59:59Z", status="all") == ["old"]
    assert await titles(viewer, since="2026-01-02", until="2026-01-03T01:00:00+01:00", status="all") == ["gone", "new"]
    assert await titles(viewer, target="queue", until="2026-01-01") == []
    await cypher("MATCH (d:Decision {namespace: $namespace}) SET d.target_key = toLower(d.target)")
    assert await titles(viewer, target=" DATABASE ") == ["other"]


@pytest.mark.proves("DEC-52")
async def test_the_list_is_filtered_by_a_thing_in_any_case(
    viewer: Caller, stored_ids: list[str], cypher: Cypher
) -> None:
    await cypher(
        "MATCH (a:Decision {namespace: $namespace, id: $a}), (b:Decision {namespace: $namespace, id: $b}) "
        "CREATE (redis:Entity {namespace: $namespace, name: 'Redis', name_key: 'redis'}) "
        "CREATE (a)-[:ABOUT]->(redis), (a)-[:MENTIONS]->(redis), (b)-[:MENTIONS]->(redis)",
        a=stored_ids[0],
        b=stored_ids[3],
    )
    assert await titles(viewer, about="REDIS") == ["other"]
    assert await titles(viewer, about="redis", status="all") == ["other", "old"]
    assert await titles(viewer, about="redis", target="queue", status="all") == ["old"]
    answer = await listed(viewer, about="nothing")
    assert (answer.total, answer.decisions) == (0, [])
    assert 'status "all"' in answer.message


@pytest.mark.proves("DEC-53")
async def test_pages_that_follow_next_offset_show_everything_once(viewer: Caller, store_decisions: Store) -> None:
    ids = await store_decisions(*({"title": f"number {n}", "at": n // 3} for n in range(53)))
    seen: list[str] = []
    asked: dict[str, Any] = {"limit": 10}
    while True:
        answer = await listed(viewer, **asked)
        assert answer.total == 53
        seen += [each.id for each in answer.decisions]
        if answer.next_offset is None:
            break
        asked["offset"] = answer.next_offset
    assert sorted(seen) == ids
    beyond = await listed(viewer, offset=53)
    assert (beyond.decisions, beyond.next_offset) == ([], None)
    assert "beyond the last" in beyond.message


@pytest.mark.proves("DEC-53")
async def test_an_empty_list_says_what_to_try(viewer: Caller) -> None:
    answer = await listed(viewer)
    assert (answer.decisions, answer.total) == ([], 0)
    assert "record_decision" in answer.message


@pytest.mark.parametrize(
    "asked",
    [
        {"limit": 0}, {"limit": 101}, {"offset": -1}, {"status": "rejected"}, {"since": "soon"}, {"since": 7},
        {"since": "2026-13-01"}, {"until": ""}, {"until": "9999-99-99"}, {"origin": "robot"}, {"order": "id"},
        {"about": " "}, {"target": ""}, {"namespace": "other"}, {"about": None}, {"since": "0001-01-01T00:00:00+14:00"},
    ],
)  # fmt: skip
@pytest.mark.proves("DEC-52")
def test_invalid_arguments_are_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        ListDecisions.parse(asked)


@pytest.mark.proves("DEC-52")
def test_the_last_day_of_the_calendar_is_accepted() -> None:
    assert ListDecisions.parse({"until": "9999-12-31"}).until is not None


@pytest.mark.proves("DEC-45")
async def test_a_decision_that_a_person_made_in_the_browser_is_listed(viewer: Caller, cypher: Cypher) -> None:
    await cypher("CREATE (:Decision {namespace: $namespace, id: 'bare'})")
    [bare] = (await listed(viewer, status="all")).decisions
    assert (bare.id, bare.title, bare.status, bare.created_at) == ("bare", "", "draft", None)


@pytest.mark.proves("DEC-54")
async def test_another_namespace_lists_nothing(stored_ids: list[str], caller: Any, namespace: str) -> None:
    stranger = caller(within=f"{namespace}-b")
    for asked in ({}, {"status": "all"}, {"target": "queue"}):
        assert (await listed(stranger, **asked)).total == 0


async def test_a_list_costs_what_its_own_namespace_holds(
    viewer: Caller, store_decisions: Store, driver: AsyncDriver, namespace: str
) -> None:
    await store_decisions(*({"title": f"number {n}"} for n in range(200)))
    await driver.execute_query(
        "UNWIND range(1, 10000) AS n CREATE (:Decision {namespace: $namespace, id: 'crowd ' + n, status: 'active', "
        "target: 'queue ' + n, target_key: 'queue ' + n, active_target: 'queue ' + n, created_at: datetime()})",
        namespace=f"{namespace}-crowd",
        database_="neo4j",
    )
    asked: dict[str, Any] = {
        "status": "active", "target": None, "target_key": None, "about_key": None, "since": None, "until": None,
        "origin": None, "order": "newest", "limit": 20, "offset": 0, "now": datetime.now(UTC),
    }  # fmt: skip
    statement = load("decisions/list_decisions")

    async def hits(within: str, **more: Any) -> int:
        given = statement.bind({**asked, "namespace": within, **more})
        answer = await driver.execute_query(f"PROFILE {statement.query}", given, database_="neo4j")
        assert answer.summary.profile is not None
        return _hits(answer.summary.profile)

    assert await hits(namespace) < 200 * 15
    assert await hits(f"{namespace}-crowd") < 10_000 * 15
    crowd = {"target": "Queue 77", "target_key": "queue 77", "status": None}
    assert await hits(f"{namespace}-crowd", **crowd) < 200, "a target is looked up"
    assert (await listed(viewer)).total == 200


def _hits(part: Any) -> int:
    return int(part.get("dbHits", 0)) + sum(_hits(each) for each in part.get("children", []))
