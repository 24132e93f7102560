"""Evaluation through a real MCP client of the whole application: the real search, and judges over real HTTP."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client
from pydantic import SecretStr

from ingest.queries import ingest_queries
from server.app import App, open_app
from server.core.errors import EmbeddingUnavailable
from server.embedding.embedder import FastEmbedder
from tests.evaluation.providers import KEYS, Played, serving
from tests.interaction.conftest import Connect
from tests.interaction.tools import ANSWERS, ask, refused

pytestmark = pytest.mark.anyio
INSIGHTS = (
    "Ada keeps a parrot that talks.",
    "The service listens on port 8001.",
    "Grace moved to Lisbon in May.",
    "Neo4j is the only authority.",
    "The budget for servers is spent.",
    "Bob is allergic to peanuts.",
    "Backups run every night at two.",
)
QUESTIONS = {
    "Who has a bird?": 0,
    "Which port does it listen on?": 1,
    "In which city does Grace live now that the long winter is over at last?": 2,
}


async def _ingest(app: App, namespace: str, folder: Path, kind: Any) -> list[str]:
    file = folder / f"{kind}.jsonl"
    rows = [{"query": query, "expected": [INSIGHTS[number]]} for query, number in QUESTIONS.items()]
    file.write_text("\n".join(map(json.dumps, rows)))
    summary = await ingest_queries(app.parts.graph, namespace, file, kind)
    assert summary.created == len(QUESTIONS)
    return [remark.text.split()[-1] for remark in summary.remarks]


def _fits(tool: str, answer: dict[str, Any]) -> None:
    jsonschema.validate(answer, ANSWERS[tool])


@pytest.mark.proves("EVA-7", "EVA-26", "EVA-33", "SVC-31")
async def test_the_real_search_is_measured_by_the_golden_set(
    app: App, client: Client, namespace: str, tmp_path: Path
) -> None:
    error = await refused(client, "get_golden_test_results")
    assert (error["error"], error["tool"]) == ("Golden Test execution failed", "get_golden_test_results")
    for content in INSIGHTS:
        stored = await ask(client, "compress_to_l2_insight", content=content, source_ids=[])
        assert stored["embedding_status"] == "success"
    await _ingest(app, namespace, tmp_path, "golden")
    answer = await ask(client, "get_golden_test_results")
    _fits("get_golden_test_results", answer)
    # One right insight each, and search has it among its five: one place of five.
    assert (answer["precision_at_5"], answer["queries_tested"], answer["drift_detected"]) == (0.2, 3, False)
    assert answer["query_breakdown"] == {
        "short": {"count": 2, "precision_at_5": 0.2},
        "medium": {"count": 1, "precision_at_5": 0.2},
        "long": {"count": 0, "precision_at_5": None},
    }


@pytest.mark.proves("EVA-34")
async def test_a_search_by_words_alone_is_not_measured(
    app: App, client: Client, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content in INSIGHTS[:3]:
        await ask(client, "compress_to_l2_insight", content=content, source_ids=[])
    await _ingest(app, namespace, tmp_path, "golden")

    async def away(self: FastEmbedder, text: str) -> list[float]:
        raise EmbeddingUnavailable("The model is away.")

    monkeypatch.setattr(FastEmbedder, "embed_query", away)
    error = await refused(client, "get_golden_test_results")
    assert (error["error"], error["code"]) == ("Database operation failed", "VECTORS_UNAVAILABLE")
    rows = await app.parts.graph.run("evaluation/baseline", namespace=namespace, since="2000-01-01", today="9999-12-31")
    assert rows[0]["days"] == 0


@pytest.mark.proves("EVA-14", "EVA-15")
async def test_without_keys_no_judge_is_asked(client: Client) -> None:
    docs = [{"id": 1, "content": INSIGHTS[0]}]
    error = await refused(client, "store_dual_judge_scores", query_id=1, query="Who has a bird?", docs=docs)
    assert (error["error"], error["tool"]) == ("API key not configured", "store_dual_judge_scores")
    assert "openai:gpt-4o needs OPENAI_API_KEY" in error["details"]


@pytest.mark.proves("EVA-7", "EVA-8", "EVA-12", "EVA-22")
@pytest.mark.parametrize("era", ["2026-07-28"], indirect=True)
@pytest.mark.usefixtures("no_passages")
async def test_two_models_of_two_providers_judge_what_search_found(
    app: App, client: Client, connect: Connect, namespace: str, tmp_path: Path
) -> None:
    for content in INSIGHTS[:3]:
        await ask(client, "compress_to_l2_insight", content=content, source_ids=[])
    [query_id, *_] = await _ingest(app, namespace, tmp_path, "ground-truth")
    found = await ask(client, "hybrid_search", query_text="Who has a bird?", top_k=2)
    docs = [{"id": hit["id"], "content": hit["content"]} for hit in found["results"]]
    assert docs[0]["content"] == INSIGHTS[0]
    asked = {"query": "Who has a bird?", "docs": docs}
    with serving() as server:
        server.answers = {"/v1/responses": [Played(0.9)], "/v1/messages": [Played(status=529), Played(0.8)]}
        keys = {"openai_api_key": SecretStr(KEYS["openai"]), "anthropic_api_key": SecretStr(KEYS["anthropic"])}
        urls = {"openai_url": f"{server.url}/v1", "anthropic_url": server.url}
        settings = app.settings.model_copy(update={"home": tmp_path / "home", **keys, **urls})
        async with (
            open_app(settings) as judging,
            judging.http.router.lifespan_context(judging.http),
            connect(to=judging) as judged,
        ):
            error = await refused(judged, "store_dual_judge_scores", query_id=2**40, **asked)
            assert (error["error"], server.asked) == ("Parameter validation failed", [])
            answer = await ask(judged, "store_dual_judge_scores", query_id=int(query_id), **asked)
            _fits("store_dual_judge_scores", answer)
    assert answer == {
        "query_id": int(query_id), "judge1_score": 0.9, "judge2_score": 0.8, "kappa": 1.0,
        "agreement": "almost perfect", "evaluated_documents": 2, "not_evaluated": [], "status": "success",
    }  # fmt: skip
    assert len(server.asked) == 5, "two models, two documents, one answer that failed"
