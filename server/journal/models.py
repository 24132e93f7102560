"""Requests and answers of the journal family. Times are epoch milliseconds. Source: JRN-2, JRN-3, JRN-8."""

from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, RootModel

from server.core.fields import JsonObject, decode_json
from server.interface.corrections import CorrectedBy, optional_field
from server.interface.tools import ToolInput, ToolOutput
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

T = TypeVar("T")
DecodedJson = BeforeValidator(decode_json)
"""JSON that the graph stores as text."""


class ReadRequest(ToolInput):
    """A request of a `get_*` tool: unknown names are ignored."""

    model_config = ConfigDict(extra="ignore")
    agent_id: AgentId


class PageRequest(ReadRequest):
    limit: Limit = 100
    offset: Offset = 0


class ItemList(ToolOutput, Generic[T]):
    items: list[T]


class JournalPage(ItemList[T], Generic[T]):
    """`next_offset` is the offset of the next page; null on the last one."""

    next_offset: int | None


class StoreMessage(ToolInput):
    agent_id: AgentId
    user_id: Key | None = None
    sender: Key = Field(description="E.g. user, agent, system")
    message_content: Text
    message_type: Key = Field("text", description="E.g. text, image, tool_call, tool_output")
    tool_info: Text | None = Field(None, description="JSON of a tool call or its output")
    context_snapshot_id: Key | None = Field(None, description="A context_id")
    source_attribution_id: Key | None = Field(None, description="An attribution_id")
    conversation_id: Key | None = Field(
        None, description="Groups messages; without it each is a conversation of its own"
    )
    nullable: ClassVar[frozenset[str]] = frozenset(
        {"user_id", "tool_info", "context_snapshot_id", "source_attribution_id", "conversation_id"}
    )


class MessageStored(ToolOutput):
    conversation_id: str
    message_id: str
    searchable: bool = Field(description="Can be found by meaning already")


class GetHistory(PageRequest):
    conversation_id: Key | None = None
    order: Literal["oldest", "newest"] = Field("oldest", description="Which come first")
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
    corrected_by: CorrectedBy | None = optional_field()


class History(JournalPage[Message]):
    total: int = Field(description="How many there are")


class GetAgents(ToolInput):
    """Unknown names are ignored, as in every `get_*` tool."""

    model_config = ConfigDict(extra="ignore")
    limit: Limit = 100
    offset: Offset = 0


class Agent(ToolOutput):
    agent_id: str
    messages: int
    contexts: int
    last_activity: int


class GetConversations(PageRequest):
    pass


class Conversation(ToolOutput):
    """`opening`: the beginning of the first message."""

    conversation_id: str
    messages: int
    first_timestamp: int
    last_timestamp: int
    opening: str


class SearchConversations(ToolInput):
    agent_id: AgentId
    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class FoundMessage(Message):
    """`score` is the relevance, 0 to 1; `matched` says why.

    `neighbour`: the messages around it match.
    """

    score: float
    matched: list[Literal["meaning", "words", "neighbour"]]
    snippet: str


class FoundMessages(ItemList[FoundMessage]):
    by_meaning: bool = Field(description="False while meaning is unavailable: found by words alone")
    total: int


class StoreContext(ToolInput):
    agent_id: AgentId
    context_type: Key = Field(description="E.g. agent_state, user_preference, task_parameters")
    context_data: JsonObject
    parent_context_id: Key | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"parent_context_id"})


class ContextStored(ToolOutput):
    context_id: str
    version: int


class GetContext(ReadRequest):
    context_type: Key
    version: Version | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"version"})


class Context(ToolOutput):
    context_id: str
    agent_id: str
    timestamp: int
    context_type: str
    context_data: Annotated[dict[str, Any], DecodedJson]
    version: int
    parent_context_id: str | None


class NoContext(ToolOutput):
    context: None = None


class ContextAnswer(RootModel[Context | NoContext]):
    """The context, or `{"context": null}` where there is none: structured content cannot be null."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"type": "object"})


class GetAllContexts(ReadRequest):
    limit: Limit = 1_000
    offset: Offset = 0


class AllContexts(JournalPage[Context]):
    total: int = Field(description="How many there are")


class AddReference(ToolInput):
    agent_id: AgentId
    key_type: Key = Field(description="E.g. document_id, memory_entry_id, external_api_id")
    key_value: Annotated[Line, Field(min_length=1)]
    description: Prose | None = None
    associated_conversation_id: Key | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"description", "associated_conversation_id"})


class ReferenceAdded(ToolOutput):
    reference_id: str


class GetReferences(PageRequest):
    key_type: Key | None = None
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
    source_uri: Line | None = Field(None, description="E.g. a URL, a query")
    retrieval_timestamp: Time = Field(description="In milliseconds since 1970")
    content_summary: Prose | None = None
    full_content_hash: Key | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"source_uri", "content_summary", "full_content_hash"})


class AttributionLogged(ToolOutput):
    attribution_id: str


class GetAttributions(PageRequest):
    source_type: Key | None = None
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
    original_entry_id: Key | None = Field(None, description="Id of what was corrected")
    original_value: JsonObject | None = None
    corrected_value: JsonObject | None = None
    reason: Prose | None = None
    applied_automatically: bool = Field(description="By the system, not by hand")
    nullable: ClassVar[frozenset[str]] = frozenset({"original_entry_id", "original_value", "corrected_value", "reason"})


class CorrectionLogged(ToolOutput):
    """`corrects` has the label of the original entry (`Message`, `Context`, `Entry` …); empty where it is unknown."""

    correction_id: str
    corrects: list[str]


class GetCorrections(PageRequest):
    correction_type: Key | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"correction_type"})


class Correction(ToolOutput):
    correction_id: str
    agent_id: str
    timestamp: int
    correction_type: str
    original_entry_id: str | None
    original_value: Annotated[dict[str, Any] | None, DecodedJson]
    corrected_value: Annotated[dict[str, Any] | None, DecodedJson]
    reason: str | None
    applied_automatically: bool


class LogMetric(ToolInput):
    agent_id: AgentId
    metric_name: Key = Field(description="E.g. task_completion_rate, response_latency_ms")
    metric_value: Number
    unit: Annotated[str, Field(max_length=1_000)] | None = Field(None, description="E.g. percent, ms, score")
    associated_task_id: Key | None = None
    metadata: JsonObject | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"unit", "associated_task_id", "metadata"})


class MetricLogged(ToolOutput):
    metric_id: str


class GetMetrics(PageRequest):
    metric_name: Key | None = None
    nullable: ClassVar[frozenset[str]] = frozenset({"metric_name"})


class Metric(ToolOutput):
    metric_id: str
    agent_id: str
    timestamp: int
    metric_name: str
    metric_value: int | float
    unit: str | None
    associated_task_id: str | None
    metadata: Annotated[dict[str, Any] | None, DecodedJson]
