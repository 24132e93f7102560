"""Finds what the ids of a correction mean: records, entities by name, and relations as `A -[USES]-> B`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from server.core.errors import Conflict, InvalidArgument, IsolationViolation, NotFound
from server.core.principals import Principal, Role
from server.core.types import Row
from server.graph.graph import Transaction
from server.interface.kinds import name_kind

_RELATION = re.compile(r"(?P<source>.+?) ?-\[(?P<relation>.+?)\]-> ?(?P<target>.+)")
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Found:
    """What ids mean: rows of `curation/find_records`, and rows of `curation/find_relations`."""

    records: Sequence[Row] = field(default_factory=tuple)
    relations: Sequence[Row] = field(default_factory=tuple)


def get_kind(row: Row) -> str:
    """Return the kind of a found record, as callers know it."""
    return "entity" if row["is_entity"] else name_kind([row["label"]])


def describe(row: Row) -> str:
    """Return a record as a message names it: an entity by its name, another one by its id."""
    return f"entity {row['name'][:200]!r}" if row["is_entity"] else f"{get_kind(row)} {row['id']}"


async def find(transaction: Transaction, ids: Sequence[str], caller: Principal, *, retracted: bool = False) -> Found:
    """Return what each id means; retracted records only if these are asked for.

    Raises `NotFound` where one means nothing, and `InvalidArgument` where one means several records.
    """
    asked = list(dict.fromkeys(ids))
    relations = [match.groupdict() | {"asked": each} for each in asked if (match := _RELATION.fullmatch(each))]
    edges = await transaction.run("curation/find_relations", namespace=caller.namespace, relations=relations)
    found_edges = {row["asked"] for row in edges}
    rows = await transaction.run(
        "curation/find_records", namespace=caller.namespace, ids=[each for each in asked if each not in found_edges]
    )
    current = [row for row in rows if retracted or not row["retracted"]]
    known = {row["asked"] for row in current} | found_edges
    if unknown := [each for each in asked if each not in known]:
        gone = {row["asked"] for row in rows if row["retracted"]}
        raise NotFound(_explain_unknown(unknown, gone), {"ids": unknown})
    for each in asked:
        if len(meant := [row for row in current if row["asked"] == each]) > 1:
            kinds = " and ".join(sorted({get_kind(row) for row in meant}))
            raise InvalidArgument(f"ids: {each[:200]!r} means several records ({kinds}); use the id of one of them.")
    return Found(current, edges)


def require_author(found: Found, caller: Principal, verb: str) -> None:
    """Raise `IsolationViolation` where an agent wants to change what a human wrote."""
    if caller.has_role(Role.ADMIN):
        return
    if theirs := [row for row in [*found.records, *found.relations] if row["origin"] == "human"]:
        named = ", ".join(str(row["asked"])[:200] for row in theirs[:_MOST_NAMED])
        raise IsolationViolation(
            f"Isolation Violation: a human wrote {named}; only an admin may {verb} that. Use propose_decision, or ask "
            "an admin.",
            {"ids": [row["asked"] for row in theirs]},
        )


def require_no_target(found: Found, verb: str) -> None:
    """Raise `Conflict` where an entity is the target of a decision in force that is not corrected with it."""
    ids = {row["id"] for row in found.records}
    for row in found.records:
        if row["target_of"] is not None and row["target_of"] not in ids:
            raise Conflict(
                f"CONFLICT: {row['name'][:200]!r} is the target of {row['target_of']}, which is in force. {verb} that "
                "decision as well, or rename the entity with rename_entity.",
                {"active_decision_id": row["target_of"]},
            )


def _explain_unknown(unknown: Sequence[str], retracted: set[str]) -> str:
    shown = ", ".join(repr(each[:200]) for each in unknown[:_MOST_NAMED])
    if set(unknown) <= retracted:
        return f"Retracted already: {shown}. Nothing was changed; `changes` lists when and why, `undo` puts it back."
    return (
        f"Not found: {shown}. Nothing was changed. An id is that of a record, the exact name of an entity, or a "
        "relation as 'A -[USES]-> B'."
    )
