"""Requests and answers of the decisions family.

Source: decisions.md "Tools", "Data Models (Responses)"; fields beyond it from design.md section 5.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from server.ranking.policy import Mode
from server.tools import ToolInput, ToolOutput


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("holds nothing but white space")
    return text


Said = AfterValidator(_says_something)
Title = Annotated[str, Field(min_length=1, max_length=1_000), Said]
Target = Annotated[str, Field(min_length=1, max_length=1_000), Said]
Consequences = Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(max_length=100)]
_LONGEST_RATIONALE = 1_048_576


class RecordDecision(ToolInput):
    title: Title = Field(description="Short title of the decision")
    target: Target = Field(description="What it applies to: one stable name per question")
    rationale: Annotated[str, Field(min_length=10, max_length=_LONGEST_RATIONALE), Said] = Field(description="Why")
    consequences: Consequences = Field(default=[])


class SupersedeDecision(ToolInput):
    title: Title
    target: Target = Field(description="Exactly the target of the old decision")
    rationale: Annotated[str, Field(min_length=15, max_length=_LONGEST_RATIONALE), Said] = Field(
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
    searchable: bool = Field(default=False, description="Found by meaning already; by words it is at once")


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
    kind: Literal["decision"] = "decision"
    title: str
    target: str
    origin: str
    superseded_by: str | None
    created_at: datetime
    why: list[Reason]


class SearchResponse(BaseResponse):
    results: list[FoundDecision] = Field(default=[])
