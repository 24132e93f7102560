"""Calls that name what another namespace holds, and what their answers are compared by."""

import json
import re
from collections.abc import Iterator
from typing import Any

from server.mcp.toolsets import TOOLSETS
from tests.interaction.calls import Ids

_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NEVER = {
    str: "00000000-0000-4000-8000-000000000000",
    int: 987_654_321,
}
"""Ids that never were, in the forms that there are."""


def asked_about(ids: Ids) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every argument that names something stored, naming something of another namespace."""
    why = {"title": "t", "target": "t", "rationale": "long enough"}
    mine = {"agent_id": "mine"}
    said = {**mine, "sender": "user", "message_content": "x"}
    for record in (ids["decision"], ids["entry"], ids["message"]):
        yield "supersede_decision", {**why, "old_decision_ids": [record]}
        yield "propose_decision", {**why, "confidence": 0.5, "evidence_ids": [record, "b", "c"]}
        suggested = {"evidence_ids": ["a", "b", "c"], "suggested_supersedes": [record]}
        yield "propose_decision", {**why, "confidence": 0.5, **suggested}
        yield "get_decisions", {"ids": [record]}
        yield "timeline", {"anchor_id": record}
        yield "get_entries", {"ids": [record]}
        yield "update_memory", {"id": record, "body": "x", "reason": "r"}
        yield "save_memory", {"text": "x", "supersedes": [record]}
        yield "graph_query_neighbors", {"node_name": record}
        yield "retract", {"ids": [record], "reason": "why"}
        yield "erase", {"ids": [record], "reason": "why"}
        yield "impact", {"of": record}
        yield "graph_find_path", {"start_node": record, "end_node": record}
        yield "add_reference_key", {**mine, "key_type": "k", "key_value": record}
        yield (
            "add_reference_key",
            {**mine, "key_type": "k", "key_value": "v", "associated_conversation_id": record},
        )
        corrected = {"correction_type": "c", "applied_automatically": True}
        yield "log_correction", {**mine, **corrected, "original_entry_id": record}
    for proposal in (ids["proposal"], ids["accepted"]):
        yield "accept_proposal", {"proposal_id": proposal}
        yield "reject_proposal", {"proposal_id": proposal, "reason": "r"}
        yield "get_decisions", {"ids": [proposal]}
        yield "graph_query_neighbors", {"node_name": proposal}
    for number in (ids["insight"], ids["dialogue"], ids["truth"]):
        yield "graph_add_node", {"label": "L", "name": "mine", "vector_id": number}
        yield "compress_to_l2_insight", {"content": "c", "source_ids": [number]}
        yield "get_insights", {"ids": [number]}
        yield "graph_query_neighbors", {"node_name": str(number)}
        yield "store_dual_judge_scores", {"query_id": number, "query": "q", "docs": [{"id": number, "content": "c"}]}
    yield "undo", {"change_id": ids["retraction"]}
    yield "rename_entity", {"name": ids["entity"], "new_name": "mine", "reason": "why"}
    yield "merge_entities", {"keep": "mine", "drop": ids["entity"], "reason": "why"}
    yield "similar_entities", {"name": ids["entity"]}
    yield "archive_working_memory_item", {"item_id": ids["item"]}
    yield "graph_query_neighbors", {"node_name": ids["entity"]}
    yield "graph_find_path", {"start_node": ids["entity"], "end_node": "Neo4j"}
    yield "store_conversation_message", {**said, "conversation_id": ids["conversation"]}
    yield "store_conversation_message", {**said, "context_snapshot_id": ids["context"]}
    yield "store_conversation_message", {**said, "source_attribution_id": ids["source"]}
    of = {"context_type": "c", "context_data": {}}
    yield "store_context", {**mine, **of, "parent_context_id": ids["context"]}
    agent = {"agent_id": ids["agent"]}
    yield "get_conversation_history", {**agent, "conversation_id": ids["conversation"]}
    yield "search_conversations", {**agent, "query": "hello"}
    yield "get_context", {**agent, "context_type": "c"}
    for name, tool in _TOOLS.items():
        if name.startswith("get_") and tool.input_schema().get("required") == ["agent_id"]:
            yield name, agent


def never_was(value: Any, ids: Ids) -> Any:
    """The same arguments with ids that never were."""
    if isinstance(value, dict):
        return {key: never_was(part, ids) for key, part in value.items()}
    if isinstance(value, list):
        return [never_was(part, ids) for part in value]
    if value in ids.values():
        return _NEVER[type(value)]
    return str(_NEVER[int]) if str(value) in {str(id_) for id_ in ids.values()} else value


def masked(answer: Any, arguments: Any) -> str:
    """An answer without what differs anyway: the ids that were asked about, and fresh ones."""
    told = json.dumps(answer, sort_keys=True)
    for value in leaves(arguments):
        asked = re.escape(json.dumps(value).strip('"'))
        told = re.sub(rf"(?<![\w-]){asked}(?![\w-])", "ASKED", told)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+Z?|decision_\w+|proposal_\w+|\b\d+\b", "FRESH", _UUID.sub("FRESH", told))


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    elif not isinstance(value, bool | float):
        yield value
