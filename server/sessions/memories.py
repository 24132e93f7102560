"""Storing memories: what was asked, thought and answered.

One transaction stores the interaction, its session, its mentions and its passages. The passage of the whole memory has
the memory's own vector, which exports contain.

Source: SES-10, SES-12, SES-15.
"""

from dataclasses import dataclass
from itertools import count, islice

from server.core.errors import Conflict
from server.core.fields import format_caption, format_time, to_milliseconds
from server.core.types import Row
from server.graph.graph import Graph, Transaction
from server.retrieval.scope import build_family_tag, mark_session_key
from server.retrieval.turns import take_turn
from server.retrieval.writing import PassageWriter, PreparedText, choose_time_after, load_session_end, store_passages
from server.sessions.collections import Collection, require_collection, require_live
from server.sessions.passages import assign_record_key, build_passage_key

MEMORIES: Collection = "memories"
FAMILY = "memory"
_TRIES = 20
"""Attempts to store a memory whose id or collection another caller has just taken."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """An interaction to store in the session `session_id`."""

    session_id: str
    prompt: str
    thought: str
    response: str

    @classmethod
    def from_row(cls, row: Row) -> "Interaction":
        """Build an interaction from a row of a memory."""
        return cls(row["session_id"], row["prompt"], row["thought"], row["response"])

    @property
    def text(self) -> str:
        """The text that is cut into passages."""
        return "\n".join(part for part in (self.prompt, self.thought, self.response) if part.strip())

    @property
    def document(self) -> str:
        """The text that its vector is computed from."""
        return format_document(self.prompt, self.thought, self.response)


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """The id of a stored memory, its time in epoch milliseconds, and the ids of its passages."""

    id: str
    at: int
    passages: list[str]


def format_document(prompt: str, thought: str, response: str) -> str:
    """Return a memory as one text."""
    return f"User Prompt: {prompt}\nAgent Thought: {thought}\nAgent Response: {response}"


def list_scope_tags(namespace: str, session_id: str) -> list[str]:
    """Return the scope tags of a memory's passages: of all memories, and of its session."""
    return [build_family_tag(FAMILY, namespace), build_family_tag(FAMILY, namespace, session_id)]


def build_session_key(namespace: str, session_id: str) -> str:
    """Return the session key of a memory's passages."""
    return mark_session_key(build_family_tag(FAMILY, namespace, session_id))


class MemoryWriter:
    """Stores memories one at a time."""

    def __init__(self, graph: Graph, passages: PassageWriter) -> None:
        self._graph = graph
        self._passages = passages

    async def add(self, interaction: Interaction, namespace: str, by: str) -> StoredMemory:
        """Stores a memory as the last one of its session; two memories of one millisecond are both stored."""
        prepared = await self._passages.prepare(namespace, interaction.text)
        for attempt in count(1):
            try:
                async with take_turn(namespace, interaction.session_id):
                    return await self._graph.transaction(
                        lambda transaction: self._write(transaction, interaction, prepared, namespace, by)
                    )
            except Conflict:
                if attempt == _TRIES:
                    raise
        raise AssertionError("the loop ends with an answer or an error")

    async def _write(
        self, transaction: Transaction, interaction: Interaction, prepared: PreparedText, namespace: str, by: str
    ) -> StoredMemory:
        session = {"namespace": namespace, "session_id": interaction.session_id}
        await transaction.run("retrieval/lock_session", **session)
        last = await transaction.one("sessions/last_memory", **session)
        at = choose_time_after(None if last is None else last["at"])
        id_ = await _find_free_id(transaction, namespace, to_milliseconds(at))
        collection = await require_collection(transaction, namespace, MEMORIES)
        session_key = build_session_key(namespace, interaction.session_id)
        before = await load_session_end(transaction, namespace, session_key)
        row = await transaction.row(
            "sessions/add_memory",
            **session,
            collection=collection,
            id=id_,
            node_id=prepared.number,
            name=format_caption(interaction.text),
            after=None if last is None else last["element"],
            at=at,
            prompt=interaction.prompt,
            thought=interaction.thought,
            response=interaction.response,
            by=by,
        )
        found_by = prepared.found_by(
            scopes=list_scope_tags(namespace, interaction.session_id),
            at=to_milliseconds(at),
            session=session_key,
            last=before,
        )
        passages = assign_record_key(found_by, build_passage_key(FAMILY, id_), interaction.document)
        await store_passages(transaction, prepared, row["element"], passages, before)
        # Last, so that writers of other sessions wait only while this transaction commits.
        await require_live(transaction, namespace, collection)
        return StoredMemory(id_, to_milliseconds(at), [passage["id"] for passage in passages])


async def _find_free_id(transaction: Transaction, namespace: str, at: int) -> str:
    """Return `mem_<time>`, with a number after it where that is taken."""
    first = f"mem_{format_time(at)}"
    ids = [first, *(f"{first}-{number}" for number in islice(count(2), _TRIES - 1))]
    rows = await transaction.run(
        "sessions/taken_ids", namespace=namespace, of=MEMORIES, live=True, collection=None, ids=ids
    )
    taken = {row["id"] for row in rows}
    free = next((id_ for id_ in ids if id_ not in taken), None)
    if free is None:
        raise Conflict("CONFLICT: too many memories were stored in one millisecond; try again.")
    return free
