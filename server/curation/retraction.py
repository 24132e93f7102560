"""Retracts what was wrong: out of every current answer at once, kept as history with who, when and why."""

from collections.abc import Callable, Sequence

from server.core.principals import Principal
from server.core.types import Row
from server.curation.models import Corrected, Retract, Retracted
from server.curation.records import describe, find, get_kind, require_author, require_no_target
from server.graph.graph import Graph, Transaction
from server.graph.keys import content_key
from server.graph.vocabulary import BOOKKEEPING

_MOST_NAMED = 5


class Retractions:
    """Retracts records, entities and relations."""

    def __init__(self, graph: Graph, wake: Callable[[], None]) -> None:
        self._graph = graph
        self._wake = wake

    async def retract(self, request: Retract, caller: Principal) -> Retracted:
        """Retract records, entities and relations in one transaction.

        A retracted decision frees its target; what it replaced stays replaced. Raises `NotFound`, `InvalidArgument`
        for an id that means several records, `IsolationViolation` for what a human wrote and the caller is no admin,
        and `Conflict` for an entity that is the target of a decision in force.
        """

        async def work(transaction: Transaction) -> tuple[Sequence[Row], Sequence[Row], str]:
            found = await find(transaction, request.ids, caller)
            require_author(found, caller, "retract")
            require_no_target(found, "Retract")
            elements = [each["element"] for each in found.records]
            rationales = await transaction.run("curation/rationales", records=elements)
            row = await transaction.row(
                "curation/retract",
                namespace=caller.namespace,
                records=elements,
                content_keys={each["element"]: content_key(each["rationale"]) for each in rationales},
                relations=[each["element"] for each in found.relations],
                bookkeeping=sorted(BOOKKEEPING),
                reason=request.reason,
            )
            return found.records, found.relations, row["change_id"]

        records, relations, change_id = await self._graph.transaction(work)
        self._wake()
        return Retracted(
            retracted=[
                *(Corrected(kind=get_kind(row), id=row["id"], name=row["name"][:200]) for row in records),
                *(Corrected(kind="relation", id=row["asked"], name=row["asked"][:200]) for row in relations),
            ],
            change_id=change_id,
            message=_explain(records, relations, change_id),
        )


def _explain(records: Sequence[Row], relations: Sequence[Row], change_id: str) -> str:
    named = [*map(describe, records), *(f"relation {row['asked'][:200]}" for row in relations)]
    rest = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    sentences = [f"Retracted: {', '.join(named[:_MOST_NAMED])}{rest}. undo(change_id={change_id!r}) takes this back."]
    if freed := [row["target"] for row in records if row["in_force"]]:
        sentences.append(f"Nothing is in force now for {', '.join(repr(each[:200]) for each in freed[:_MOST_NAMED])}.")
    sentences += [
        f"What {row['id']} had replaced ({', '.join(row['replaced'])}) stays replaced; to put it back in force: "
        f"undo(change_id={row['recorded_in']!r})."
        for row in records[:_MOST_NAMED]
        if row["in_force"] and row["replaced"] and row["recorded_in"]
    ]
    return " ".join(sentences)
