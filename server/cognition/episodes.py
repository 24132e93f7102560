"""Episodes: what was asked or tried, how it went, and what was learned.

An episode is found by its query alone; it mentions the entities that its query and its reflection name. It is stored
also while no embeddings can be made; the answer has the status `pending` then, and the projector adds them later.

Qdrant filters by namespace, days and reward: an episode has one tag for each tenth of reward that it reaches. The
graph confirms the hits and compares exactly; where too few remain, the search is repeated with a higher limit.

Source: COG-46, COG-47, COG-48.
"""

from datetime import UTC, datetime
from math import floor

from server.cognition.fields import days_ago
from server.cognition.models import Episode, EpisodeStored, PastEpisode, ReadEpisodes, StoreEpisode, Window
from server.core.fields import format_caption, format_time, to_milliseconds
from server.core.principals import Principal
from server.core.types import Row
from server.graph.graph import Transaction
from server.parts import Parts
from server.retrieval.scope import build_family_tag
from server.retrieval.search import KIND
from server.retrieval.writing import PassageWriter, store_passages, wait_until_searchable

_FAMILY = "episode"
_LOWEST_TENTHS = -10
"""The lowest reward, in tenths."""
_WIDENING = 4
"""Factor by which the limit grows when the graph confirms too few hits."""


class Episodes:
    """Stores episodes and finds those similar to a query."""

    def __init__(self, parts: Parts) -> None:
        self._graph = parts.graph
        self._parts = parts
        self._passages = PassageWriter(parts.graph, parts.sequence)

    async def store(self, request: StoreEpisode, caller: Principal) -> EpisodeStored:
        """Stores an episode and waits, within the time set, until it can be found."""
        prepared = await self._passages.prepare(caller.namespace, request.query, also=request.reflection)
        at = datetime.now(UTC)
        found_by = prepared.found_by(scopes=list_scope_tags(caller.namespace, request.reward), at=to_milliseconds(at))

        async def work(transaction: Transaction) -> None:
            row = await transaction.row(
                "cognition/store_episode",
                namespace=caller.namespace,
                id=prepared.number,
                name=format_caption(request.query),
                at=at,
                by=caller.name,
                **request.model_dump(),
            )
            await store_passages(transaction, prepared, row["element"], found_by)

        await self._graph.transaction(work)
        found = await wait_until_searchable(self._parts.projector, prepared, self._parts.searchable_wait)
        return EpisodeStored(
            id=prepared.number,
            embedding_status="success" if found else "pending",
            query=request.query,
            reward=request.reward,
            created_at=format_time(to_milliseconds(at)),
        )

    async def list_latest(
        self, caller: Principal, since: datetime, reward_min: float | None, window: Window
    ) -> list[PastEpisode]:
        """Return a page of the episodes, newest first."""
        rows = await self._graph.run(
            "cognition/latest_episodes",
            namespace=caller.namespace,
            since=since,
            reward_min=reward_min,
            limit=window.limit,
            offset=window.offset,
        )
        return [PastEpisode(**row) for row in rows]

    async def find_similar(
        self, request: ReadEpisodes, caller: Principal, now: datetime, window: Window | None = None
    ) -> list[Episode]:
        """Return the episodes most similar to a query, best first; of equal ones the newest, then the highest id.

        A window replaces the request's `top_k`.
        Raises `EmbeddingUnavailable` or `VectorsUnavailable`: without embeddings, nothing can be compared.
        """
        vector = await self._parts.embedder.embed_query(request.query)
        since = days_ago(request.days_back, now)
        window = window or Window(request.top_k)
        needed = window.offset + window.limit
        limit = _WIDENING * needed
        while True:
            hits = await self._parts.vectors.search(
                vector,
                limit,
                namespace=caller.namespace,
                kinds=[KIND],
                scope=build_scope_tag(caller.namespace, request.reward_min),
                since=to_milliseconds(since),
            )
            similarities: dict[int, float] = {}
            for hit in hits:
                similarity = min(1.0, max(0.0, hit.score))
                if hit.origin and similarity >= request.min_similarity:
                    similarities.setdefault(hit.origin.record, similarity)
            rows = await self._graph.run(
                "cognition/episodes",
                namespace=caller.namespace,
                ids=list(similarities),
                since=since,
                reward_min=request.reward_min,
            )
            has_more = len(hits) == limit and hits[-1].score >= request.min_similarity
            if len(rows) >= needed or not has_more:
                break
            limit *= _WIDENING
        rows.sort(key=lambda row: (similarities[row["id"]], row["created_at"], row["id"]), reverse=True)
        return [_to_episode(row, similarities[row["id"]]) for row in rows[window.offset : needed]]


def _to_episode(row: Row, similarity: float) -> Episode:
    return Episode(**row, similarity=round(similarity, 6))


def list_scope_tags(namespace: str, reward: float) -> list[str]:
    """Return the scope tags of an episode: that of the family, and one for each tenth of reward up to its own."""
    return [
        build_family_tag(_FAMILY, namespace),
        *(_build_reward_tag(namespace, tenths) for tenths in range(_LOWEST_TENTHS, _to_tenths(reward) + 1)),
    ]


def build_scope_tag(namespace: str, reward_min: float | None) -> str:
    """Return a tag that every episode of at least this reward has; some up to a tenth below have it as well."""
    if reward_min is None:
        return build_family_tag(_FAMILY, namespace)
    return _build_reward_tag(namespace, _to_tenths(reward_min))


def _to_tenths(reward: float) -> int:
    return floor(reward * 10)


def _build_reward_tag(namespace: str, tenths: int) -> str:
    return build_family_tag(_FAMILY, namespace, f"reward {tenths}")
