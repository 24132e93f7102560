"""Connecting imported memories of one session in one transaction, with the same result as storing them one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.core.types import Row
from server.graph.graph import Transaction
from server.graph.lucene import namespace_tag
from server.retrieval.writing import PreparedText, SessionEnd, build_context_updates, load_session_end
from server.sessions.memories import FAMILY, Interaction, build_session_key, list_scope_tags
from server.sessions.passages import assign_record_key, build_passage_key


@dataclass(frozen=True, slots=True)
class Batch:
    """Memories of a session in their order, each with its prepared text."""

    namespace: str
    collection: str
    session_id: str
    memories: Sequence[tuple[Row, PreparedText]]

    async def link(self, transaction: Transaction) -> None:
        """Writes the passages and mentions of the memories; skips those that are linked already."""
        session = {"namespace": self.namespace, "session_id": self.session_id}
        await transaction.run("retrieval/lock_session", **session)
        numbered = [{"id": row["record"]["id"], "node_id": prepared.number} for row, prepared in self.memories]
        linked = await transaction.run(
            "sessions/link_memories", **session, collection=self.collection, memories=numbered
        )
        elements = {row["id"]: row["element"] for row in linked}
        fresh = [(row, prepared) for row, prepared in self.memories if row["record"]["id"] in elements]
        if not fresh:
            return
        last = await load_session_end(transaction, self.namespace, build_session_key(self.namespace, self.session_id))
        keys = [build_passage_key(FAMILY, row["record"]["id"]) for row, _ in fresh]
        await transaction.run("sessions/remove_tombstones", namespace=self.namespace, keys=keys)
        passages, neighbours = self._build_passages(fresh, elements, last)
        await transaction.run("sessions/store_passages", passages=passages)
        if neighbours:
            await transaction.run("retrieval/append_context", namespace=self.namespace, neighbours=neighbours)
        for row, prepared in fresh:
            if prepared.mentions:
                await transaction.run(
                    "retrieval/mention",
                    namespace=self.namespace,
                    record=elements[row["record"]["id"]],
                    scope=namespace_tag(self.namespace),
                    entities=prepared.mentions,
                )

    def _build_passages(
        self, fresh: Sequence[tuple[Row, PreparedText]], elements: dict[str, str], last: SessionEnd
    ) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
        """Return the passages of the memories, and the words that they add to the passages stored before."""
        stored: dict[str, dict[str, Any]] = {}
        passages: list[dict[str, Any]] = []
        neighbours: list[dict[str, str]] = []
        for row, prepared in fresh:
            record = row["record"]
            found_by = assign_record_key(
                prepared.found_by(
                    scopes=list_scope_tags(self.namespace, self.session_id),
                    at=row["at"],
                    session=build_session_key(self.namespace, self.session_id),
                    last=last,
                ),
                build_passage_key(FAMILY, record["id"]),
                Interaction.from_row(record).document,
                row["vector"],
            )
            for added in build_context_updates(last, prepared):
                if added["id"] in stored:
                    stored[added["id"]]["around"] += f" {added['words']}"
                else:
                    neighbours.append(added)
            stored |= {passage["id"]: passage for passage in found_by}
            passages += [{"element": elements[record["id"]], "properties": passage} for passage in found_by]
            last = last.append(found_by)
        return passages, neighbours
