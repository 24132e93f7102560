"""The tools of the cognitive layers, and the form of their errors.

Source: COG-1, COG-5, COG-6.
"""

from typing import Any

from server.cognition import models, pages
from server.cognition.service import CognitionService
from server.core.errors import PrecedentError
from server.interface.envelopes import cognitive
from server.interface.tools import Tool


def _format_episode_error(error: PrecedentError, tool: str) -> dict[str, Any]:
    """Return the error object with `embedding_status`: an episode that was not stored was not embedded either."""
    return {**cognitive(error, tool), "embedding_status": "failed"}


TOOLS = (
    Tool(
        name="store_raw_dialogue",
        description="Store what was said, word for word, in its session (L0); get_dialogues reads it. Search finds "
        "only insights: distil them from its id.",
        request=models.StoreRawDialogue,
        response=models.DialogueStored,
        run=CognitionService.store_raw_dialogue,
        envelope=cognitive,
    ),
    Tool(
        name="compress_to_l2_insight",
        description="Store an insight that you distilled from dialogues (L2); hybrid_search finds it. A vague one is "
        "stored with a warning.",
        request=models.CompressToL2Insight,
        response=models.InsightStored,
        run=CognitionService.compress_to_l2_insight,
        envelope=cognitive,
    ),
    Tool(
        name="hybrid_search",
        description="Find insights by meaning, words and the entities they describe, best first.",
        request=models.HybridSearch,
        response=models.FoundInsights,
        run=CognitionService.hybrid_search,
        envelope=cognitive,
        read_only=True,
        idempotent=True,
        many="results",
    ),
    Tool(
        name="update_working_memory",
        description="Store a short-term item for all agents of the namespace, read by get_working_memory. Of "
        "eleven, the least recently used is archived. The same content again is refreshed.",
        request=models.UpdateWorkingMemory,
        response=models.WorkingMemoryUpdated,
        run=CognitionService.update_working_memory,
        envelope=cognitive,
    ),
    Tool(
        name="store_episode",
        description="Store what you tried, how it went and what you learned; get_episodes finds it for similar "
        "queries.",
        request=models.StoreEpisode,
        response=models.EpisodeStored,
        run=CognitionService.store_episode,
        envelope=_format_episode_error,
    ),
    Tool(
        name="archive_working_memory_item",
        description="Archive an item of working memory by hand; it stays readable. Needs an admin.",
        request=models.ArchiveWorkingMemoryItem,
        response=models.WorkingMemoryItemArchived,
        run=CognitionService.archive_working_memory_item,
        envelope=cognitive,
    ),
    Tool(
        name="get_working_memory",
        description="Read the ten items of working memory, the last accessed first.",
        request=pages.GetWorkingMemory,
        response=pages.LayerPage[models.WorkingItem | models.StaleItem],
        run=CognitionService.get_working_memory,
        envelope=cognitive,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="get_insights",
        description="Read insights by their ids or the newest first; hybrid_search finds them.",
        request=pages.GetInsights,
        response=pages.LayerPage[models.Insight],
        run=CognitionService.get_insights,
        envelope=cognitive,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="get_episodes",
        description="Read episodes with their lessons, most similar to the query first.",
        request=pages.GetEpisodes,
        response=pages.LayerPage[models.Episode | models.PastEpisode],
        run=CognitionService.get_episodes,
        envelope=cognitive,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="get_dialogues",
        description="Read dialogues word for word, by session or speaker.",
        request=pages.GetDialogues,
        response=pages.LayerPage[models.Dialogue],
        run=CognitionService.get_dialogues,
        envelope=cognitive,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="ping",
        description="Answers pong.",
        request=models.Ping,
        response=models.Pong,
        run=CognitionService.ping,
        envelope=cognitive,
        read_only=True,
        idempotent=True,
    ),
)
