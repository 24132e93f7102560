"""What callers do with the cognitive layers. Each room does its own; this is the door to all of them.

Source: cognitive.md "MCP Tools", "MCP Resources"; design.md sections 3 to 5. Writing needs the role agent.
"""

from datetime import UTC, datetime

from server.cognition import models
from server.cognition.dialogues import Dialogues
from server.cognition.episodes import Episodes
from server.cognition.hybrid import InsightSearch
from server.cognition.insights import Insights
from server.cognition.layers import Layers
from server.cognition.memory import WorkingMemory
from server.cognition.settings import CognitionSettings
from server.embedding.embedder import Embedder
from server.fields import iso, milliseconds
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.vectors.projector import Projector
from server.vectors.store import VectorStore


class CognitionService:
    """The use cases of the cognition family. Every method sees the caller's namespace and nothing else."""

    def __init__(
        self,
        graph: Graph,
        sequence: IdSequence,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        *,
        settings: CognitionSettings,
    ) -> None:
        self.search = InsightSearch(graph, vectors, embedder)
        self._dialogues = Dialogues(graph, sequence)
        self._insights = Insights(graph, sequence, projector, settings)
        self._memory = WorkingMemory(graph, sequence)
        self._episodes = Episodes(
            graph, sequence, vectors=vectors, embedder=embedder, projector=projector, settings=settings
        )
        self._layers = Layers(graph, self.search.ids)

    async def store_raw_dialogue(self, request: models.StoreRawDialogue, caller: Principal) -> models.DialogueStored:
        """Stores what was said, word by word."""
        return await self._dialogues.store(request, caller)

    async def compress_to_l2_insight(
        self, request: models.CompressToL2Insight, caller: Principal
    ) -> models.InsightStored:
        """Stores an insight with the dialogues that it was distilled from; `InvalidArgument` names unknown ones."""
        return await self._insights.store(request, caller)

    async def hybrid_search(self, request: models.HybridSearch, caller: Principal) -> models.FoundInsights:
        """Finds insights by meaning, by words and by what they describe."""
        return await self.search.run(request, caller.namespace)

    async def update_working_memory(
        self, request: models.UpdateWorkingMemory, caller: Principal
    ) -> models.WorkingMemoryUpdated:
        """Adds an item to working memory, or refreshes the same one; one of eleven is evicted."""
        return await self._memory.update(request, caller)

    async def store_episode(self, request: models.StoreEpisode, caller: Principal) -> models.EpisodeStored:
        """Stores what was tried, how it went and what was learned."""
        return await self._episodes.store(request, caller)

    async def ping(self, request: models.Ping, caller: Principal) -> models.Pong:  # noqa: ARG002 - takes none
        """Answers, whatever else is down."""
        return models.Pong(timestamp=iso(milliseconds(datetime.now(UTC))))

    async def read_insights(self, request: models.ReadInsights, caller: Principal) -> list[models.Insight]:
        """Returns insights: the best matches of a query, or the newest first."""
        return await self._layers.insights(request, caller)

    async def read_working_memory(
        self, request: models.ReadWorkingMemory, caller: Principal
    ) -> list[models.WorkingItem]:
        """Returns the whole working memory, the last accessed first."""
        return await self._memory.items(request, caller)

    async def read_episodes(self, request: models.ReadEpisodes, caller: Principal) -> list[models.Episode]:
        """Returns the episodes most like a query."""
        return await self._episodes.like(request, caller, datetime.now(UTC))

    async def read_dialogues(self, request: models.ReadDialogues, caller: Principal) -> list[models.Dialogue]:
        """Returns what was said, newest first unless asked otherwise."""
        return await self._layers.dialogues(request, caller)

    async def read_stale_memory(self, request: models.ReadStaleMemory, caller: Principal) -> list[models.StaleItem]:
        """Returns what left working memory, the last archived first."""
        return await self._memory.stale(request, caller, datetime.now(UTC))
