"""Erases records for good, for secrets and privacy: only what happened, by whom, when and why remains."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from server.core.principals import Principal
from server.core.types import Row
from server.curation.models import Erase, Erased
from server.curation.records import find, get_kind, require_no_target
from server.graph.graph import Graph, Transaction
from server.retrieval.passages import NEIGHBOURS


class Erasures:
    """Deletes records, entities and relations with every copy of their text in the graph and in the vectors."""

    def __init__(self, graph: Graph, wake: Callable[[], None]) -> None:
        self._graph = graph
        self._wake = wake

    async def erase(self, request: Erase, caller: Principal) -> Erased:
        """Erase records, current or retracted, in one transaction: texts, passages, former states, vectors, mentions.

        A summary of their session goes as well. Raises `NotFound`, `InvalidArgument` for an id that means several
        records, and `Conflict` for an entity that is the target of a decision in force.
        """

        async def work(transaction: Transaction) -> Erased:
            found = await find(transaction, request.ids, caller, retracted=True)
            require_no_target(found, "Erase")
            elements = [row["element"] for row in found.records]
            around = await transaction.run(
                "curation/words_around", namespace=caller.namespace, records=elements, reach=NEIGHBOURS
            )
            kinds = Counter([*map(get_kind, found.records), *("relation" for _ in found.relations)])
            name = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
            row = await transaction.row(
                "curation/erase",
                namespace=caller.namespace,
                records=elements,
                relations=[each["element"] for each in found.relations],
                neighbours=_remove_words(around),
                id=str(uuid4()),
                name=f"erased: {name}",
                reason=request.reason,
            )
            also = f" {row['summaries']} summaries of their sessions went as well." if row["summaries"] else ""
            return Erased(
                erased=dict(kinds),
                change_id=row["change_id"],
                message=f"Erased: {name}.{also} Backups and exports made before still contain it; "
                "Neo4j's files and its transaction logs may contain it until their space is used again.",
            )

        answer = await self._graph.transaction(work)
        self._wake()
        return answer


def _remove_words(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return, for each neighbouring passage, the words around it without those that it owes to the erased records."""
    cleaned: dict[str, str] = {}
    for row in rows:
        erased = {word for words in row["words"] for word in words.split()}
        for near in row["neighbours"]:
            own = set(near["words"].split())
            around = cleaned.get(near["id"], near["around"] or "")
            cleaned[near["id"]] = " ".join(word for word in around.split() if word in own or word not in erased)
    return [{"id": id_, "around": around} for id_, around in cleaned.items()]
