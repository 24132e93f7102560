"""Requests and answers of the journal family.

Source: journal.md "Tool Reference"; open-questions.md "journal.md", "Records". Beyond them: `conversation_id` on store,
`message_id`, the version of a stored context, what a correction is linked to, `limit` and `offset` of
`get_all_contexts`, and `search_conversations`. Times are epoch milliseconds.
"""

from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, RootModel

from server.fields import JsonObject, decoded
from server.journal.fields import (
    AgentId,
    Key,
    Limit,
    Line,
    Number,
    Offset,
    Prose,
    Text,
    Time,
    Version,
)
from server.tools import ToolInput, ToolOutput

T = TypeVar("T")
Stored = BeforeValidator(decoded)
"""JSON that the graph keeps as text."""


class Reading(ToolInput):
    """What a `get_*` tool takes: names that it does not know are ignored."""

    model_config = ConfigDict(extra="ignore")
    agent_id: AgentId


class Page(Reading):
    limit: Limit = 100
    offset: Offset = 0


class Items(ToolOutput, Generic[T]):
    items: list[T]


class StoreMessage(ToolInput):
    agent_id: AgentId
    user_id: Key | None = Field(None, description="Identifier of the user")
    sender: Key = Field(description="Role of the sender (e.g., user, agent, system)")
    message_content: Text = Field(description="The text of the message")
    message_type: Key = Field("text", description="E.g. text, image, tool_call, tool_output")
    tool_info: Text | None = Field(None, description="JSON string for tool calls/outputs (tool_name, args, result)")
    context_snapshot_id: Key | None = Field(None, description="context_id of a stored context")
    source_attribution_id: Key | None = Field(None, description="attribution_id of a logged source")
    conversation_id: Key | None = Field(None, description="Groups messages; without it each message is its own")
    nullable: ClassVar[frozenset[str]] = frozenset(
        {"user_id", "tool_info", "context_snapshot_id", "source_attribution_id", "conversation_id"}
    )


class MessageStored(ToolOutput):
    conversation_id: str
    message_id: str
    searchable: bool = Field(description="Found by meaning already; by words it is at once")


class GetHistory(Page):
    conversation_id: Key | None = Field(None, description="Only this conversation")
    nullable: ClassVar[frozenset[str]] = frozenset({"conversation_id"})


class Message(ToolOutput):
    conversation_id: str
    message_id: str
    agent_id: str
    user_id: str | None
    timestamp: int
    sender: str
    message_content: str
    message_type: str
    tool_info: str | None
    context_snapshot_id: str | None
    source_attribution_id: str | None


class SearchConversations(ToolInput):
    agent_id: AgentId
    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class FoundMessage(Message):
    """`score` is how far it stands out of what was proposed; `matched` says why.

    `neighbour` is that what was said around it matches.
    """

    score: float
    matched: list[Literal["meaning", "words", "neighbour"]]
    snippet: str


class FoundMessages(Items[FoundMessage]):
    by_meaning: bool = Field(description="False while meanings cannot be compared: words alone found these")


class StoreContext(ToolInput):
    agent_id: AgentId
    context_type: Key = Field(description="Category (e.g., agent_state, user_preference, task_parameters)")
    context_data: JsonObject = Field(description="The structured context data")
    parent_context_id: Key | None = Field(None, description="context_id of the parent")
    nullable: ClassVar[frozenset[str]] = frozenset({"parent_context_id"})


class ContextStored(ToolOutput):
    context_id: str
    version: int


class GetContext(Reading):
    context_type: Key = Field(description="Category of context")
    version: Version | None = Field(None, description="Without it the latest")
    nullable: ClassVar[frozenset[str]] = frozenset({"version"})


class Context(ToolOutput):
    context_id: str
    agent_id: str
    timestamp: int
    context_type: str
    context_data: Annotated[dict[str, Any], Stored]
    version: int
    parent_context_id: str | None


class NoContext(ToolOutput):
    context: None = None


class ContextAnswer(RootModel[Context | NoContext]):
    """The context itself; `{"context": null}` where there is none, as structured content cannot be null."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"type": "object"})


class GetAllContexts(Reading):
    limit: Limit = 1_000
    offset: Offset = 0


class AllContexts(Items[Context]):
    total: int = Field(description="How many there are")


class AddReference(ToolInput):
    agent_id: AgentId
    key_type: Key = Field(description="E.g. document_id, memory_entry_id, external_api_id")
    key_value: Annotated[Line, Field(min_length=1)] = Field(description="The key itself")
    description: Prose | None = Field(None, description="What the key references")
    associated_conversation_id: Key | None = Field(None, description="Link to a conversation")
    nullable: ClassVar[frozenset[str]] = frozenset({"description", "associated_conversation_id"})


class ReferenceAdded(ToolOutput):
    reference_id: str


class GetReferences(Page):
    key_type: Key | None = Field(None, description="Only this type")
    nullable: ClassVar[frozenset[str]] = frozenset({"key_type"})


class Reference(ToolOutput):
    reference_id: str
    agent_id: str
    key_type: str
    key_value: str
    description: str | None
    timestamp: int
    associated_conversation_id: str | None


class LogAttribution(ToolInput):
    agent_id: AgentId
    source_type: Key = Field(description="E.g. user_input, tavily_search, internal_reasoning")
    source_uri: Line | None = Field(None, description="URI or identifier of the source (URL, query)")
    retrieval_timestamp: Time = Field(description="Unix timestamp of when it was retrieved, in milliseconds")
    content_summary: Prose | None = Field(None, description="Brief summary of the content")
    full_content_hash: Key | None = Field(None, description="Hash of the full content")
    nullable: ClassVar[frozenset[str]] = frozenset({"source_uri", "content_summary", "full_content_hash"})


class AttributionLogged(ToolOutput):
    attribution_id: str


class GetAttributions(Page):
    source_type: Key | None = Field(None, description="Only this type")
    nullable: ClassVar[frozenset[str]] = frozenset({"source_type"})


class Attribution(ToolOutput):
    attribution_id: str
    agent_id: str
    source_type: str
    source_uri: str | None
    retrieval_timestamp: int | float
    content_summary: str | None
    full_content_hash: str | None


class LogCorrection(ToolInput):
    agent_id: AgentId
    correction_type: Key = Field(description="E.g. user_feedback, self_correction, system_override")
    original_entry_id: Key | None = Field(None, description="ID of the memory entry that was corrected")
    original_value: JsonObject | None = Field(None, description="The data before correction")
    corrected_value: JsonObject | None = Field(None, description="The corrected data")
    reason: Prose | None = Field(None, description="Why")
    applied_automatically: bool = Field(description="True if applied by system, false if manual")
    nullable: ClassVar[frozenset[str]] = frozenset({"original_entry_id", "original_value", "corrected_value", "reason"})


class CorrectionLogged(ToolOutput):
    """`corrects` tells what the original entry is here (`Message`, `Context`, `Entry` …); empty where it is unknown."""

    correction_id: str
    corrects: list[str]


class GetCorrections(Page):
    correction_type: Key | None = Field(None, description="Only this type")
    nullable: ClassVar[frozenset[str]] = frozenset({"correction_type"})


class Correction(ToolOutput):
    correction_id: str
    agent_id: str
    timestamp: int
    correction_type: str
    original_entry_id: str | None
    original_value: Annotated[dict[str, Any] | None, Stored]
    corrected_value: Annotated[dict[str, Any] | None, Stored]
    reason: str | None
    applied_automatically: bool


class LogMetric(ToolInput):
    agent_id: AgentId
    metric_name: Key = Field(description="E.g. task_completion_rate, response_latency_ms")
    metric_value: Number
    unit: Annotated[str, Field(max_length=1_000)] | None = Field(None, description="E.g. percent, ms, score")
    associated_task_id: Key | None = Field(None, description="Link to a task")
    metadata: JsonObject | None = Field(None, description="Further data of this metric")
    nullable: ClassVar[frozenset[str]] = frozenset({"unit", "associated_task_id", "metadata"})


class MetricLogged(ToolOutput):
    metric_id: str


class GetMetrics(Page):
    metric_name: Key | None = Field(None, description="Only this metric")
    nullable: ClassVar[frozenset[str]] = frozenset({"metric_name"})


class Metric(ToolOutput):
    metric_id: str
    agent_id: str
    timestamp: int
    metric_name: str
    metric_value: int | float
    unit: str | None
    associated_task_id: str | None
    metadata: Annotated[dict[str, Any] | None, Stored]
