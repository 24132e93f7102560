import itertools
from collections.abc import Sequence as Many
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.errors import EmbeddingUnavailable
from server.journal.search import fuse, snippet
from server.principals import Principal, Role
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore, connect
from tests.journal.conftest import Agent, Cypher, Make

pytestmark = pytest.mark.anyio


async def _say(agent: Agent, *texts: str, **more: Any) -> list[str]:
    ids = []
    for text in texts:
        said = {"sender": "user", "message_content": text, **more}
        ids.append((await agent.ask("store_conversation_message", **said))["message_id"])
    return ids


async def _found(agent: Agent, query: str, **more: Any) -> list[str]:
    return [item["message_id"] for item in await agent.ask("search_conversations", query=query, **more)]


@pytest.mark.proves("journal:search")
async def test_what_was_said_is_found_by_meaning_and_by_words(agent: Agent, projector: Projector) -> None:
    cat, dog, bank = await _say(
        agent, "My cat sleeps all day on the sofa.", "The dog barks at the postman.", "Interest rates rose again."
    )
    await projector.drain()
    items = await agent.ask("search_conversations", query="a sleeping feline")
    assert items[0]["message_id"] == cat
    assert "meaning" in items[0]["matched"]
    items = await agent.ask("search_conversations", query="postman")
    assert items[0]["message_id"] == dog
    assert items[0]["matched"] == ["meaning", "words"]
    assert items[0]["score"] == 1.0, "first by meaning and by words"
    assert (await _found(agent, "money and the central bank"))[0] == bank


async def test_a_found_message_is_the_message_with_its_score_and_a_snippet(agent: Agent, projector: Projector) -> None:
    text = "Nothing here. " * 40 + "The password policy asks for twelve characters. " + "Nothing there. " * 40
    await _say(agent, text, conversation_id="talk", user_id="grace")
    await projector.drain()
    [item] = await agent.ask("search_conversations", query="password policy")
    [message] = await agent.ask("get_conversation_history")
    assert {name: item[name] for name in message} == message
    assert set(item) - set(message) == {"score", "matched", "snippet"}
    assert "password policy" in item["snippet"]
    assert len(item["snippet"]) <= 202


async def test_what_is_not_projected_yet_is_found_by_its_words(agent: Agent) -> None:
    [id_] = await _say(agent, "The xylophone arrived.")
    [item] = await agent.ask("search_conversations", query="xylophone")
    assert (item["message_id"], item["matched"]) == (id_, ["words"])


async def test_a_message_waits_to_be_searchable_and_says_that_it_is(
    make: Make, namespace: str, projector: Projector
) -> None:
    principal = Principal("tester", "agent", Role.AGENT, namespace)
    async with (
        Agent(make(searchable_wait=20.0), principal, "auto").connected() as agent,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(projector.run)
        with anyio.fail_after(30):
            while not (await agent.ask("store_conversation_message", sender="user", message_content="A cat."))[
                "searchable"
            ]:
                await anyio.lowlevel.checkpoint()
        assert (await agent.ask("search_conversations", query="feline"))[0]["matched"] == ["meaning"]
        tasks.cancel_scope.cancel()


async def test_only_ones_own_messages_are_found(agent: Agent, namespace: str, projector: Projector) -> None:
    [own] = await _say(agent, "Our cat is black.")
    await _say(agent, "Our cat is white.", agent_id="bob")
    async with agent.at(namespace=f"{namespace}-other").connected() as stranger:
        await _say(stranger, "Our cat is striped.")
        await projector.drain()
        assert await _found(agent, "what colour is the cat") == [own]
        assert await _found(stranger, "cat", agent_id="bob") == []


async def test_a_quiet_agent_is_heard_among_loud_ones(modern: Agent, projector: Projector, cypher: Cypher) -> None:
    """Other agents' messages, all nearer to the query, fill the first places by meaning."""
    [own] = await _say(modern, "We keep a pet that purrs.", user_id="grace")
    await cypher(
        "UNWIND range(1, 300) AS n CREATE (:Message:Unprojected {namespace: $namespace, id: 'loud-' + n, node_id: -n, "
        "agent_id: 'bob', sender: 'user', speaker: 'user', message_content: 'cat', revision: 1, scope: ''})"
    )
    await projector.drain()
    assert await _found(modern, "cat", limit=5) == [own]


async def test_what_the_graph_does_not_confirm_is_not_found(
    modern: Agent, projector: Projector, cypher: Cypher
) -> None:
    gone, changed = await _say(modern, "The cat is gone.", "The cat has changed.")
    await projector.drain()
    await cypher("MATCH (m:Message {namespace: $namespace, id: $id}) DETACH DELETE m", id=gone)
    await cypher(
        "MATCH (m:Message {namespace: $namespace, id: $id}) SET m.revision = 2, m.message_content = 'Dog.'", id=changed
    )
    assert await _found(modern, "cat") == []
    await projector.drain()


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
            await _say(agent, "The xylophone arrived.")
            answer = (await agent.call("search_conversations", query="xylophone")).structured_content
            assert answer is not None
            assert answer["by_meaning"] is False
            assert {item["message_content"] for item in answer["items"]} == {"The xylophone arrived."}
    await away.close()


async def test_the_limit_holds_and_equal_scores_have_one_order(modern: Agent, projector: Projector) -> None:
    await _say(modern, *["The same words."] * 12)
    await projector.drain()
    first = await _found(modern, "same words", limit=5)
    assert len(first) == 5
    assert await _found(modern, "same words", limit=5) == first
    assert len(await _found(modern, "same words", limit=100)) == 12


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
