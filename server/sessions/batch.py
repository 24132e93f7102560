"""Connecting imported memories of one session, many in one transaction: the same that storing them one by one does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.graph.graph import Transaction
from server.graph.words import scope_token
from server.retrieval.passages import around, lead
from server.retrieval.writing import Prepared, last_said, said_after
from server.sessions.memories import FAMILY, Said, document, scopes, spoken
from server.sessions.passages import key_of, whole_words, with_whole
from server.types import Row


@dataclass(frozen=True, slots=True)
class Batch:
    """Memories of a session in their order, each with what was prepared of it."""

    namespace: str
    collection: str
    session_id: str
    memories: Sequence[tuple[Row, Prepared]]

    async def link(self, transaction: Transaction) -> None:
        """Writes what the memories are found by and what they mention; those that were linked already are left."""
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
        last = await last_said(transaction, self.namespace, spoken(self.namespace, self.session_id))
        keys = [key_of(FAMILY, row["record"]["id"]) for row, _ in fresh]
        await transaction.run("sessions/forget_tombstones", namespace=self.namespace, keys=keys)
        await transaction.run("sessions/store_passages", passages=self._found_by(fresh, elements, last))
        if last:
            neighbours = said_after(last, [passage for _, each in fresh for passage in each.passages])
            await transaction.run("retrieval/say_around", namespace=self.namespace, neighbours=neighbours)
        for row, prepared in fresh:
            if prepared.mentions:
                await transaction.run(
                    "retrieval/mention",
                    namespace=self.namespace,
                    record=elements[row["record"]["id"]],
                    scope=scope_token(self.namespace),
                    entities=prepared.mentions,
                )

    def _found_by(
        self, fresh: Sequence[tuple[Row, Prepared]], elements: dict[str, str], last: Sequence[Row]
    ) -> list[dict[str, Any]]:
        """The passages of the memories, each with what is around it in the session."""
        passages = [passage for _, prepared in fresh for passage in prepared.passages]
        nearby = iter(around(passages, [lead(row["text"]) for row in reversed(last)]))
        place = last[0]["place"] + 1 if last else 0
        found: list[dict[str, Any]] = []
        for row, prepared in fresh:
            record = row["record"]
            parts = prepared.found_by(
                scopes=scopes(self.namespace, self.session_id),
                at=row["at"],
                session=spoken(self.namespace, self.session_id),
                nearby=[next(nearby) for _ in prepared.passages],
                first_place=place,
            )
            place += len(parts)
            said = Said.of(record)
            whole = with_whole(
                parts,
                key_of(FAMILY, record["id"]),
                document(said.prompt, said.thought, said.response),
                whole_words(FAMILY, self.namespace, self.session_id),
                row["vector"],
            )
            found += [{"element": elements[record["id"]], "properties": passage} for passage in whole]
        return found
