"""What callers do with evaluation: have documents judged twice, and measure search by a golden set.

Source: cognitive.md "store_dual_judge_scores", "get_golden_test_results"; open-questions.md "cognitive.md".
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any, Protocol, TypeVar

import anyio

from server.errors import GoldenSetEmpty, JudgeUnavailable, NotFound
from server.evaluation import golden
from server.evaluation.agreement import agreement, cohen_kappa, relevant
from server.evaluation.golden import BASELINE_DAYS, TOP, Measured
from server.evaluation.judges import Judge, Panel
from server.evaluation.models import DualJudgeScores, GetGoldenTestResults, GoldenTestResults, StoreDualJudgeScores
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.tasks import together
from server.types import Row

S = TypeVar("S")
T = TypeVar("T")
_CALLS_AT_ONCE = 16
_SEARCHES_AT_ONCE = 4
_SUGGESTED = 5
Pair = tuple[Judge, Judge]
Score = tuple[float, float]
"""A score, and the seconds that it took."""


class Search(Protocol):
    """The search that is measured."""

    async def __call__(self, query: str, top_k: int, namespace: str) -> Sequence[int]:
        """Returns the ids of at most `top_k` insights, best first."""


class EvaluationService:
    """The use cases of the evaluation family."""

    def __init__(
        self,
        graph: Graph,
        ids: IdSequence,
        *,
        panel: Panel,
        search: Search,
        embedding_model: str,
        patience: float = 50.0,
    ) -> None:
        """`embedding_model` is kept with each day: another one is the likeliest reason of a drift.

        `patience` is in seconds: how long the judges may take together. Callers wait a minute at most.
        """
        self._graph = graph
        self._ids = ids
        self._panel = panel
        self._search = search
        self._embedding_model = embedding_model
        self._patience = patience

    async def store_dual_judge_scores(self, request: StoreDualJudgeScores, caller: Principal) -> DualJudgeScores:
        """Has both judges score each document, and stores all scores with how far they agree.

        Raises `ApiKeyMissing` and other `SetupError`, `NotFound` (no such ground-truth query; no
        judge was asked), or `JudgeUnavailable`: one score that cannot be had, and nothing is stored.
        """
        pair = await self._panel.judges()
        await self._require_ground_truth(request.query_id, caller)
        started = time.perf_counter()
        first, second = await self._judged(pair, request)
        scores = {
            "judge1_score": fmean(score for score, _ in first),
            "judge2_score": fmean(score for score, _ in second),
            "kappa": cohen_kappa([relevant(score) for score, _ in first], [relevant(score) for score, _ in second]),
        }
        (evaluation_id,) = await self._ids.take(caller.namespace)
        stored = await self._graph.one(
            "evaluation/record_evaluation",
            namespace=caller.namespace,
            query_id=request.query_id,
            id=evaluation_id,
            query=request.query,
            judge1_model=pair[0].name,
            judge2_model=pair[1].name,
            agreement=agreement(scores["kappa"]),
            seconds=time.perf_counter() - started,
            by=caller.name,
            judgements=[
                {
                    "document_id": document.id,
                    "judge1_score": one[0],
                    "judge1_seconds": one[1],
                    "judge2_score": other[0],
                    "judge2_seconds": other[1],
                }
                for document, one, other in zip(request.docs, first, second, strict=True)
            ],
            **scores,
        )
        assert stored is not None
        if not stored["judgements"]:  # the query was removed meanwhile
            raise _unknown(request.query_id, [])
        return DualJudgeScores(
            query_id=request.query_id,
            agreement=agreement(scores["kappa"]),
            evaluated_documents=stored["judgements"],
            **scores,
        )

    async def _require_ground_truth(self, query_id: int, caller: Principal) -> None:
        known = await self._graph.one(
            "evaluation/ground_truth", namespace=caller.namespace, query_id=query_id, limit=_SUGGESTED
        )
        assert known is not None
        if not known["exists"]:
            raise _unknown(query_id, known["others"])

    async def _judged(self, pair: Pair, request: StoreDualJudgeScores) -> tuple[list[Score], list[Score]]:
        async def ask(asked: tuple[Judge, str]) -> Score:
            judge, content = asked
            started = time.perf_counter()
            return await judge.score(request.query, content), time.perf_counter() - started

        asked = [(judge, document.content) for judge in pair for document in request.docs]
        try:
            with anyio.fail_after(self._patience):
                scores = await _each(ask, asked, at_once=_CALLS_AT_ONCE)
        except TimeoutError as error:
            raise JudgeUnavailable(
                f"The judges did not finish within {self._patience:g} s, and nothing was stored. "
                "Give fewer documents at once, or try again later."
            ) from error
        return scores[: len(request.docs)], scores[len(request.docs) :]

    async def golden_test_results(self, _request: GetGoldenTestResults, caller: Principal) -> GoldenTestResults:
        """Searches for every golden query, and keeps today's (UTC) precision in place of an earlier one of the day.

        Raises `GoldenSetEmpty`, or what search raises: then the day stays as it was.
        """
        queries = await self._graph.run("evaluation/golden_queries", namespace=caller.namespace)
        if not queries:
            raise GoldenSetEmpty(
                "Golden Test execution failed: the golden set is empty. "
                "Whoever runs the service can bring one in with `precedent ingest golden FILE`."
            )

        async def measure(query: Row) -> Measured:
            found = await self._search(query["query"], TOP, caller.namespace)
            return Measured(query["query_type"], golden.hits(found, query["expected"]))

        started = time.perf_counter()
        measured = await _each(measure, queries, at_once=_SEARCHES_AT_ONCE)
        return await self._keep(measured, time.perf_counter() - started, caller)

    async def _keep(self, measured: list[Measured], seconds: float, caller: Principal) -> GoldenTestResults:
        today = datetime.now(UTC).date()
        precision, breakdown = golden.precision_at_5(measured), golden.by_type(measured)
        days: dict[str, Any] = {"namespace": caller.namespace, "today": today.isoformat()}

        async def work(transaction: Transaction) -> Row:
            before = await transaction.one(
                "evaluation/baseline", since=(today - timedelta(days=BASELINE_DAYS)).isoformat(), **days
            )
            assert before is not None
            await transaction.run(
                "evaluation/record_day",
                precision=precision,
                baseline=before["baseline"],
                drifted=golden.drifted(precision, before["baseline"]),
                queries=len(measured),
                seconds=seconds,
                embedding_model=self._embedding_model,
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
            baseline_precision=before["baseline"],
            drift_detected=golden.drifted(precision, before["baseline"]),
            queries_tested=len(measured),
            details=golden.told(precision, before["baseline"], len(measured), before["days"]),
            query_breakdown=breakdown,
        )


def _unknown(query_id: int, others: list[Row]) -> NotFound:
    known = "; ".join(f"{other['id']} ({other['query']})" for other in others)
    return NotFound(
        f"There is no ground-truth query {query_id}, and nothing was judged. "
        + (f"There is {known}." if known else "`precedent ingest ground-truth FILE` brings some in."),
        {"query_id": query_id, "others": [other["id"] for other in others]},
    )


async def _each(work: Callable[[S], Awaitable[T]], items: Sequence[S], *, at_once: int) -> list[T]:
    """The results of some work on each item, in their order; the first error ends the others and is raised."""
    limit, done = anyio.CapacityLimiter(at_once), dict[int, T]()

    async def one(number: int, item: S) -> None:
        async with limit:
            done[number] = await work(item)

    async with together() as group:
        for number, item in enumerate(items):
            group.start_soon(one, number, item)
    return [done[number] for number in range(len(items))]
