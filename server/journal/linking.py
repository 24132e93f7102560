"""Adds passages to messages that an older release stored without them, in the background.

Until then such a message is in the history, and no search finds it. Source: JRN-31.
"""

from collections.abc import Callable
from dataclasses import replace

import anyio
import structlog

from server.core.tasks import retry_until_done
from server.core.types import Row
from server.graph.graph import Graph, Transaction
from server.journal.messages import ConversationThread, build_search_text
from server.retrieval.turns import take_turn
from server.retrieval.writing import PassageWriter

_log = structlog.get_logger(__name__)
_PAGE = 100
_POLL = 60.0
"""Seconds between two looks for such messages; an import of an older export file can bring some at any time."""


class MessageLinker:
    """Links the messages of older releases; several linkers can run on one graph at once."""

    def __init__(self, graph: Graph, passages: PassageWriter, wake: Callable[[], None]) -> None:
        """`wake` is called when there is something to project."""
        self._graph = graph
        self._passages = passages
        self._wake = wake

    async def run(self) -> None:
        """Link messages until cancelled."""
        while True:
            await retry_until_done(self.drain, "message_linking_waits")
            await anyio.sleep(_POLL)

    async def drain(self) -> None:
        """Link all messages that wait now, those of a conversation in their order."""
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
        thread = ConversationThread(
            namespace, agent_id, conversation["conversation_id"] if message["grouped"] else None
        )
        fresh = await self._passages.prepare(namespace, build_search_text(message, agent_id))
        prepared = replace(fresh, number=message["node_id"])

        async def work(transaction: Transaction) -> None:
            await transaction.run("journal/lock_message", namespace=namespace, id=message["id"])
            last = await thread.lock(transaction)
            row = await transaction.one("journal/link_message", namespace=namespace, id=message["id"])
            if row is not None:  # no other linker was faster
                await thread.store_passages(transaction, prepared, row["element"], message["at"], last)

        async with take_turn(namespace, thread.id):
            await self._graph.transaction(work)
