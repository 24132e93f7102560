"""Words alone, and the pure parts; meaning is proved on the whole application, in tests/interaction."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.errors import EmbeddingUnavailable
from server.principals import Principal, Role
from server.vectors.remote import RemoteStore, connect
from tests.journal.conftest import Agent, Make

pytestmark = pytest.mark.anyio


async def test_what_is_not_projected_yet_is_found_by_its_words(agent: Agent) -> None:
    stored = await agent.ask("store_conversation_message", sender="user", message_content="The xylophone arrived.")
    assert stored["searchable"] is False
    [item] = await agent.ask("search_conversations", query="xylophone")
    assert (item["message_id"], item["matched"]) == (stored["message_id"], ["words"])


async def test_words_that_everybody_says_find_nothing(modern: Agent) -> None:
    for text in ("When did he go there?", "The xylophone is out of tune."):
        await modern.ask("store_conversation_message", sender="user", message_content=text)
    [item] = await modern.ask("search_conversations", query="When did he tune the xylophone?")
    assert item["message_content"] == "The xylophone is out of tune."
    assert await modern.ask("search_conversations", query="When did he?") == []


async def test_what_was_said_in_the_conversation_of_a_good_answer_comes_before_the_same_words_elsewhere(
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


async def test_while_meanings_are_away_words_answer_and_the_answer_says_so(make: Make, namespace: str) -> None:
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


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
    | st.sampled_from(['"', "a:b", "AND", "/x", "+", "the of and", "~*?", "(" * 50, "x " * 4_999, "ns0 scope:x"])
)
async def test_any_text_is_a_query(modern: Agent, query: str) -> None:
    assert not (await modern.call("search_conversations", query=query)).is_error
