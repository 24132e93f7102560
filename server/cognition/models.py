"""Requests and answers of the tools of the cognitive layers, and the parameters and contents of their resources.

Fields beyond the specification: `status` where its examples leave it out, `fidelity_warning`, `warning_message`,
`graph_results_count`, `by_meaning`, `why` of a hit, `refreshed` of working memory, `item_id` and `evicted_by` of a
stale item.

Source: COG-1, COG-4.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from server.cognition.fields import (
    AsInteger,
    AsNumber,
    DateRange,
    Day,
    DaysBack,
    Id,
    Query,
    Reward,
    SessionId,
    Share,
    Speaker,
    Text,
)
from server.core.fields import Instant, JsonObject
from server.interface.corrections import CorrectedBy, optional_field
from server.interface.tools import ToolInput, ToolOutput

DEFAULT_TOP_K = 5
MOST_LISTED = 1_000
_TOLERANCE = 1e-3
Success = Literal["success"]
EmbeddingStatus = Literal["success", "pending"]
"""`success`: found by meaning. `pending`: stored, and not found by meaning until it is projected."""


class StoreRawDialogue(ToolInput):
    session_id: SessionId
    speaker: Speaker = Field(description="E.g. user, assistant, a name")
    content: Text
    metadata: JsonObject = Field(default={})


class DialogueStored(ToolOutput):
    id: int
    timestamp: str
    session_id: str
    status: Success = "success"


class CompressToL2Insight(ToolInput):
    content: Text = Field(description="Who, what, when: understandable alone")
    source_ids: Annotated[list[Id], Field(max_length=1_000)] = Field(description="Ids of its dialogues; may be empty")


class InsightStored(ToolOutput):
    """`fidelity_score` is the share of words that carry information; a low one warns and never blocks."""

    id: int
    embedding_status: EmbeddingStatus
    fidelity_score: float
    fidelity_warning: bool
    warning_message: str | None
    timestamp: str
    status: Success = "success"


class Weights(ToolInput):
    semantic: Share = 0.7
    keyword: Share = 0.3

    @model_validator(mode="after")
    def _check_sum(self) -> "Weights":
        if abs(self.semantic + self.keyword - 1.0) > _TOLERANCE:
            raise ValueError(f"semantic and keyword must sum to 1.0, not {self.semantic + self.keyword:g}; give both")
        return self


class HybridSearch(ToolInput):
    query_text: Query
    query_embedding: list[Annotated[float, Field(allow_inf_nan=False)]] | None = Field(
        None, description="Default: made of query_text"
    )
    top_k: Annotated[int, Field(ge=1, le=100)] = DEFAULT_TOP_K
    weights: Weights = Field(Weights(), description="Sum to 1.0")
    offset: Annotated[int, Field(ge=0, le=MOST_LISTED)] = 0


class FoundInsight(ToolOutput):
    """`why`: what found it: meaning, words, words around its sources only (neighbour), or an entity it describes."""

    id: int
    content: str
    source_ids: list[int]
    score: float
    why: list[Literal["meaning", "words", "neighbour", "graph"]]
    corrected_by: CorrectedBy | None = optional_field()


class UsedWeights(ToolOutput):
    semantic: float
    keyword: float


class FoundInsights(ToolOutput):
    """Counts say how many each source proposed; `by_meaning` is false while embeddings cannot be compared."""

    results: list[FoundInsight]
    query_embedding_dimension: int
    semantic_results_count: int
    keyword_results_count: int
    graph_results_count: int
    final_results_count: int
    weights: UsedWeights
    by_meaning: bool
    status: Success = "success"


class UpdateWorkingMemory(ToolInput):
    content: Text
    importance: Share = Field(0.5, description="Above 0.8: evicted last")


class WorkingMemoryUpdated(ToolOutput):
    """`evicted_id` left working memory and is now stale item `archived_id`; both are null where there was room.

    `refreshed`: the same content was there and is now the most recent item.
    """

    added_id: int
    evicted_id: int | None
    archived_id: int | None
    refreshed: bool
    status: Success = "success"


class StoreEpisode(ToolInput):
    query: Query = Field(description="What was asked or tried")
    reward: Reward = Field(description="-1.0 poor, 1.0 excellent")
    reflection: Text = Field(description="Problem: … Lesson: …")


class EpisodeStored(ToolOutput):
    id: int
    embedding_status: EmbeddingStatus
    query: str
    reward: float
    created_at: str
    status: Success = "success"


class Ping(ToolInput):
    pass


class Pong(ToolOutput):
    response: Literal["pong"] = "pong"
    timestamp: str
    tool: Literal["ping"] = "ping"
    status: Literal["ok"] = "ok"


class ArchiveWorkingMemoryItem(ToolInput):
    item_id: Id = Field(description="Its id in working memory")


class WorkingMemoryItemArchived(ToolOutput):
    """The item is now stale item `archived_id`."""

    item_id: int
    archived_id: int
    status: Success = "success"


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a list to read."""

    limit: int
    offset: int = 0


ListLimit = Annotated[int, Field(ge=1, le=MOST_LISTED), AsInteger]
Reason = Literal["LRU_EVICTION", "MANUAL_ARCHIVE"]


class ReadInsights(ToolInput):
    query: Query | None = Field(None, description="What to search for; without it the newest first")
    top_k: ListLimit = 50
    fidelity_min: Annotated[Share, AsNumber] | None = Field(None, description="Only insights of this fidelity or more")
    created_after: Day | None = Field(None, description="Only insights of this day (UTC) or later")
    created_before: Day | None = Field(None, description="Only insights of this day (UTC) or earlier")

    @model_validator(mode="after")
    def _check_order(self) -> "ReadInsights":
        if self.created_after and self.created_before and self.created_after > self.created_before:
            raise ValueError("created_after is later than created_before; exchange them")
        return self


class InsightMetadata(ToolOutput):
    fidelity_warning: bool
    warning_message: str | None


class Insight(ToolOutput):
    id: int
    content: str
    fidelity_score: float
    created_at: Instant
    source_ids: list[int]
    metadata: InsightMetadata
    corrected_by: CorrectedBy | None = optional_field()


class ReadWorkingMemory(ToolInput):
    pass


class WorkingItem(ToolOutput):
    id: int
    content: str
    importance: float
    last_accessed: Instant
    created_at: Instant


class ReadEpisodes(ToolInput):
    query: Query = Field(description="What was asked or tried")
    top_k: Annotated[int, Field(ge=1, le=100), AsInteger] = DEFAULT_TOP_K
    min_similarity: Annotated[Share, AsNumber] = 0.5
    reward_min: Annotated[Reward, AsNumber] | None = Field(None, description="Only episodes of this reward or more")
    days_back: DaysBack = Field(30, description="Only episodes of the last days (times 24 hours)")


class PastEpisode(ToolOutput):
    id: int
    query: str
    reward: float
    reflection: str
    created_at: Instant


class Episode(PastEpisode):
    similarity: float


class ReadDialogues(ToolInput):
    session_id: SessionId | None = Field(None, description="Only this session")
    date_range: DateRange | None = Field(
        None, description="Start and end day (UTC), both included: 2026-01-10,2026-01-15"
    )
    speaker: Speaker | None = Field(None, description="Only this speaker")
    limit: ListLimit = 100
    order: Literal["asc", "desc"] = Field("desc", description="desc: newest first")


class Dialogue(ToolOutput):
    id: int
    session_id: str
    speaker: str
    content: str
    timestamp: Instant
    metadata: dict[str, Any]


class ReadStaleMemory(ToolInput):
    reason: Reason | None = Field(None, description="Only items archived for this reason")
    days_back: DaysBack = Field(30, description="Only items archived in the last days (times 24 hours)")
    importance_min: Annotated[Share, AsNumber] | None = Field(None, description="Only items of this importance or more")
    limit: ListLimit = 50


class StaleItem(ToolOutput):
    """`item_id` is its former id in working memory; `evicted_by` is the id of the item that displaced it, if any."""

    id: int
    original_content: str
    importance: float
    reason: Reason
    archived_at: Instant
    item_id: int
    evicted_by: int | None
