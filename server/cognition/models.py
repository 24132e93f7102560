"""Requests and answers of the cognitive layers: their tools, and the parameters and contents of their resources.

Source: cognitive.md "MCP Tools", "MCP Resources"; open-questions.md "cognitive.md". Beyond the specification: `status`
where its examples leave it out, `fidelity_warning` and `warning_message`, `graph_results_count`, `by_meaning`, each
hit's `why`, `refreshed` of working memory, and of a stale item `item_id` and `evicted_by`. Texts take at most 1,048,576
characters, queries 10,000, metadata 1,048,576 bytes. Resources take no more of a list than is said here, never less.
"""

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
from server.fields import JsonObject
from server.tools import ToolInput, ToolOutput

DEFAULT_TOP_K = 5
MOST_LISTED = 1_000
_TOLERANCE = 1e-3
Success = Literal["success"]
EmbeddingStatus = Literal["success", "pending"]
"""Found by meaning already; or stored, and found by words until the projector has followed."""


class StoreRawDialogue(ToolInput):
    session_id: SessionId = Field(description="The conversation it belongs to")
    speaker: Speaker = Field(description="Who said it: user, assistant, a name")
    content: Text = Field(description="What was said, word by word")
    metadata: JsonObject = Field(default={})


class DialogueStored(ToolOutput):
    id: int
    timestamp: str
    session_id: str
    status: Success = "success"


class CompressToL2Insight(ToolInput):
    content: Text = Field(description="The insight, in words of its own: who, what, when")
    source_ids: Annotated[list[Id], Field(max_length=1_000)] = Field(
        description="Ids of the dialogues that it was distilled from; may be empty"
    )


class InsightStored(ToolOutput):
    """`fidelity_score` is the share of words that say something; a low one warns and never blocks."""

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
    def _sum_to_one(self) -> "Weights":
        if abs(self.semantic + self.keyword - 1.0) > _TOLERANCE:
            raise ValueError(
                f"semantic and keyword have to sum to 1.0; they sum to {self.semantic + self.keyword:g}; name both"
            )
        return self


class HybridSearch(ToolInput):
    query_text: Query
    query_embedding: list[Annotated[float, Field(allow_inf_nan=False)]] | None = Field(
        None, description="The query's vector, of the embedding model's dimension; if absent it is made"
    )
    top_k: Annotated[int, Field(ge=1, le=100)] = DEFAULT_TOP_K
    weights: Weights = Field(Weights(), description="Have to sum to 1.0")


class FoundInsight(ToolOutput):
    """`why` tells what proposed it: its meaning, its words, or a thing of the query that it describes."""

    id: int
    content: str
    source_ids: list[int]
    score: float
    why: list[Literal["meaning", "words", "graph"]]


class UsedWeights(ToolOutput):
    semantic: float
    keyword: float


class FoundInsights(ToolOutput):
    """Counts are of what each source proposed; `by_meaning` is false while meanings cannot be compared."""

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
    content: Text = Field(description="What to keep in mind")
    importance: Share = Field(0.5, description="Above 0.8 it is critical: evicted last")


class WorkingMemoryUpdated(ToolOutput):
    """`evicted_id` left working memory and is kept as stale item `archived_id`; both null where there was room.

    `refreshed`: the same content was there, and is the most recent item now.
    """

    added_id: int
    evicted_id: int | None
    archived_id: int | None
    refreshed: bool
    status: Success = "success"


class StoreEpisode(ToolInput):
    query: Query = Field(description="What was asked or tried")
    reward: Reward = Field(description="How it went: -1.0 poor, 1.0 excellent")
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


Listed = Annotated[int, Field(ge=1, le=MOST_LISTED), AsInteger]
Reason = Literal["LRU_EVICTION", "MANUAL_ARCHIVE"]


class ReadInsights(ToolInput):
    query: Query | None = Field(None, description="What to search for; without it all, newest first")
    top_k: Listed = 50
    fidelity_min: Annotated[Share, AsNumber] | None = Field(None, description="Only insights of this fidelity or more")
    created_after: Day | None = Field(None, description="Only insights of this day (UTC) or a later one")
    created_before: Day | None = Field(None, description="Only insights of this day (UTC) or an earlier one")

    @model_validator(mode="after")
    def _in_order(self) -> "ReadInsights":
        if self.created_after and self.created_before and self.created_after > self.created_before:
            raise ValueError("created_after is later than created_before")
        return self


class InsightMetadata(ToolOutput):
    fidelity_warning: bool
    warning_message: str | None


class Insight(ToolOutput):
    id: int
    content: str
    fidelity_score: float
    created_at: str
    source_ids: list[int]
    metadata: InsightMetadata


class ReadWorkingMemory(ToolInput):
    pass


class WorkingItem(ToolOutput):
    id: int
    content: str
    importance: float
    last_accessed: str
    created_at: str


class ReadEpisodes(ToolInput):
    query: Query = Field(description="What the experience should be like")
    top_k: Annotated[int, Field(ge=1, le=100), AsInteger] = DEFAULT_TOP_K
    min_similarity: Annotated[Share, AsNumber] = 0.5
    reward_min: Annotated[Reward, AsNumber] | None = Field(None, description="Only episodes of this reward or more")
    days_back: DaysBack = Field(30, description="Only episodes of the last so many times 24 hours")


class Episode(ToolOutput):
    id: int
    query: str
    reward: float
    reflection: str
    similarity: float
    created_at: str


class ReadDialogues(ToolInput):
    session_id: SessionId | None = Field(None, description="Only this session")
    date_range: DateRange | None = Field(
        None, description="Start and end day (UTC), both included: 2026-01-10,2026-01-15"
    )
    speaker: Speaker | None = Field(None, description="Only this speaker")
    limit: Listed = 100
    order: Literal["asc", "desc"] = Field("desc", description="desc: newest first")


class Dialogue(ToolOutput):
    id: int
    session_id: str
    speaker: str
    content: str
    timestamp: str
    metadata: dict[str, Any]


class ReadStaleMemory(ToolInput):
    reason: Reason | None = Field(None, description="Only items archived for this reason")
    days_back: DaysBack = Field(30, description="Only items archived in the last so many times 24 hours")
    importance_min: Annotated[Share, AsNumber] | None = Field(None, description="Only items of this importance or more")
    limit: Listed = 50


class StaleItem(ToolOutput):
    """`item_id` is the id that it had in working memory; `evicted_by` of the item for which it went, if another."""

    id: int
    original_content: str
    importance: float
    reason: Reason
    archived_at: str
    item_id: int
    evicted_by: int | None
