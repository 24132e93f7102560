"""The layers as lists that tools read page by page, for clients that read no resources.

The items are those of the resources. Insights can also be read by their ids, and episodes without a query.

Source: COG-57, COG-58.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from server.cognition.episodes import Episodes
from server.cognition.fields import LARGEST_ID, MOST_DAYS, Id, Query, Reward, SessionId, Share, Speaker, days_ago
from server.cognition.layers import Layers
from server.cognition.memory import WorkingMemory
from server.cognition.models import (
    MOST_LISTED,
    Dialogue,
    Episode,
    Insight,
    PastEpisode,
    ReadDialogues,
    ReadEpisodes,
    ReadInsights,
    ReadStaleMemory,
    ReadWorkingMemory,
    StaleItem,
    Window,
    WorkingItem,
)
from server.core.principals import Principal
from server.interface.tools import ToolInput, ToolOutput

T = TypeVar("T")
_DEFAULT_QUERY_DAYS = 30
_MOST_EPISODES = 100
Limit = Annotated[int, Field(ge=1, le=MOST_LISTED)]
Offset = Annotated[int, Field(ge=0, le=LARGEST_ID)]


class GetWorkingMemory(ToolInput):
    archived: bool = Field(False, description="Read the archived items instead, last first")
    limit: Limit = 50
    offset: Offset = 0


class GetInsights(ToolInput):
    ids: Annotated[list[Id], Field(min_length=1, max_length=200)] | None = Field(None, description="Only these")
    limit: Limit = 50
    offset: Offset = 0


class GetEpisodes(ToolInput):
    query: Query | None = Field(None, description="What was tried; without it the newest first")
    min_similarity: Share = Field(0.5, description="To the query")
    reward_min: Reward | None = None
    days_back: Annotated[int, Field(ge=1, le=MOST_DAYS)] | None = Field(
        None, description="Only of the last days; default 30 with a query, else any"
    )
    limit: Annotated[int, Field(ge=1, le=_MOST_EPISODES)] = 10
    offset: Annotated[int, Field(ge=0, le=MOST_LISTED)] = 0


class GetDialogues(ToolInput):
    session_id: SessionId | None = Field(None, description="Only this session")
    speaker: Speaker | None = Field(None, description="Only this speaker")
    order: Literal["asc", "desc"] = Field("desc", description="desc: newest first")
    limit: Limit = 100
    offset: Offset = 0


class LayerPage(ToolOutput, Generic[T]):
    """`next_offset` is the offset of the next page; null on the last one."""

    items: list[T]
    next_offset: int | None


class LayerPages:
    """Reads pages of the layers; changes nothing."""

    def __init__(self, layers: Layers, memory: WorkingMemory, episodes: Episodes) -> None:
        self._layers = layers
        self._memory = memory
        self._episodes = episodes

    async def list_working_memory(
        self, request: GetWorkingMemory, caller: Principal
    ) -> LayerPage[WorkingItem | StaleItem]:
        """Return the items, the last accessed first; or the stale items, the last archived first."""
        if request.archived:
            of_any_age = ReadStaleMemory(days_back=MOST_DAYS)
            stale = await self._memory.list_stale_items(of_any_age, caller, datetime.now(UTC), _to_window(request))
            return _to_page(stale, request)
        items = await self._memory.list_items(ReadWorkingMemory(), caller)
        return _to_page(items[request.offset :][: request.limit + 1], request)

    async def list_insights(self, request: GetInsights, caller: Principal) -> LayerPage[Insight]:
        """Return the newest insights first, or those of the ids in their order; an unknown id is left out."""
        if request.ids is None:
            return _to_page(await self._layers.list_insights(ReadInsights(), caller, _to_window(request)), request)
        found = await self._layers.load_insights(request.ids, caller)
        return _to_page(found[request.offset :][: request.limit + 1], request)

    async def list_episodes(self, request: GetEpisodes, caller: Principal) -> LayerPage[Episode | PastEpisode]:
        """Return the episodes most similar to a query, or without one the newest first.

        Raises `EmbeddingUnavailable` or `VectorsUnavailable`: without embeddings, nothing can be compared to a query.
        """
        now = datetime.now(UTC)
        if request.query is None:
            since = days_ago(request.days_back or MOST_DAYS, now)
            return _to_page(
                await self._episodes.list_latest(caller, since, request.reward_min, _to_window(request)), request
            )
        given = request.model_dump(exclude={"limit", "offset"}, exclude_none=True)
        search = ReadEpisodes(**{"days_back": _DEFAULT_QUERY_DAYS, **given})
        return _to_page(await self._episodes.find_similar(search, caller, now, _to_window(request)), request)

    async def list_dialogues(self, request: GetDialogues, caller: Principal) -> LayerPage[Dialogue]:
        """Return dialogues in the order of time, newest first by default."""
        filters = ReadDialogues(**request.model_dump(include={"session_id", "speaker", "order"}, exclude_none=True))
        return _to_page(await self._layers.list_dialogues(filters, caller, _to_window(request)), request)


Request = GetWorkingMemory | GetInsights | GetEpisodes | GetDialogues


def _to_window(request: Request) -> Window:
    """Return the window of a page and one item more, which shows whether there is another page."""
    return Window(request.limit + 1, request.offset)


def _to_page(items: Sequence[T], request: Request) -> LayerPage[T]:
    more = len(items) > request.limit
    return LayerPage(items=list(items[: request.limit]), next_offset=request.offset + request.limit if more else None)
