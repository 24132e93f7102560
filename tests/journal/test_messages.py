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


@pytest.mark.proves("JRN-5", "JRN-8")
async def test_a_message_is_confirmed_with_the_documented_sentence(agent: Agent) -> None:
    result = await agent.call("store_conversation_message", sender="user", message_content="Hello!")
    [text] = texts(result)
    confirmed = re.fullmatch(r"Conversation message stored with ID: (\S+)", text)
    assert confirmed
    assert uuid.UUID(confirmed[1]).version == 4
    assert result.structured_content is not None
    assert result.structured_content["conversation_id"] == confirmed[1]


@pytest.mark.proves("JRN-6")
async def test_the_sentence_has_the_message_id_where_the_caller_named_the_conversation(agent: Agent) -> None:
    ids = []
    for n in range(2):
        result = await agent.call(
            "store_conversation_message", sender="user", message_content=str(n), conversation_id="talk"
        )
        assert result.structured_content is not None
        ids.append(result.structured_content["message_id"])
        assert texts(result) == [f"Conversation message stored with ID: talk (message_id: {ids[n]})"]
    assert [message["message_id"] for message in await agent.ask("get_conversation_history")] == ids


@pytest.mark.proves("JRN-8", "JRN-12")
async def test_a_message_comes_back_unchanged(agent: Agent) -> None:
    context = await agent.ask("store_context", context_type="task", context_data={})
    source = await agent.ask("log_source_attribution", source_type="user_input", retrieval_timestamp=1)
    values = {
        "user_id": "user-123",
        "sender": "user",
        "message_content": "Grüße 🎉\n\0\t\"quoted\" 'and' $x {y} \\",
        "message_type": "tool_call",
        "tool_info": '{"tool_name": "x", "args": []}',
        "context_snapshot_id": context["context_id"],
        "source_attribution_id": source["attribution_id"],
    }
    stored = await agent.ask("store_conversation_message", **values)
    [message] = await agent.ask("get_conversation_history")
    assert set(message) == _FIELDS
    assert {name: message[name] for name in values} == values
    assert message["agent_id"] == "ada"
    assert message["conversation_id"] == stored["conversation_id"]
    assert isinstance(message["timestamp"], int)
    assert message["timestamp"] > 1_600_000_000_000, "epoch milliseconds"


@pytest.mark.proves("JRN-12", "JRN-13")
async def test_missing_values_are_null_and_empty_ones_stay_empty(agent: Agent) -> None:
    await agent.call("store_conversation_message", sender="user", message_content="", tool_info="")
    await agent.call("store_conversation_message", sender="user", message_content="x", tool_info=None, user_id=None)
    empty, absent = await agent.ask("get_conversation_history")
    assert (empty["message_content"], empty["tool_info"], empty["message_type"]) == ("", "", "text")
    assert [absent[name] for name in ("tool_info", "user_id", "context_snapshot_id", "source_attribution_id")] == [
        None
    ] * 4


@pytest.mark.proves("JRN-11")
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


@pytest.mark.proves("JRN-16")
async def test_history_is_oldest_first_and_read_in_pages(modern: Agent) -> None:
    for n in range(25):
        await modern.call("store_conversation_message", sender="user", message_content=str(n), conversation_id="c")
    for filters in ({}, {"conversation_id": "c"}):
        everything = await modern.ask("get_conversation_history", **filters)
        assert [message["message_content"] for message in everything] == [str(n) for n in range(25)]
        pages = [
            await modern.ask("get_conversation_history", limit=10, offset=offset, **filters)
            for offset in (0, 10, 20, 30)
        ]
        assert [len(page) for page in pages] == [10, 10, 5, 0]
        assert [message for page in pages for message in page] == everything


@pytest.mark.proves("JRN-7", "JRN-16")
async def test_history_is_read_newest_first_and_has_its_total(modern: Agent) -> None:
    for n in range(7):
        await modern.call("store_conversation_message", sender="user", message_content=str(n), conversation_id="c")
        await modern.call("store_conversation_message", sender="user", message_content=f"other {n}")
    result = await modern.call("get_conversation_history", conversation_id="c", order="newest", limit=3)
    answer = result.structured_content
    assert answer is not None
    assert [message["message_content"] for message in answer["items"]] == ["6", "5", "4"]
    assert (answer["total"], answer["next_offset"]) == (7, 3)
    assert texts(result)[1] == "3 of 7 items."
    for filters, total in (({"conversation_id": "c"}, 7), ({}, 14), ({"conversation_id": "none"}, 0)):
        forwards, backwards = [
            (await modern.call("get_conversation_history", order=order, **filters)).structured_content or {}
            for order in ("oldest", "newest")
        ]
        assert forwards["items"] == backwards["items"][::-1]
        assert (len(forwards["items"]), forwards["total"], forwards["next_offset"]) == (total, total, None)
    refused = await modern.refused("get_conversation_history", order="random")
    assert refused["details"]["fields"][0]["field"] == "order"


@pytest.mark.proves("JRN-3")
async def test_a_hundred_messages_are_the_default_page(modern: Agent) -> None:
    async with anyio.create_task_group() as tasks:
        for n in range(120):
            tasks.start_soon(_store, modern, f"{n:03}")
    page = await modern.ask("get_conversation_history")
    assert len(page) == 100
    rest = await modern.ask("get_conversation_history", offset=100, limit=1000)
    assert len(rest) == 20
    times = [message["timestamp"] for message in [*page, *rest]]
    assert times == sorted(times)


async def _store(agent: Agent, text: str) -> None:
    assert not (await agent.call("store_conversation_message", sender="user", message_content=text)).is_error


@pytest.mark.proves("JRN-17")
async def test_messages_of_one_millisecond_keep_the_order_they_were_stored_in(modern: Agent, cypher: Cypher) -> None:
    for n in range(12):
        await modern.call("store_conversation_message", sender="user", message_content=str(n))
    await cypher("MATCH (m:Message {namespace: $namespace}) SET m.created_at = datetime({epochMillis: 1})")
    history = await modern.ask("get_conversation_history", limit=7)
    history += await modern.ask("get_conversation_history", offset=7)
    assert [message["message_content"] for message in history] == [str(n) for n in range(12)]


@pytest.mark.proves("JRN-15")
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


@pytest.mark.proves("JRN-15")
async def test_an_unknown_reference_beside_a_known_one_is_refused(agent: Agent) -> None:
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


@pytest.mark.proves("JRN-15", "JRN-52")
async def test_records_of_another_namespace_are_unknown(agent: Agent, namespace: str) -> None:
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


@pytest.mark.proves("JRN-18")
async def test_messages_of_another_agent_are_not_listed(agent: Agent) -> None:
    await agent.call("store_conversation_message", sender="user", message_content="x", conversation_id="talk")
    await agent.call(
        "store_conversation_message", agent_id="bob", sender="user", message_content="y", conversation_id="talk"
    )
    own = await agent.ask("get_conversation_history", conversation_id="talk")
    theirs = await agent.ask("get_conversation_history", agent_id="bob", conversation_id="talk")
    assert ([m["message_content"] for m in own], [m["message_content"] for m in theirs]) == (["x"], ["y"])


@pytest.mark.proves("JRN-13", "JRN-46")
async def test_a_message_of_a_mebibyte_is_read_back_complete(modern: Agent) -> None:
    text = "ä" + "x" * (1_048_576 - 1)
    await modern.call("store_conversation_message", sender="user", message_content=text)
    await modern.call("store_conversation_message", sender="user", message_content="after it")
    result = await modern.call("get_conversation_history")
    assert result.structured_content is not None
    assert result.structured_content["items"][0]["message_content"] == text
    assert json.loads(texts(result)[0]) == result.structured_content["items"]
    assert texts(result)[1] == "1 of 2 items."
    assert texts(result)[2].startswith(result.structured_content["left_out"]), "a cut answer says what was left out"
    [after] = await modern.ask("get_conversation_history", offset=1)
    assert after["message_content"] == "after it"


@pytest.mark.proves("JRN-49")
async def test_a_message_is_connected_to_all_records_that_it_names(agent: Agent, cypher: Cypher) -> None:
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
