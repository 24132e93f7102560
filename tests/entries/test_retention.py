"""The dry run of retention: its candidates and its record. Source: MEM-57, MEM-58, MEM-60."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Cypher
from tests.entries.conftest import Agent

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 6, 1, tzinfo=UTC)
slow = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def _create_entries(cypher: Cypher, ages: list[tuple[str, int]]) -> list[dict[str, Any]]:
    """Create entries of these projects and ages, in hours before NOW, and remove all others."""
    rows = [
        {"id": f"e{n:03}", "project": project, "at": NOW - timedelta(hours=hours), "node_id": -n}
        for n, (project, hours) in enumerate(ages)
    ]
    await cypher("MATCH (n {namespace: $namespace}) DETACH DELETE n")
    await cypher(
        "UNWIND $rows AS row CREATE (:Entry {namespace: $namespace, id: row.id, project: row.project, "
        "node_id: row.node_id, created_at: row.at, status: 'active'})",
        rows=rows,
    )
    return rows


@pytest.mark.proves("MEM-57", "MEM-58", "MEM-59")
@slow
@given(
    ages=st.lists(st.tuples(st.sampled_from("pq"), st.integers(0, 96)), max_size=12),
    rules=st.tuples(st.none() | st.sampled_from([0.5, 1, 2, 3]), st.none() | st.integers(1, 4)).filter(any),
    project=st.sampled_from(["", "p", "r"]),
)
async def test_candidates_are_the_union_of_both_rules_and_each_is_counted_whole(
    modern: Agent,
    cypher: Cypher,
    ages: list[tuple[str, int]],
    rules: tuple[float | None, int | None],
    project: str,
) -> None:
    days, most = rules
    rows = [row for row in await _create_entries(cypher, ages) if not project or row["project"] == project]
    arguments = {"max_age_days": days, "max_entries_per_project": most, "project": project, "now": NOW.isoformat()}
    answer = await modern.ask(
        "retention_dry_run", **{name: rule for name, rule in arguments.items() if rule is not None}
    )

    aged = {row["id"] for row in rows if days is not None and row["at"] < NOW - timedelta(days=days)}
    newest = sorted(rows, key=lambda row: (row["at"], row["node_id"]), reverse=True)
    excess = {
        row["id"]
        for name in "pq"
        for row in ([each for each in newest if each["project"] == name][most:] if most is not None else [])
    }
    assert answer == {
        "mode": "dry-run",
        "executed_at": "2026-06-01T00:00:00.000Z",
        "total_candidates": len(aged | excess),
        "by_reason": {"age": len(aged), "project_count": len(excess)},
        "candidate_ids": sorted(aged | excess),
    }


@pytest.mark.proves("MEM-60")
async def test_a_dry_run_removes_nothing_and_is_recorded(agent: Agent, cypher: Cypher) -> None:
    rows = await _create_entries(cypher, [("p", 100), ("p", 1)])
    await agent.ask("retention_dry_run", max_age_days=2, now="2026-06-01")
    audits = await cypher(
        "MATCH (a:Audit {namespace: $namespace, kind: 'retention'}) RETURN a.mode AS mode, a.created_by AS by, "
        "a.candidate_ids AS ids, a.max_age_days AS days, a.executed_at.epochSeconds AS at, a.name AS name"
    )
    assert audits == [
        {
            "mode": "dry-run",
            "by": "ada",
            "ids": ["e000"],
            "days": 2.0,
            "at": int(NOW.timestamp()),
            "name": "retention dry run, 1 candidates",
        }
    ]
    kept = await cypher("MATCH (e:Entry {namespace: $namespace}) RETURN e.id AS id ORDER BY id")
    assert [row["id"] for row in kept] == [row["id"] for row in rows]


@pytest.mark.proves("MEM-59")
async def test_without_now_it_is_now(agent: Agent) -> None:
    await agent.save("fresh")
    answer = await agent.ask("retention_dry_run", max_age_days=0.5)
    assert abs((datetime.fromisoformat(answer["executed_at"]) - datetime.now(UTC)).total_seconds()) < 60
    assert answer["total_candidates"] == 0


@pytest.mark.proves("MEM-56")
async def test_rules_past_every_calendar_have_no_candidates(agent: Agent) -> None:
    await agent.save("fresh")
    answer = await agent.ask("retention_dry_run", max_age_days=1e300, max_entries_per_project=10**30)
    assert answer["total_candidates"] == 0


@pytest.mark.proves("MEM-56")
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"project": "p"},
        {"now": "2026-06-01"},
        {"max_age_days": 0},
        {"max_age_days": -1},
        {"max_age_days": "1"},
        {"max_age_days": True},
        {"max_entries_per_project": 0},
        {"max_entries_per_project": 1.5},
        {"max_entries_per_project": None},
        {"max_age_days": 1, "now": "yesterday"},
        {"max_age_days": 1, "now": "2026-13-01"},
        {"max_age_days": 1, "now": 5},
    ],
)
async def test_a_call_without_a_valid_rule_is_an_error_and_leaves_no_record(
    agent: Agent, cypher: Cypher, rules: dict[str, Any]
) -> None:
    assert (await agent.refused("retention_dry_run", **rules))["code"] == "INVALID_ARGUMENT"
    assert await cypher("MATCH (a:Audit {namespace: $namespace}) RETURN a") == []


@pytest.mark.proves("MEM-58")
async def test_a_list_too_long_for_an_answer_is_cut_and_its_totals_stay_true(modern: Agent, cypher: Cypher) -> None:
    await cypher(
        "UNWIND range(1, 3000) AS n CREATE (:Entry {namespace: $namespace, id: 'entry-number-' + n, node_id: -n, "
        "project: 'p', status: 'active', created_at: datetime({epochSeconds: n})})"
    )
    answer = await modern.ask("retention_dry_run", max_age_days=1)
    assert answer["total_candidates"] == answer["by_reason"]["age"] == 3000
    assert answer["truncated"] is True
    assert len(json.dumps(answer)) < 40_000
