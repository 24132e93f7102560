"""The use cases of the cognitive layers; the modules beside this one do the work.

Source: COG-2, COG-8, COG-9.
"""

from datetime import UTC, datetime

from server.cognition import models
from server.cognition.dialogues import Dialogues
from server.cognition.episodes import Episodes
from server.cognition.hybrid import InsightSearch
from server.cognition.insights import Insights
from server.cognition.layers import Layers
from server.cognition.memory import WorkingMemory
from server.cognition.pages import (
    GetDialogues,
    GetEpisodes,
    GetInsights,
    GetWorkingMemory,
    LayerPage,
    LayerPages,
)
from server.core.fields import format_time, to_milliseconds
from server.core.principals import Principal
from server.parts import Parts


class CognitionService:
    """The use cases of the cognition family. Every method sees the caller's namespace and nothing else."""

    def __init__(self, parts: Parts, *, fidelity_threshold: float) -> None:
        """An insight whose fidelity is below `fidelity_threshold` is stored with a warning."""
        self._search = InsightSearch(parts.graph, parts.vectors, parts.embedder)
        self._dialogues = Dialogues(parts.graph, parts.sequence)
        self._insights = Insights(parts, fidelity_threshold=fidelity_threshold)
        self._memory = WorkingMemory(parts.graph, parts.sequence)
        self._episodes = Episodes(parts)
        self._layers = Layers(parts.graph, self._search.find_ids)
        self._pages = LayerPages(self._layers, self._memory, self._episodes)

    async def store_raw_dialogue(self, request: models.StoreRawDialogue, caller: Principal) -> models.DialogueStored:
        """Stores a dialogue word for word."""
        return await self._dialogues.store(request, caller)

    async def compress_to_l2_insight(
        self, request: models.CompressToL2Insight, caller: Principal
    ) -> models.InsightStored:
        """Stores an insight with its source dialogues; raises `InvalidArgument` with the unknown ones."""
        return await self._insights.store(request, caller)

    async def hybrid_search(self, request: models.HybridSearch, caller: Principal) -> models.FoundInsights:
        """Finds insights by meaning, words and the entities they describe, from the offset on."""
        best = request.model_copy(update={"top_k": request.offset + request.top_k})
        found = await self._search.run(best, caller.namespace)
        results = found.results[request.offset :]
        return found.model_copy(update={"results": results, "final_results_count": len(results)})

    async def update_working_memory(
        self, request: models.UpdateWorkingMemory, caller: Principal
    ) -> models.WorkingMemoryUpdated:
        """Adds an item to working memory or refreshes the same one; of eleven items one is evicted."""
        return await self._memory.update(request, caller)

    async def archive_working_memory_item(
        self, request: models.ArchiveWorkingMemoryItem, caller: Principal
    ) -> models.WorkingMemoryItemArchived:
        """Archives an item of working memory by hand; it stays readable as stale."""
        return await self._memory.archive(request, caller)

    async def store_episode(self, request: models.StoreEpisode, caller: Principal) -> models.EpisodeStored:
        """Stores what was tried, how it went and what was learned."""
        return await self._episodes.store(request, caller)

    async def ping(self, request: models.Ping, caller: Principal) -> models.Pong:  # noqa: ARG002 - takes none
        """Answers also while the databases are down."""
        return models.Pong(timestamp=format_time(to_milliseconds(datetime.now(UTC))))

    async def get_working_memory(
        self, request: GetWorkingMemory, caller: Principal
    ) -> LayerPage[models.WorkingItem | models.StaleItem]:
        """Return a page of the items, or of the stale items."""
        return await self._pages.list_working_memory(request, caller)

    async def get_insights(self, request: GetInsights, caller: Principal) -> LayerPage[models.Insight]:
        """Return a page of the newest insights, or of those with the ids."""
        return await self._pages.list_insights(request, caller)

    async def get_episodes(
        self, request: GetEpisodes, caller: Principal
    ) -> LayerPage[models.Episode | models.PastEpisode]:
        """Return a page of the episodes most similar to a query, or of the newest."""
        return await self._pages.list_episodes(request, caller)

    async def get_dialogues(self, request: GetDialogues, caller: Principal) -> LayerPage[models.Dialogue]:
        """Return a page of dialogues, newest first by default."""
        return await self._pages.list_dialogues(request, caller)

    async def read_insights(self, request: models.ReadInsights, caller: Principal) -> list[models.Insight]:
        """Return the best matches of a query, or the newest insights first."""
        return await self._layers.list_insights(request, caller)

    async def read_working_memory(
        self, request: models.ReadWorkingMemory, caller: Principal
    ) -> list[models.WorkingItem]:
        """Return all items of working memory, the last accessed first."""
        return await self._memory.list_items(request, caller)

    async def read_episodes(self, request: models.ReadEpisodes, caller: Principal) -> list[models.Episode]:
        """Return the episodes most similar to a query."""
        return await self._episodes.find_similar(request, caller, datetime.now(UTC))

    async def read_dialogues(self, request: models.ReadDialogues, caller: Principal) -> list[models.Dialogue]:
        """Return dialogues, newest first by default."""
        return await self._layers.list_dialogues(request, caller)

    async def read_stale_memory(self, request: models.ReadStaleMemory, caller: Principal) -> list[models.StaleItem]:
        """Return the stale items, the last archived first."""
        return await self._memory.list_stale_items(request, caller, datetime.now(UTC))
