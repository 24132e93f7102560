"""Requests and answers of the entries family.

Source: entries.md "Tool: …", "Common Types"; open-questions.md, "entries.md", for what is clamped, cut or trimmed.
Beyond the specification: `session_id`, `since`, `until`, `searchable`, `matched`, `snippet`, `section`, `status` and
`superseded_by`, `total_is_exact`, `by_meaning`, and `details` of what ingestion skipped.
"""

from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from server.fields import LONGEST_TEXT, Said, Whole, json_object
from server.tools import ToolInput, ToolOutput

_LONGEST_METADATA = 262_144
_LONGEST_NAME = 64
LONGEST_TITLE = 120
MOST_FOUND = 100
DEEPEST_TIMELINE = 20
_DAY = len("2026-05-08")


def _instant(text: object, clock: time) -> object:
    if not isinstance(text, str):
        return text
    try:
        moment = (
            datetime.combine(date.fromisoformat(text), clock) if len(text) == _DAY else datetime.fromisoformat(text)
        )
        return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("is no ISO 8601 time, such as 2026-05-08T13:56:00Z") from None


def _clamped(lowest: int, highest: int | None) -> AfterValidator:
    return AfterValidator(lambda number: max(lowest, number if highest is None else min(number, highest)))


Trimmed = AfterValidator(str.strip)
Name = Annotated[
    str, Field(max_length=10_000), Whole, Trimmed, AfterValidator(lambda name: name[:_LONGEST_NAME].rstrip())
]
"""Of a project or a type: cut to 64 characters, in what is stored and in what is asked alike."""
Title = Annotated[str, Field(max_length=10_000), Whole, Trimmed, AfterValidator(lambda text: text[:LONGEST_TITLE])]
_UTC_TIME = {"type": "string", "format": "date-time"}
Since = Annotated[datetime, BeforeValidator(lambda text: _instant(text, time.min)), Field(json_schema_extra=_UTC_TIME)]
Until = Annotated[datetime, BeforeValidator(lambda text: _instant(text, time.max)), Field(json_schema_extra=_UTC_TIME)]


class EntryInput(ToolInput):
    """Unknown fields are ignored (entries.md "Compatibility Rules")."""

    model_config = ConfigDict(extra="ignore")


class SaveMemory(EntryInput):
    text: Annotated[str, Field(max_length=LONGEST_TEXT), Whole, Trimmed, Said] = Field(
        description="What to remember, names and who said it included; [[Name]] links an entity"
    )
    title: Title = Field("", description="If absent, the beginning of the text")
    project: Name = Field("", description="If absent, the configured one")
    type: Name = Field("", description="E.g. note, decision, bugfix; if absent note")
    source_ref: Annotated[str, Field(max_length=2_000), Whole, Trimmed] = ""
    metadata: Annotated[dict[str, Any], json_object(_LONGEST_METADATA)] = Field(default={})
    session_id: Annotated[str, Field(max_length=200), Whole, Trimmed] = Field(
        "", description="Conversation or run it belongs to; its order helps search"
    )


class Saved(ToolOutput):
    status: Literal["saved"] = "saved"
    id: str
    created_at: str
    searchable: bool  # by meaning already; by words it is at once


class Search(EntryInput):
    query: Annotated[str, Field(max_length=10_000), Whole, Trimmed, Said]
    project: Name = ""
    type: Name = ""
    limit: Annotated[int, _clamped(1, MOST_FOUND)] = Field(20, description="1 to 100; others are taken as the nearest")
    offset: Annotated[int, _clamped(0, None)] = 0
    since: Since | None = Field(None, description="Saved at or after this ISO time")
    until: Until | None = Field(None, description="Saved at or before it")


class EntryIndexItem(ToolOutput):
    id: str
    title: str
    entry_type: str
    project: str
    created_at: str
    score: float


class FoundEntry(EntryIndexItem):
    """`matched` says why it was found, `neighbour` that what was said around it matches."""

    session_id: str | None
    matched: list[Literal["meaning", "words", "neighbour"]]
    snippet: str
    section: str | None


class Found(ToolOutput):
    """`total` is exact unless `total_is_exact` is false: then there are more."""

    items: list[FoundEntry]
    total: int
    limit: int
    offset: int
    total_is_exact: bool
    by_meaning: bool  # false while meanings cannot be compared


class Timeline(EntryInput):
    anchor_id: Annotated[str, Field(max_length=1_000), Whole, Trimmed, Said]
    depth_before: Annotated[int, _clamped(0, DEEPEST_TIMELINE)] = Field(3, description="0 to 20")
    depth_after: Annotated[int, _clamped(0, DEEPEST_TIMELINE)] = Field(3, description="0 to 20")


Status = Literal["active", "superseded"]


class TimelineItem(EntryIndexItem):
    session_id: str | None
    status: Status


class TimelineAnswer(ToolOutput):
    anchor_id: str
    items: list[TimelineItem]


class GetEntries(EntryInput):
    ids: Annotated[list[Annotated[str, Field(max_length=1_000), Whole]], Field(min_length=1, max_length=200)]


class EntryDetailItem(ToolOutput):
    id: str
    title: str
    body: str
    entry_type: str
    project: str
    session_id: str | None
    source_ref: str | None
    metadata: dict[str, Any]
    created_at: str
    status: Status
    superseded_by: str | None


class Entries(ToolOutput):
    items: list[EntryDetailItem]


Sources = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=4_096), Whole]], Field(min_length=1, max_length=100)
]


class IngestDocs(EntryInput):
    project: Name = ""
    sources: Sources | None = Field(
        None, description="Files, not folders; if absent docs/session-log.md, docs/decisions.md, docs/requirements.md"
    )
    entry_type: Name = Field("", description="If absent ingestion")


class SkippedSource(ToolOutput):
    source: str
    reason: str


class Ingested(ToolOutput):
    processed_sources: int
    imported_entries: int
    duplicate_entries: int
    skipped_sources: list[str]
    details: list[SkippedSource]


class RetentionDryRun(EntryInput):
    now: Since | None = Field(None, description="ISO time; if absent now")
    max_age_days: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_entries_per_project: Annotated[int, Field(gt=0)] | None = None
    project: Name = ""


class Reasons(ToolOutput):
    age: int
    project_count: int


class RetentionReport(ToolOutput):
    mode: Literal["dry-run"] = "dry-run"
    executed_at: str
    total_candidates: int
    by_reason: Reasons
    candidate_ids: list[str]
