"""Requests and answers of `get_decisions`, `list_decisions` and `overview`. Source: DEC-46, DEC-52, DEC-65."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from server.core.fields import NonBlankText
from server.decisions.models import BaseResponse, EvidenceItem, Id, Target
from server.interface.times import PastQuestion
from server.interface.tools import ToolInput, ToolOutput

MOST_READ = 20
"""Decisions that one call of `get_decisions` may ask for."""
_DAY = len("2026-11-21")


def _parse_since(value: object) -> object:
    """Return the time, or the start of the day; without a zone it is UTC."""
    if not isinstance(value, str):
        return value
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            "is not a valid time; use a date or an ISO 8601 time, such as 2026-11-21 or 2026-11-21T10:15:00Z"
        ) from None


def _parse_until(value: object) -> object:
    """Return the first moment that is excluded: the next day of a date, the next microsecond of a time."""
    at = _parse_since(value)
    if not isinstance(at, datetime):
        return at
    assert isinstance(value, str)
    try:
        return at + (timedelta(days=1) if len(value) <= _DAY else timedelta(microseconds=1))
    except OverflowError:
        return at


_TEXT = WithJsonSchema({"type": "string"})
Since = Annotated[datetime, BeforeValidator(_parse_since), _TEXT]
Until = Annotated[datetime, BeforeValidator(_parse_until), _TEXT]


class SparseOutput(ToolOutput):
    """An answer that leaves out fields that are null, because agents pay for each name."""

    @model_serializer(mode="wrap")
    def _drop_null(self, serialize: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # else it hides the schema
        return {name: value for name, value in serialize(self).items() if value is not None}


class GetDecisions(PastQuestion):
    ids: Annotated[list[Id], Field(max_length=MOST_READ)] = Field(default=[])
    targets: Annotated[list[Target], Field(max_length=MOST_READ)] = Field(default=[])
    offset: Annotated[int, Field(ge=0, le=1_000)] = 0

    @model_validator(mode="after")
    def _require_one(self) -> "GetDecisions":
        if not 0 < len(self.ids) + len(self.targets) <= MOST_READ:
            raise ValueError(f"ids and targets together must name 1 to {MOST_READ} decisions")
        return self


class ChainStep(SparseOutput):
    """A decision of the supersession chain: the beginning of the `reason` and the number of `steps` to it."""

    id: str
    title: str
    status: str
    reason: str
    at: datetime | None = None
    by: str | None = None
    steps: int


class SourceProposal(SparseOutput):
    """The proposal that became a decision."""

    id: str
    title: str
    at: datetime | None = None
    by: str | None = None


class Alternative(ToolOutput):
    option: str
    why_not: str


class LinkedDecision(ToolOutput):
    id: str
    title: str
    status: str


class RelatedDecision(LinkedDecision):
    relation: str
    direction: Literal["outgoing", "incoming"]


class ProposalDetails(SparseOutput):
    """The fields that only a proposal has."""

    confidence: float | None = None
    first_observed_at: datetime | None = None
    acceptable_from: datetime | None = None
    suggested_supersedes: list[str] = Field(default=[])
    competes_with: list[str] = Field(default=[])
    became: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    rejection_reason: str | None = None


class Retraction(SparseOutput):
    """Who retracted a decision, when and why."""

    at: datetime | None = None
    by: str | None = None
    reason: str | None = None


class FullDecision(SparseOutput):
    """`more` counts, for each list, the items after the first 50."""

    id: str
    kind: Literal["decision", "proposal"]
    title: str
    target: str
    status: str
    origin: str
    created_by: str | None = None
    created_at: datetime | None = None
    effective_at: datetime | None = None
    valid_until: datetime | None = None
    retracted: Retraction | None = None
    rationale: str
    consequences: list[str] = Field(default=[])
    alternatives: list[Alternative] = Field(default=[])
    replaced: list[ChainStep] = Field(default=[])
    replaced_by: list[ChainStep] = Field(default=[])
    proposals: list[SourceProposal] = Field(default=[])
    evidence: list[EvidenceItem] = Field(default=[])
    about: list[str] = Field(default=[])
    mentions: list[str] = Field(default=[])
    requires: list[LinkedDecision] = Field(default=[])
    required_by: list[LinkedDecision] = Field(default=[])
    related: list[RelatedDecision] = Field(default=[])
    proposal: ProposalDetails | None = None
    more: dict[str, int] | None = None


class FullDecisions(BaseResponse):
    """`total` counts what was found, without `offset`."""

    decisions: list[FullDecision] = Field(default=[])
    unknown: list[str] = Field(default=[])
    total: int = 0


class ListDecisions(PastQuestion):
    status: Literal["active", "superseded", "deprecated", "expired", "retracted", "draft", "all"] = "active"
    target: Target | None = None
    about: Annotated[str, Field(min_length=1, max_length=1_000), NonBlankText] | None = Field(
        default=None, description="An entity they are about or mention"
    )
    since: Since | None = Field(default=None, description="ISO date or time")
    until: Until | None = None
    origin: Literal["human", "agent"] | None = None
    order: Literal["newest", "oldest", "target"] = "newest"
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class ListedDecision(SparseOutput):
    id: str
    title: str
    target: str
    status: str
    origin: str
    created_at: datetime | None = None
    created_by: str | None = None
    effective_at: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = None


class DecisionList(BaseResponse, SparseOutput):
    decisions: list[ListedDecision] = Field(default=[])
    total: int = 0
    next_offset: int | None = None


class GetOverview(ToolInput):
    pass


class DecisionInForce(SparseOutput):
    id: str
    title: str
    target: str
    created_at: datetime | None = None
    effective_at: datetime | None = None
    valid_until: datetime | None = None


class WaitingProposal(SparseOutput):
    id: str
    title: str
    target: str
    by: str | None = None


class ConnectedEntity(ToolOutput):
    """`connections` counts relations, decisions about it, and records that mention it."""

    name: str
    label: str
    connections: int


class ChangedRecord(SparseOutput):
    kind: str
    id: str | None = None
    name: str


class LatestChange(SparseOutput):
    """`changed` counts the records; the first few are named."""

    at: datetime
    by: str | None = None
    what: str | None = None
    changed: int
    records: list[ChangedRecord]


class CollidingDecision(ToolOutput):
    id: str
    title: str
    target: str


class Overview(BaseResponse, SparseOutput):
    """`at_least` lists the kinds whose count stopped at the limit; `next_offset` is for `list_decisions`."""

    decisions: dict[str, int] = Field(default={})
    proposals: dict[str, int] = Field(default={})
    counts: dict[str, int] = Field(default={})
    at_least: list[str] = Field(default=[])
    in_force: list[DecisionInForce] = Field(default=[])
    next_offset: int | None = None
    waiting: list[WaitingProposal] = Field(default=[])
    colliding: list[list[CollidingDecision]] = Field(default=[])
    best_connected: list[ConnectedEntity] = Field(default=[])
    changed: list[LatestChange] = Field(default=[])
