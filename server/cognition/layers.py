"""Reading dialogues and insights. A day is a whole day in UTC; the last day of a range is included.

Source: COG-14, COG-23, COG-24.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any

from server.cognition.fields import end_of_day, start_of_day
from server.cognition.models import Dialogue, Insight, InsightMetadata, ReadDialogues, ReadInsights, Window
from server.core.fields import decode_json
from server.core.principals import Principal
from server.core.types import Row
from server.graph.graph import Graph

_ALWAYS = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
FindInsights = Callable[..., Awaitable[list[int]]]
"""`InsightSearch.find_ids`: the ids of the best insights of a period and a least fidelity."""


class Layers:
    """Reads dialogues and insights; changes nothing."""

    def __init__(self, graph: Graph, find: FindInsights) -> None:
        self._graph = graph
        self._find = find

    async def list_dialogues(
        self, request: ReadDialogues, caller: Principal, window: Window | None = None
    ) -> list[Dialogue]:
        """Return dialogues in the order of time, newest first by default; a window replaces the request's limit."""
        window = window or Window(request.limit)
        first, last = request.date_range or (None, None)
        since, until = _to_period(first, last)
        filters: dict[str, Any] = {
            "namespace": caller.namespace,
            "speaker": request.speaker,
            "since": since,
            "until": until,
            "oldest_first": request.order == "asc",
            "limit": window.limit,
            "offset": window.offset,
        }
        if request.session_id is None:
            rows = await self._graph.run("cognition/dialogues", **filters)
        else:
            rows = await self._graph.run("cognition/session_dialogues", session_id=request.session_id, **filters)
        return [Dialogue(**{**row, "metadata": decode_json(row["metadata"])}) for row in rows]

    async def list_insights(
        self, request: ReadInsights, caller: Principal, window: Window | None = None
    ) -> list[Insight]:
        """Return the best matches of a query, or without one the newest insights first.

        Without a query, a window replaces the request's `top_k`.
        """
        window = window or Window(request.top_k)
        since, until = _to_period(request.created_after, request.created_before)
        if request.query is None:
            rows = await self._graph.run(
                "cognition/insights",
                namespace=caller.namespace,
                since=since,
                until=until,
                fidelity_min=request.fidelity_min,
                limit=window.limit,
                offset=window.offset,
            )
        else:
            ids = await self._find(
                request.query,
                caller.namespace,
                limit=request.top_k,
                fidelity_min=request.fidelity_min,
                since=since,
                until=until,
            )
            return await self.load_insights(ids, caller)
        return [_to_insight(row) for row in rows]

    async def load_insights(self, ids: list[int], caller: Principal) -> list[Insight]:
        """Return insights in the order of the ids; an unknown id is left out."""
        rows = await self._graph.run("cognition/insights_by_id", namespace=caller.namespace, ids=ids)
        return [_to_insight(row) for row in rows]


def _to_period(first: date | None, last: date | None) -> tuple[datetime, datetime]:
    """Return the start of the first day and the end of the last; a day that is None leaves that side open."""
    return start_of_day(first) if first else _ALWAYS[0], end_of_day(last) if last else _ALWAYS[1]


def _to_insight(row: Row) -> Insight:
    return Insight(
        id=row["id"],
        content=row["content"],
        fidelity_score=row["fidelity_score"],
        created_at=row["created_at"],
        source_ids=row["source_ids"],
        metadata=InsightMetadata(fidelity_warning=row["fidelity_warning"], warning_message=row["warning_message"]),
        corrected_by=row["corrected_by"],
    )
