"""The search of messages by meaning and words, on the whole application with a running projector."""

from typing import Any

import anyio
import pytest
from mcp import Client
from neo4j import AsyncDriver

from server.retrieval.search import POOL_SIZE
from tests.interaction.conftest import Connect

pytestmark = pytest.mark.anyio


async def _store(client: Client, *texts: str, **more: Any) -> list[str]:
    """Store messages that can be found by meaning; return their ids."""
    ids = []
    for text in texts:
        arguments = {"agent_id": "ada", "sender": "user", "message_content": text, **more}
        stored = (await client.call_tool("store_conversation_message", arguments)).structured_content
        assert stored is not None
        assert stored["searchable"]
        ids.append(stored["message_id"])
    return ids


async def _found(client: Client, query: str, **more: Any) -> list[dict[str, Any]]:
    result = await client.call_tool("search_conversations", {"agent_id": "ada", "query": query, **more})
    assert result.structured_content is not None
    assert result.structured_content["by_meaning"]
    items: list[dict[str, Any]] = result.structured_content["items"]
    return items


async def _ids(client: Client, query: str, **more: Any) -> list[str]:
    return [item["message_id"] for item in await _found(client, query, **more)]


@pytest.mark.proves("JRN-19")
async def test_messages_are_found_by_meaning_and_by_words(client: Client) -> None:
    cat, dog, bank = await _store(
        client, "My cat sleeps all day on the sofa.", "The dog barks at the postman.", "Interest rates rose again."
    )
    first, *_ = await _found(client, "a feline that is resting")
    assert (first["message_id"], first["matched"]) == (cat, ["meaning"])
    first, *_ = await _found(client, "postman")
    assert (first["message_id"], first["matched"]) == (dog, ["meaning", "words"])
    assert (await _ids(client, "money and the central bank"))[0] == bank


@pytest.mark.proves("JRN-20")
async def test_a_found_message_is_the_message_with_its_score_and_a_snippet(client: Client) -> None:
    text = "Nothing here. " * 40 + "The password policy asks for twelve characters. " + "Nothing there. " * 40
    await _store(client, text, conversation_id="talk", user_id="grace")
    [item] = await _found(client, "password policy")
    history = (await client.call_tool("get_conversation_history", {"agent_id": "ada"})).structured_content
    assert history is not None
    [message] = history["items"]
    assert {name: item[name] for name in message} == message
    assert set(item) - set(message) == {"score", "matched", "snippet"}
    assert "password policy" in item["snippet"]
    assert len(item["snippet"]) <= 202


@pytest.mark.proves("JRN-22")
async def test_a_message_is_found_by_its_user(client: Client) -> None:
    [grace] = await _store(client, "I like tea.", user_id="Grace")
    await _store(client, "I like coffee.", user_id="Barbara")
    assert (await _found(client, "Grace"))[0]["message_id"] == grace


@pytest.mark.proves("JRN-25", "JRN-52")
async def test_only_messages_of_the_agent_and_namespace_are_found(client: Client, connect: Connect) -> None:
    own = await _store(client, "Our cat is black.")
    await _store(client, "Our cat is white.", agent_id="bob")
    async with connect(elsewhere="-other") as stranger:
        await _store(stranger, "Our cat is striped.")
        assert await _ids(client, "what colour is the cat") == own
        assert await _ids(stranger, "cat", agent_id="bob") == []


@pytest.mark.proves("JRN-25")
@pytest.mark.parametrize("era", ["2026-07-28"], indirect=True)  # the first test shows that eras differ in nothing
async def test_messages_of_other_agents_take_no_room_among_the_candidates(client: Client) -> None:
    """The messages of another agent are nearer to the query and would fill the candidates."""
    own = await _store(client, "We keep a pet that purrs.")
    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(lambda: _store(client, *["cat"] * ((POOL_SIZE + 20) // 10), agent_id="bob"))
    assert len(await _ids(client, "cat", agent_id="bob", limit=80)) == 80
    assert await _ids(client, "cat", limit=5) == own


@pytest.mark.proves("JRN-23")
async def test_a_message_is_found_by_the_messages_next_to_it(client: Client) -> None:
    _, tea, _ = await _store(
        client, "And in the morning, at breakfast?", "Tea, always.", "Right.", conversation_id="talk"
    )
    found = {item["message_id"]: item["matched"] for item in await _found(client, "tea at breakfast")}
    assert found[tea] == ["meaning", "words", "neighbour"]


@pytest.mark.proves("JRN-24")
async def test_a_long_message_is_found_by_each_of_its_parts(client: Client) -> None:
    [report] = await _store(
        client, "Nothing to tell here. " * 30 + "The badger sleeps underground. " + "And nothing there. " * 30
    )
    await _store(client, "Badgers are not in the garden.")
    [item] = [item for item in await _found(client, "where does it live underground") if item["message_id"] == report]
    assert "The badger sleeps underground." in item["snippet"]


@pytest.mark.proves("JRN-29")
async def test_what_the_graph_does_not_confirm_is_not_found(
    client: Client, driver: AsyncDriver, namespace: str
) -> None:
    gone, there = await _store(client, "The cat is gone.", "The cat is there.")
    await driver.execute_query(
        "MATCH (m:Message {namespace: $namespace, id: $gone}) DETACH DELETE m",
        {"namespace": namespace, "gone": gone},
        database_="neo4j",
    )
    assert await _ids(client, "feline") == [there]


@pytest.mark.proves("JRN-30")
async def test_the_limit_holds_and_equal_scores_have_one_order(client: Client) -> None:
    await _store(client, *["The same words."] * 12)
    first = await _ids(client, "same words", limit=5)
    assert len(first) == 5
    assert await _ids(client, "same words", limit=5) == first
    assert len(await _ids(client, "same words", limit=100)) == 12
