"""The tools of the evaluation family, and the form of their errors. Source: EVA-1, EVA-6."""

from typing import Any

from server.core.errors import ApiKeyMissing, GoldenSetEmpty, JudgeUnavailable, PrecedentError
from server.core.settings import Settings
from server.evaluation.models import DualJudgeScores, GetGoldenTestResults, GoldenTestResults, StoreDualJudgeScores
from server.evaluation.service import EvaluationService
from server.interface.envelopes import cognitive
from server.interface.tools import Tool
from server.language_models.providers import list_providers, parse_provider


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:
    """Return an error in the form of the cognitive families; errors of this family alone have their own `error`."""
    form = cognitive(error, tool)
    match error:
        case ApiKeyMissing():
            return {**form, "error": "API key not configured"}
        case GoldenSetEmpty():
            return {**form, "error": "Golden Test execution failed"}
        case JudgeUnavailable():
            return {**form, "error": "Tool execution failed"}
        case _:
            return form


def _missing_keys(settings: Settings) -> list[str]:
    known = list_providers(settings)
    judges = [known.get(parse_provider(model)) for model in (settings.judge1_model, settings.judge2_model)]
    return list(dict.fromkeys(judge.setting for judge in judges if judge is not None and judge.key is None))


TOOLS = (
    Tool(
        name="store_dual_judge_scores",
        description="Has two language models score the relevance of documents to a ground-truth query; stores the "
        "scores and Cohen's kappa.",
        request=StoreDualJudgeScores,
        response=DualJudgeScores,
        run=EvaluationService.store_dual_judge_scores,
        envelope=envelope,
        open_world=True,
        missing_keys=_missing_keys,
    ),
    Tool(
        name="get_golden_test_results",
        description="Runs hybrid_search for every golden query, stores today's Precision@5 and compares it with the 7 "
        "days before.",
        request=GetGoldenTestResults,
        response=GoldenTestResults,
        run=EvaluationService.run_golden_test,
        envelope=envelope,
        idempotent=True,
    ),
)
