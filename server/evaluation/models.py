"""Requests and answers of the evaluation family.

Source: cognitive.md "store_dual_judge_scores", "get_golden_test_results". Beyond them: an id of a document is said
once, a query has at most 10,000 characters, a document 100,000.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from server.evaluation.agreement import Agreement
from server.fields import Whole
from server.tools import ToolInput, ToolOutput

_LARGEST = 2**53 - 1
"""The greatest integer that every client's language holds exactly."""
QueryType = Literal["short", "medium", "long"]


class Document(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    id: Annotated[int, Field(ge=-_LARGEST, le=_LARGEST)] = Field(description="Id of the document, or of the insight")
    content: Annotated[str, Field(min_length=1, max_length=100_000), Whole] = Field(description="What is judged")


class StoreDualJudgeScores(ToolInput):
    query_id: Annotated[int, Field(ge=1, le=_LARGEST)] = Field(description="Id of a ground-truth query")
    query: Annotated[str, Field(min_length=1, max_length=10_000), Whole] = Field(description="The query, in words")
    docs: Annotated[list[Document], Field(min_length=1, max_length=50)] = Field(description="Documents to judge")

    @model_validator(mode="after")
    def _each_once(self) -> "StoreDualJudgeScores":
        ids = [document.id for document in self.docs]
        if twice := sorted({each for each in ids if ids.count(each) > 1}):
            raise ValueError(f"docs has the id {twice[0]} more than once")
        return self


class DualJudgeScores(ToolOutput):
    """`judge1_score` and `judge2_score` are the means of what each gave, `kappa` is Cohen's, over score > 0.5."""

    query_id: int
    judge1_score: float
    judge2_score: float
    kappa: float
    agreement: Agreement
    evaluated_documents: int
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
    date: str = Field(description="The day in UTC that the result is kept under")
    precision_at_5: float
    baseline_precision: float | None = Field(description="Mean of the 7 days before; null where none was measured")
    drift_detected: bool = Field(description="More than 0.05 below the baseline")
    queries_tested: int
    details: str
    query_breakdown: Breakdown
