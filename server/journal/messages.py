"""Storing what was said to and by an agent: after what was said before it, found like all that was said.

A message is one transaction: itself, what it belongs to, the entities that it mentions, and the passages that it is
found by (`server/retrieval`). Source: journal.md `store_conversation_message`; docs/decisions/0016.
"""

from typing import Any

from server.errors import InvalidArgument
from server.fields import milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.words import scope_token
from server.journal.models import StoreMessage
from server.journal.records import Recorder
from server.principals import Principal
from server.retrieval.scope import session_word
from server.retrieval.writing import PassageWriter, Prepared, last_said, now_after, store
from server.types import Row


def agent_scope(namespace: str, agent_id: str) -> str:
    """The word that the passages of an agent's messages carry."""
    return scope_token(f"{namespace}\0{agent_id}")


class MessageWriter:
    """Stores messages one at a time, those of a conversation one after another."""

    def __init__(self, graph: Graph, passages: PassageWriter, recorder: Recorder) -> None:
        self._graph = graph
        self._passages = passages
        self._recorder = recorder

    async def add(self, request: StoreMessage, caller: Principal) -> tuple[str, Prepared]:
        """Stores a message; returns its id, and what it is found by. Raises `InvalidArgument`."""
        # A message may be blank, when all that it says is in its tool call.
        said = request.message_content if request.message_content.strip() else request.message_type
        prepared = await self._passages.prepare(caller.namespace, _spoken(request, said))
        record = self._recorder.numbered(caller, request.agent_id, prepared.number, said)
        await self._graph.transaction(lambda transaction: self._write(transaction, request, record, prepared))
        return record["id"], prepared

    async def _write(
        self, transaction: Transaction, request: StoreMessage, record: dict[str, Any], prepared: Prepared
    ) -> None:
        conversation, namespace = request.conversation_id, record["namespace"]
        spoken_in, at, last = None, record["at"], list[Row]()
        if conversation is not None:
            await transaction.run("retrieval/lock_session", namespace=namespace, session_id=conversation)
            spoken_in = session_word(scope_token(f"{request.agent_id}\0{conversation}\0message"))
            last = await last_said(transaction, namespace, spoken_in)
            at = milliseconds(now_after(last[0]["at"] if last else None))
        row = await transaction.one(
            "journal/store_message",
            **{**record, "at": at},
            **request.model_dump(exclude={"agent_id", "conversation_id"}),
            conversation_id=conversation or record["id"],
            grouped=conversation is not None,
        )
        assert row is not None
        require_known(
            context_snapshot_id=None if row["context_known"] else "context",
            source_attribution_id=None if row["source_known"] else "attribution",
        )
        scopes = [agent_scope(namespace, request.agent_id)]
        found_by = prepared.found_by(scopes=scopes, at=at, session=spoken_in, last=last)
        await store(transaction, prepared, row["element"], found_by, last)


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


def _spoken(request: StoreMessage, said: str) -> str:
    """What a message is found by: what is said, and by whom as far as a name says more than a role."""
    speaker = {"user": request.user_id, "agent": request.agent_id}.get(request.sender)
    return f"{speaker}: {said}" if speaker else said
