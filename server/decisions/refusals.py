"""Why a write of a decision is refused, in words that say what to do instead.

Source: decisions.md "Error Codes & Status"; design.md section 6.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

from server.errors import Conflict, InvalidArgument, IsolationViolation, NotFound, PrecedentError, RateLimitExceeded
from server.principals import Principal, Role
from server.types import Row

_NAMED = 5
_QUOTED = 200


def rate_limit(wait: int) -> RateLimitExceeded:
    """Returns the refusal of a caller whose turn comes in `wait` milliseconds."""
    seconds = math.ceil(wait / 100) / 10
    return RateLimitExceeded(
        f"Rate limit exceeded: please wait {seconds} s before the next write.", {"retry_after_seconds": seconds}
    )


def conflict(in_force: Row, target: str, caller: Principal) -> Conflict:
    """Returns the refusal to record beside the decision that is in force."""
    return Conflict(f"CONFLICT: {_told(in_force, target, caller)}", _details(in_force))


def not_replaceable(ids: Sequence[str], found: Sequence[Row], target: str, caller: Principal) -> PrecedentError | None:
    """Returns why `caller` may not replace the decisions `ids` by one about `target`, or None.

    `found` are the rows of `decisions/decisions_to_replace`. None means that the list covers the decision in force:
    each id is active and of this target, and a constraint holds that there is only one such.
    """
    facts = {row["id"]: row for row in found}
    in_force = next((row for row in found if row["in_force"]), None)
    now = _told(in_force, target, caller)
    details = _details(in_force)
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
    if caller.role < Role.ADMIN and (human := [id_ for id_ in ids if facts[id_]["origin"] == "human"]):
        return IsolationViolation(
            f"Isolation Violation: a human made {listed(human)}, and only an admin may supersede it. Keep to it, or "
            "ask for the change and say why.",
            {"human": human},
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
    told = f"{in_force['id']} ({quoted(in_force['title'])}) is in force for {quoted(target)}. "
    if in_force["origin"] == "human" and caller.role < Role.ADMIN:
        return told + "A human made it, so only an admin may replace it: keep to it, or ask for the change and say why."
    return told + f"Keep to it, or replace it by supersede_decision with old_decision_ids [{quoted(in_force['id'])}]."


def _details(in_force: Row | None) -> dict[str, Any]:
    return {"active_decision_id": in_force["id"] if in_force else None}
