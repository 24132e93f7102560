"""Takes a change back as a new change, where nothing later depends on it."""

from collections.abc import Callable, Sequence

from server.core.errors import Conflict, InvalidArgument, IsolationViolation, NotFound
from server.core.principals import Principal, Role
from server.core.types import Row
from server.curation.models import Undo, Undone
from server.graph.graph import Graph, Transaction
from server.graph.vocabulary import BOOKKEEPING

_BOOKKEEPING = sorted(BOOKKEEPING)
_MOST = 5
_ADVICE = {
    "WorkingItem": "update_working_memory stores an item again",
    "StaleItem": "update_working_memory stores an item again",
    "IngestRun": "ingest the earlier files again, or retract what it brought",
    "MemoryCollection": "import the earlier memories again",
    "Summary": "summarise the session again",
    "Erasure": "what was erased is gone for good",
    "Token": "`precedent token` creates and revokes tokens",
    "DriftDay": "get_golden_test_results measures again",
    "Source": "ingest the earlier files again, or retract what it brought",
}
"""What cannot be taken back, by label, with what to do instead."""
_ADVICE_BY_NAME = {
    "ingest_docs": "change the files and ingest them again, or retract the entries",
    "POST /db/import": "import the earlier memories again",
}
"""The same, by the name of the operation."""


class Undos:
    """Undoes operations: all changes of one call."""

    def __init__(self, graph: Graph, wake: Callable[[], None]) -> None:
        self._graph = graph
        self._wake = wake

    async def undo(self, request: Undo, caller: Principal) -> Undone:
        """Take back everything that the operation of a change did, in one transaction.

        What it created is retracted, what it overwrote, replaced or retracted is put back. Raises `NotFound`,
        `Conflict` that names what later depends on it or holds its place, `InvalidArgument` for a change that cannot
        be undone, and `IsolationViolation` for a human's change and a caller who is no admin.
        """

        async def work(transaction: Transaction) -> tuple[Row, list[Row], str]:
            effects = await self._load(transaction, request.change_id, caller)
            created = _choose_created(effects)
            if created or effects["relations"]:
                await transaction.run(
                    "curation/retract",
                    namespace=caller.namespace,
                    records=[row["element"] for row in created],
                    relations=effects["relations"],
                    content_keys={},
                    bookkeeping=_BOOKKEEPING,
                    reason=request.reason,
                )
            row = await transaction.row(
                "curation/restore", namespace=caller.namespace, changes=effects["ids"], reason=request.reason
            )
            return effects, created, row["change_id"]

        effects, created, change_id = await self._graph.transaction(work)
        self._wake()
        return Undone(
            undone=effects["ids"],
            change_id=change_id,
            message=_explain(effects, created),
        )

    async def _load(self, transaction: Transaction, change_id: str, caller: Principal) -> Row:
        """Lock the operation and return its effects; raise why it cannot be undone."""
        locked = await transaction.one("curation/lock_changes", namespace=caller.namespace, change_id=change_id)
        if locked is None:
            raise NotFound(f"No change has the id {change_id!r}; `changes` lists them.", {"field": "change_id"})
        effects = await transaction.row(
            "curation/effects", namespace=caller.namespace, change_id=change_id, bookkeeping=_BOOKKEEPING, most=_MOST
        )
        if effects["undone_by"] is not None:
            raise Conflict(
                f"CONFLICT: {change_id} is undone already, by {effects['undone_by']}.",
                {"change_id": effects["undone_by"]},
            )
        if effects["kind"] == "human" and not caller.has_role(Role.ADMIN):
            raise IsolationViolation("Isolation Violation: a human made this change; only an admin may undo it.")
        advice = _ADVICE_BY_NAME.get(effects["name"]) or next(
            (advice for label, advice in _ADVICE.items() if label in effects["labels"]), None
        )
        if advice is not None:
            raise InvalidArgument(f"A change by {effects['name']!r} cannot be undone: {advice}.")
        if dependents := _list_dependents(effects):
            named = ", ".join(
                f"{each['what']} {each['name'][:200]!r}" + (f" ({each['change_id']})" if each["change_id"] else "")
                for each in dependents[:_MOST]
            )
            raise Conflict(
                f"CONFLICT: later things depend on this change: {named}. Undo or retract them first.",
                {"dependents": dependents[:_MOST]},
            )
        return effects


def _choose_created(effects: Row) -> list[Row]:
    """Return what is retracted: an entity that something else refers to stays."""
    return [row for row in [*effects["created"], *effects["linked"]] if not (row["is_entity"] and row["needed"])]


def _list_dependents(effects: Row) -> Sequence[Row]:
    dependents: list[Row] = list(effects["dependents"])
    # An entity that came along with something else may stay; one that is all that the change made may not.
    only_entities = effects["created"] and all(row["is_entity"] for row in effects["created"])
    if only_entities and not effects["relations"] and any(row["needed"] for row in effects["created"]):
        dependents += effects["related"]
    return dependents


def _explain(effects: Row, created: Sequence[Row]) -> str:
    counts = [
        (len(created), "retracted what it created"),
        (len(effects["relations"]), "removed its relations"),
        (effects["retracted"], "put back what it retracted"),
        (effects["overwritten"], "put back what it overwrote"),
        (effects["formers"], "put back its former relations"),
    ]
    done = ", ".join(f"{what} ({count})" for count, what in counts if count) or "nothing was left to take back"
    return f"Undone: {effects['name']} by {effects['by']} at {effects['at']}: {done}."
