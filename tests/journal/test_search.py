"""Words alone, and the pure parts; meaning is proved on the whole application, in tests/interaction."""

import itertools
from collections.abc import Sequence as Many

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.errors import EmbeddingUnavailable
from server.journal.search import fuse, snippet
from server.principals import Principal, Role
from server.vectors.remote import RemoteStore, connect
from tests.journal.conftest import Agent, Make

pytestmark = pytest.mark.anyio


async def test_what_is_not_projected_yet_is_found_by_its_words(agent: Agent) -> None:
    stored = await agent.ask("store_conversation_message", sender="user", message_content="The xylophone arrived.")
    assert stored["searchable"] is False
    [item] = await agent.ask("search_conversations", query="xylophone")
    assert (item["message_id"], item["matched"]) == (stored["message_id"], ["words"])


async def test_while_meanings_are_away_words_answer_and_the_answer_says_so(make: Make, namespace: str) -> None:
    away = RemoteStore(connect("http://127.0.0.1:1"), "precedent")
    principal = Principal("tester", "agent", Role.AGENT, namespace)

    class NoModel:
        name, dimension, fingerprint = "none", 1, "none"

        async def embed_query(self, text: str) -> list[float]:
            raise EmbeddingUnavailable("It is away.")

        async def embed_passages(self, texts: Many[str]) -> list[list[float]]:
            raise EmbeddingUnavailable("It is away.")

    for parts in ({"vectors": away}, {"embedder": NoModel()}):
        async with Agent(make(**parts), principal, "auto").connected() as agent:
            await agent.ask("store_conversation_message", sender="user", message_content="The xylophone arrived.")
            answer = (await agent.call("search_conversations", query="xylophone")).structured_content
            assert answer is not None
            assert answer["by_meaning"] is False
            assert {item["message_content"] for item in answer["items"]} == {"The xylophone arrived."}
    await away.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
    | st.sampled_from(['"', "a:b", "AND", "/x", "+", "the of and", "~*?", "(" * 50, "x " * 4_999, "ns0 scope:x"])
)
async def test_any_text_is_a_query(modern: Agent, query: str) -> None:
    assert not (await modern.call("search_conversations", query=query)).is_error


places = st.lists(st.sampled_from("abcdefghij"), unique=True)


@given(places, places)
def test_fused_scores_are_at_most_one_and_fall_with_the_place(meaning: list[str], words: list[str]) -> None:
    ranked = fuse(meaning, words)
    assert {hit.id for hit in ranked} == {*meaning, *words}
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)
    scores = {hit.id: hit.score for hit in ranked}
    for hit in ranked:
        assert 0 < hit.score <= 1
        assert hit.matched == tuple(name for name, ids in (("meaning", meaning), ("words", words)) if hit.id in ids)
    if meaning and words and meaning[0] == words[0]:
        assert scores[meaning[0]] == 1.0
    for better, worse in itertools.pairwise(meaning):
        if worse not in words:
            assert scores[better] > scores[worse]


@given(st.text(max_size=500), st.text(max_size=30))
def test_a_snippet_is_a_part_of_the_text_that_holds_a_shared_word(text: str, query: str) -> None:
    part = snippet(text, query)
    assert part.removeprefix("…").removesuffix("…") in text or part in text
    assert len(part) <= 202
    assert "needle" in snippet(f"{text} needle {text}", "needle")
