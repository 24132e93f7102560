"""The use cases of evaluation: have two judges score documents, and measure search by a golden set.

Source: EVA-8, EVA-16, EVA-26.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any, NamedTuple, Protocol, TypeVar

import anyio

from server.core.errors import GoldenSetEmpty, InvalidArgument, JudgeUnavailable, NotFound, PrecedentError
from server.core.principals import Principal
from server.core.tasks import open_task_group
from server.core.types import Row
from server.evaluation import golden
from server.evaluation.agreement import cohen_kappa, describe_agreement, is_relevant
from server.evaluation.golden import BASELINE_DAYS, TOP, MeasuredQuery
from server.evaluation.judges import Judge, Panel
from server.evaluation.models import (
    DocumentToJudge,
    DualJudgeScores,
    GetGoldenTestResults,
    GoldenTestResults,
    NotEvaluated,
    StoreDualJudgeScores,
)
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence

S = TypeVar("S")
T = TypeVar("T")
_CALLS_AT_ONCE = 16
_SEARCHES_AT_ONCE = 4
_SUGGESTED = 5
JudgePair = tuple[Judge, Judge]


class TimedScore(NamedTuple):
    """A score, and the seconds that it took."""

    score: float
    seconds: float


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document that both judges scored."""

    document: DocumentToJudge
    first: TimedScore
    second: TimedScore

    def to_row(self) -> Row:
        return {
            "document_id": self.document.id,
            "judge1_score": self.first.score,
            "judge1_seconds": self.first.seconds,
            "judge2_score": self.second.score,
            "judge2_seconds": self.second.seconds,
        }


class MeasuredSearch(Protocol):
    """The search that the golden set measures."""

    async def __call__(self, query: str, top_k: int, caller: Principal) -> Sequence[int]:
        """Return the ids of at most `top_k` insights, best first."""


class EvaluationService:
    """The use cases of the evaluation family."""

    def __init__(
        self,
        graph: Graph,
        ids: IdSequence,
        *,
        panel: Panel,
        search: MeasuredSearch,
        embedding_model: Callable[[], str],
        time_limit: float = 50.0,
    ) -> None:
        """`embedding_model` returns what is stored with each day: a change of it is the likeliest reason for drift.

        `time_limit` is in seconds and covers the work of both judges; MCP clients wait a minute at most.
        """
        self._graph = graph
        self._ids = ids
        self._panel = panel
        self._search = search
        self._embedding_model = embedding_model
        self._time_limit = time_limit

    async def store_dual_judge_scores(self, request: StoreDualJudgeScores, caller: Principal) -> DualJudgeScores:
        """Have both judges score each document, and store the scores with their agreement.

        A document without both scores does not count; the answer gives the reason. Raises `ApiKeyMissing` and other
        `SetupError`, `NotFound` (unknown ground-truth query; no judge was asked), and `JudgeUnavailable` or
        `InvalidArgument` where no document has both scores. On an error nothing is stored.
        """
        pair = await self._panel.load_judges()
        await self._require_ground_truth(request.query_id, caller)
        started = time.perf_counter()
        judged, failed = await self._ask_judges(pair, request.query, request.docs)
        if not judged:
            raise _build_no_scores_error(failed)
        first, second = [each.first.score for each in judged], [each.second.score for each in judged]
        scores = {
            "judge1_score": fmean(first),
            "judge2_score": fmean(second),
            "kappa": cohen_kappa(list(map(is_relevant, first)), list(map(is_relevant, second))),
        }
        (evaluation_id,) = await self._ids.take(caller.namespace)
        stored = await self._graph.row(
            "evaluation/record_evaluation",
            namespace=caller.namespace,
            query_id=request.query_id,
            id=evaluation_id,
            query=request.query,
            judge1_model=pair[0].name,
            judge2_model=pair[1].name,
            agreement=describe_agreement(scores["kappa"]),
            seconds=time.perf_counter() - started,
            by=caller.name,
            judgements=[each.to_row() for each in judged],
            not_evaluated=[document.id for document, _ in failed],
            **scores,
        )
        if not stored["judgements"]:  # the query was deleted meanwhile
            raise _build_unknown_query_error(request.query_id, [])
        return DualJudgeScores(
            query_id=request.query_id,
            agreement=describe_agreement(scores["kappa"]),
            evaluated_documents=stored["judgements"],
            not_evaluated=[NotEvaluated(id=document.id, reason=error.message) for document, error in failed],
            **scores,
        )

    async def _require_ground_truth(self, query_id: int, caller: Principal) -> None:
        known = await self._graph.row(
            "evaluation/ground_truth", namespace=caller.namespace, query_id=query_id, limit=_SUGGESTED
        )
        if not known["exists"]:
            raise _build_unknown_query_error(query_id, known["others"])

    async def _ask_judges(
        self, pair: JudgePair, query: str, documents: Sequence[DocumentToJudge]
    ) -> tuple[list[ScoredDocument], list[tuple[DocumentToJudge, PrecedentError]]]:
        """Return the documents that both judges scored in time, and the others, each with the first error."""
        limit = anyio.CapacityLimiter(_CALLS_AT_ONCE)
        outcomes: dict[tuple[int, int], TimedScore | PrecedentError] = {}

        async def ask(number: int, judge: int) -> None:
            async with limit:
                started = time.perf_counter()
                try:
                    score = await pair[judge].score(query, documents[number].content)
                    outcomes[number, judge] = TimedScore(score, time.perf_counter() - started)
                except (JudgeUnavailable, InvalidArgument) as error:
                    outcomes[number, judge] = error

        with anyio.move_on_after(self._time_limit):
            async with open_task_group() as group:
                for number in range(len(documents)):  # document by document, so that the first ones are complete first
                    for judge in range(len(pair)):
                        group.start_soon(ask, number, judge)
        late = JudgeUnavailable(
            f"The judges did not finish within {self._time_limit:g} s; give fewer documents, or try again later."
        )
        judged: list[ScoredDocument] = []
        failed: list[tuple[DocumentToJudge, PrecedentError]] = []
        for number, document in enumerate(documents):
            first, second = (outcomes.get((number, judge), late) for judge in range(len(pair)))
            if isinstance(first, PrecedentError):
                failed.append((document, first))
            elif isinstance(second, PrecedentError):
                failed.append((document, second))
            else:
                judged.append(ScoredDocument(document, first, second))
        return judged, failed

    async def run_golden_test(self, _request: GetGoldenTestResults, caller: Principal) -> GoldenTestResults:
        """Search for every golden query, and store the precision of today (UTC) in place of an earlier one.

        Raises `GoldenSetEmpty`, or the error of the search; the stored day then stays as it was.
        """
        queries = await self._graph.run("evaluation/golden_queries", namespace=caller.namespace)
        if not queries:
            raise GoldenSetEmpty(
                "Golden Test execution failed: the golden set is empty. "
                "The operator of the service can bring one in with `precedent ingest golden FILE`."
            )

        async def measure(query: Row) -> MeasuredQuery:
            found = await self._search(query["query"], TOP, caller)
            return MeasuredQuery(query["query_type"], golden.count_hits(found, query["expected"]))

        started = time.perf_counter()
        measured = await _map_concurrently(measure, queries, at_once=_SEARCHES_AT_ONCE)
        return await self._store_day(measured, time.perf_counter() - started, caller)

    async def _store_day(self, measured: list[MeasuredQuery], seconds: float, caller: Principal) -> GoldenTestResults:
        today = datetime.now(UTC).date()
        precision, breakdown = golden.precision_at_5(measured), golden.group_by_type(measured)
        days: dict[str, Any] = {"namespace": caller.namespace, "today": today.isoformat()}

        async def work(transaction: Transaction) -> Row:
            before = await transaction.row(
                "evaluation/baseline", since=(today - timedelta(days=BASELINE_DAYS)).isoformat(), **days
            )
            await transaction.run(
                "evaluation/record_day",
                precision=precision,
                baseline=_baseline_or_today(before["baseline"], precision),
                drifted=golden.has_drifted(precision, before["baseline"]),
                queries=len(measured),
                seconds=seconds,
                embedding_model=self._embedding_model(),
                by=caller.name,
                by_type={
                    f"{kind}_{name}": value
                    for kind, result in breakdown.model_dump().items()
                    for name, value in result.items()
                },
                **days,
            )
            return before

        before = await self._graph.transaction(work)
        return GoldenTestResults(
            date=today.isoformat(),
            precision_at_5=precision,
            baseline_precision=_baseline_or_today(before["baseline"], precision),
            drift_detected=golden.has_drifted(precision, before["baseline"]),
            queries_tested=len(measured),
            details=golden.describe_result(precision, before["baseline"], len(measured), before["days"]),
            query_breakdown=breakdown,
        )


def _baseline_or_today(baseline: float | None, precision: float) -> float:
    """Return the baseline; today's precision where none of the days before was measured."""
    return precision if baseline is None else baseline


def _build_no_scores_error(failed: Sequence[tuple[DocumentToJudge, PrecedentError]]) -> PrecedentError:
    """Return the error of a call without any scored document: the first that is not the caller's mistake."""
    errors = [error for _, error in failed]
    cause = next((error for error in errors if not isinstance(error, InvalidArgument)), errors[0])
    kind = InvalidArgument if isinstance(cause, InvalidArgument) else JudgeUnavailable
    return kind(f"No document was scored by both judges, and nothing was stored. {cause.message}")


def _build_unknown_query_error(query_id: int, others: list[Row]) -> NotFound:
    known = "; ".join(f"{other['id']} ({other['query']})" for other in others)
    return NotFound(
        f"Ground-truth query {query_id} does not exist; nothing was judged. "
        + (f"Some that exist: {known}." if known else "`precedent ingest ground-truth FILE` brings some in."),
        {"query_id": query_id, "others": [other["id"] for other in others]},
    )


async def _map_concurrently(work: Callable[[S], Awaitable[T]], items: Sequence[S], *, at_once: int) -> list[T]:
    """Return the results of `work` on each item, in order; the first error cancels the rest and is raised."""
    limit, done = anyio.CapacityLimiter(at_once), dict[int, T]()

    async def one(number: int, item: S) -> None:
        async with limit:
            done[number] = await work(item)

    async with open_task_group() as group:
        for number, item in enumerate(items):
            group.start_soon(one, number, item)
    return [done[number] for number in range(len(items))]
