"""Requests and answers of the entries family. Source: MEM-4, MEM-5, MEM-61."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, RootModel

from server.core.fields import LONGEST_TEXT, Instant, NonBlankText, Since, Until, ValidText, json_object
from server.interface.corrections import CorrectedBy, optional_field
from server.interface.tools import ToolInput, ToolOutput

_LONGEST_METADATA = 262_144
_LONGEST_NAME = 64
LONGEST_TITLE = 120
MOST_FOUND = 100
DEEPEST_TIMELINE = 20
LARGEST_OFFSET = 2**53 - 1
"""The greatest integer that clients in every language represent exactly."""


Trimmed = AfterValidator(str.strip)
Name = Annotated[
    str, Field(max_length=10_000), ValidText, Trimmed, AfterValidator(lambda name: name[:_LONGEST_NAME].rstrip())
]
"""The name of a project or a type, cut to 64 characters in stored entries and in searches."""
Title = Annotated[str, Field(max_length=10_000), ValidText, Trimmed, AfterValidator(lambda text: text[:LONGEST_TITLE])]
Offset = Annotated[int, Field(ge=0, le=LARGEST_OFFSET)]
EntryId = Annotated[str, Field(max_length=1_000), ValidText, Trimmed, NonBlankText]
Reason = Annotated[str, Field(max_length=2_000), ValidText, Trimmed]


class EntryInput(ToolInput):
    """Arguments of a tool; unknown ones are ignored. Source: MEM-10."""

    model_config = ConfigDict(extra="ignore")


class SaveMemory(EntryInput):
    text: Annotated[str, Field(max_length=LONGEST_TEXT), ValidText, Trimmed, NonBlankText] = Field(
        description="Include names and the speaker; [[Name]] links an entity"
    )
    title: Title = ""
    project: Name = ""
    type: Name = Field("", description="E.g. note, bugfix")
    source_ref: Annotated[str, Field(max_length=2_000), ValidText, Trimmed] = ""
    metadata: Annotated[dict[str, Any], json_object(_LONGEST_METADATA)] = Field(default={})
    session_id: Annotated[str, Field(max_length=200), ValidText, Trimmed] = Field("", description="Conversation or run")
    supersedes: Annotated[list[EntryId], Field(max_length=50)] = Field([], description="Ids of memories it replaces")
    reason: Reason = ""
    valid_until: Until | None = None
    allow_duplicate: bool = Field(False, description="Save the same text or source_ref again")


class RepeatedRecord(ToolOutput):
    """A record with the same text that a human rejected or retracted."""

    id: str
    how: Literal["rejected", "retracted"]
    reason: str | None = None


class SavedEntry(ToolOutput):
    status: Literal["saved"] = "saved"
    id: str
    created_at: str
    searchable: bool  # by meaning; by words it always is
    repeats: RepeatedRecord | None = Field(None, exclude_if=lambda repeated: repeated is None)


class DuplicateEntry(ToolOutput):
    """Nothing was stored: the memory `duplicate_of` has the same text, or the same source_ref."""

    status: Literal["duplicate"] = "duplicate"
    stored: Literal[False] = False
    id: str
    duplicate_of: str
    created_at: str
    message: str


class SaveAnswer(RootModel[SavedEntry | DuplicateEntry]):
    """The new memory, or the current one that has the same text or the same source_ref."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"type": "object"})


class EntryUpdate(ToolInput):
    """What changes of a memory; what is left out stays."""

    title: Title | None = None
    body: Annotated[str, Field(max_length=LONGEST_TEXT), ValidText, Trimmed, NonBlankText] | None = None
    type: Name | None = None
    metadata: Annotated[dict[str, Any], json_object(_LONGEST_METADATA)] | None = None
    reason: Annotated[Reason, NonBlankText] = Field(description="Why")


class UpdateMemory(EntryUpdate):
    id: EntryId


class UpdatedEntry(ToolOutput):
    """`revision` counts the texts of the memory, from 1."""

    status: Literal["updated"] = "updated"
    id: str
    revision: int
    updated_at: str
    searchable: bool


class SearchEntries(EntryInput):
    query: Annotated[str, Field(max_length=10_000), ValidText, Trimmed, NonBlankText]
    project: Name = ""
    type: Name = ""
    limit: int = 20
    offset: int = 0
    since: Since | None = None
    until: Until | None = None
    as_of: Until | None = Field(None, description="Active then")
    clamped: ClassVar[Mapping[str, tuple[int, int | None]]] = {"limit": (1, MOST_FOUND), "offset": (0, None)}


class EntryIndexItem(ToolOutput):
    id: str
    title: str
    entry_type: str
    project: str
    created_at: Instant
    score: float


class FoundEntry(EntryIndexItem):
    """`matched` says why it was found; `neighbour`: the text around it in the session matches."""

    session_id: str | None
    matched: list[Literal["meaning", "words", "neighbour"]]
    snippet: str
    section: str | None
    source_ref: str | None
    corrected_by: CorrectedBy | None = optional_field()


class FoundEntries(ToolOutput):
    """If `total_is_exact` is false, there are more than `total`. `message` says where else to look."""

    items: list[FoundEntry]
    total: int
    limit: int
    offset: int
    total_is_exact: bool
    by_meaning: bool  # false while meanings cannot be compared
    message: str | None = None


class GetTimeline(EntryInput):
    anchor_id: Annotated[str, Field(max_length=1_000), ValidText, Trimmed, NonBlankText]
    depth_before: int = 3
    depth_after: int = 3
    offset: Offset = 0
    clamped: ClassVar[Mapping[str, tuple[int, int | None]]] = {
        "depth_before": (0, DEEPEST_TIMELINE),
        "depth_after": (0, DEEPEST_TIMELINE),
    }


Status = Literal["active", "superseded", "expired"]


class TimelineItem(EntryIndexItem):
    session_id: str | None
    source_ref: str | None
    status: Status


class TimelineAnswer(ToolOutput):
    anchor_id: str
    items: list[TimelineItem]
    total: int


class GetEntries(EntryInput):
    ids: Annotated[list[Annotated[str, Field(max_length=1_000), ValidText]], Field(min_length=1, max_length=200)]
    offset: Offset = 0


class EntryDetailItem(ToolOutput):
    id: str
    title: str
    body: str
    entry_type: str
    project: str
    session_id: str | None
    source_ref: str | None
    metadata: dict[str, Any]
    created_at: Instant
    status: Status
    superseded_by: str | None
    valid_until: Instant | None = optional_field()
    corrected_by: CorrectedBy | None = optional_field()


class Entries(ToolOutput):
    items: list[EntryDetailItem]


Sources = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=4_096), ValidText]], Field(min_length=1, max_length=100)
]


class IngestDocs(EntryInput):
    project: Name = ""
    sources: Sources | None = Field(
        None, description="Files and folders; default docs/session-log.md, docs/decisions.md, docs/requirements.md"
    )
    entry_type: Name = Field("", description="Default ingestion")


class SkippedSource(ToolOutput):
    source: str
    reason: str


class IngestionReport(ToolOutput):
    """`retired_entries`: documents missing from a folder; `folders`: those that may be read.

    `remaining_documents`: not read yet; repeat the call to continue.
    """

    processed_sources: int
    imported_entries: int
    duplicate_entries: int
    retired_entries: int
    remaining_documents: int
    skipped_sources: list[str]
    details: list[SkippedSource]
    folders: list[str]


class RetentionDryRun(EntryInput):
    now: Since | None = Field(None, description="ISO time")
    max_age_days: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_entries_per_project: Annotated[int, Field(gt=0)] | None = None
    project: Name = ""
    offset: Offset = Field(0, description="Repeat the same now to continue")


class RetentionReasons(ToolOutput):
    age: int
    project_count: int


class RetentionReport(ToolOutput):
    mode: Literal["dry-run"] = "dry-run"
    executed_at: str
    total_candidates: int
    by_reason: RetentionReasons
    candidate_ids: list[str]
