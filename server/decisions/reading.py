"""Reading decisions and proposals: complete by id or target, and in lists, page by page."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from server.core.errors import NotFound
from server.core.principals import Principal
from server.core.types import Row
from server.decisions.past import load_past_decisions
from server.decisions.proposals import REVIEW_WINDOW
from server.decisions.reading_models import (
    Alternative,
    DecisionList,
    FullDecision,
    FullDecisions,
    GetDecisions,
    ListDecisions,
    ListedDecision,
    ProposalDetails,
)
from server.decisions.refusals import format_ids
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.lucene import build_fuzzy_query, limit_to_namespace
from server.interface.times import Clock, Moment, now

_MOST_ITEMS = 50
"""Items of each list of a decision."""
_LONGEST_REASON = 500
"""Characters of a reason. It is the rationale of the successor, which can be read by its id."""
_MOST_SUGGESTED = 5
_TIMES = ("created_at", "effective_at", "valid_until")
_LEAST_SIMILARITY = 0.5
"""Share of a name that a suggested target has in common with it."""


class DecisionReader:
    """The use cases of reading, each within the caller's namespace."""

    def __init__(self, graph: Graph, clock: Clock = now) -> None:
        self._graph = graph
        self._clock = clock

    async def get(self, request: GetDecisions, caller: Principal) -> FullDecisions:
        """Return complete decisions and proposals, in the order of the request.

        A target returns what is in force, else the latest decision about it, else its drafts. `unknown` lists what is
        not found; raise `NotFound`, with near targets, where nothing is found. The id of a retracted one returns it.
        """
        ids, targets = list(dict.fromkeys(request.ids)), list(dict.fromkeys(request.targets))
        rows = await self._load(ids, targets, caller, request.moment)
        unknown = _list_unknown([*ids, *targets], rows)
        if request.moment is None and (missing := [id_ for id_ in ids if id_ in unknown]):
            rows += await self._load(missing, [], caller, self._now_with_retracted())
            unknown = _list_unknown([*ids, *targets], rows)
        if not rows:
            raise await self._build_not_found(unknown, caller)
        order = {asked: position for position, asked in enumerate([*ids, *targets])}
        rows.sort(key=lambda row: min(order[asked] for asked in row["asked"]))
        shown = rows[request.offset :]
        message = "1 decision." if len(shown) == 1 else f"{len(shown)} decisions."
        if unknown:
            message += f" Not found: {format_ids(unknown)}."
        return FullDecisions(
            status="success",
            message=message,
            decisions=[_to_full_decision(row) for row in shown],
            unknown=unknown,
            total=len(rows),
        )

    async def _load(
        self, ids: Sequence[str], targets: Sequence[str], caller: Principal, moment: Moment | None
    ) -> list[Row]:
        asked: dict[str, Any] = {
            "ids": ids,
            "targets": [{"text": target, "key": comparison_key(target)} for target in targets],
            "most": _MOST_ITEMS,
            "reason": _LONGEST_REASON,
        }
        if moment is not None:
            return await load_past_decisions(self._graph, caller.namespace, moment, **asked)
        return await self._graph.run(
            "decisions/whole_decisions", namespace=caller.namespace, now=self._clock(), **asked
        )

    def _now_with_retracted(self) -> Moment:
        at = self._clock()
        return Moment(at, at, retracted=True)

    async def list(self, request: ListDecisions, caller: Principal) -> DecisionList:
        """Return one page of the decisions that match, and how many there are."""
        moment = request.moment
        if request.status == "retracted":
            moment = self._now_with_retracted() if moment is None else replace(moment, retracted=True)
        times: dict[str, Any] = {"now": self._clock()} if moment is None else moment.parameters
        row = await self._graph.row(
            "decisions/list_decisions" if moment is None else "decisions/list_decisions_as_of",
            **times,
            namespace=caller.namespace,
            status=None if request.status == "all" else request.status,
            target=request.target,
            target_key=None if request.target is None else comparison_key(request.target),
            about_key=None if request.about is None else comparison_key(request.about),
            since=request.since,
            until=request.until,
            origin=request.origin,
            order=request.order,
            limit=request.limit,
            offset=request.offset,
        )
        decisions = [ListedDecision(**_parse_times(each, *_TIMES)) for each in row["decisions"]]
        end = request.offset + len(decisions)
        return DecisionList(
            status="success",
            message=_format_message(request, len(decisions), row["total"]),
            decisions=decisions,
            total=row["total"],
            next_offset=end if decisions and end < row["total"] else None,
        )

    async def _build_not_found(self, unknown: Sequence[str], caller: Principal) -> NotFound:
        """Build the error where nothing is found, with the most similar targets in force."""
        names: list[str] = []
        for asked in unknown[:_MOST_SUGGESTED]:
            if query := limit_to_namespace(caller.namespace, build_fuzzy_query(asked)):
                rows = await self._graph.run(
                    "decisions/suggested_targets", namespace=caller.namespace, query=query, now=self._clock()
                )
                names += _select_similar(asked, [row["target"] for row in rows])
        targets = list(dict.fromkeys(names))[:_MOST_SUGGESTED]
        advice = f"Similar targets: {format_ids(targets)}." if targets else "No target in force is similar."
        return NotFound(
            f"No decision or proposal has the id or target {format_ids(unknown)}. {advice} "
            "search_decisions finds decisions by words, list_decisions lists them.",
            {"unknown": list(unknown), "near_targets": targets},
        )


def _list_unknown(asked: Sequence[str], rows: Sequence[Row]) -> list[str]:
    found = {each for row in rows for each in row["asked"]}
    return [each for each in dict.fromkeys(asked) if each not in found]


def _select_similar(name: str, targets: Sequence[str]) -> list[str]:
    matcher = SequenceMatcher(b=comparison_key(name), autojunk=False)

    def compute_similarity(target: str) -> float:
        matcher.set_seq1(comparison_key(target))
        return matcher.ratio()

    scored = sorted(((compute_similarity(target), target) for target in targets), key=lambda each: (-each[0], each[1]))
    return [target for score, target in scored if score >= _LEAST_SIMILARITY]


def _to_full_decision(row: Row) -> FullDecision:
    fields = {key: value for key, value in row.items() if key not in {"asked", "totals", "why_not"}}
    more = {name: rest for name, total in row["totals"].items() if (rest := total - len(row[name])) > 0}
    return FullDecision(
        **{
            **_parse_times(fields, *_TIMES),
            "retracted": row.get("retracted") and _parse_times(row["retracted"], "at"),
            "consequences": _parse_texts(row["consequences"]),
            "alternatives": _parse_alternatives(row),
            "replaced": [_parse_times(each, "at") for each in row["replaced"]],
            "replaced_by": [_parse_times(each, "at") for each in row["replaced_by"]],
            "proposals": [_parse_times(each, "at") for each in row["proposals"]],
            "proposal": row["proposal"] and _to_proposal_details(row["proposal"], row["status"]),
            "more": more or None,
        }
    )


def _to_proposal_details(proposal: Row, status: str) -> ProposalDetails:
    fields = _parse_times(proposal, "first_observed_at", "decided_at")
    first = fields["first_observed_at"]
    waits = status == "draft" and first is not None
    return ProposalDetails(**fields, acceptable_from=first + REVIEW_WINDOW if waits else None)


def _parse_alternatives(row: Row) -> list[Alternative]:
    options, reasons = _parse_texts(row["alternatives"]), _parse_texts(row["why_not"])
    reasons += [""] * (len(options) - len(reasons))
    return [Alternative(option=option, why_not=why) for option, why in zip(options, reasons, strict=False)]


def _parse_texts(stored: Any) -> list[str]:
    """Return a list of texts, also where a person stored one text, or none, in Neo4j Browser."""
    if stored is None:
        return []
    return [str(each) for each in stored] if isinstance(stored, list) else [str(stored)]


def _parse_times(row: Row, *names: str) -> dict[str, Any]:
    return {**row, **{name: _parse_time(row[name]) for name in names}}


def _parse_time(text: str | None) -> datetime | None:
    """Parse a time; return None where a person stored anything but a time with a zone."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text.partition("[")[0])
    except ValueError:
        return None
    return at if at.tzinfo else None


def _format_message(request: ListDecisions, shown: int, total: int) -> str:
    what = "decisions" if request.status == "all" else f"{request.status} decisions"
    if shown:
        end = request.offset + shown
        more = f" offset {end} shows more." if end < total else ""
        return f"{shown} of {total} {what}.{more}"
    if total:
        return f"There are {total} {what}; offset {request.offset} is beyond the last one."
    filtered = request.model_fields_set & {"target", "about", "since", "until", "origin", "as_of"}
    if filtered:
        hint = 'status "all" also shows what is not in force; ' if request.status == "active" else ""
        return f"No {what} match {', '.join(sorted(filtered))}; {hint}search_decisions finds decisions by words."
    if request.status == "active":
        return "Nothing is in force: record_decision records a decision, overview shows what is stored."
    return f"No {what}."
