"""Requests and answers of the decisions family. Source: DEC-2, DEC-16, DEC-26."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from server.core.fields import LONGEST_TEXT, NonBlankText, Since, Until
from server.decisions.times import HoldingPeriod, TimedOutput
from server.interface.times import PastQuestion
from server.interface.tools import ToolInput, ToolOutput
from server.ranking.policy import Mode

Title = Annotated[str, Field(min_length=1, max_length=1_000), NonBlankText]
Target = Annotated[str, Field(min_length=1, max_length=1_000), NonBlankText]
Consequences = Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(max_length=100)]
Rationale = Annotated[str, Field(min_length=10, max_length=LONGEST_TEXT), NonBlankText]
Id = Annotated[str, Field(min_length=1, max_length=1_000)]
EvidenceId = Annotated[Id, BeforeValidator(lambda id_: str(id_) if type(id_) is int else id_)]
"""Insights, dialogues and episodes have integer ids."""
EvidenceIds = Annotated[list[EvidenceId], Field(max_length=100)]
EVIDENCE_NEEDED = 3
"""Different records that a proposal needs. Source: DEC-56."""


class RejectedAlternative(ToolInput):
    option: Target
    why_not: Annotated[str, Field(max_length=10_000)] = ""


class LinkedRequest(HoldingPeriod):
    """The text of a decision or proposal, and its links; `[[Name]]` in its texts links as well."""

    title: Title
    target: Target
    rationale: Rationale
    about: Annotated[list[Target], Field(max_length=50)] = Field(default=[], description="More entities it is about")
    requires: Annotated[list[Id], Field(max_length=100)] = Field(
        default=[], description="Ids of decisions it depends on"
    )
    alternatives: Annotated[list[RejectedAlternative], Field(max_length=20)] = Field(default=[])


class RecordDecision(LinkedRequest):
    title: Title = Field(description="Short title of the decision")
    target: Target = Field(description="What it applies to: one stable name per question")
    rationale: Rationale = Field(description="Why; [[Name]] links an entity")
    consequences: Consequences = Field(default=[])
    evidence: EvidenceIds = Field(default=[], description="Ids of records that support it")


class SupersedeDecision(LinkedRequest):
    title: Title
    target: Target = Field(description="The target of the old decision")
    rationale: Annotated[str, Field(min_length=15, max_length=LONGEST_TEXT), NonBlankText] = Field(
        description="Why the old decision no longer holds"
    )
    old_decision_ids: Annotated[list[str], Field(min_length=1, max_length=100)]
    consequences: Consequences = Field(default=[])
    evidence: EvidenceIds = Field(default=[])


class SearchDecisions(PastQuestion):
    query: Annotated[str, Field(min_length=1, max_length=10_000), NonBlankText]
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    mode: Mode = "balanced"
    target: Target | None = None
    about: Target | None = Field(None, description="An entity they are about")
    status: (
        Literal[
            "active", "superseded", "deprecated", "expired", "retracted", "draft", "accepted", "rejected", "falsified"
        ]
        | None
    ) = None
    since: Since | None = Field(None, description="Recorded from this ISO time on")
    until: Until | None = None
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class BaseResponse(ToolOutput):
    """The fields that answers and errors share: an error fits the schema of the answer."""

    status: Literal["success", "error"]
    message: str


class NearTarget(ToolOutput):
    target: str
    decision_id: str
    title: str


class DecisionResponse(BaseResponse):
    decision_id: str | None = None
    searchable: bool = Field(default=False, description="By meaning already; by words at once")
    near_targets: list[NearTarget] = Field(default=[], description="In force for targets written almost like this one")


class Reason(ToolOutput):
    """The amounts add up to the score."""

    part: str
    amount: float
    because: str | None = None


class FoundDecision(TimedOutput):
    id: str
    score: float
    status: str
    preview: str
    kind: Literal["decision", "proposal"]
    title: str
    target: str
    origin: str
    superseded_by: str | None
    created_at: datetime
    why: list[Reason]


class SearchResponse(BaseResponse):
    results: list[FoundDecision] = Field(default=[])
    total: int = 0
    next_offset: int | None = None


class ProposeDecision(LinkedRequest):
    title: Title
    target: Target
    rationale: Rationale
    confidence: Annotated[float, Field(ge=0, le=1)]
    evidence_ids: Annotated[list[EvidenceId], Field(min_length=EVIDENCE_NEEDED, max_length=100)] = Field(
        description="Ids of 3 or more records that support it"
    )
    suggested_consequences: Consequences = Field(default=[])
    suggested_supersedes: Annotated[list[Id], Field(max_length=100)] = Field(
        default=[], description="The decision in force for the target, if any"
    )


class ProposalResponse(BaseResponse):
    proposal_id: str | None = None
    acceptable_from: datetime | None = None
    searchable: bool = False


ProposalStatus = Literal["draft", "accepted", "rejected", "falsified"]


class ListProposals(ToolInput):
    status: Literal[ProposalStatus, "all"] = "draft"
    target: Target | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class EvidenceItem(ToolOutput):
    id: str
    kind: str
    name: str


class Proposal(TimedOutput):
    """`became` is the decision of an accepted one; `competes_with` the other drafts about its target."""

    id: str
    title: str
    target: str
    rationale: str
    confidence: float | None
    status: str
    origin: str
    proposed_by: str | None
    first_observed_at: datetime
    acceptable_from: datetime
    evidence: list[EvidenceItem]
    suggested_consequences: list[str]
    suggested_supersedes: list[str]
    competes_with: list[str]
    became: str | None
    decided_by: str | None
    rejection_reason: str | None


class ProposalList(BaseResponse):
    proposals: list[Proposal] = Field(default=[])
    total: int = 0


class AcceptProposal(ToolInput):
    proposal_id: Id


class Rejection(ToolInput):
    reason: Annotated[str, Field(min_length=10, max_length=10_000), NonBlankText] = Field(
        description="Why it is rejected"
    )


class RejectProposal(Rejection):
    proposal_id: Id
