"""The overview of a namespace, within its limits."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from neo4j import AsyncDriver

from server.decisions.overview import COUNT_LIMIT, SIZE_LIMIT
from server.decisions.reading_models import GetOverview, Overview
from server.graph.statements import load
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Store

pytestmark = pytest.mark.anyio


async def look(caller: Caller) -> Overview:
    overview = await caller.service.overview(GetOverview(), caller.principal)
    size = len(json.dumps(overview.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= SIZE_LIMIT
    return overview


@pytest.mark.proves("DEC-65")
async def test_the_overview_counts_and_lists_what_is_stored(agent: Caller, evidence: list[str], cypher: Cypher) -> None:
    old = await agent.record("queue", "Queue in files")
    new = await agent.supersede("queue", old, title="Queue in Redis")
    cache = await agent.record("cache", "Cache in memory")
    proposal = await agent.propose("search", *evidence, title="Search by words")
    await cypher(
        "MATCH (queue:Entity {namespace: $namespace, name: 'queue'}) UNWIND range(1, 5) AS n "
        "CREATE (queue)<-[:USES]-(:Entity {namespace: $namespace, name: 'user ' + n, node_id: 1000 + n, label: 'App'})"
    )
    seen = await look(agent)
    assert seen.decisions == {"active": 2, "superseded": 1}
    assert seen.proposals == {"draft": 1}
    assert seen.counts == {"entities": 8, "relations": 5, "entries": 3}
    assert seen.at_least == []
    assert [(each.id, each.target) for each in seen.in_force] == [(cache, "cache"), (new, "queue")]
    assert seen.next_offset is None
    assert [(each.id, each.title, each.by) for each in seen.waiting] == [(proposal, "Search by words", "ada")]
    assert (seen.best_connected[0].name, seen.best_connected[0].connections) == ("queue", 7)
    assert [(each.by, each.changed, each.records[0].id) for each in seen.changed] == [
        ("ada", 1, proposal),
        ("ada", 1, cache),
        ("ada", 2, seen.changed[2].records[0].id),
        ("ada", 1, old),
    ]
    assert seen.changed[0].what == "decisions/propose_decision"
    assert "2 decisions are in force" in seen.message
    assert "get_decisions" in seen.message


@pytest.mark.proves("DEC-65")
async def test_an_empty_memory_says_how_to_begin(viewer: Caller) -> None:
    seen = await look(viewer)
    assert (seen.counts, seen.in_force, seen.changed) == ({}, [], [])
    assert "record_decision" in seen.message


@pytest.mark.proves("DEC-66")
async def test_an_overview_is_never_larger_than_its_limit_and_says_where_to_continue(
    agent: Caller, store_decisions: Store, cypher: Cypher
) -> None:
    long = "ünïcødé 漢字 " * 100
    await store_decisions(*({"title": f"{n} {long}", "target": f"{n} {long}", "at": n} for n in range(60)))
    await cypher(
        "MATCH (d:Decision {namespace: $namespace}) "
        "CREATE (d)-[:ABOUT]->(:Entity {namespace: $namespace, name: d.target, node_id: d.node_id, label: $long}) "
        "CREATE (:Proposal {namespace: $namespace, id: 'p' + d.id, status: 'draft', title: $long, target: $long}) "
        "CREATE (:Change {namespace: $namespace, at: datetime(), by: $long, name: $long})-[:CHANGED]->(d)",
        long=long,
    )
    seen = await look(agent)
    assert len(seen.in_force) >= 3
    assert seen.next_offset == len(seen.in_force)
    assert f"list_decisions continues at offset {seen.next_offset}" in seen.message
    assert seen.in_force[0].title.startswith("59 ")
    assert seen.waiting
    assert seen.best_connected
    assert seen.changed


@pytest.mark.proves("DEC-68")
async def test_targets_with_two_decisions_in_force_are_listed(
    agent: Caller, store_decisions: Store, cypher: Cypher
) -> None:
    ids = await store_decisions(
        {"title": "one", "target": "Message Queue", "at": 1},
        {"title": "two", "target": "not yet", "at": 2},
        {"title": "alone", "target": "cache"},
    )
    # As the migration leaves two that collided before.
    await cypher("MATCH (d:Decision {namespace: $namespace, id: $id}) SET d.target = 'message queue'", id=ids[1])
    await cypher("MATCH (d:Decision {namespace: $namespace}) SET d.target_key = toLower(d.target)")
    seen = await look(agent)
    assert [[(each.id, each.target) for each in rivals] for rivals in seen.colliding] == [
        [(ids[0], "Message Queue"), (ids[1], "message queue")]
    ]
    assert "1 targets have more than one decision in force" in seen.message


@pytest.mark.proves("DEC-54")
async def test_an_overview_shows_nothing_of_another_namespace(agent: Caller, caller: Any, namespace: str) -> None:
    await agent.record("secret thing")
    assert "secret" not in (await look(caller(within=f"{namespace}-b"))).model_dump_json()


@pytest.mark.proves("DEC-67")
async def test_the_work_is_bounded_and_says_where_counting_ended(
    viewer: Caller, cypher: Cypher, driver: AsyncDriver, namespace: str
) -> None:
    await cypher(
        "UNWIND range(1, $many) AS n CREATE (:Entity {namespace: $namespace, name: 'thing ' + n, node_id: n, "
        "label: 'Thing'})",
        many=2 * COUNT_LIMIT,
    )
    await cypher(
        "MATCH (old:Entity {namespace: $namespace, node_id: 7}), (late:Entity {namespace: $namespace, node_id: $late}) "
        "CREATE (d:Decision {namespace: $namespace, id: 'd', status: 'active', active_target: 'x', target: 'x', "
        "title: 'x'})-[:ABOUT]->(late) WITH old, late UNWIND range(1, 30) AS n "
        "MATCH (other:Entity {namespace: $namespace, node_id: 100 + n}) CREATE (old)-[:USES]->(other), "
        "(late)-[:USES]->(other), (late)-[:KNOWS]->(other)",
        late=2 * COUNT_LIMIT - 1,
    )
    seen = await look(viewer)
    assert seen.counts["entities"] == COUNT_LIMIT
    assert seen.at_least == ["entities", "relations"]
    assert [each.name for each in seen.best_connected[:2]] == [f"thing {2 * COUNT_LIMIT - 1}", "thing 7"]
    for name, given in (
        ("overview_counts", {"most": 1_000, "now": datetime.now(UTC)}),
        ("best_connected", {"compared": 1_000, "limit": 10}),
        ("latest_changes", {"limit": 8, "records": 3}),
    ):
        statement = load(f"decisions/{name}")
        bound = statement.bind({"namespace": namespace, **given})
        answer = await driver.execute_query(f"PROFILE {statement.query}", bound, database_="neo4j")
        assert answer.summary.profile is not None
        assert _hits(answer.summary.profile) < 12_000, f"{name} reads {2 * COUNT_LIMIT} things"


def _hits(part: Any) -> int:
    return int(part.get("dbHits", 0)) + sum(_hits(each) for each in part.get("children", []))
