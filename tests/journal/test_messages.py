import json
import re
import uuid

import anyio
import pytest

from tests.agents import texts
from tests.conftest import Cypher
from tests.journal.conftest import Agent

pytestmark = pytest.mark.anyio
_FIELDS = {
    "conversation_id", "message_id", "agent_id", "user_id", "timestamp", "sender", "message_content", "message_type",
    "tool_info", "context_snapshot_id", "source_attribution_id",
}  # fmt: skip


@pytest.mark.proves("journal:texts")
async def test_a_message_is_confirmed_in_the_words_of_the_specification(agent: Agent) -> None:
    result = await agent.call("store_conversation_message", sender="user", message_content="Hello!")
    [text] = texts(result)
    confirmed = re.fullmatch(r"Conversation message stored with ID: (\S+)", text)
    assert confirmed
    assert uuid.UUID(confirmed[1]).version == 4
    assert result.structured_content is not None
    assert result.structured_content["conversation_id"] == confirmed[1]


async def test_what_was_stored_comes_back_whole(agent: Agent) -> None:
    context = await agent.ask("store_context", context_type="task", context_data={})
    source = await agent.ask("log_source_attribution", source_type="user_input", retrieval_timestamp=1)
    said = {
        "user_id": "user-123",
        "sender": "user",
        "message_content": "Grüße 🎉\n\0\t\"quoted\" 'and' $x {y} \\",
        "message_type": "tool_call",
        "tool_info": '{"tool_name": "x", "args": []}',
        "context_snapshot_id": context["context_id"],
        "source_attribution_id": source["attribution_id"],
    }
    stored = await agent.ask("store_conversation_message", **said)
    [message] = await agent.ask("get_conversation_history")
    assert set(message) == _FIELDS
    assert {name: message[name] for name in said} == said
    assert message["agent_id"] == "ada"
    assert message["conversation_id"] == stored["conversation_id"]
    assert isinstance(message["timestamp"], int)
    assert message["timestamp"] > 1_600_000_000_000, "epoch milliseconds"


async def test_what_was_left_out_is_null_and_what_was_empty_stays_empty(agent: Agent) -> None:
    await agent.call("store_conversation_message", sender="user", message_content="", tool_info="")
    await agent.call("store_conversation_message", sender="user", message_content="x", tool_info=None, user_id=None)
    empty, absent = await agent.ask("get_conversation_history")
    assert (empty["message_content"], empty["tool_info"], empty["message_type"]) == ("", "", "text")
    assert [absent[name] for name in ("tool_info", "user_id", "context_snapshot_id", "source_attribution_id")] == [
        None
    ] * 4


@pytest.mark.proves("journal:conversations")
async def test_each_message_is_a_conversation_of_its_own_unless_it_names_one(agent: Agent) -> None:
    for n in range(3):
        await agent.call("store_conversation_message", sender="user", message_content=f"alone {n}")
    for n in range(3):
        stored = await agent.ask(
            "store_conversation_message", sender="user", message_content=f"together {n}", conversation_id="talk"
        )
        assert stored["conversation_id"] == "talk"
    history = await agent.ask("get_conversation_history")
    assert len({message["conversation_id"] for message in history}) == 4
    assert len({message["message_id"] for message in history}) == 6
    together = await agent.ask("get_conversation_history", conversation_id="talk")
    assert [message["message_content"] for message in together] == ["together 0", "together 1", "together 2"]
    alone = await agent.ask("get_conversation_history", conversation_id=history[0]["conversation_id"])
    assert [message["message_content"] for message in alone] == ["alone 0"]


@pytest.mark.proves("journal:order")
async def test_history_is_oldest_first_and_read_in_pages(modern: Agent) -> None:
    for n in range(25):
        await modern.call("store_conversation_message", sender="user", message_content=str(n), conversation_id="c")
    for filters in ({}, {"conversation_id": "c"}):
        whole = await modern.ask("get_conversation_history", **filters)
        assert [message["message_content"] for message in whole] == [str(n) for n in range(25)]
        pages = [
            await modern.ask("get_conversation_history", limit=10, offset=offset, **filters)
            for offset in (0, 10, 20, 30)
        ]
        assert [len(page) for page in pages] == [10, 10, 5, 0]
        assert [message for page in pages for message in page] == whole


async def test_a_hundred_messages_are_the_default_page(modern: Agent) -> None:
    async with anyio.create_task_group() as tasks:
        for n in range(120):
            tasks.start_soon(_say, modern, f"{n:03}")
    page = await modern.ask("get_conversation_history")
    assert len(page) == 100
    rest = await modern.ask("get_conversation_history", offset=100, limit=1000)
    assert len(rest) == 20
    times = [message["timestamp"] for message in [*page, *rest]]
    assert times == sorted(times)


async def _say(agent: Agent, text: str) -> None:
    assert not (await agent.call("store_conversation_message", sender="user", message_content=text)).is_error


async def test_messages_of_one_millisecond_keep_the_order_they_were_stored_in(modern: Agent, cypher: Cypher) -> None:
    for n in range(12):
        await modern.call("store_conversation_message", sender="user", message_content=str(n))
    await cypher("MATCH (m:Message {namespace: $namespace}) SET m.created_at = datetime({epochMillis: 1})")
    history = await modern.ask("get_conversation_history", limit=7)
    history += await modern.ask("get_conversation_history", offset=7)
    assert [message["message_content"] for message in history] == [str(n) for n in range(12)]


@pytest.mark.proves("journal:references")
async def test_every_unknown_reference_is_named_and_nothing_is_stored(agent: Agent, cypher: Cypher) -> None:
    refused = await agent.refused(
        "store_conversation_message",
        sender="user",
        message_content="x",
        context_snapshot_id="nowhere",
        source_attribution_id=str(uuid.uuid4()),
        user_id="new-user",
        conversation_id="new-conversation",
    )
    assert refused["code"] == "InvalidParams"
    assert [problem["field"] for problem in refused["details"]["fields"]] == [
        "context_snapshot_id",
        "source_attribution_id",
    ]
    assert "context_snapshot_id" in refused["message"]
    assert await cypher("MATCH (n {namespace: $namespace}) WHERE NOT n:Sequence RETURN n.name AS name") == []


async def test_one_good_reference_does_not_excuse_a_bad_one(agent: Agent) -> None:
    context = await agent.ask("store_context", context_type="task", context_data={})
    refused = await agent.refused(
        "store_conversation_message",
        sender="user",
        message_content="x",
        context_snapshot_id=context["context_id"],
        source_attribution_id="nowhere",
    )
    assert [problem["field"] for problem in refused["details"]["fields"]] == ["source_attribution_id"]
    assert await agent.ask("get_conversation_history") == []


async def test_what_is_in_another_namespace_is_unknown(agent: Agent, namespace: str) -> None:
    context = await agent.ask("store_context", context_type="task", context_data={"secret": 1})
    source = await agent.ask("log_source_attribution", source_type="user_input", retrieval_timestamp=1)
    await agent.call("store_conversation_message", sender="user", message_content="ours", conversation_id="talk")
    async with agent.at(namespace=f"{namespace}-other").connected() as stranger:
        for field, id_ in (
            ("context_snapshot_id", context["context_id"]),
            ("source_attribution_id", source["attribution_id"]),
        ):
            refused = await stranger.refused(
                "store_conversation_message", sender="user", message_content="x", **{field: id_}
            )
            assert refused["details"]["fields"][0]["field"] == field
        assert await stranger.ask("get_conversation_history") == []
        assert await stranger.ask("get_conversation_history", conversation_id="talk") == []


async def test_another_agents_messages_are_not_ones_own(agent: Agent) -> None:
    await agent.call("store_conversation_message", sender="user", message_content="x", conversation_id="talk")
    await agent.call(
        "store_conversation_message", agent_id="bob", sender="user", message_content="y", conversation_id="talk"
    )
    own = await agent.ask("get_conversation_history", conversation_id="talk")
    theirs = await agent.ask("get_conversation_history", agent_id="bob", conversation_id="talk")
    assert ([m["message_content"] for m in own], [m["message_content"] for m in theirs]) == (["x"], ["y"])


async def test_a_message_of_a_mebibyte_is_read_back_whole(modern: Agent) -> None:
    text = "ä" + "x" * (1_048_576 - 1)
    await modern.call("store_conversation_message", sender="user", message_content=text)
    await modern.call("store_conversation_message", sender="user", message_content="after it")
    result = await modern.call("get_conversation_history")
    assert result.structured_content is not None
    assert result.structured_content["items"][0]["message_content"] == text
    assert json.loads(texts(result)[0]) == result.structured_content["items"]
    assert result.structured_content["left_out"] == texts(result)[1], "a cut answer says so"
    [after] = await modern.ask("get_conversation_history", offset=1)
    assert after["message_content"] == "after it"


@pytest.mark.proves("journal:connected")
async def test_a_message_is_connected_to_all_that_it_belongs_to(agent: Agent, cypher: Cypher) -> None:
    context = await agent.ask("store_context", context_type="task", context_data={})
    source = await agent.ask("log_source_attribution", source_type="user_input", retrieval_timestamp=1)
    await agent.call(
        "store_conversation_message",
        sender="user",
        user_id="grace",
        message_content="Connected to [[Neo4j]].",
        conversation_id="talk",
        context_snapshot_id=context["context_id"],
        source_attribution_id=source["attribution_id"],
    )
    rows = await cypher(
        "MATCH (m:Message {namespace: $namespace})-[edge]->(to) "
        "RETURN m.name AS caption, type(edge) AS type, labels(to)[0] AS label, to.name AS name"
    )
    assert {(row["type"], row["label"], row["name"]) for row in rows} == {
        ("IN", "JournalAgent", "ada"),
        ("IN", "JournalUser", "grace"),
        ("IN", "Session", "talk"),
        ("IN", "Context", "task v1"),
        ("EVIDENCED_BY", "Attribution", "user_input"),
        ("MENTIONS", "Entity", "Neo4j"),
    }
    assert {row["caption"] for row in rows} == {"Connected to [[Neo4j]]."}
