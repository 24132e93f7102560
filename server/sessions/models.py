"""Requests and answers of the sessions family over HTTP.

Fields beyond the specification: `searchable`, `matched`, `method`, `failed`.

Source: SES-1, SES-2, SES-3.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from server.core.fields import LONGEST_TEXT, NonBlankText, ValidText
from server.interface.corrections import optional_field

MOST_LISTED = 1_000
MOST_FOUND = 100
LARGEST_OFFSET = 2**53 - 1

Category = Literal["bugfix", "feature", "refactoring", "documentation", "new-app", "analysis", "other"]
Method = Literal["extractive", "model"]
Mode = Literal["merge", "replace"]
MEMORY_TYPE: Literal["agent-interaction"] = "agent-interaction"

_MEMORY = "mem_2025-10-08T12:00:00.000Z"
_SESSION = "session_1696800000000"
_SUMMARY = f"summary_{_SESSION}"
_TIME = "2025-10-08T12:00:00.000Z"
_TITLE = "Implement MCP Server Configuration"

Text = Annotated[str, Field(max_length=LONGEST_TEXT), ValidText]
SessionId = Annotated[str, Field(min_length=1, max_length=1_000, examples=[_SESSION]), ValidText, NonBlankText]
Query = Annotated[str, Field(min_length=1, max_length=10_000), ValidText, NonBlankText]


class _RequestBody(BaseModel):
    """A JSON body: strict types, and no unknown names."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)


class _QueryParameters(BaseModel):
    """The parameters of a query string, whose values are all text."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)


class _ResponseBody(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        # An answer has every field, also where one has a default.
        json_schema_serialization_defaults_required=True,
    )


class AddMemory(_RequestBody):
    prompt: Text = Field(examples=["How do I create a new Neo.mjs component?"])
    thought: Text = Field(examples=["The user needs guidance on component creation..."])
    response: Text = Field(examples=["To create a new Neo.mjs component, you can use..."])
    session_id: SessionId | None = Field(None, description="Default: the service's own session since its start.")


class MemoryAdded(_ResponseBody):
    id: str = Field(examples=[_MEMORY])
    session_id: str = Field(examples=[_SESSION])
    timestamp: str = Field(examples=[_TIME])
    message: str = "Memory successfully added"
    searchable: bool = Field(description="Whether it is already found by meaning; words find it at once.")


class ListMemories(_QueryParameters):
    session_id: SessionId
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100
    offset: Annotated[int, Field(ge=0, le=LARGEST_OFFSET)] = 0


class MemoryCorrection(_ResponseBody):
    """The latest correction of a memory."""

    correction_id: str
    text: str = Field(description="The beginning of its reason and of the corrected value.")


def _make_correction_optional(schema: dict[str, Any]) -> None:
    """An answer has every field, but this one only where it is set."""
    schema["required"] = [name for name in schema["required"] if name != "correctedBy"]


class Memory(_ResponseBody):
    model_config = ConfigDict(json_schema_extra=_make_correction_optional)

    id: str = Field(examples=[_MEMORY])
    session_id: str = Field(examples=[_SESSION])
    timestamp: str = Field(examples=[_TIME])
    prompt: str
    thought: str
    response: str
    type: Literal["agent-interaction"] = MEMORY_TYPE
    corrected_by: MemoryCorrection | None = optional_field(description="Only where a correction was logged.")


class Memories(_ResponseBody):
    session_id: str = Field(examples=[_SESSION])
    count: int = Field(description="Number of items on this page.")
    total: int = Field(description="Number of memories of the session.")
    memories: list[Memory]


class QueryMemories(_RequestBody):
    query: Query = Field(examples=["How did I implement the MCP server configuration?"])
    n_results: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10
    session_id: SessionId | None = None


class _SearchHit(_ResponseBody):
    distance: float = Field(description="Cosine distance from the query to its nearest passage.", examples=[0.1234])
    relevance_score: float = Field(description="1 - distance, limited to 0 to 1.", examples=[0.8766])


class FoundMemory(_SearchHit, Memory):
    matched: list[Literal["meaning", "words"]] = Field(description="How it was found.")


class FoundMemories(_ResponseBody):
    query: str
    count: int
    results: list[FoundMemory] = Field(description="By ascending distance.")


class ListSummaries(_QueryParameters):
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50
    offset: Annotated[int, Field(ge=0, le=LARGEST_OFFSET)] = 0
    category: Category | None = None


Score = Annotated[int, Field(ge=0, le=100)]


class Summary(_ResponseBody):
    id: str = Field(examples=[_SUMMARY])
    session_id: str = Field(examples=[_SESSION])
    timestamp: str = Field(examples=[_TIME], description="Time of the session's last memory.")
    title: str = Field(examples=[_TITLE])
    summary: str
    category: Category = Field(examples=["feature"])
    memory_count: int = Field(examples=[15])
    quality: Score = Field(description="How much it stayed with its subject.", examples=[85])
    productivity: Score = Field(description="How far it reached its goals.", examples=[90])
    impact: Score = Field(description="How much it changed.", examples=[75])
    complexity: Score = Field(description="Its length, files, technologies and problems together.", examples=[60])
    technologies: list[str] = Field(examples=[["neo.mjs", "nodejs", "chromadb"]])
    method: Method = Field(description="extractive: rules that quote the session; model: a language model.")


class Summaries(_ResponseBody):
    count: int = Field(description="Number of items on this page.")
    total: int = Field(description="Number of summaries, of the category where one is given.")
    summaries: list[Summary] = Field(description="Newest first.")


class QuerySummaries(_RequestBody):
    query: Query = Field(examples=["sessions where I worked on MCP servers"])
    n_results: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10
    category: Category | None = None


class FoundSummary(_SearchHit, Summary):
    matched: list[Literal["meaning", "words"]] = Field(description="How it was found.")


class FoundSummaries(_ResponseBody):
    query: str
    count: int
    results: list[FoundSummary] = Field(description="By ascending distance.")


class SummariesDeleted(_ResponseBody):
    deleted: int = Field(examples=[25])
    message: str = "All summaries successfully deleted"


class Summarize(_RequestBody):
    session_id: SessionId | None = Field(None, description="Default: every session without a current summary.")


class Summarized(_ResponseBody):
    session_id: str = Field(examples=[_SESSION])
    memory_count: int = Field(examples=[15])
    summary_id: str = Field(examples=[_SUMMARY])
    title: str = Field(examples=[_TITLE])


class NotSummarized(_ResponseBody):
    session_id: str
    message: str
    code: str


class Summarization(_ResponseBody):
    processed: int = Field(description="Number of sessions with a new summary.", examples=[1])
    sessions: list[Summarized]
    failed: list[NotSummarized] = Field(description="Sessions that keep what they had, each with the reason.")


class Imported(_ResponseBody):
    imported: int = Field(examples=[150])
    skipped: int = Field(examples=[5], description="Number of records whose ids existed already.")
    mode: Mode
    message: str = "Database import completed successfully"
    searchable: bool = Field(description="Whether all records are already found by meaning; others follow soon.")
