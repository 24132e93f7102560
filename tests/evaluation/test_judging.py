"""`store_dual_judge_scores`: two judges, all scores in the graph, or nothing."""

from typing import Any

import anyio
import pytest
from pydantic import SecretStr

from server.errors import GraphUnavailable
from server.evaluation.judges import Judge, ModelPanel
from server.evaluation.service import EvaluationService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.principals import Role
from server.providers import Provider
from tests.conftest import Cypher
from tests.evaluation.conftest import Agent, ScriptedPanel, ScriptedSearch

pytestmark = pytest.mark.anyio
STORED = """
MATCH (judgement:Judgement {namespace: $namespace})-[:IN]->(evaluation:Evaluation)-[:IN]->(truth:GroundTruth)
OPTIONAL MATCH (judgement)-[:JUDGES]->(insight:Insight)
RETURN truth.id AS query_id, judgement.document_id AS document, judgement.judge1_score AS one,
  judgement.judge2_score AS two, insight.id AS insight
ORDER BY document
"""


def docs(*ids: int) -> list[dict[str, Any]]:
    return [{"id": number, "content": f"insight {number}"} for number in ids]


@pytest.fixture
async def truth(cypher: Cypher, insights: None) -> int:
    """The id of a ground-truth query."""
    await cypher("CREATE (:GroundTruth {namespace: $namespace, id: 42, query: 'Who?', name: 'Who?'})")
    return 42


async def _nodes(cypher: Cypher) -> int:
    [row] = await cypher("MATCH (n:Evaluation|Judgement {namespace: $namespace}) RETURN count(n) AS nodes")
    return int(row["nodes"])


@pytest.mark.proves("evaluation:judged")
async def test_both_judges_score_every_document_and_the_means_and_their_agreement_are_told(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    panel.first.update({"insight 1": 1.0, "insight 2": 0.7, "insight 3": 0.2, "insight 77": 0.1})
    panel.second.update({"insight 1": 0.9, "insight 2": 0.5, "insight 3": 0.0, "insight 77": 0.2})
    answer = await agent.ask("store_dual_judge_scores", query_id=truth, query="Who is it?", docs=docs(1, 2, 3, 77))
    assert answer == {
        "query_id": 42,
        "judge1_score": 0.5,
        "judge2_score": 0.4,
        "kappa": 0.5,
        "agreement": "moderate",
        "evaluated_documents": 4,
        "status": "success",
    }
    assert sorted(panel.heard) == [
        (judge, "Who is it?", f"insight {number}")
        for judge in ("scripted:one", "scripted:two")
        for number in (1, 2, 3, 77)
    ]
    # A document that is an insight is joined to it; another one is judged all the same.
    assert [tuple(row.values()) for row in await cypher(STORED)] == [
        (42, 1, 1.0, 0.9, 1),
        (42, 2, 0.7, 0.5, 2),
        (42, 3, 0.2, 0.0, 3),
        (42, 77, 0.1, 0.2, None),
    ]


@pytest.mark.proves("evaluation:judged")
async def test_each_evaluation_is_kept_with_its_judges_and_times_and_the_latest_stands_with_the_query(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    for score in (0.9, 0.4):
        panel.first["insight 1"] = panel.second["insight 1"] = score
        await agent.ask("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
    rows = await cypher(
        "MATCH (e:Evaluation {namespace: $namespace})-[:IN]->(t:GroundTruth) MATCH (j:Judgement)-[:IN]->(e) "
        "RETURN e.judge1_score AS score, e.judge1_model AS one, e.judge2_model AS two, e.created_by AS by, "
        "e.seconds >= j.judge1_seconds AND j.judge2_seconds > 0 AS timed, e.name AS name, t.kappa AS kappa, "
        "t.judge1_score AS latest, t.judged_at = e.created_at AS newest ORDER BY e.id"
    )
    common = {"one": "scripted:one", "two": "scripted:two", "by": "tester", "timed": True, "kappa": 1.0, "latest": 0.4}
    assert rows == [
        {**common, "score": score, "name": "almost perfect · 1.0", "newest": newest}
        for score, newest in ((0.9, False), (0.4, True))
    ]


@pytest.mark.proves("evaluation:unknown-query")
async def test_an_unknown_query_is_an_error_before_any_judge_is_asked(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    error = await agent.refused("store_dual_judge_scores", query_id=7, query="Who?", docs=docs(1))
    assert error["error"] == "Parameter validation failed"
    assert error["details"] == "There is no ground-truth query 7, and nothing was judged. There is 42 (Who?)."
    assert (panel.heard, await _nodes(cypher)) == ([], 0)
    async with agent.at(namespace=f"{agent.principal.namespace}-2").connected() as elsewhere:
        error = await elsewhere.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
    assert "precedent ingest ground-truth FILE" in error["details"]
    assert panel.heard == []


@pytest.mark.proves("evaluation:no-key")
async def test_without_a_key_nothing_is_judged_and_the_setting_is_named(
    graph: Graph, sequence: IdSequence, agent: Agent, truth: int, cypher: Cypher
) -> None:
    providers = {
        "openai": Provider("OPENAI_API_KEY", SecretStr("secret"), "http://127.0.0.1:1"),
        "anthropic": Provider("ANTHROPIC_API_KEY", None, "http://127.0.0.1:1"),
    }
    for models, told in (
        (("openai:gpt-4o", "anthropic:claude-haiku-4-5"), "claude-haiku-4-5 needs ANTHROPIC_API_KEY"),
        (("anthropic:claude-haiku-4-5", "openai:gpt-4o"), "claude-haiku-4-5 needs ANTHROPIC_API_KEY"),
    ):
        panel = ModelPanel(models, providers)
        service = EvaluationService(graph, sequence, panel=panel, search=ScriptedSearch(), embedding_model="m")
        async with Agent(service, agent.principal, "legacy").connected() as keyless:
            error = await keyless.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
        assert (error["error"], error["code"]) == ("API key not configured", "API_KEY_MISSING")
        assert told in error["details"]
    assert await _nodes(cypher) == 0


@pytest.mark.proves("evaluation:all-or-nothing")
@pytest.mark.parametrize("said", [1.5, -0.1, "relevant", None, True, float("nan")])
async def test_a_judge_without_a_score_from_0_to_1_is_an_error_and_nothing_is_stored(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher, said: object
) -> None:
    panel.first.update({"insight 1": 0.5, "insight 2": said})
    panel.second.update({"insight 1": 0.5, "insight 2": 0.5})
    error = await agent.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1, 2))
    assert (error["error"], error["code"]) == ("Tool execution failed", "JUDGE_UNAVAILABLE")
    assert error["details"] == "The judge scripted:one gave no score from 0 to 1. Nothing was stored."
    assert await _nodes(cypher) == 0
    [row] = await cypher("MATCH (t:GroundTruth {namespace: $namespace}) RETURN t.kappa AS kappa")
    assert row["kappa"] is None


async def test_a_query_that_is_gone_when_the_judges_are_done_is_an_error(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher, service: EvaluationService
) -> None:
    class Slow:
        name = "slow"

        async def score(self, query: str, document: str) -> float:
            await cypher("MATCH (t:GroundTruth {namespace: $namespace}) DELETE t")
            return 0.5

    async def judges() -> Any:
        return Slow(), Slow()

    panel.judges = judges  # type: ignore[method-assign]
    error = await agent.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
    assert error["code"] == "NOT_FOUND"
    assert await _nodes(cypher) == 0


async def test_judges_that_take_too_long_are_not_waited_for_and_nothing_is_stored(
    graph: Graph, sequence: IdSequence, agent: Agent, truth: int, cypher: Cypher
) -> None:
    class Never:
        name = "never"

        async def score(self, query: str, document: str) -> float:
            await anyio.sleep_forever()
            raise AssertionError

    class Panel:
        async def judges(self) -> tuple[Judge, Judge]:
            return Never(), Never()

    service = EvaluationService(
        graph, sequence, panel=Panel(), search=ScriptedSearch(), embedding_model="m", patience=0.01
    )
    async with Agent(service, agent.principal, "auto").connected() as waiting:
        error = await waiting.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1, 2))
    assert (error["error"], error["code"]) == ("Tool execution failed", "JUDGE_UNAVAILABLE")
    assert "did not finish within 0.01 s" in error["details"]
    assert await _nodes(cypher) == 0


async def test_documents_are_judged_at_once_within_a_bound(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    running, most = 0, 0

    class Busy:
        def __init__(self, name: str) -> None:
            self.name = name

        async def score(self, query: str, document: str) -> float:
            nonlocal running, most
            running += 1
            most = max(most, running)
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
            running -= 1
            return int(document.split()[1]) / 100

    async def judges() -> Any:
        return Busy("one"), Busy("two")

    panel.judges = judges  # type: ignore[method-assign]
    answer = await agent.ask("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(*range(50, 100)))
    assert (answer["evaluated_documents"], most) == (50, 16)
    # Every score went to its own document.
    assert [(row["document"], row["one"]) for row in await cypher(STORED)] == [(n, n / 100) for n in range(50, 100)]


async def test_whoever_may_only_read_may_not_have_documents_judged(
    agent: Agent, panel: ScriptedPanel, truth: int
) -> None:
    async with agent.at(role=Role.VIEWER).connected() as viewer:
        for tool, arguments in (
            ("store_dual_judge_scores", {"query_id": truth, "query": "Who?", "docs": docs(1)}),
            ("get_golden_test_results", {}),
        ):
            assert (await viewer.refused(tool, **arguments))["code"] == "PERMISSION_DENIED"
    assert panel.heard == []


async def test_an_error_of_the_graph_has_its_own_kind(agent: Agent, search: ScriptedSearch, cypher: Cypher) -> None:
    await cypher("CREATE (:GoldenQuery {namespace: $namespace, id: 1, query: 'q', query_type: 'short'})")
    search.error = GraphUnavailable("Neo4j does not answer.")
    assert (await agent.refused("get_golden_test_results"))["error"] == "Database operation failed"
