"""Episodes: stored also without a vector store, found by their query, filtered exactly."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cognition.episodes import Episodes, build_scope_tag, list_scope_tags
from server.cognition.models import Episode, EpisodeStored, ReadEpisodes, StoreEpisode
from server.core.errors import VectorsUnavailable
from server.core.principals import Principal
from server.embedding.embedder import FastEmbedder
from server.parts import Parts
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
ASKED = "How do I sail to Madeira?"


class Experience:
    """The episodes of one principal."""

    def __init__(self, episodes: Episodes, caller: Principal) -> None:
        self._episodes = episodes
        self._caller = caller

    async def store(self, query: str, reward: float = 0.5, reflection: str = "Lesson: look it up.") -> EpisodeStored:
        arguments = {"query": query, "reward": reward, "reflection": reflection}
        return await self._episodes.store(StoreEpisode.parse(arguments), self._caller)

    async def find(self, query: str, **parameters: Any) -> list[Episode]:
        request = ReadEpisodes(query=query, **parameters)
        return await self._episodes.find_similar(request, self._caller, datetime.now(UTC))


@pytest.fixture
def experience(parts: Parts, caller: Principal) -> Experience:
    return Experience(Episodes(parts), caller)


@pytest.mark.proves("COG-19", "COG-46")
async def test_an_episode_is_stored_at_once_and_found_when_it_is_projected(
    experience: Experience, projector: Projector
) -> None:
    stored = await experience.store(ASKED, -1.0)
    assert stored.embedding_status == "pending"
    assert await experience.find(ASKED) == []
    await projector.drain()
    [episode] = await experience.find(ASKED)
    assert (episode.id, episode.reward, episode.created_at) == (stored.id, -1.0, stored.created_at)
    assert episode.similarity == pytest.approx(1.0, abs=1e-5)


@pytest.mark.proves("COG-46", "COG-50")
async def test_without_qdrant_an_episode_is_stored_and_none_is_compared(
    parts: Parts, caller: Principal, cypher: Cypher
) -> None:
    away = RemoteStore(connect_qdrant("http://127.0.0.1:1"), "precedent")
    try:
        projector = Projector(parts.graph, away, parts.embedder)
        experience = Experience(Episodes(replace(parts, vectors=away, projector=projector)), caller)
        stored = await experience.store(ASKED)
        assert stored.embedding_status == "pending"
        found = "MATCH (episode:Episode {namespace: $namespace}) RETURN episode.id AS id"
        assert await cypher(found) == [{"id": stored.id}]
        with pytest.raises(VectorsUnavailable):
            await experience.find(ASKED)
    finally:
        await away.close()


@pytest.mark.proves("COG-47")
async def test_similarity_is_the_cosine_of_what_was_asked(
    experience: Experience, projector: Projector, embedder: FastEmbedder
) -> None:
    await experience.store(ASKED, reflection="Lesson: something else entirely, which nobody compares.")
    await projector.drain()
    other = "What is the way to Madeira by boat?"
    [episode] = await experience.find(other)
    one, two = await embedder.embed_query(ASKED), await embedder.embed_query(other)
    assert episode.similarity == pytest.approx(sum(a * b for a, b in zip(one, two, strict=True)), abs=1e-3)


@pytest.mark.proves("COG-48")
async def test_what_passes_the_filters_is_found_however_many_are_more_alike(
    experience: Experience, projector: Projector
) -> None:
    for _ in range(20):
        await experience.store(ASKED, 0.30)
    wanted = await experience.store("How do I sail to Madeira in winter?", 0.326)
    await projector.drain()
    [found] = await experience.find(ASKED, top_k=1, reward_min=0.325)
    assert found.id == wanted.id
    assert await experience.find(ASKED, reward_min=0.327) == []


@pytest.mark.proves("COG-49")
async def test_of_equally_alike_ones_the_newest_comes_first(experience: Experience, projector: Projector) -> None:
    ids = [(await experience.store(ASKED)).id for _ in range(4)]
    await projector.drain()
    assert [episode.id for episode in await experience.find(ASKED, top_k=3)] == ids[:0:-1]


@pytest.mark.proves("COG-47")
async def test_a_long_query_is_one_episode_found_by_any_part_of_it(
    experience: Experience, projector: Projector
) -> None:
    long = "\n\n".join([ASKED, *(f"Note {number}: the weather was fair, the sea was calm." for number in range(150))])
    stored = await experience.store(long)
    await projector.drain()
    assert [episode.id for episode in await experience.find(ASKED, top_k=100, min_similarity=0)] == [stored.id]


@pytest.mark.proves("COG-45")
async def test_an_episode_mentions_what_its_query_and_its_reflection_name(
    experience: Experience, cypher: Cypher
) -> None:
    await cypher("CREATE (:Entity {namespace: $namespace, name: 'Madeira', name_key: 'madeira', node_id: 1})")
    await experience.store(ASKED, reflection="Lesson: ask [[Grace]] first.")
    mentioned = (
        "MATCH (:Episode {namespace: $namespace})-[:MENTIONS]->(entity) RETURN entity.name AS name ORDER BY name"
    )
    assert await cypher(mentioned) == [{"name": "Grace"}, {"name": "Madeira"}]


_REWARDS = st.floats(-1, 1) | st.integers(-100, 100).map(lambda hundredths: hundredths / 100)


@pytest.mark.proves("COG-48")
@given(reward=_REWARDS, reward_min=_REWARDS)
def test_no_episode_of_enough_reward_is_left_out_where_candidates_are_gathered(
    reward: float, reward_min: float
) -> None:
    carried = build_scope_tag("n", reward_min) in list_scope_tags("n", reward)
    if reward >= reward_min:
        assert carried
    if reward_min - reward >= 0.1 + 1e-9:
        assert not carried
