"""The tools of the cognitive layers, and the form of their errors.

Source: cognitive.md "MCP Tools", "Error Handling"; open-questions.md "cognitive.md", Errors.
"""

from typing import Any

from server.cognition import models
from server.cognition.service import CognitionService
from server.envelopes import cognitive
from server.errors import PrecedentError
from server.tools import Tool


def _episode_envelope(error: PrecedentError, tool: str) -> dict[str, Any]:
    """An episode that was not stored was not embedded either, and its error says so."""
    return {**cognitive(error, tool), "embedding_status": "failed"}


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="store_raw_dialogue",
        description="Store what was said, word by word, in its session (L0), read at memory://l0-raw. Its id is a "
        "source of insights, which are what is searched.",
        request=models.StoreRawDialogue,
        response=models.DialogueStored,
        run=CognitionService.store_raw_dialogue,
        envelope=cognitive,
    ),
    Tool(
        name="compress_to_l2_insight",
        description="Store an insight that you distilled from dialogues (L2), found later by hybrid_search. You write "
        "it; one that says little is stored with a warning.",
        request=models.CompressToL2Insight,
        response=models.InsightStored,
        run=CognitionService.compress_to_l2_insight,
        envelope=cognitive,
    ),
    Tool(
        name="hybrid_search",
        description="Find insights by meaning, by words and by the things they describe, best first.",
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
        description="Keep something in mind, for all agents of the namespace: ten items, read at "
        "memory://working-memory. The least recently used one makes room and stays at memory://stale-memory. The same "
        "content again is refreshed.",
        request=models.UpdateWorkingMemory,
        response=models.WorkingMemoryUpdated,
        run=CognitionService.update_working_memory,
        envelope=cognitive,
    ),
    Tool(
        name="store_episode",
        description="Store what you tried, how it went and what you learned; memory://episode-memory finds it when "
        "something alike is asked.",
        request=models.StoreEpisode,
        response=models.EpisodeStored,
        run=CognitionService.store_episode,
        envelope=_episode_envelope,
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
