"""Requests and answers of the evaluation family. Source: EVA-1, EVA-3."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from server.core.fields import ValidText
from server.evaluation.agreement import Agreement
from server.interface.tools import ToolInput, ToolOutput

_LARGEST = 2**53 - 1
"""The greatest integer that JavaScript numbers hold exactly."""
QueryType = Literal["short", "medium", "long"]


class DocumentToJudge(ToolInput):
    id: Annotated[int, Field(ge=-_LARGEST, le=_LARGEST)]
    content: Annotated[str, Field(min_length=1, max_length=100_000), ValidText]


class StoreDualJudgeScores(ToolInput):
    query_id: Annotated[int, Field(ge=1, le=_LARGEST)]
    query: Annotated[str, Field(min_length=1, max_length=10_000), ValidText]
    docs: Annotated[list[DocumentToJudge], Field(min_length=1, max_length=50)]

    @model_validator(mode="after")
    def _require_unique_ids(self) -> "StoreDualJudgeScores":
        ids = [document.id for document in self.docs]
        if repeated := sorted({each for each in ids if ids.count(each) > 1}):
            raise ValueError(f"docs has the id {repeated[0]} more than once; give each document once")
        return self


class NotEvaluated(ToolOutput):
    id: int
    reason: str


class DualJudgeScores(ToolOutput):
    """`judge1_score` and `judge2_score` are mean scores, `kappa` is Cohen's, over score > 0.5.

    They count the documents that both judges scored; `not_evaluated` names the others.
    """

    query_id: int
    judge1_score: float
    judge2_score: float
    kappa: float
    agreement: Agreement
    evaluated_documents: int
    not_evaluated: list[NotEvaluated]
    status: Literal["success"] = "success"


class GetGoldenTestResults(ToolInput):
    pass


class ClassResult(ToolOutput):
    count: int
    precision_at_5: float | None


class Breakdown(ToolOutput):
    """By words of the query: short up to 10, long from 30."""

    short: ClassResult
    medium: ClassResult
    long: ClassResult


class GoldenTestResults(ToolOutput):
    date: str = Field(description="The day (UTC) of the result")
    precision_at_5: float
    baseline_precision: float = Field(description="Mean of the 7 days before; today's if none was measured")
    drift_detected: bool = Field(description="More than 0.05 below the baseline")
    queries_tested: int
    details: str
    query_breakdown: Breakdown
