"""`get_golden_test_results`: the golden set, day by day."""

from datetime import UTC, datetime, timedelta

import anyio
import pytest

from server.core.errors import VectorsUnavailable
from tests.conftest import Cypher
from tests.evaluation.conftest import Agent, ScriptedSearch

pytestmark = pytest.mark.anyio
DAYS = """
MATCH (day:DriftDay {namespace: $namespace})
RETURN toString(day.date) AS date, day.precision_at_5 AS precision, day.drift_detected AS drift ORDER BY date
"""


@pytest.fixture
async def golden(cypher: Cypher, insights: None) -> None:
    """Three golden queries: two short ones that expect 1 to 5 and 6, a long one that expects 7."""
    await cypher(
        "UNWIND [[11, 'a', 'short', [1, 2, 3, 4, 5]], [12, 'b', 'short', [6]], [13, 'c', 'long', [7]]] AS row "
        "CREATE (g:GoldenQuery {namespace: $namespace, id: row[0], query: row[1], query_type: row[2]}) "
        "WITH g, row UNWIND row[3] AS id MATCH (i:Insight {namespace: $namespace, id: id}) "
        "CREATE (g)-[:SHOULD_FIND]->(i)"
    )


async def _measured_before(cypher: Cypher, days: dict[int, float]) -> None:
    """Days that were measured, by how many days ago."""
    today = datetime.now(UTC).date()
    rows = [{"date": (today - timedelta(days=ago)).isoformat(), "precision": value} for ago, value in days.items()]
    await cypher(
        "UNWIND $rows AS row "
        "CREATE (:DriftDay {namespace: $namespace, date: date(row.date), precision_at_5: row.precision})",
        rows=rows,
    )


@pytest.mark.proves("EVA-26", "EVA-28", "EVA-29")
async def test_every_golden_query_is_searched_for_and_the_day_is_stored(
    agent: Agent, search: ScriptedSearch, golden: None, cypher: Cypher
) -> None:
    search.finds = {"a": [5, 4, 3, 2, 1], "b": [1, 2, 3, 4, 6], "c": [1]}
    answer = await agent.ask("get_golden_test_results")
    today = datetime.now(UTC).date().isoformat()
    assert answer == {
        "date": today,
        "precision_at_5": 0.4,
        "baseline_precision": 0.4,
        "drift_detected": False,
        "queries_tested": 3,
        "details": "Precision@5 is 0.40 over 3 queries. None of the 7 days before was measured: today is the baseline.",
        "query_breakdown": {
            "short": {"count": 2, "precision_at_5": 0.6},
            "medium": {"count": 0, "precision_at_5": None},
            "long": {"count": 1, "precision_at_5": 0.0},
        },
    }
    assert sorted(search.asked) == [(query, 5, agent.principal.namespace) for query in ("a", "b", "c")]
    [row] = await cypher("MATCH (d:DriftDay {namespace: $namespace}) RETURN properties(d) AS day")
    assert {name: row["day"][name] for name in ("name", "queries_tested", "short_count", "short_precision_at_5")} == {
        "name": f"{today} · 0.4", "queries_tested": 3, "short_count": 2, "short_precision_at_5": 0.6,
    }  # fmt: skip
    assert (row["day"]["embedding_model"], row["day"]["measured_by"]) == ("model 1", "tester")


@pytest.mark.proves("EVA-29", "EVA-30", "EVA-31")
async def test_the_baseline_is_the_mean_of_the_seven_days_before_without_today(
    agent: Agent, search: ScriptedSearch, golden: None, cypher: Cypher
) -> None:
    await _measured_before(cypher, {0: 1.0, 1: 0.6, 7: 0.4, 8: 1.0})
    search.finds = {"a": [1, 2, 3, 4, 5], "b": [6], "c": []}  # 1.0, 0.2, 0.0
    answer = await agent.ask("get_golden_test_results")
    assert (answer["precision_at_5"], answer["baseline_precision"]) == (pytest.approx(0.4), 0.5)
    assert answer["drift_detected"]
    assert "0.10 below the mean of 2 measured days of the 7 before (0.50)" in answer["details"]
    # The same day again: better now, and in its place.
    search.finds["c"] = [7, 1, 2]
    again = await agent.ask("get_golden_test_results")
    assert (again["baseline_precision"], again["drift_detected"]) == (0.5, False)
    rows = await cypher(DAYS)
    assert len(rows) == 4
    assert (rows[-1]["precision"], rows[-1]["drift"]) == (pytest.approx(7 / 15), False)


@pytest.mark.proves("EVA-30")
async def test_a_first_day_is_its_own_baseline_and_no_drift(
    agent: Agent, search: ScriptedSearch, golden: None, cypher: Cypher
) -> None:
    await _measured_before(cypher, {8: 1.0, 30: 1.0})
    for found in ([], [1, 2, 3, 4, 5]):
        search.finds = {"a": found}
        answer = await agent.ask("get_golden_test_results")
        assert (answer["baseline_precision"], answer["drift_detected"]) == (answer["precision_at_5"], False)
    [row] = await cypher(
        "MATCH (d:DriftDay {namespace: $namespace}) RETURN d.baseline_precision AS mean ORDER BY d.date DESC LIMIT 1"
    )
    assert row["mean"] == answer["precision_at_5"]


@pytest.mark.proves("EVA-33")
async def test_an_empty_golden_set_is_an_error_that_names_the_command(agent: Agent, cypher: Cypher) -> None:
    error = await agent.refused("get_golden_test_results")
    assert (error["error"], error["code"]) == ("Golden Test execution failed", "GOLDEN_SET_EMPTY")
    assert "precedent ingest golden FILE" in error["details"]
    assert await cypher(DAYS) == []


@pytest.mark.proves("EVA-29")
async def test_concurrent_measurements_store_one_day(
    agent: Agent, search: ScriptedSearch, golden: None, cypher: Cypher
) -> None:
    search.finds = {"a": [1, 2, 3, 4, 5]}
    answers: list[float] = []

    async def measure() -> None:
        answers.append((await agent.ask("get_golden_test_results"))["precision_at_5"])

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(measure)
    assert len(answers) == 8
    assert [row["precision"] for row in await cypher(DAYS)] == [pytest.approx(1 / 3)] == [answers[0]]


@pytest.mark.proves("EVA-34")
async def test_a_search_that_fails_leaves_the_day_as_it_was(
    agent: Agent, search: ScriptedSearch, golden: None, cypher: Cypher
) -> None:
    search.error = VectorsUnavailable("Qdrant does not answer.")
    assert (await agent.refused("get_golden_test_results"))["code"] == "VECTORS_UNAVAILABLE"
    assert await cypher(DAYS) == []
