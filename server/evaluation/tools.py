"""The tools of the evaluation family, and the form of their errors.

Source: cognitive.md "store_dual_judge_scores", "get_golden_test_results", "Error Handling".
"""

from typing import Any

from server.envelopes import cognitive
from server.errors import ApiKeyMissing, GoldenSetEmpty, JudgeUnavailable, PrecedentError
from server.evaluation.models import DualJudgeScores, GetGoldenTestResults, GoldenTestResults, StoreDualJudgeScores
from server.evaluation.service import EvaluationService
from server.tools import Tool


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:
    """The form that all of cognitive.md has; what only happens here has a kind of its own."""
    told = cognitive(error, tool)
    match error:
        case ApiKeyMissing():
            return {**told, "error": "API key not configured"}
        case GoldenSetEmpty():
            return {**told, "error": "Golden Test execution failed"}
        case JudgeUnavailable():
            return {**told, "error": "Tool execution failed"}
        case _:
            return told


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="store_dual_judge_scores",
        description="Has two independent language models judge how relevant documents are to a ground-truth query, and "
        "stores their scores with Cohen's kappa.",
        request=StoreDualJudgeScores,
        response=DualJudgeScores,
        run=EvaluationService.store_dual_judge_scores,
        envelope=envelope,
        open_world=True,
    ),
    Tool(
        name="get_golden_test_results",
        description="Searches for every golden query, stores today's Precision@5 and compares it with the 7 days "
        "before: has search drifted?",
        request=GetGoldenTestResults,
        response=GoldenTestResults,
        run=EvaluationService.golden_test_results,
        envelope=envelope,
        idempotent=True,
    ),
)
