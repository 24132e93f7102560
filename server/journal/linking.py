"""Gives messages from before messages had passages theirs: at every start, in peace, again after any crash.

Until then such a message is in its conversation's history, and no search finds it. Source: docs/decisions/0016.
"""

from collections.abc import Callable
from dataclasses import replace

import anyio
import structlog

from server.graph.graph import Graph, Transaction
from server.journal.messages import Conversation, spoken
from server.retrieval.turns import turn
from server.retrieval.writing import PassageWriter
from server.tasks import persistently
from server.types import Row

_log = structlog.get_logger(__name__)
_PAGE = 100
_POLL = 60.0
"""Seconds after which it looks for what an import of an older archive, or an older release, has stored."""


class MessageLinker:
    """Works off what is left of older releases; any number of them may run on one graph."""

    def __init__(self, graph: Graph, passages: PassageWriter, wake: Callable[[], None]) -> None:
        """`wake` is told when there is something to project."""
        self._graph = graph
        self._passages = passages
        self._wake = wake

    async def run(self) -> None:
        """Works until cancelled."""
        while True:
            await persistently(self.drain, "message_linking_waits")
            await anyio.sleep(_POLL)

    async def drain(self) -> None:
        """Does all that is to be done now, each conversation in its order."""
        total = 0
        while conversations := await self._graph.run("journal/unlinked_conversations", limit=_PAGE):
            for conversation in conversations:
                while page := await self._graph.run("journal/unlinked_messages", limit=_PAGE, **conversation):
                    for message in page:
                        await self._link(conversation, message)
                    total += len(page)
                    self._wake()
        if total:
            _log.info("messages_linked", messages=total)

    async def _link(self, conversation: Row, message: Row) -> None:
        namespace, agent_id = conversation["namespace"], conversation["agent_id"]
        where = Conversation(namespace, agent_id, conversation["conversation_id"] if message["grouped"] else None)
        fresh = await self._passages.prepare(namespace, spoken(message, agent_id))
        prepared = replace(fresh, number=message["node_id"])

        async def work(transaction: Transaction) -> None:
            await transaction.run("journal/lock_message", namespace=namespace, id=message["id"])
            last = await where.last(transaction)
            row = await transaction.one("journal/link_message", namespace=namespace, id=message["id"])
            if row is not None:  # nobody else was faster
                await where.connect(transaction, prepared, row["element"], message["at"], last)

        async with turn(namespace, where.id):
            await self._graph.transaction(work)
