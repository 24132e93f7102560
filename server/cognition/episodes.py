"""Episodes: what was asked or tried, how it went, and what was learned from it.

Source: cognitive.md "store_episode", "memory://episode-memory"; open-questions.md "cognitive.md". An episode is found
by its query alone; what its query and its reflection name, it mentions. It is stored also while no vectors can be made
(design.md sections 1 and 4: the projector follows), and the answer says `pending` then.

A search narrows to namespace, days and reward where Qdrant looks: an episode carries one word for each tenth of reward
that it reaches. The graph confirms what is found and compares exactly; where that leaves too few, more are asked for.
"""

from datetime import UTC, datetime
from math import floor

from server.cognition.fields import days_ago
from server.cognition.models import Episode, EpisodeStored, ReadEpisodes, StoreEpisode
from server.cognition.settings import CognitionSettings
from server.embedding.embedder import Embedder
from server.fields import captioned, iso, milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.retrieval.scope import family_word, record_of
from server.retrieval.search import KIND
from server.retrieval.writing import PassageWriter, searchable, store
from server.types import Row
from server.vectors.projector import Projector
from server.vectors.store import VectorStore

_FAMILY = "episode"
_LOWEST = -10
"""The lowest reward, in tenths."""
_MORE = 4
"""How many times as many are asked for as before, where the graph confirms too few."""


class Episodes:
    """Stores episodes and finds those that are like what is asked."""

    def __init__(
        self,
        graph: Graph,
        sequence: IdSequence,
        *,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        settings: CognitionSettings,
    ) -> None:
        self._graph = graph
        self._vectors = vectors
        self._embedder = embedder
        self._projector = projector
        self._settings = settings
        self._passages = PassageWriter(graph, sequence)

    async def store(self, request: StoreEpisode, caller: Principal) -> EpisodeStored:
        """Stores an episode, and waits a moment until it can be found."""
        prepared = await self._passages.prepare(caller.namespace, request.query, also=request.reflection)
        at = datetime.now(UTC)
        found_by = prepared.found_by(scopes=scopes(caller.namespace, request.reward), at=milliseconds(at))

        async def work(transaction: Transaction) -> None:
            row = await transaction.one(
                "cognition/store_episode",
                namespace=caller.namespace,
                id=prepared.number,
                name=captioned(request.query),
                at=at,
                by=caller.name,
                **request.model_dump(),
            )
            assert row is not None
            await store(transaction, prepared, row["element"], found_by)

        await self._graph.transaction(work)
        found = await searchable(self._projector, prepared, self._settings.searchable_wait)
        return EpisodeStored(
            id=prepared.number,
            embedding_status="success" if found else "pending",
            query=request.query,
            reward=request.reward,
            created_at=iso(milliseconds(at)),
        )

    async def like(self, request: ReadEpisodes, caller: Principal, now: datetime) -> list[Episode]:
        """Returns the episodes most like a query, best first; of equal ones the newest, then the highest id.

        Raises `EmbeddingUnavailable` or `VectorsUnavailable`: without meanings, nothing can be compared.
        """
        vector = await self._embedder.embed_query(request.query)
        since = days_ago(request.days_back, now)
        limit = _MORE * request.top_k
        while True:
            hits = await self._vectors.search(
                vector,
                limit,
                namespace=caller.namespace,
                kinds=[KIND],
                scope=narrowest(caller.namespace, request.reward_min),
                since=milliseconds(since),
            )
            alike: dict[int, float] = {}
            for hit in hits:
                record, similarity = record_of(hit.scope), min(1.0, max(0.0, hit.score))
                if record is not None and similarity >= request.min_similarity:
                    alike.setdefault(record, similarity)
            rows = await self._graph.run(
                "cognition/episodes",
                namespace=caller.namespace,
                ids=list(alike),
                since=since,
                reward_min=request.reward_min,
            )
            there_may_be_more = len(hits) == limit and hits[-1].score >= request.min_similarity
            if len(rows) >= request.top_k or not there_may_be_more:
                break
            limit *= _MORE
        rows.sort(key=lambda row: (alike[row["id"]], row["created_at"], row["id"]), reverse=True)
        return [_episode(row, alike[row["id"]]) for row in rows[: request.top_k]]


def _episode(row: Row, similarity: float) -> Episode:
    return Episode(**{**row, "created_at": iso(row["created_at"])}, similarity=round(similarity, 6))


def scopes(namespace: str, reward: float) -> list[str]:
    """The words that an episode is narrowed by: of the family, and one for each tenth of reward up to its own."""
    return [
        family_word(_FAMILY, namespace),
        *(_reward_word(namespace, tenths) for tenths in range(_LOWEST, _tenths(reward) + 1)),
    ]


def narrowest(namespace: str, reward_min: float | None) -> str:
    """The word that every episode of at least this reward carries; some of less than a tenth below it do as well."""
    return family_word(_FAMILY, namespace) if reward_min is None else _reward_word(namespace, _tenths(reward_min))


def _tenths(reward: float) -> int:
    return floor(reward * 10)


def _reward_word(namespace: str, tenths: int) -> str:
    return family_word(_FAMILY, namespace, f"reward {tenths}")
