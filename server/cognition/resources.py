"""The resources of the cognitive layers, and the form of their errors.

Source: COG-51, COG-53.
"""

from typing import Any

from server.cognition import models
from server.cognition.service import CognitionService
from server.core.errors import PrecedentError
from server.interface.envelopes import cognitive
from server.interface.resources import Resource


def format_resource_error(error: PrecedentError, uri: str) -> dict[str, Any]:
    """Return the error object of the tools with the key `resource` in place of `tool`."""
    answer = cognitive(error, uri)
    return {"resource" if name == "tool" else name: value for name, value in answer.items()}


RESOURCES = (
    Resource(
        uri="memory://l2-insights",
        name="l2-insights",
        description="Insights: the best matches of a query, or without one the newest first.",
        request=models.ReadInsights,
        item=models.Insight,
        run=CognitionService.read_insights,
        envelope=format_resource_error,
    ),
    Resource(
        uri="memory://working-memory",
        name="working-memory",
        description="The items of working memory, ten at most, the last accessed first.",
        request=models.ReadWorkingMemory,
        item=models.WorkingItem,
        run=CognitionService.read_working_memory,
        envelope=format_resource_error,
    ),
    Resource(
        uri="memory://episode-memory",
        name="episode-memory",
        description="Episodes with their lessons, most similar to the query first.",
        request=models.ReadEpisodes,
        item=models.Episode,
        run=CognitionService.read_episodes,
        envelope=format_resource_error,
    ),
    Resource(
        uri="memory://l0-raw",
        name="l0-raw",
        description="Dialogues word for word, newest first.",
        request=models.ReadDialogues,
        item=models.Dialogue,
        run=CognitionService.read_dialogues,
        envelope=format_resource_error,
    ),
    Resource(
        uri="memory://stale-memory",
        name="stale-memory",
        description="Items that left working memory, the last archived first.",
        request=models.ReadStaleMemory,
        item=models.StaleItem,
        run=CognitionService.read_stale_memory,
        envelope=format_resource_error,
    ),
)
