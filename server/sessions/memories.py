"""Storing and finding what was asked, thought and answered.

A memory is one transaction: the interaction, its session, the entities that it mentions, and the passages that it is
found by. Beside the passages that any text is cut into (`server/retrieval`), one stands for the memory whole: its
vector is the memory's own, which exports tell.

Source: memory-core-rest.md "Memory Endpoints"; open-questions.md "memory-core-rest.md", Memories.
"""

from dataclasses import dataclass
from itertools import count, islice

from server.errors import Conflict
from server.fields import captioned, iso, milliseconds
from server.graph.graph import Graph, Transaction
from server.retrieval.scope import family_word, session_word
from server.retrieval.turns import turn
from server.retrieval.writing import PassageWriter, Prepared, last_said, now_after, store
from server.sessions.collections import Of, current, require_live
from server.sessions.passages import key_of, whole_words, with_whole
from server.types import Row

MEMORIES: Of = "memories"
FAMILY = "memory"
_TRIES = 20
"""How often an id is tried that another caller has just taken."""


@dataclass(frozen=True, slots=True)
class Said:
    """One interaction as it is to be stored; `session_id` says in which session."""

    session_id: str
    prompt: str
    thought: str
    response: str

    @classmethod
    def of(cls, row: Row) -> "Said":
        """Reads what a statement returns of a memory."""
        return cls(row["session_id"], row["prompt"], row["thought"], row["response"])

    @property
    def text(self) -> str:
        """What it is cut into passages by."""
        return "\n".join(part for part in (self.prompt, self.thought, self.response) if part.strip())


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory in the graph, and the passages that it is found by."""

    id: str
    at: int
    passages: list[str]


def document(prompt: str, thought: str, response: str) -> str:
    """A memory as one text, the one that its vector is of (open-questions.md, Memories)."""
    return f"User Prompt: {prompt}\nAgent Thought: {thought}\nAgent Response: {response}"


def scopes(namespace: str, session_id: str) -> list[str]:
    """The words that a memory's passages carry: of all memories, and of those of its session."""
    return [family_word(FAMILY, namespace), family_word(FAMILY, namespace, session_id)]


def spoken(namespace: str, session_id: str) -> str:
    """The word of a session, as its passages carry it."""
    return session_word(family_word(FAMILY, namespace, session_id))


class MemoryWriter:
    """Stores memories one at a time."""

    def __init__(self, graph: Graph, passages: PassageWriter) -> None:
        self._graph = graph
        self._passages = passages

    async def add(self, said: Said, namespace: str, by: str) -> Stored:
        """Stores a memory as the last one of its session. Of two in one millisecond both are kept."""
        prepared = await self._passages.prepare(namespace, said.text)
        for attempt in count(1):
            try:
                async with turn(namespace, said.session_id):
                    return await self._graph.transaction(
                        lambda transaction: self._write(transaction, said, prepared, namespace, by)
                    )
            except Conflict:
                if attempt == _TRIES:
                    raise
        raise AssertionError("the loop ends with an answer or an error")

    async def _write(self, transaction: Transaction, said: Said, prepared: Prepared, namespace: str, by: str) -> Stored:
        session = {"namespace": namespace, "session_id": said.session_id}
        await transaction.run("retrieval/lock_session", **session)
        last = await transaction.one("sessions/last_memory", **session)
        at = now_after(None if last is None else last["at"])
        id_ = await _free_id(transaction, namespace, milliseconds(at))
        collection = await current(transaction, namespace, MEMORIES)
        word = spoken(namespace, said.session_id)
        before = await last_said(transaction, namespace, word)
        row = await transaction.one(
            "sessions/add_memory",
            **session,
            collection=collection,
            id=id_,
            node_id=prepared.number,
            name=captioned(said.text),
            after=None if last is None else last["element"],
            at=at,
            prompt=said.prompt,
            thought=said.thought,
            response=said.response,
            by=by,
        )
        assert row is not None
        found_by = prepared.found_by(
            scopes=scopes(namespace, said.session_id), at=milliseconds(at), session=word, last=before
        )
        whole = with_whole(
            found_by,
            key_of(FAMILY, id_),
            document(said.prompt, said.thought, said.response),
            whole_words(FAMILY, namespace, said.session_id),
        )
        await store(transaction, prepared, row["element"], whole, before)
        # Last of all, so that writers of other sessions wait for one another only while this one commits.
        await require_live(transaction, namespace, collection)
        return Stored(id_, milliseconds(at), [passage["id"] for passage in whole])


async def _free_id(transaction: Transaction, namespace: str, at: int) -> str:
    """`mem_<time>`, and with a number behind it where that is taken."""
    first = f"mem_{iso(at)}"
    ids = [first, *(f"{first}-{number}" for number in islice(count(2), _TRIES - 1))]
    rows = await transaction.run(
        "sessions/taken_ids", namespace=namespace, of=MEMORIES, live=True, collection=None, ids=ids
    )
    taken = {row["id"] for row in rows}
    free = next((id_ for id_ in ids if id_ not in taken), None)
    if free is None:
        raise Conflict("CONFLICT: too many memories were stored in one millisecond; try again.")
    return free
