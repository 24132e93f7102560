"""Lists are read page by page: nothing is skipped or repeated."""

from typing import Any

import anyio
import pytest

from tests.agents import texts
from tests.conftest import Cypher
from tests.journal.conftest import Agent

pytestmark = pytest.mark.anyio
_MANY = 150
_MESSAGE = "store_conversation_message", {"sender": "user"}
# For each list: the tool that stores a record, its arguments, the field that identifies a record, the list's tool.
_LISTS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "history": (*_MESSAGE, "message_content", "get_conversation_history"),
    "conversations": (*_MESSAGE, "conversation_id", "get_conversations"),
    "contexts": ("store_context", {"context_data": {}}, "context_type", "get_all_contexts"),
    "references": ("add_reference_key", {"key_type": "t"}, "key_value", "get_reference_keys"),
    "attributions": (
        "log_source_attribution",
        {"source_type": "t", "retrieval_timestamp": 1},
        "source_uri",
        "get_source_attributions",
    ),
    "corrections": (
        "log_correction",
        {"correction_type": "t", "applied_automatically": True},
        "reason",
        "get_correction_logs",
    ),
    "metrics": ("log_success_metric", {"metric_name": "m", "metric_value": 1}, "unit", "get_success_metrics"),
}


async def _filled(agent: Agent, name: str) -> set[str]:
    """Store many records of a kind, eight at a time; return the values that identify them."""
    tool, arguments, field, _ = _LISTS[name]
    marks = [f"{n:03} {'x' * 150}" for n in range(_MANY)]
    if tool == "store_conversation_message" and field != "message_content":
        arguments = {**arguments, "message_content": "x"}
    left = iter(marks)

    async def store() -> None:
        for mark in left:
            result = await agent.call(tool, **{**arguments, field: mark})
            assert not result.is_error, texts(result)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(store)
    return set(marks)


@pytest.mark.proves("JRN-45")
@pytest.mark.parametrize("name", _LISTS)
async def test_following_next_offset_returns_every_record_once(modern: Agent, name: str) -> None:
    marks = await _filled(modern, name)
    _, _, field, tool = _LISTS[name]
    for limit in (40, 1_000):
        seen: list[str] = []
        cut = False
        offset: int | None = 0
        while offset is not None:
            result = await modern.call(tool, limit=limit, offset=offset)
            answer = result.structured_content
            assert answer is not None
            seen += [item[field] for item in answer["items"]]
            cut = cut or answer.get("truncated", False)
            offset = answer["next_offset"]
        assert cut is (limit > 40), "of the larger page only a part fits into one answer"
        assert (len(seen), set(seen)) == (_MANY, marks)
    last = await modern.call(tool, limit=10, offset=_MANY)
    assert (last.structured_content or {})["items"] == []
    assert (last.structured_content or {})["next_offset"] is None


@pytest.mark.proves("JRN-47", "JRN-52")
async def test_agents_are_listed_with_their_counts_the_last_active_first(modern: Agent, namespace: str) -> None:
    assert await modern.ask("get_agents") == []
    for agent_id in ("bob", "ada", "Zoë 🎉", "bob"):
        await modern.call("store_conversation_message", agent_id=agent_id, sender="user", message_content="x")
    await modern.call("store_context", agent_id="ada", context_type="t", context_data={})
    await modern.call("log_success_metric", agent_id="eve", metric_name="m", metric_value=1)
    await modern.call("store_context", agent_id="Zoë 🎉", context_type="t", context_data={})
    agents = await modern.ask("get_agents")
    assert [(each["agent_id"], each["messages"], each["contexts"]) for each in agents] == [
        ("Zoë 🎉", 1, 1),
        ("eve", 0, 0),
        ("ada", 1, 1),
        ("bob", 2, 0),
    ]
    times = [each["last_activity"] for each in agents]
    assert times == sorted(times, reverse=True)
    [message] = await modern.ask("get_conversation_history", order="newest", limit=1, agent_id="bob")
    assert times[-1] == message["timestamp"]
    first = (await modern.call("get_agents", limit=3)).structured_content or {}
    rest = (await modern.call("get_agents", limit=3, offset=first["next_offset"])).structured_content or {}
    assert (first["items"] + rest["items"], rest["next_offset"]) == (agents, None)
    async with modern.at(namespace=f"{namespace}-other").connected() as stranger:
        assert await stranger.ask("get_agents") == []


@pytest.mark.proves("JRN-48", "JRN-52")
async def test_conversations_are_listed_with_their_times_the_last_active_first(
    modern: Agent, namespace: str, cypher: Cypher
) -> None:
    for n, conversation in enumerate(("morning", "evening", "morning", None)):
        named = {} if conversation is None else {"conversation_id": conversation}
        await modern.call("store_conversation_message", sender="user", message_content=f"said {n}", **named)
    await modern.call(
        "store_conversation_message", agent_id="bob", sender="user", message_content="x", conversation_id="evening"
    )
    await cypher(
        "MATCH (m:Message {namespace: $namespace}) "
        "SET m.created_at = datetime({epochMillis: 1000 + toInteger(coalesce(split(m.message_content, ' ')[1], '9'))})"
    )
    [alone, morning, evening] = await modern.ask("get_conversations")
    expected = {"messages": 1, "first_timestamp": 1003, "last_timestamp": 1003, "opening": "said 3"}
    assert {**alone, "conversation_id": ""} == {**expected, "conversation_id": ""}
    assert morning == {
        "conversation_id": "morning",
        "messages": 2,
        "first_timestamp": 1000,
        "last_timestamp": 1002,
        "opening": "said 0",
    }
    assert (evening["conversation_id"], evening["messages"]) == ("evening", 1), "another agent's message is not counted"
    history = await modern.ask("get_conversation_history", conversation_id=alone["conversation_id"])
    assert [message["message_content"] for message in history] == ["said 3"]
    assert await modern.ask("get_conversations", agent_id="nobody") == []
    async with modern.at(namespace=f"{namespace}-other").connected() as stranger:
        assert await stranger.ask("get_conversations") == []
