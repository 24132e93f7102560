"""Episodes: stored whatever is down, found by what was asked, filtered exactly."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cognition.episodes import Episodes, narrowest, scopes
from server.cognition.models import Episode, EpisodeStored, ReadEpisodes, StoreEpisode
from server.cognition.settings import CognitionSettings
from server.embedding.embedder import FastEmbedder
from server.errors import VectorsUnavailable
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
ASKED = "How do I sail to Madeira?"


class Experience:
    """What one principal tried, and what it looks for."""

    def __init__(self, episodes: Episodes, caller: Principal) -> None:
        self._episodes = episodes
        self._caller = caller

    async def store(self, query: str, reward: float = 0.5, reflection: str = "Lesson: look it up.") -> EpisodeStored:
        told = {"query": query, "reward": reward, "reflection": reflection}
        return await self._episodes.store(StoreEpisode.parse(told), self._caller)

    async def like(self, query: str, **parameters: Any) -> list[Episode]:
        return await self._episodes.like(ReadEpisodes(query=query, **parameters), self._caller, datetime.now(UTC))


@pytest.fixture
def experience(  # noqa: PLR0917 - pytest hands fixtures by name
    graph: Graph,
    sequence: IdSequence,
    vectors: EdgeStore,
    embedder: FastEmbedder,
    projector: Projector,
    caller: Principal,
) -> Experience:
    settings = CognitionSettings(searchable_wait=0, fidelity_threshold=0.5)
    parts: dict[str, Any] = {"vectors": vectors, "embedder": embedder, "projector": projector}
    return Experience(Episodes(graph, sequence, **parts, settings=settings), caller)


async def test_an_episode_is_stored_at_once_and_found_when_it_is_projected(
    experience: Experience, projector: Projector
) -> None:
    stored = await experience.store(ASKED, -1.0)
    assert stored.embedding_status == "pending"
    assert await experience.like(ASKED) == []
    await projector.drain()
    [episode] = await experience.like(ASKED)
    assert (episode.id, episode.reward, episode.created_at) == (stored.id, -1.0, stored.created_at)
    assert episode.similarity == pytest.approx(1.0, abs=1e-5)


async def test_without_qdrant_an_episode_is_stored_and_none_is_compared(
    graph: Graph, sequence: IdSequence, embedder: FastEmbedder, caller: Principal, cypher: Cypher
) -> None:
    away = RemoteStore(connect_qdrant("http://127.0.0.1:1"), "precedent")
    try:
        episodes = Episodes(
            graph,
            sequence,
            vectors=away,
            embedder=embedder,
            projector=Projector(graph, away, embedder),
            settings=CognitionSettings(searchable_wait=0, fidelity_threshold=0.5),
        )
        experience = Experience(episodes, caller)
        stored = await experience.store(ASKED)
        assert stored.embedding_status == "pending"
        found = "MATCH (episode:Episode {namespace: $namespace}) RETURN episode.id AS id"
        assert await cypher(found) == [{"id": stored.id}]
        with pytest.raises(VectorsUnavailable):
            await experience.like(ASKED)
    finally:
        await away.close()


async def test_similarity_is_the_cosine_of_what_was_asked(
    experience: Experience, projector: Projector, embedder: FastEmbedder
) -> None:
    await experience.store(ASKED, reflection="Lesson: something else entirely, which nobody compares.")
    await projector.drain()
    other = "What is the way to Madeira by boat?"
    [episode] = await experience.like(other)
    one, two = await embedder.embed_query(ASKED), await embedder.embed_query(other)
    assert episode.similarity == pytest.approx(sum(a * b for a, b in zip(one, two, strict=True)), abs=1e-3)


async def test_what_passes_the_filters_is_found_however_many_are_more_alike(
    experience: Experience, projector: Projector
) -> None:
    for _ in range(20):
        await experience.store(ASKED, 0.30)
    wanted = await experience.store("How do I sail to Madeira in winter?", 0.326)
    await projector.drain()
    [found] = await experience.like(ASKED, top_k=1, reward_min=0.325)
    assert found.id == wanted.id
    assert await experience.like(ASKED, reward_min=0.327) == []


async def test_of_equally_alike_ones_the_newest_comes_first(experience: Experience, projector: Projector) -> None:
    ids = [(await experience.store(ASKED)).id for _ in range(4)]
    await projector.drain()
    assert [episode.id for episode in await experience.like(ASKED, top_k=3)] == ids[:0:-1]


async def test_a_long_query_is_one_episode_found_by_any_part_of_it(
    experience: Experience, projector: Projector
) -> None:
    long = "\n\n".join([ASKED, *(f"Note {number}: the weather was fair, the sea was calm." for number in range(150))])
    stored = await experience.store(long)
    await projector.drain()
    assert [episode.id for episode in await experience.like(ASKED, top_k=100, min_similarity=0)] == [stored.id]


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


@given(reward=_REWARDS, reward_min=_REWARDS)
def test_no_episode_of_enough_reward_is_left_out_where_candidates_are_gathered(
    reward: float, reward_min: float
) -> None:
    carried = narrowest("n", reward_min) in scopes("n", reward)
    if reward >= reward_min:
        assert carried
    if reward_min - reward >= 0.1 + 1e-9:
        assert not carried
