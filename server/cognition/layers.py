"""Reading the layers that are kept: what was said, and what was distilled from it.

Source: cognitive.md "memory://l0-raw", "memory://l2-insights". A day is a whole day in UTC, the last one included.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any

from server.cognition.fields import first_instant, last_instant
from server.cognition.models import Dialogue, Insight, InsightMetadata, ReadDialogues, ReadInsights
from server.fields import decoded, iso
from server.graph.graph import Graph
from server.principals import Principal
from server.types import Row

_EVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
FindInsights = Callable[..., Awaitable[list[int]]]
"""`InsightSearch.ids`: the ids of the insights that a query finds, best first, within fidelity and time."""


class Layers:
    """Reads dialogues and insights; changes nothing."""

    def __init__(self, graph: Graph, find: FindInsights) -> None:
        self._graph = graph
        self._find = find

    async def dialogues(self, request: ReadDialogues, caller: Principal) -> list[Dialogue]:
        """Returns what was said, newest first unless asked otherwise."""
        first, last = request.date_range or (None, None)
        since, until = _between(first, last)
        asked: dict[str, Any] = {
            "namespace": caller.namespace,
            "speaker": request.speaker,
            "since": since,
            "until": until,
            "oldest_first": request.order == "asc",
            "limit": request.limit,
        }
        if request.session_id is None:
            rows = await self._graph.run("cognition/dialogues", **asked)
        else:
            rows = await self._graph.run("cognition/session_dialogues", session_id=request.session_id, **asked)
        return [
            Dialogue(**{**row, "timestamp": iso(row["timestamp"]), "metadata": decoded(row["metadata"])})
            for row in rows
        ]

    async def insights(self, request: ReadInsights, caller: Principal) -> list[Insight]:
        """Returns insights: the best matches of a query, or without one the newest first."""
        since, until = _between(request.created_after, request.created_before)
        if request.query is None:
            rows = await self._graph.run(
                "cognition/insights",
                namespace=caller.namespace,
                since=since,
                until=until,
                fidelity_min=request.fidelity_min,
                limit=request.top_k,
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
            rows = await self._graph.run("cognition/insights_of_ids", namespace=caller.namespace, ids=ids)
        return [_insight(row) for row in rows]


def _between(first: date | None, last: date | None) -> tuple[datetime, datetime]:
    """From the beginning of the first day to the end of the last; where one is left out, from or to ever."""
    return first_instant(first) if first else _EVER[0], last_instant(last) if last else _EVER[1]


def _insight(row: Row) -> Insight:
    return Insight(
        id=row["id"],
        content=row["content"],
        fidelity_score=row["fidelity_score"],
        created_at=iso(row["created_at"]),
        source_ids=row["source_ids"],
        metadata=InsightMetadata(fidelity_warning=row["fidelity_warning"], warning_message=row["warning_message"]),
    )
