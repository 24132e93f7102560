"""One call of every tool, in an order in which each finds what it needs, and the ids that these calls leave.

What has to hold for every tool is shown with them: namespaces, the audit trail. A tool that is missing here fails
`test_access.py`.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import CallToolResult
from neo4j import AsyncDriver

from ingest.queries import ingest_queries
from server.app import App

Ids = dict[str, Any]
Call = tuple[str, Callable[[Ids], dict[str, Any]], dict[str, str]]
"""A tool, its arguments given the ids so far, and which fields of its answer are ids, under which name."""

Called = Callable[[str], Awaitable[None]]
Ask = Callable[[str, dict[str, Any]], Awaitable[CallToolResult]]

CANARY = "quokka"
"""A word that only these calls bring into a namespace."""
_WHY = f"Because every {CANARY} says so, and none says anything else."

UNTRIED = {
    "store_dual_judge_scores": "needs two judges: tests/interaction/test_evaluation.py",
    "tavily_web_search": "needs a key: tests/journal/test_tavily.py",
}


def _draft(ids: Ids, title: str) -> dict[str, Any]:
    evidence = [ids["entry"], ids["message"], ids["decision"]]
    draft = {"title": title, "target": f"target of {title}", "rationale": _WHY, "confidence": 0.9}
    return {**draft, "evidence_ids": evidence}


def _text(number: int) -> dict[str, Any]:
    return {"text": f"The {CANARY} met [[Neo4j]], part {number}.", "session_id": f"{CANARY} session"}


_AGENT = {"agent_id": f"{CANARY} agent"}

CALLS: tuple[Call, ...] = (
    ("ping", lambda _: {}, {}),
    (
        "record_decision",
        lambda _: {"title": f"The {CANARY} decides", "target": f"{CANARY} target", "rationale": _WHY},
        {"old": "decision_id"},
    ),
    (
        "supersede_decision",
        lambda ids: {
            "title": f"The {CANARY} decides again",
            "target": f"{CANARY} target",
            "rationale": _WHY,
            "old_decision_ids": [ids["old"]],
        },
        {"decision": "decision_id"},
    ),
    ("search_decisions", lambda _: {"query": CANARY, "mode": "audit"}, {}),
    ("get_decisions", lambda ids: {"ids": [ids["decision"]], "targets": [f"{CANARY} target"]}, {}),
    ("list_decisions", lambda _: {"status": "all"}, {}),
    ("overview", lambda _: {}, {}),
    ("why", lambda _: {"of": f"{CANARY} target"}, {}),
    ("impact", lambda _: {"of": f"{CANARY} target"}, {}),
    ("save_memory", lambda _: _text(1), {"entry": "id"}),
    ("update_memory", lambda ids: {"id": ids["entry"], "type": CANARY, "reason": "It was none."}, {}),
    ("search", lambda _: {"query": CANARY}, {}),
    ("timeline", lambda ids: {"anchor_id": ids["entry"]}, {}),
    ("get_entries", lambda ids: {"ids": [ids["entry"]]}, {}),
    ("ingest_docs", lambda _: {"sources": [f"{CANARY}.md"]}, {}),
    ("retention_dry_run", lambda _: {"max_age_days": 1}, {}),
    ("store_context", lambda _: {**_AGENT, "context_type": CANARY, "context_data": {}}, {"context": "context_id"}),
    ("get_context", lambda _: {**_AGENT, "context_type": CANARY}, {}),
    ("get_all_contexts", lambda _: _AGENT, {}),
    (
        "log_source_attribution",
        lambda _: {**_AGENT, "source_type": CANARY, "retrieval_timestamp": 1},
        {"source": "attribution_id"},
    ),
    ("get_source_attributions", lambda _: _AGENT, {}),
    (
        "store_conversation_message",
        lambda ids: {
            **_AGENT,
            "sender": "user",
            "message_content": f"Hello, {CANARY}!",
            "conversation_id": f"{CANARY} talk",
            "context_snapshot_id": ids["context"],
            "source_attribution_id": ids["source"],
        },
        {"message": "message_id", "conversation": "conversation_id"},
    ),
    ("get_agents", lambda _: {}, {}),
    ("get_conversations", lambda _: _AGENT, {}),
    ("get_conversation_history", lambda _: _AGENT, {}),
    ("search_conversations", lambda _: {**_AGENT, "query": CANARY}, {}),
    ("add_reference_key", lambda ids: {**_AGENT, "key_type": CANARY, "key_value": ids["message"]}, {}),
    ("get_reference_keys", lambda _: _AGENT, {}),
    (
        "log_correction",
        lambda ids: {
            **_AGENT,
            "correction_type": CANARY,
            "original_entry_id": ids["message"],
            "applied_automatically": True,
        },
        {},
    ),
    ("get_correction_logs", lambda _: _AGENT, {}),
    ("log_success_metric", lambda _: {**_AGENT, "metric_name": CANARY, "metric_value": 1}, {}),
    ("get_success_metrics", lambda _: _AGENT, {}),
    ("propose_decision", lambda ids: _draft(ids, f"One {CANARY}"), {"accepted": "proposal_id"}),
    ("propose_decision", lambda ids: _draft(ids, f"Two {CANARY}s"), {"proposal": "proposal_id"}),
    ("list_proposals", lambda _: {}, {}),
    ("reject_proposal", lambda ids: {"proposal_id": ids["proposal"], "reason": "One is enough."}, {}),
    ("accept_proposal", lambda ids: {"proposal_id": ids["accepted"]}, {}),
    ("propose_decision", lambda ids: _draft(ids, f"Three {CANARY}s"), {"proposal": "proposal_id"}),
    (
        "store_raw_dialogue",
        lambda _: {"session_id": f"{CANARY} trip", "speaker": "Ada", "content": f"I saw a {CANARY}."},
        {"dialogue": "id"},
    ),
    (
        "compress_to_l2_insight",
        lambda ids: {"content": f"Ada saw one {CANARY}.", "source_ids": [ids["dialogue"]]},
        {"insight": "id"},
    ),
    ("hybrid_search", lambda _: {"query_text": CANARY}, {}),
    ("get_insights", lambda ids: {"ids": [ids["insight"]]}, {}),
    ("get_dialogues", lambda _: {}, {}),
    ("update_working_memory", lambda _: {"content": f"Feed the {CANARY}."}, {"item": "added_id"}),
    ("get_working_memory", lambda _: {}, {}),
    ("archive_working_memory_item", lambda ids: {"item_id": ids["item"]}, {}),
    ("store_episode", lambda _: {"query": f"Where is the {CANARY}?", "reward": 1.0, "reflection": "There."}, {}),
    (
        "graph_add_node",
        lambda ids: {"label": "Animal", "name": f"{CANARY} thing", "vector_id": ids["insight"]},
        {},
    ),
    (
        "graph_add_edge",
        lambda _: {"source_name": f"{CANARY} thing", "target_name": "Neo4j", "relation": "LIKES"},
        {},
    ),
    ("graph_query_neighbors", lambda _: {"node_name": f"{CANARY} thing"}, {}),
    ("get_episodes", lambda _: {}, {}),
    ("graph_list_entities", lambda _: {"name_contains": CANARY}, {}),
    ("graph_find_path", lambda _: {"start_node": f"{CANARY} thing", "end_node": "Neo4j"}, {}),
    ("get_golden_test_results", lambda _: {}, {}),
    ("graph_add_node", lambda _: {"label": "Animal", "name": f"{CANARY} typo"}, {}),
    ("rename_entity", lambda _: {"name": f"{CANARY} typo", "new_name": f"{CANARY} twin", "reason": "A typo."}, {}),
    ("similar_entities", lambda _: {}, {}),
    ("graph_add_node", lambda _: {"label": "Animal", "name": f"{CANARY} other"}, {}),
    (
        "merge_entities",
        lambda _: {"keep": f"{CANARY} twin", "drop": f"{CANARY} other", "reason": "They are one."},
        {},
    ),
    ("save_memory", lambda _: _text(2), {"wrong": "id"}),
    ("retract", lambda ids: {"ids": [ids["wrong"]], "reason": "It was wrong."}, {"retraction": "change_id"}),
    ("undo", lambda ids: {"change_id": ids["retraction"]}, {}),
    ("erase", lambda ids: {"ids": [ids["wrong"]], "reason": "It was a secret."}, {"erasure": "change_id"}),
    ("changes", lambda _: {"since": "today"}, {}),
    ("resume", lambda _: _AGENT, {}),
)


async def tour(
    client: Client,
    app: App,
    driver: AsyncDriver,
    *,
    namespace: str,
    folder: Path,
    called: Called | None = None,
    ask: Ask | None = None,
) -> Ids:
    """Makes every call, by `ask` where given, tells each to `called`, and returns the ids that are left."""
    (app.settings.docs_roots[0] / f"{CANARY}.md").write_text(f"# The {CANARY}\n\nIt smiles, in {namespace}.\n")
    ids: Ids = {"entity": f"{CANARY} thing", "trip": f"{CANARY} trip", "agent": f"{CANARY} agent"}
    for tool, arguments, kept in CALLS:
        if tool == "accept_proposal":
            await _age(driver, ids[tool.removesuffix("_proposal") + "ed"])
        if tool == "get_golden_test_results":
            ids["truth"] = await _queries(app, namespace, folder)
        result = await (ask or client.call_tool)(tool, arguments(ids))
        assert not result.is_error, (tool, result.structured_content)
        answer = dict(result.structured_content or {})
        ids |= {name: answer[field] for name, field in kept.items()}
        if called:
            await called(tool)
    return ids


async def _age(driver: AsyncDriver, proposal: str) -> None:
    """Makes a proposal old enough to be accepted, which nothing of the product's own does."""
    await driver.execute_query(
        "MATCH (p:Proposal {id: $id}) SET p.first_observed_at = p.first_observed_at - duration('PT2H')",
        id=proposal,
        database_="neo4j",
    )


async def _queries(app: App, namespace: str, folder: Path) -> int:
    """A golden query, and a ground-truth query, whose id is returned: no tool makes one."""
    for kind in ("golden", "ground-truth"):
        file = folder / f"{kind}.jsonl"
        file.write_text(json.dumps({"query": f"Who saw a {CANARY}?", "expected": [f"Ada saw one {CANARY}."]}))
        summary = await ingest_queries(app.parts.graph, namespace, file, kind)
        assert summary.created == 1, summary.bad_records
    return int(summary.remarks[0].text.split()[-1])
