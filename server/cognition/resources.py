"""The resources of the cognitive layers, and the form of their errors.

Source: cognitive.md "MCP Resources", "Error Handling"; open-questions.md "cognitive.md", Resources.
"""

from typing import Any

from server.cognition import models
from server.cognition.service import CognitionService
from server.envelopes import cognitive
from server.errors import PrecedentError
from server.resources import Resource


def envelope(error: PrecedentError, uri: str) -> dict[str, Any]:
    """The error form of the tools, with the resource's address in the place of the tool's name."""
    told = cognitive(error, uri)
    return {"resource" if name == "tool" else name: value for name, value in told.items()}


RESOURCES: tuple[Resource, ...] = (
    Resource(
        uri="memory://l2-insights",
        name="l2-insights",
        description="Insights: the best matches of a query, or without one the newest first.",
        request=models.ReadInsights,
        item=models.Insight,
        run=CognitionService.read_insights,
        envelope=envelope,
    ),
    Resource(
        uri="memory://working-memory",
        name="working-memory",
        description="What is on the mind now: ten items at most, the last accessed first.",
        request=models.ReadWorkingMemory,
        item=models.WorkingItem,
        run=CognitionService.read_working_memory,
        envelope=envelope,
    ),
    Resource(
        uri="memory://episode-memory",
        name="episode-memory",
        description="What was learned when something like the query was asked or tried, most alike first.",
        request=models.ReadEpisodes,
        item=models.Episode,
        run=CognitionService.read_episodes,
        envelope=envelope,
    ),
    Resource(
        uri="memory://l0-raw",
        name="l0-raw",
        description="What was said, word by word, newest first.",
        request=models.ReadDialogues,
        item=models.Dialogue,
        run=CognitionService.read_dialogues,
        envelope=envelope,
    ),
    Resource(
        uri="memory://stale-memory",
        name="stale-memory",
        description="What left working memory, the last archived first.",
        request=models.ReadStaleMemory,
        item=models.StaleItem,
        run=CognitionService.read_stale_memory,
        envelope=envelope,
    ),
)
