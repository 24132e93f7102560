"""The search of messages by words alone; search by meaning is tested on the whole application."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.errors import EmbeddingUnavailable
from server.core.principals import Principal, Role
from server.vectors.remote import RemoteStore, connect
from tests.journal.conftest import Agent, Make

pytestmark = pytest.mark.anyio


@pytest.mark.proves("JRN-21")
async def test_a_message_without_vectors_is_found_by_words(agent: Agent) -> None:
    stored = await agent.ask("store_conversation_message", sender="user", message_content="The xylophone arrived.")
    assert stored["searchable"] is False
    [item] = await agent.ask("search_conversations", query="xylophone")
    assert (item["message_id"], item["matched"]) == (stored["message_id"], ["words"])


@pytest.mark.proves("JRN-22")
@pytest.mark.parametrize(("sender", "name"), [("user", "grace"), ("agent", "ada")])
async def test_a_message_is_found_by_the_name_of_its_speaker(modern: Agent, sender: str, name: str) -> None:
    stored = await modern.ask("store_conversation_message", sender=sender, user_id="grace", message_content="Tea.")
    [item] = await modern.ask("search_conversations", query=name)
    assert item["message_id"] == stored["message_id"]


@pytest.mark.proves("JRN-24")
async def test_a_blank_message_is_found_by_its_type(modern: Agent) -> None:
    await modern.ask("store_conversation_message", sender="agent", message_content=" ", message_type="tool_call")
    [item] = await modern.ask("search_conversations", query="tool call")
    assert item["message_type"] == "tool_call"


@pytest.mark.proves("JRN-26")
async def test_common_words_find_nothing(modern: Agent) -> None:
    for text in ("When did he go there?", "The xylophone is out of tune."):
        await modern.ask("store_conversation_message", sender="user", message_content=text)
    [item] = await modern.ask("search_conversations", query="When did he tune the xylophone?")
    assert item["message_content"] == "The xylophone is out of tune."
    assert await modern.ask("search_conversations", query="When did he?") == []


@pytest.mark.proves("JRN-23", "JRN-30")
async def test_a_message_in_a_matching_conversation_ranks_before_the_same_text_elsewhere(
    modern: Agent,
) -> None:
    for conversation, text in (("music", "Birch wood?"), ("music", "A xylophone of wood."), ("garden", "Birch wood?")):
        await modern.ask(
            "store_conversation_message", sender="user", message_content=text, conversation_id=conversation
        )
    items = await modern.ask("search_conversations", query="xylophone wood")
    assert [(item["conversation_id"], item["message_content"]) for item in items] == [
        ("music", "A xylophone of wood."),
        ("music", "Birch wood?"),
        ("garden", "Birch wood?"),
    ]
    scores = [item["score"] for item in items]
    assert scores == sorted(scores, reverse=True)
    assert await modern.ask("search_conversations", query="xylophone wood", limit=2) == items[:2]


@pytest.mark.proves("JRN-27")
async def test_while_meaning_is_unavailable_words_answer_and_by_meaning_is_false(make: Make, namespace: str) -> None:
    away = RemoteStore(connect("http://127.0.0.1:1"), "precedent")
    principal = Principal("tester", "agent", Role.AGENT, namespace)

    class NoModel:
        name, dimension, fingerprint = "none", 1, "none"

        async def embed_query(self, text: str) -> list[float]:
            raise EmbeddingUnavailable("It is away.")

        async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
            raise EmbeddingUnavailable("It is away.")

    for parts in ({"vectors": away}, {"embedder": NoModel()}):
        async with Agent(make(**parts), principal, "auto").connected() as agent:
            await agent.ask("store_conversation_message", sender="user", message_content="The xylophone arrived.")
            answer = (await agent.call("search_conversations", query="xylophone")).structured_content
            assert answer is not None
            assert answer["by_meaning"] is False
            assert {item["message_content"] for item in answer["items"]} == {"The xylophone arrived."}
    await away.close()


@pytest.mark.proves("JRN-28")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
    | st.sampled_from(['"', "a:b", "AND", "/x", "+", "the of and", "~*?", "(" * 50, "x " * 4_999, "ns0 scope:x"])
)
async def test_any_text_is_a_query(modern: Agent, query: str) -> None:
    assert not (await modern.call("search_conversations", query=query)).is_error
