"""Why a write of a decision is refused, in words that say what to do instead.

Source: decisions.md "Error Codes & Status"; design.md section 6.
"""

import json
import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from server.errors import (
    Conflict,
    InvalidArgument,
    IsolationViolation,
    NotFound,
    PrecedentError,
    RateLimitExceeded,
    ReviewWindow,
)
from server.principals import Principal, Role
from server.types import Row

_NAMED = 5
_QUOTED = 200


def rate_limit(wait: int) -> RateLimitExceeded:
    """Returns the refusal of a caller whose turn comes in `wait` milliseconds."""
    seconds = math.ceil(wait / 100) / 10
    return RateLimitExceeded(
        f"Rate limit exceeded: please wait {seconds} s before the next write of a decision.",
        {"retry_after_seconds": seconds},
    )


def conflict(in_force: Row, target: str, caller: Principal) -> Conflict:
    """Returns the refusal to record beside the decision that is in force."""
    return Conflict(f"CONFLICT: {_told(in_force, target, caller)}", _details(in_force))


def not_replaceable(ids: Sequence[str], found: Sequence[Row], target: str, caller: Principal) -> PrecedentError | None:
    """Returns why `caller` may not replace the decisions `ids` by one about `target`, or None.

    `found` are the rows of `decisions/decisions_to_replace`. None means that the list covers the decision in force:
    each id is active and of this target, and a constraint holds that there is only one such.
    """
    in_force = _in_force(found)
    if refusal := _not_current(ids, found, target, _told(in_force, target, caller)):
        return refusal
    if caller.role < Role.ADMIN and (human := [row["id"] for row in found if row["id"] in ids and _humans(row)]):
        return IsolationViolation(
            f"Isolation Violation: a human made {listed(human)}, and only an admin may supersede it. "
            f"{_ask(listed(human))}",
            {"human": human},
        )
    if in_force is not None and in_force["id"] not in ids:
        return conflict(in_force, target, caller)
    return None


def not_proposable(ids: Sequence[str], found: Sequence[Row], target: str) -> PrecedentError | None:
    """Returns why a proposal about `target` to replace the decisions `ids` could never be accepted, or None."""
    in_force = _in_force(found)
    now = "Nothing is in force for it: leave suggested_supersedes out."
    if in_force is not None:
        now = f"{_named(in_force, target)} To propose another: suggested_supersedes [{quoted(in_force['id'])}]."
    if refusal := _not_current(ids, found, target, now):
        return refusal
    if in_force is not None and in_force["id"] not in ids:
        return Conflict(f"CONFLICT: {now}", _details(in_force))
    return None


def too_little_evidence(count: int, needed: int) -> InvalidArgument:
    """Returns the refusal of a proposal with less evidence than PI2 asks for."""
    return InvalidArgument(
        f"PI2 Violation: {needed} different records have to speak for a proposal, and evidence_ids names {count}.",
        {"field": "evidence_ids", "needed": needed},
    )


def no_evidence(unknown: Sequence[str]) -> NotFound:
    """Returns the refusal of evidence that is not there."""
    return NotFound(
        f"evidence_ids: no record has the id {listed(unknown)}. Evidence is what the memory holds: entries, messages, "
        "insights, decisions and other records, by the ids that their tools answer with.",
        {"field": "evidence_ids", "unknown": list(unknown)},
    )


def no_proposal(id_: str, kind: str) -> InvalidArgument:
    """Returns the refusal to decide about something else."""
    return InvalidArgument(
        f"{quoted(id_)} is no proposal: it is of the kind {kind}. list_proposals shows what waits.", {"kind": kind}
    )


def closed(proposal: Row) -> Conflict:
    """Returns the refusal to decide twice about a proposal."""
    told = f"CONFLICT: {proposal['id']} is {proposal['status']} already"
    if proposal["became"]:
        told += f"; it became {proposal['became']}"
    if proposal["reason"]:
        told += f", because: {quoted(proposal['reason'])}"
    return Conflict(f"{told}.", {"status": proposal["status"], "decision_id": proposal["became"]})


def review_window(id_: str, first: datetime, until: datetime, at: datetime) -> ReviewWindow:
    """Returns the refusal to accept what nobody had the time to look at."""
    minutes = math.ceil((until - at).total_seconds() / 60)
    return ReviewWindow(
        f"PI1 Violation: {id_} was first observed at {moment(first)} and has a review window of 1 hour. It may be "
        f"accepted from {moment(until)} on, in {minutes} min.",
        {"acceptable_from": until.isoformat()},
    )


def moment(at: datetime) -> str:
    """A time as people read it, never earlier than it is."""
    return f"{at + timedelta(microseconds=999_999):%Y-%m-%d %H:%M:%S} UTC"


def _not_current(ids: Sequence[str], found: Sequence[Row], target: str, now: str) -> PrecedentError | None:
    """Why not all of these are active decisions about the target; `now` says what is in force instead."""
    facts = {row["id"]: row for row in found}
    details = _details(_in_force(found))
    if unknown := [id_ for id_ in ids if id_ not in facts]:
        return NotFound(f"No decision has the id {listed(unknown)}. {now}", {**details, "unknown": unknown})
    if other := [id_ for id_ in ids if facts[id_]["target"] != target]:
        theirs = quoted(facts[other[0]]["target"])
        return InvalidArgument(
            f"{listed(other)}: about {theirs}, not about {quoted(target)}; a decision replaces only what has exactly "
            f"its own target. {now}",
            {**details, "other_target": other},
        )
    if over := [id_ for id_ in ids if facts[id_]["status"] != "active"]:
        return Conflict(
            f"CONFLICT: {listed(over)} is {facts[over[0]]['status']} already; only what is active can be superseded. "
            f"{now}",
            {**details, "not_active": over},
        )
    return None


def quoted(text: str) -> str:
    """The text in quotes, cut where it is long."""
    return json.dumps(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…", ensure_ascii=False)


def listed(ids: Sequence[str]) -> str:
    """The first few ids, quoted."""
    rest = len(ids) - _NAMED
    return ", ".join(map(quoted, ids[:_NAMED])) + (f" and {rest} more" if rest > 0 else "")


def _told(in_force: Row | None, target: str, caller: Principal) -> str:
    if in_force is None:
        return f"Nothing is in force for {quoted(target)}: record_decision is the way to decide it."
    told, id_ = _named(in_force, target), quoted(in_force["id"])
    if _humans(in_force) and caller.role < Role.ADMIN:
        return f"{told} A human made it, so only an admin may replace it. {_ask(id_)}"
    return f"{told} Keep to it, or replace it by supersede_decision with old_decision_ids [{id_}]."


def _named(in_force: Row, target: str) -> str:
    return f"{in_force['id']} ({quoted(in_force['title'])}) is in force for {quoted(target)}."


def _ask(ids: str) -> str:
    return f"Keep to it, or ask for the change by propose_decision with suggested_supersedes [{ids}]."


def _in_force(found: Sequence[Row]) -> Row | None:
    return next((row for row in found if row["in_force"]), None)


def _humans(row: Row) -> bool:
    return bool(row["origin"] == "human")


def _details(in_force: Row | None) -> dict[str, Any]:
    return {"active_decision_id": in_force["id"] if in_force else None}
