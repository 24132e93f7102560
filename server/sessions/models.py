"""Requests and answers of the sessions family, as HTTP carries them.

Source: memory-core-rest.md "Endpoint Specifications"; open-questions.md "memory-core-rest.md". Names on the wire are
the specification's. Beyond it: `searchable`, `matched`, `method`, `failed`.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from server.fields import LONGEST_TEXT, Said, Whole

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

Text = Annotated[str, Field(max_length=LONGEST_TEXT), Whole]
SessionId = Annotated[str, Field(min_length=1, max_length=1_000, examples=[_SESSION]), Whole, Said]
Query = Annotated[str, Field(min_length=1, max_length=10_000), Whole, Said]


class _Request(BaseModel):
    """A JSON body: strict in types, and a name that is none of its own is a mistake worth telling."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)


class _Asked(BaseModel):
    """A query string, whose values are all text to begin with."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)


class _Answer(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        # An answer has every field, also where one has a default.
        json_schema_serialization_defaults_required=True,
    )


class AddMemory(_Request):
    prompt: Text = Field(examples=["How do I create a new Neo.mjs component?"])
    thought: Text = Field(examples=["The user needs guidance on component creation..."])
    response: Text = Field(examples=["To create a new Neo.mjs component, you can use..."])
    session_id: SessionId | None = Field(None, description="Without one it is the service's own session of this start.")


class MemoryAdded(_Answer):
    id: str = Field(examples=[_MEMORY])
    session_id: str = Field(examples=[_SESSION])
    timestamp: str = Field(examples=[_TIME])
    message: str = "Memory successfully added"
    searchable: bool = Field(description="Whether it is found by meaning already; by words it is at once.")


class ListMemories(_Asked):
    session_id: SessionId
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 100
    offset: Annotated[int, Field(ge=0, le=LARGEST_OFFSET)] = 0


class Memory(_Answer):
    id: str = Field(examples=[_MEMORY])
    session_id: str = Field(examples=[_SESSION])
    timestamp: str = Field(examples=[_TIME])
    prompt: str
    thought: str
    response: str
    type: Literal["agent-interaction"] = MEMORY_TYPE


class Memories(_Answer):
    session_id: str = Field(examples=[_SESSION])
    count: int = Field(description="How many are on this page.")
    total: int = Field(description="How many the session has.")
    memories: list[Memory]


class QueryMemories(_Request):
    query: Query = Field(examples=["How did I implement the MCP server configuration?"])
    n_results: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10
    session_id: SessionId | None = None


class _Found(_Answer):
    distance: float = Field(description="Cosine distance from the query to what is nearest in it.", examples=[0.1234])
    relevance_score: float = Field(description="1 - distance, within 0 and 1.", examples=[0.8766])


class FoundMemory(_Found, Memory):
    matched: list[Literal["meaning", "words"]] = Field(description="By what it was found.")


class FoundMemories(_Answer):
    query: str
    count: int
    results: list[FoundMemory] = Field(description="By ascending distance.")


class ListSummaries(_Asked):
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50
    offset: Annotated[int, Field(ge=0, le=LARGEST_OFFSET)] = 0
    category: Category | None = None


Score = Annotated[int, Field(ge=0, le=100)]


class Summary(_Answer):
    id: str = Field(examples=[_SUMMARY])
    session_id: str = Field(examples=[_SESSION])
    timestamp: str = Field(examples=[_TIME], description="When the session's last memory is from.")
    title: str = Field(examples=[_TITLE])
    summary: str
    category: Category = Field(examples=["feature"])
    memory_count: int = Field(examples=[15])
    quality: Score = Field(description="How much it stayed with its subject.", examples=[85])
    productivity: Score = Field(description="How far it got what it was after.", examples=[90])
    impact: Score = Field(description="How much it changed.", examples=[75])
    complexity: Score = Field(description="How much it had to deal with.", examples=[60])
    technologies: list[str] = Field(examples=[["neo.mjs", "nodejs", "chromadb"]])
    method: Method = Field(description="What wrote it: rules over the session's own sentences, or a language model.")


class Summaries(_Answer):
    count: int = Field(description="How many are on this page.")
    total: int = Field(description="How many there are, of the category where one is asked for.")
    summaries: list[Summary] = Field(description="Newest first.")


class QuerySummaries(_Request):
    query: Query = Field(examples=["sessions where I worked on MCP servers"])
    n_results: Annotated[int, Field(ge=1, le=MOST_FOUND)] = 10
    category: Category | None = None


class FoundSummary(_Found, Summary):
    matched: list[Literal["meaning", "words"]] = Field(description="By what it was found.")


class FoundSummaries(_Answer):
    query: str
    count: int
    results: list[FoundSummary] = Field(description="By ascending distance.")


class SummariesDeleted(_Answer):
    deleted: int = Field(examples=[25])
    message: str = "All summaries successfully deleted"


class Summarize(_Request):
    session_id: SessionId | None = Field(None, description="Without one: every session that has no current summary.")


class Summarized(_Answer):
    session_id: str = Field(examples=[_SESSION])
    memory_count: int = Field(examples=[15])
    summary_id: str = Field(examples=[_SUMMARY])
    title: str = Field(examples=[_TITLE])


class NotSummarized(_Answer):
    session_id: str
    message: str
    code: str


class Summarization(_Answer):
    processed: int = Field(description="How many sessions have a new summary.", examples=[1])
    sessions: list[Summarized]
    failed: list[NotSummarized] = Field(description="Sessions that keep what they had, each with the reason.")


class Imported(_Answer):
    imported: int = Field(examples=[150])
    skipped: int = Field(examples=[5], description="Records whose ids were there already.")
    mode: Mode
    message: str = "Database import completed successfully"
    searchable: bool = Field(description="Whether all of it is found by meaning already; the rest follows by itself.")
