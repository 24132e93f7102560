"""Storing an agent's messages, in the order of their conversation.

One transaction stores a message, its relationships, the entities that it mentions, and the passages that search finds
it by (`server/retrieval`). Source: JRN-11, JRN-15, JRN-49.
"""

from dataclasses import dataclass

from server.core.errors import InvalidArgument
from server.core.principals import Principal
from server.core.types import Row
from server.graph.graph import Graph, Transaction
from server.graph.lucene import namespace_tag
from server.journal.models import StoreMessage
from server.journal.records import Recorder
from server.retrieval.scope import mark_session_key
from server.retrieval.turns import take_turn
from server.retrieval.writing import PassageWriter, PreparedText, SessionEnd, load_session_end, store_passages


def agent_scope(namespace: str, agent_id: str) -> str:
    """Return the scope tag that the passages of an agent's messages carry."""
    return namespace_tag(f"{namespace}\0{agent_id}")


def build_search_text(message: Row, agent_id: str) -> str:
    """Return the text that search finds a message by: its content, after the speaker's name where one is known."""
    speaker = {"user": message["user_id"], "agent": agent_id}.get(message["sender"])
    text = describe_content(message)
    return f"{speaker}: {text}" if speaker else text


def describe_content(message: Row) -> str:
    """Return the content of a message, or its type where the content is blank, as in a tool call."""
    content, kind = message["message_content"], message["message_type"]
    return str(content if content.strip() else kind)


@dataclass(frozen=True, slots=True)
class ConversationThread:
    """The conversation that a message belongs to; `id` is None for a message that is a conversation of its own."""

    namespace: str
    agent_id: str
    id: str | None

    @property
    def session_key(self) -> str | None:
        """The key that the passages of one conversation share."""
        return None if self.id is None else mark_session_key(namespace_tag(f"{self.agent_id}\0{self.id}\0message"))

    async def lock(self, transaction: Transaction) -> SessionEnd:
        """Lock the conversation until the transaction ends, and return its last passages."""
        if self.session_key is None:
            return SessionEnd()
        await transaction.run("retrieval/lock_session", namespace=self.namespace, session_id=self.id)
        return await load_session_end(transaction, self.namespace, self.session_key)

    async def store_passages(
        self, transaction: Transaction, prepared: PreparedText, element: str, at: int, last: SessionEnd
    ) -> None:
        """Store the passages and mentions of a message that follows `last`; `at` is in epoch milliseconds."""
        scopes = [agent_scope(self.namespace, self.agent_id)]
        found_by = prepared.found_by(scopes=scopes, at=at, session=self.session_key, last=last)
        await store_passages(transaction, prepared, element, found_by, last)


class MessageWriter:
    """Stores messages; those of one conversation are stored one after another."""

    def __init__(self, graph: Graph, passages: PassageWriter, recorder: Recorder) -> None:
        self._graph = graph
        self._passages = passages
        self._recorder = recorder

    async def add(self, request: StoreMessage, caller: Principal) -> tuple[str, PreparedText]:
        """Store a message; return its id and its passages. Raises `InvalidArgument`, `QueryTimeout`."""
        message = request.model_dump(exclude={"agent_id", "conversation_id"})
        prepared = await self._passages.prepare(caller.namespace, build_search_text(message, request.agent_id))
        record = self._recorder.build_record_with_id(
            caller, request.agent_id, prepared.number, describe_content(message)
        )
        thread = ConversationThread(caller.namespace, request.agent_id, request.conversation_id)

        async def work(transaction: Transaction) -> None:
            last = await thread.lock(transaction)
            at = max(record["at"], 0 if last.at is None else last.at + 1)
            row = await transaction.row(
                "journal/store_message",
                **{**record, "at": at},
                **message,
                conversation_id=thread.id or record["id"],
                grouped=thread.id is not None,
            )
            require_known(
                context_snapshot_id=None if row["context_known"] else "context",
                source_attribution_id=None if row["source_known"] else "attribution",
            )
            await thread.store_passages(transaction, prepared, row["element"], at, last)

        async with take_turn(caller.namespace, request.conversation_id):
            await self._graph.transaction(work)
        return record["id"], prepared


def require_known(**unknown: str | None) -> None:
    """Raise `InvalidArgument` that names each field, by the kind of record that it refers to; None is a known one."""
    problems = [
        {"field": field, "problem": f"no {kind} with this id exists in this namespace"}
        for field, kind in unknown.items()
        if kind
    ]
    if problems:
        listed = "; ".join(f"{each['field']}: {each['problem']}" for each in problems)
        raise InvalidArgument(f"Invalid arguments. {listed}.", {"fields": problems})
