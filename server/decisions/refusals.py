"""The errors of writes of decisions and proposals, each with what to do instead. Source: DEC-17, DEC-62."""

import json
import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from server.core.errors import (
    Conflict,
    InvalidArgument,
    IsolationViolation,
    NotFound,
    PrecedentError,
    RateLimitExceeded,
    ReviewWindow,
)
from server.core.principals import Principal, Role
from server.core.types import Row
from server.graph.keys import comparison_key

_MOST_IDS = 5
_LONGEST_QUOTE = 200


def build_cooldown_error(wait: int) -> RateLimitExceeded:
    """Build the error for a caller who has to wait `wait` more milliseconds."""
    seconds = math.ceil(wait / 100) / 10
    return RateLimitExceeded(
        f"Rate limit exceeded: please wait {seconds} s before the next write of a decision.",
        {"retry_after_seconds": seconds},
    )


def build_conflict(in_force: Sequence[Row], target: str, caller: Principal) -> Conflict:
    """Build the error for a second decision about a target."""
    return Conflict(f"CONFLICT: {_describe(in_force, target, caller)}", _build_details(in_force))


def find_supersede_error(
    ids: Sequence[str], found: Sequence[Row], target: str, caller: Principal
) -> PrecedentError | None:
    """Return why `caller` may not replace the decisions `ids` by one about `target`, or None.

    `found` are the rows of `decisions/decisions_to_replace`. None means that the list covers all that is in force for
    the target.
    """
    in_force = _select_in_force(found)
    if error := _find_state_error(ids, found, target, _describe(in_force, target, caller)):
        return error
    if caller.role < Role.ADMIN and (human := [row["id"] for row in found if row["id"] in ids and _is_human(row)]):
        return IsolationViolation(
            f"Isolation Violation: a human made {format_ids(human)}, and only an admin may supersede it. "
            f"{_suggest_proposal(format_ids(human))}",
            {"human": human},
        )
    if any(row["id"] not in ids for row in in_force):
        return build_conflict(in_force, target, caller)
    return None


def find_proposal_error(ids: Sequence[str], found: Sequence[Row], target: str) -> PrecedentError | None:
    """Return why a proposal about `target` to replace the decisions `ids` could not be accepted, or None."""
    in_force = _select_in_force(found)
    now = "Nothing is in force for it: leave suggested_supersedes out."
    if in_force:
        ids_in_force = _join_ids(in_force)
        now = f"{_name_decisions(in_force, target)} To propose another, use suggested_supersedes [{ids_in_force}]."
    if error := _find_state_error(ids, found, target, now):
        return error
    if any(row["id"] not in ids for row in in_force):
        return Conflict(f"CONFLICT: {now}", _build_details(in_force))
    return None


def build_evidence_count_error(count: int, needed: int) -> InvalidArgument:
    """Build the error for a proposal with too little evidence (PI2)."""
    return InvalidArgument(
        f"PI2 Violation: a proposal needs {needed} different records as evidence; evidence_ids names {count}.",
        {"field": "evidence_ids", "needed": needed},
    )


def build_unknown_evidence_error(unknown: Sequence[str], field: str) -> NotFound:
    """Build the error for evidence that does not exist."""
    return NotFound(
        f"{field}: no record has the id {format_ids(unknown)}. Evidence can be any stored record (an entry, message, "
        "insight, decision or other), by the id that its tool returned.",
        {"field": field, "unknown": list(unknown)},
    )


def build_unknown_requirement_error(unknown: Sequence[str]) -> NotFound:
    """Build the error for required decisions that do not exist."""
    return NotFound(
        f"requires: no decision has the id {format_ids(unknown)}. search_decisions finds decisions and their ids; "
        "name other records as evidence.",
        {"field": "requires", "unknown": list(unknown)},
    )


def build_wrong_kind_error(id_: str, kind: str) -> InvalidArgument:
    """Build the error for an id that is not a proposal's."""
    return InvalidArgument(
        f"{quote(id_)} is not a proposal; it is of the kind {kind}. list_proposals lists the proposals that wait.",
        {"kind": kind},
    )


def build_closed_error(proposal: Row) -> Conflict:
    """Build the error for a proposal that is closed already."""
    message = f"CONFLICT: {proposal['id']} is {proposal['status']} already"
    if proposal["became"]:
        message += f"; it became {proposal['became']}"
    if proposal["reason"]:
        message += f", because: {quote(proposal['reason'])}"
    return Conflict(f"{message}.", {"status": proposal["status"], "decision_id": proposal["became"]})


def build_rejected_before_error(row: Row) -> Conflict:
    """Build the error for a proposal that was rejected or retracted and comes again without new evidence."""
    because = f", because: {quote(row['reason'])}" if row["reason"] else ""
    return Conflict(
        f"CONFLICT: {row['id']} proposed the same from this evidence and was {row['how']}{because}. Name evidence that "
        "it did not have, or propose something else.",
        {"proposal_id": row["id"], "status": row["how"]},
    )


def build_review_window_error(id_: str, first: datetime, until: datetime, at: datetime) -> ReviewWindow:
    """Build the error for a proposal that is accepted within its review window (PI1)."""
    minutes = math.ceil((until - at).total_seconds() / 60)
    return ReviewWindow(
        f"PI1 Violation: {id_} was first observed at {format_utc(first)} and has a review window of 1 hour. It may be "
        f"accepted from {format_utc(until)} on, in {minutes} min.",
        {"acceptable_from": until.isoformat()},
    )


def format_utc(at: datetime) -> str:
    """Format a time for people, rounded up to the second."""
    return f"{at + timedelta(microseconds=999_999):%Y-%m-%d %H:%M:%S} UTC"


def quote(text: str) -> str:
    """Return the text in quotes, cut where it is long."""
    return json.dumps(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…", ensure_ascii=False)


def format_ids(ids: Sequence[str]) -> str:
    """Return the first few ids, quoted, and the number of the others."""
    rest = len(ids) - _MOST_IDS
    return ", ".join(map(quote, ids[:_MOST_IDS])) + (f" and {rest} more" if rest > 0 else "")


def _find_state_error(ids: Sequence[str], found: Sequence[Row], target: str, now: str) -> PrecedentError | None:
    """Return why not all of these are active decisions about the target; `now` says what is in force."""
    facts = {row["id"]: row for row in found}
    details = _build_details(_select_in_force(found))
    if unknown := [id_ for id_ in ids if id_ not in facts]:
        return NotFound(f"No decision has the id {format_ids(unknown)}. {now}", {**details, "unknown": unknown})
    if other := [id_ for id_ in ids if comparison_key(facts[id_]["target"] or "") != comparison_key(target)]:
        theirs = quote(facts[other[0]]["target"])
        return InvalidArgument(
            f"{format_ids(other)}: about {theirs}, not about {quote(target)}; a decision supersedes only decisions "
            f"about its own target. {now}",
            {**details, "other_target": other},
        )
    if inactive := [id_ for id_ in ids if facts[id_]["status"] != "active"]:
        return Conflict(
            f"CONFLICT: {format_ids(inactive)} is {facts[inactive[0]]['status']} already; only an active decision can "
            f"be superseded. {now}",
            {**details, "not_active": inactive},
        )
    return None


def _describe(in_force: Sequence[Row], target: str, caller: Principal) -> str:
    """Say what is in force for a target, and what the caller can do."""
    if not in_force:
        return f"Nothing is in force for {quote(target)}: record it with record_decision."
    named, ids = _name_decisions(in_force, target), _join_ids(in_force)
    if any(map(_is_human, in_force)) and caller.role < Role.ADMIN:
        return f"{named} A human made it, so only an admin may replace it. {_suggest_proposal(ids)}"
    if len(in_force) > 1:
        return f"{named} Replace all of them: supersede_decision with old_decision_ids [{ids}]."
    return f"{named} Keep it, or replace it: supersede_decision with old_decision_ids [{ids}]."


def _name_decisions(in_force: Sequence[Row], target: str) -> str:
    if len(in_force) == 1:
        [row] = in_force
        written = "" if row["target"] == target else f", written {quote(row['target'])}"
        return f"{row['id']} ({quote(row['title'])}) is in force for {quote(target)}{written}."
    named = ", ".join(f"{row['id']} ({quote(row['title'])}, for {quote(row['target'])})" for row in in_force)
    return f"{named} are in force, and their targets differ by case, width or spacing alone."


def _join_ids(rows: Sequence[Row]) -> str:
    return ", ".join(quote(row["id"]) for row in rows)


def _suggest_proposal(ids: str) -> str:
    return f"Keep it, or propose the change: propose_decision with suggested_supersedes [{ids}]."


def _select_in_force(found: Sequence[Row]) -> list[Row]:
    return [row for row in found if row["in_force"]]


def _is_human(row: Row) -> bool:
    return bool(row["origin"] == "human")


def _build_details(in_force: Sequence[Row]) -> dict[str, Any]:
    """Return the ids in force; several only where they were recorded before targets had a key."""
    ids = [row["id"] for row in in_force]
    several = {"active_decision_ids": ids} if len(ids) > 1 else {}
    return {"active_decision_id": ids[0] if ids else None, **several}
