"""Storing what was said to and by an agent: after what was said before it, found like all that was said.

A message is one transaction: itself, what it belongs to, the entities that it mentions, and the passages that it is
found by (`server/retrieval`). Source: journal.md `store_conversation_message`; docs/decisions/0016.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from server.errors import InvalidArgument
from server.graph.graph import Graph, Transaction
from server.graph.words import scope_token
from server.journal.models import StoreMessage
from server.journal.records import Recorder
from server.principals import Principal
from server.retrieval.scope import session_word
from server.retrieval.turns import turn
from server.retrieval.writing import PassageWriter, Prepared, last_said, store
from server.types import Row


def agent_scope(namespace: str, agent_id: str) -> str:
    """The word that the passages of an agent's messages carry."""
    return scope_token(f"{namespace}\0{agent_id}")


def spoken(message: Row, agent_id: str) -> str:
    """What a message is found by: what is said, and by whom as far as a name says more than a role."""
    speaker = {"user": message["user_id"], "agent": agent_id}.get(message["sender"])
    return f"{speaker}: {said(message)}" if speaker else said(message)


def said(message: Row) -> str:
    """The content of a message, or its type where all that it says is in its tool call."""
    content, kind = message["message_content"], message["message_type"]
    return str(content if content.strip() else kind)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where a message stands: in an agent's journal, and in the conversation `id`; None for one by itself."""

    namespace: str
    agent_id: str
    id: str | None

    @property
    def word(self) -> str | None:
        """The word by which its passages are told to be of one session."""
        return None if self.id is None else session_word(scope_token(f"{self.agent_id}\0{self.id}\0message"))

    async def last(self, transaction: Transaction) -> list[Row]:
        """Locks the conversation until the transaction ends; returns its last passages, the last one first."""
        if self.word is None:
            return []
        await transaction.run("retrieval/lock_session", namespace=self.namespace, session_id=self.id)
        return await last_said(transaction, self.namespace, self.word)

    async def connect(
        self, transaction: Transaction, prepared: Prepared, element: str, at: int, last: Sequence[Row]
    ) -> None:
        """Stores what a message is found by, after `last`, and what it mentions; `at` is in epoch milliseconds."""
        scopes = [agent_scope(self.namespace, self.agent_id)]
        found_by = prepared.found_by(scopes=scopes, at=at, session=self.word, last=last)
        await store(transaction, prepared, element, found_by, last)


class MessageWriter:
    """Stores messages one at a time, those of a conversation one after another."""

    def __init__(self, graph: Graph, passages: PassageWriter, recorder: Recorder) -> None:
        self._graph = graph
        self._passages = passages
        self._recorder = recorder

    async def add(self, request: StoreMessage, caller: Principal) -> tuple[str, Prepared]:
        """Stores a message; returns its id, and what it is found by. Raises `InvalidArgument`, `QueryTimeout`."""
        message = request.model_dump(exclude={"agent_id", "conversation_id"})
        prepared = await self._passages.prepare(caller.namespace, spoken(message, request.agent_id))
        record = self._recorder.numbered(caller, request.agent_id, prepared.number, said(message))
        conversation = Conversation(caller.namespace, request.agent_id, request.conversation_id)

        async def work(transaction: Transaction) -> None:
            last = await conversation.last(transaction)
            at = max(record["at"], last[0]["at"] + 1 if last else 0)
            row = await transaction.one(
                "journal/store_message",
                **{**record, "at": at},
                **message,
                conversation_id=conversation.id or record["id"],
                grouped=conversation.id is not None,
            )
            assert row is not None
            require_known(
                context_snapshot_id=None if row["context_known"] else "context",
                source_attribution_id=None if row["source_known"] else "attribution",
            )
            await conversation.connect(transaction, prepared, row["element"], at, last)

        async with turn(caller.namespace, request.conversation_id):
            await self._graph.transaction(work)
        return record["id"], prepared


def require_known(**unknown: str | None) -> None:
    """Raises `InvalidArgument` in the form of a request's own mistakes, naming each field and what it refers to."""
    problems = [
        {"field": field, "problem": f"no {kind} of this namespace has this id"}
        for field, kind in unknown.items()
        if kind
    ]
    if problems:
        told = "; ".join(f"{each['field']}: {each['problem']}" for each in problems)
        raise InvalidArgument(f"Invalid arguments. {told}.", {"fields": problems})
