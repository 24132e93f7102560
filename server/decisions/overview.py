"""A namespace at a glance: what is stored, what is in force, what waits, what changed. Source: DEC-65, DEC-66."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from server.core.principals import Principal
from server.core.types import Row
from server.decisions.reading import DecisionReader
from server.decisions.reading_models import DecisionInForce, GetOverview, ListDecisions, Overview
from server.graph.graph import Graph
from server.interface.times import Clock

SIZE_LIMIT = 8_000
"""Bytes of the JSON of an overview."""
COUNT_LIMIT = 20_000
"""Records of a kind that are counted, and entities whose connections are compared."""
_IN_FORCE = 20
_WAITING = 5
_COLLIDING = 5
_RIVALS = 5
_CONNECTED = 10
_CHANGES = 8
_RECORDS = 3
_LINE = 120
"""Characters of a title or name."""
_LEAST = {"in_force": 3, "waiting": 1, "colliding": 1, "best_connected": 1, "changed": 1}
"""Items of each list that stay while other lists can lose items."""


class Overviews:
    """The use case of `overview`."""

    def __init__(self, graph: Graph, reader: DecisionReader, clock: Clock) -> None:
        self._graph = graph
        self._reader = reader
        self._clock = clock

    async def get(self, _request: GetOverview, caller: Principal) -> Overview:
        """Return an overview of the caller's namespace in at most 8 kB.

        The work is bounded: each kind is counted to 20,000, and `at_least` lists the kinds that may have more. The best
        connected entities are chosen among the 20,000 that were stored first and those that decisions in force name.
        """
        scope: dict[str, Any] = {"namespace": caller.namespace}
        counts = await self._graph.row("decisions/overview_counts", **scope, most=COUNT_LIMIT, now=self._clock())
        in_force = await self._reader.list(ListDecisions(limit=_IN_FORCE), caller)
        waiting = await self._graph.run("decisions/waiting_proposals", **scope, limit=_WAITING)
        colliding = await self._graph.run("decisions/colliding_targets", **scope)
        connected = await self._graph.run("decisions/best_connected", **scope, compared=COUNT_LIMIT, limit=_CONNECTED)
        changed = await self._graph.run("decisions/latest_changes", **scope, limit=_CHANGES, records=_RECORDS)
        decisions, proposals = _count_by_status(counts["decisions"]), _count_by_status(counts["proposals"])
        others: dict[str, int] = {kind: many for kind, many in counts["others"].items() if many}
        totals = {"decisions": sum(decisions.values()), "proposals": sum(proposals.values()), **others}
        overview = Overview(
            status="success",
            message="",
            decisions=decisions,
            proposals=proposals,
            counts=others,
            at_least=_list_incomplete(totals),
            in_force=[
                DecisionInForce(
                    id=each.id,
                    title=_shorten(each.title),
                    target=_shorten(each.target),
                    created_at=each.created_at,
                    effective_at=each.effective_at,
                    valid_until=each.valid_until,
                )
                for each in in_force.decisions
            ],
            waiting=[{**row, "title": _shorten(row["title"]), "target": _shorten(row["target"])} for row in waiting],
            colliding=[[_to_row(each) for each in row["decisions"][:_RIVALS]] for row in colliding[:_COLLIDING]],
            best_connected=[
                {**row, "name": _shorten(row["name"]), "label": _shorten(row["label"])} for row in connected
            ],
            changed=[_parse_change(row) for row in changed],
        )
        return fit_overview(overview, in_force.total, len(colliding))


def fit_overview(overview: Overview, in_force: int, colliding: int) -> Overview:
    """Cut an overview to 8 kB: the longest lists lose their last items first. `message` says how to go on."""
    lists: dict[str, list[Any]] = {name: list(getattr(overview, name)) for name in _LEAST}
    while True:
        shown = len(lists["in_force"])
        fitting = overview.model_copy(
            update={
                **lists,
                "next_offset": shown if shown < in_force else None,
                "message": _format_message(overview, shown, in_force, colliding),
            }
        )
        if _count_bytes(fitting) <= SIZE_LIMIT:
            return fitting
        sizes = {name: _count_bytes(items) for name, items in lists.items() if len(items) > _LEAST[name]}
        sizes = sizes or {name: _count_bytes(items) for name, items in lists.items() if items}
        if not sizes:
            return fitting
        lists[max(sizes, key=lambda name: sizes[name])].pop()


def _count_bytes(value: Any) -> int:
    content = (
        [each.model_dump(mode="json") for each in _flatten(value)]
        if isinstance(value, list)
        else value.model_dump(mode="json")
    )
    return len(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def _flatten(items: list[Any]) -> list[Any]:
    return [each for item in items for each in (item if isinstance(item, list) else [item])]


def _count_by_status(rows: list[Row]) -> dict[str, int]:
    return {row["status"]: row["many"] for row in rows}


def _list_incomplete(totals: Mapping[str, int]) -> list[str]:
    """Return the kinds that may have more records than were counted; relations are counted from counted entities."""
    stopped = {kind for kind, many in totals.items() if many >= COUNT_LIMIT}
    if "entities" in stopped and totals.get("relations"):
        stopped.add("relations")
    return sorted(stopped)


def _to_row(row: Mapping[str, Any]) -> dict[str, str]:
    return {"id": row["id"], "title": _shorten(row["title"]), "target": _shorten(row["target"])}


def _parse_change(row: Row) -> dict[str, Any]:
    records = [{**each, "name": _shorten(each["name"])} for each in row["records"]]
    return {**row, "at": datetime.fromisoformat(row["at"]), "records": records}


def _shorten(text: Any) -> str:
    line = " ".join(str(text)[: 4 * _LINE].split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"


def _format_message(overview: Overview, shown: int, in_force: int, colliding: int) -> str:
    if not (overview.decisions or overview.proposals or overview.counts):
        return "Nothing is stored here yet: record_decision records a decision, save_memory a memory."
    message = f"{in_force} decisions are in force"
    message += (
        f"; these are the newest {shown}, list_decisions continues at offset {shown}." if shown < in_force else "."
    )
    if colliding:
        message += f" {colliding} targets have more than one decision in force: supersede what no longer holds."
    return f"{message} get_decisions reads decisions, search_decisions finds them by words, search finds memories."
