"""Requests and answers of the decisions family.

Source: decisions.md "Tools", "Data Models (Responses)"; fields beyond it from design.md section 5; of proposals, issue
6 section "Proposals".
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from server.fields import LONGEST_TEXT, Said
from server.ranking.policy import Mode
from server.tools import ToolInput, ToolOutput

Title = Annotated[str, Field(min_length=1, max_length=1_000), Said]
Target = Annotated[str, Field(min_length=1, max_length=1_000), Said]
Consequences = Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(max_length=100)]
Rationale = Annotated[str, Field(min_length=10, max_length=LONGEST_TEXT), Said]
Id = Annotated[str, Field(min_length=1, max_length=1_000)]
EvidenceId = Annotated[Id, BeforeValidator(lambda id_: str(id_) if type(id_) is int else id_)]
"""Insights and dialogues have integers, and are told by them."""
EVIDENCE_NEEDED = 3
"""PI2 (open-questions.md, "Invariants"): so many records speak for a proposal at least."""


class RecordDecision(ToolInput):
    title: Title = Field(description="Short title of the decision")
    target: Target = Field(description="What it applies to: one stable, exact name per question")
    rationale: Rationale = Field(description="Why")
    consequences: Consequences = Field(default=[])


class SupersedeDecision(ToolInput):
    title: Title
    target: Target = Field(description="Exactly the target of the old decision")
    rationale: Annotated[str, Field(min_length=15, max_length=LONGEST_TEXT), Said] = Field(
        description="Why the old decision no longer holds"
    )
    old_decision_ids: Annotated[list[str], Field(min_length=1, max_length=100)]
    consequences: Consequences = Field(default=[])


class SearchDecisions(ToolInput):
    query: Annotated[str, Field(min_length=1, max_length=10_000), Said]
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    mode: Mode = "balanced"


class BaseResponse(ToolOutput):
    """What has no default is in an error's form as well: its schema holds for both."""

    status: Literal["success", "error"]
    message: str


class DecisionResponse(BaseResponse):
    decision_id: str | None = None
    searchable: bool = Field(default=False, description="By meaning already; by words at once")


class Reason(ToolOutput):
    """The amounts add up to the score."""

    part: str
    amount: float
    because: str | None = None


class FoundDecision(ToolOutput):
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


class ProposeDecision(ToolInput):
    title: Title
    target: Target
    rationale: Rationale
    confidence: Annotated[float, Field(ge=0, le=1)]
    evidence_ids: Annotated[list[EvidenceId], Field(min_length=EVIDENCE_NEEDED, max_length=100)] = Field(
        description="Ids of different records that speak for it: memories, messages, insights, decisions …"
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


class Evidence(ToolOutput):
    id: str
    kind: str
    name: str


class Proposal(ToolOutput):
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
    evidence: list[Evidence]
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
    reason: Annotated[str, Field(min_length=10, max_length=10_000), Said] = Field(description="Why it is not to be")


class RejectProposal(Rejection):
    proposal_id: Id
