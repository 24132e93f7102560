"""The journal tools through a real MCP client of the whole application."""

import json
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent

from tests.interaction.conftest import Connect
from tests.interaction.tools import ANSWERS, ask, refused

pytestmark = pytest.mark.anyio

_WRITES: dict[str, dict[str, Any]] = {
    "store_conversation_message": {"sender": "user", "message_content": "The cat sleeps on the sofa."},
    "store_context": {"context_type": "task", "context_data": {"status": "in_progress"}},
    "add_reference_key": {"key_type": "document_id", "key_value": "doc-1"},
    "log_source_attribution": {"source_type": "user_input", "retrieval_timestamp": 1678886400000},
    "log_correction": {"correction_type": "user_feedback", "applied_automatically": False},
    "log_success_metric": {"metric_name": "task_completion_rate", "metric_value": 0.95},
}
_LISTS = {
    "store_conversation_message": "get_conversation_history",
    "store_context": "get_all_contexts",
    "add_reference_key": "get_reference_keys",
    "log_source_attribution": "get_source_attributions",
    "log_correction": "get_correction_logs",
    "log_success_metric": "get_success_metrics",
}


async def _call(client: Client, tool: str, **arguments: Any) -> tuple[CallToolResult, dict[str, Any], list[str]]:
    """Return the answer of a call that must succeed: the result, its structured content, its texts."""
    result = await client.call_tool(tool, {"agent_id": "ada", **arguments})
    assert not result.is_error, result.structured_content
    assert result.structured_content is not None
    return result, result.structured_content, [block.text for block in result.content if isinstance(block, TextContent)]


@pytest.mark.proves("JRN-5", "JRN-7", "JRN-12", "SVC-31")
async def test_every_record_is_confirmed_listed_and_fits_its_schema(client: Client) -> None:
    for write, arguments in _WRITES.items():
        _, stored, [text] = await _call(client, write, **arguments)
        jsonschema.validate(stored, ANSWERS[write])
        assert text.partition(" with ID: ")[2] in stored.values()
        _, listed, [items] = await _call(client, _LISTS[write])
        jsonschema.validate(listed, ANSWERS[_LISTS[write]])
        assert json.loads(items) == listed["items"]
        assert {name: listed["items"][0][name] for name in arguments} == arguments


@pytest.mark.proves("JRN-33")
async def test_a_context_is_the_structured_content_and_null_where_there_is_none(client: Client) -> None:
    await _call(client, "store_context", context_type="task", context_data={})
    for asked, version in (({}, 1), ({"version": 2}, None)):
        _, context, [text] = await _call(client, "get_context", context_type="task", **asked)
        jsonschema.validate(context, ANSWERS["get_context"])
        assert context.get("version") == version
        assert json.loads(text) == (context if version else None)


@pytest.mark.proves("JRN-21")
async def test_a_message_is_found_by_meaning_as_soon_as_it_is_searchable(client: Client) -> None:
    _, stored, _ = await _call(client, "store_conversation_message", **_WRITES["store_conversation_message"])
    assert stored["searchable"]
    _, found, _ = await _call(client, "search_conversations", query="a resting feline")
    assert [(item["message_id"], item["matched"]) for item in found["items"]] == [(stored["message_id"], ["meaning"])]


@pytest.mark.proves("JRN-43", "JRN-50")
async def test_a_correction_of_a_decision_is_among_the_neighbours_of_its_target(client: Client) -> None:
    decision = await ask(client, "record_decision", title="Use x", target="the way", rationale="It is known.")
    _, correction, _ = await _call(
        client,
        "log_correction",
        correction_type="user_feedback",
        original_entry_id=decision["decision_id"],
        reason="It was never x.",
        applied_automatically=False,
    )
    assert correction["corrects"] == ["Decision"]
    around = await ask(client, "graph_query_neighbors", node_name="the way", depth=2)
    found = {(each["label"], each["name"]) for each in around["neighbors"]}
    assert ("Correction", "user_feedback: It was never x.") in found


@pytest.mark.proves("JRN-10", "JRN-61", "JRN-65")
async def test_errors_have_the_code_name(client: Client, connect: Connect) -> None:
    error = (await refused(client, "store_context", agent_id="", context_type="t", context_data=[], more=1))["error"]
    assert error["code"] == "InvalidParams"
    assert {problem["field"] for problem in error["details"]["fields"]} == {"agent_id", "context_data", "more"}
    error = (await refused(client, "tavily_web_search", query="q"))["error"]
    assert error["code"] == "InternalError"
    assert error["message"].startswith("Tavily API key is not configured. Cannot perform search.")
    async with connect(role="viewer") as viewer:
        error = (await refused(viewer, "log_success_metric", agent_id="a", metric_name="m", metric_value=1))["error"]
    assert (error["code"], error["details"]["reason"]) == ("InvalidRequest", "PERMISSION_DENIED")
