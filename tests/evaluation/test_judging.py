"""`store_dual_judge_scores`: two judges, all scores in the graph, or nothing."""

from typing import Any

import anyio
import pytest
from pydantic import SecretStr
from pydantic_ai.exceptions import ModelAuthenticationError, ModelContextWindowExceededError, ModelHTTPError

from server.core.errors import GraphUnavailable
from server.core.principals import Role
from server.evaluation.judges import Judge, ModelPanel
from server.evaluation.service import EvaluationService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.language_models.providers import Provider
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


@pytest.mark.proves("EVA-5", "EVA-8")
async def test_both_judges_score_every_document_and_the_answer_has_means_and_agreement(
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
        "not_evaluated": [],
        "status": "success",
    }
    assert sorted(panel.questions) == [
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


@pytest.mark.proves("EVA-11")
async def test_each_evaluation_is_stored_with_judges_and_times_and_the_query_has_the_latest(
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


@pytest.mark.proves("EVA-12")
async def test_an_unknown_query_is_an_error_before_any_judge_is_asked(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    error = await agent.refused("store_dual_judge_scores", query_id=7, query="Who?", docs=docs(1))
    assert error["error"] == "Parameter validation failed"
    assert error["details"] == "Ground-truth query 7 does not exist; nothing was judged. Some that exist: 42 (Who?)."
    assert (panel.questions, await _nodes(cypher)) == ([], 0)
    async with agent.at(namespace=f"{agent.principal.namespace}-2").connected() as elsewhere:
        error = await elsewhere.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
    assert "precedent ingest ground-truth FILE" in error["details"]
    assert panel.questions == []


@pytest.mark.proves("EVA-14")
async def test_without_a_key_nothing_is_judged_and_the_setting_is_named(
    graph: Graph, sequence: IdSequence, agent: Agent, truth: int, cypher: Cypher
) -> None:
    providers = {
        "openai": Provider("OPENAI_API_KEY", SecretStr("secret"), "http://127.0.0.1:1"),
        "anthropic": Provider("ANTHROPIC_API_KEY", None, "http://127.0.0.1:1"),
    }
    for models, problem in (
        (("openai:gpt-4o", "anthropic:claude-haiku-4-5"), "claude-haiku-4-5 needs ANTHROPIC_API_KEY"),
        (("anthropic:claude-haiku-4-5", "openai:gpt-4o"), "claude-haiku-4-5 needs ANTHROPIC_API_KEY"),
    ):
        panel = ModelPanel(models, providers)
        service = EvaluationService(graph, sequence, panel=panel, search=ScriptedSearch(), embedding_model=lambda: "m")
        async with Agent(service, agent.principal, "legacy").connected() as keyless:
            error = await keyless.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
        assert (error["error"], error["code"]) == ("API key not configured", "API_KEY_MISSING")
        assert problem in error["details"]
    assert await _nodes(cypher) == 0


@pytest.mark.proves("EVA-16")
@pytest.mark.parametrize("outcome", [1.5, -0.1, "relevant", None, True, float("nan")])
async def test_a_document_without_a_score_from_0_to_1_is_named_and_the_others_count(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher, outcome: object
) -> None:
    panel.first.update({"insight 1": 0.9, "insight 2": outcome, "insight 3": 0.2, "insight 4": 0.1})
    panel.second.update({"insight 1": 0.7, "insight 2": 1.0, "insight 3": 0.0, "insight 4": outcome})
    answer = await agent.ask("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1, 2, 3, 4))
    assert (answer["evaluated_documents"], answer["status"]) == (2, "success")
    # The means and the agreement are of what both scored; no score is made up.
    assert (answer["judge1_score"], answer["judge2_score"], answer["kappa"]) == (0.55, 0.35, 1.0)
    assert answer["not_evaluated"] == [
        {"id": 2, "reason": "The judge scripted:one gave no score from 0 to 1."},
        {"id": 4, "reason": "The judge scripted:two gave no score from 0 to 1."},
    ]
    assert [row["document"] for row in await cypher(STORED)] == [1, 3]
    [row] = await cypher("MATCH (e:Evaluation {namespace: $namespace}) RETURN e.documents AS n, e.not_evaluated AS out")
    assert row == {"n": 2, "out": [2, 4]}


@pytest.mark.proves("EVA-17")
async def test_where_no_document_has_both_scores_it_is_an_error_and_nothing_is_stored(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    panel.first.update({"insight 1": 0.5, "insight 2": "no"})
    panel.second.update({"insight 1": 2, "insight 2": 0.5})
    error = await agent.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1, 2))
    assert (error["error"], error["code"]) == ("Tool execution failed", "JUDGE_UNAVAILABLE")
    assert error["details"] == (
        "No document was scored by both judges, and nothing was stored. "
        "The judge scripted:two gave no score from 0 to 1."
    )
    assert await _nodes(cypher) == 0
    [row] = await cypher("MATCH (t:GroundTruth {namespace: $namespace}) RETURN t.kappa AS kappa")
    assert row["kappa"] is None


@pytest.mark.proves("EVA-16", "EVA-17")
async def test_a_document_that_is_too_long_for_a_judge_is_named_and_alone_it_is_the_callers_mistake(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    long = ModelHTTPError.for_category(ModelContextWindowExceededError, status_code=400, model_name="m", body={})
    panel.first.update({"insight 1": long, "insight 2": 0.5})
    panel.second.update({"insight 1": 0.5, "insight 2": 0.5})
    error = await agent.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
    assert (error["code"], await _nodes(cypher)) == ("INVALID_ARGUMENT", 0)
    answer = await agent.ask("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1, 2))
    assert answer["evaluated_documents"] == 1
    [left_out] = answer["not_evaluated"]
    assert (left_out["id"], "too long for the judge scripted:one" in left_out["reason"]) == (1, True)


@pytest.mark.proves("EVA-18")
async def test_a_judge_whose_key_is_refused_ends_the_call(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher
) -> None:
    refused = ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name="m", body={})
    panel.first.update({"insight 1": 0.5, "insight 2": refused})
    panel.second.update({"insight 1": 0.5, "insight 2": 0.5})
    error = await agent.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1, 2))
    assert "refuses the key" in error["details"]
    assert await _nodes(cypher) == 0


@pytest.mark.proves("EVA-13")
async def test_a_query_that_is_deleted_meanwhile_is_an_error(
    agent: Agent, panel: ScriptedPanel, truth: int, cypher: Cypher, service: EvaluationService
) -> None:
    class Slow:
        name = "slow"

        async def score(self, query: str, document: str) -> float:
            await cypher("MATCH (t:GroundTruth {namespace: $namespace}) DELETE t")
            return 0.5

    async def load_judges() -> Any:
        return Slow(), Slow()

    panel.load_judges = load_judges  # type: ignore[method-assign]
    error = await agent.refused("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(1))
    assert error["code"] == "NOT_FOUND"
    assert await _nodes(cypher) == 0


@pytest.mark.proves("EVA-17", "EVA-19")
@pytest.mark.parametrize(("slow", "judged"), [((0, 1), 0), ((1,), 1)])
async def test_documents_that_both_judges_scored_within_the_time_limit_count(  # noqa: PLR0917 - fixtures by name
    graph: Graph, sequence: IdSequence, agent: Agent, truth: int, cypher: Cypher, slow: tuple[int, ...], judged: int
) -> None:
    class Sometimes:
        name = "sometimes"

        async def score(self, query: str, document: str) -> float:
            if int(document.split()[1]) in slow:
                await anyio.sleep_forever()
            return 0.5

    class Panel:
        async def load_judges(self) -> tuple[Judge, Judge]:
            return Sometimes(), Sometimes()

    service = EvaluationService(
        graph, sequence, panel=Panel(), search=ScriptedSearch(), embedding_model=lambda: "m", time_limit=0.05
    )
    asked: dict[str, Any] = {"query_id": truth, "query": "Who?", "docs": docs(0, 1)}
    async with Agent(service, agent.principal, "auto").connected() as waiting:
        if judged:
            answer = await waiting.ask("store_dual_judge_scores", **asked)
            assert answer["evaluated_documents"] == judged
            [left_out] = answer["not_evaluated"]
            assert (left_out["id"], "did not finish within 0.05 s" in left_out["reason"]) == (1, True)
        else:
            error = await waiting.refused("store_dual_judge_scores", **asked)
            assert (error["error"], error["code"]) == ("Tool execution failed", "JUDGE_UNAVAILABLE")
            assert "did not finish within 0.05 s" in error["details"]
    assert len(await cypher(STORED)) == judged


@pytest.mark.proves("EVA-19")
async def test_at_most_sixteen_scores_are_asked_for_at_a_time(
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

    async def load_judges() -> Any:
        return Busy("one"), Busy("two")

    panel.load_judges = load_judges  # type: ignore[method-assign]
    answer = await agent.ask("store_dual_judge_scores", query_id=truth, query="Who?", docs=docs(*range(50, 100)))
    assert (answer["evaluated_documents"], most) == (50, 16)
    # Every score went to its own document.
    assert [(row["document"], row["one"]) for row in await cypher(STORED)] == [(n, n / 100) for n in range(50, 100)]


@pytest.mark.proves("EVA-2")
async def test_a_viewer_may_use_neither_tool(agent: Agent, panel: ScriptedPanel, truth: int) -> None:
    async with agent.at(role=Role.VIEWER).connected() as viewer:
        for tool, arguments in (
            ("store_dual_judge_scores", {"query_id": truth, "query": "Who?", "docs": docs(1)}),
            ("get_golden_test_results", {}),
        ):
            assert (await viewer.refused(tool, **arguments))["code"] == "PERMISSION_DENIED"
    assert panel.questions == []


@pytest.mark.proves("EVA-6")
async def test_an_error_of_the_graph_has_its_own_kind(agent: Agent, search: ScriptedSearch, cypher: Cypher) -> None:
    await cypher("CREATE (:GoldenQuery {namespace: $namespace, id: 1, query: 'q', query_type: 'short'})")
    search.error = GraphUnavailable("Neo4j does not answer.")
    assert (await agent.refused("get_golden_test_results"))["error"] == "Database operation failed"
