"""A TCP relay before Neo4j that loses the answer to a COMMIT, as a network does that breaks at the wrong moment."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from enum import Enum
from urllib.parse import urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream

_COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""The Bolt message COMMIT as a chunk: its size, the structure without fields, the end of the message."""
CHANGE = b"$change"
"""Part of the text of each statement that leaves a change."""


class Loss(Enum):
    """What becomes of the next COMMIT of a transaction with a change."""

    ANSWER = "Neo4j carries it out; the connection breaks before the answer"
    COMMIT = "the connection breaks before Neo4j receives it"
    LATE = "the connection to the caller breaks at once, Neo4j receives it when `release` is set"
    SILENCE = "Neo4j carries it out; the answer never comes, on an open connection"
    NEO4J = "Neo4j carries it out; the connection breaks, and no other one is accepted"


class Relay:
    """Relays connections to Neo4j; `lose` arms it for one COMMIT."""

    def __init__(self, uri: str) -> None:
        place = urlsplit(uri)
        assert place.hostname
        assert place.port
        self.neo4j = place.hostname, place.port
        self.release = anyio.Event()
        self.lost = 0
        self.of = CHANGE
        self.last: bytes | None = None
        self.uri = ""
        self._loss: Loss | None = None
        self._away = anyio.Event()

    def lose(self, loss: Loss, of: bytes = CHANGE) -> None:
        """Lose the next COMMIT of a transaction with this text in a statement."""
        self._loss, self.of = loss, of

    def close_before(self, text: bytes) -> None:
        """End all connections, and accept no others, once a caller sends this text."""
        self.last = text

    def note(self, data: bytes) -> None:
        if self.last is not None and self.last in data:
            self._away.set()

    def restore(self) -> None:
        """Accept connections again."""
        self._loss, self.last, self._away = None, None, anyio.Event()

    def take_loss(self) -> Loss | None:
        """Return what becomes of a COMMIT that a caller sends now."""
        loss, self._loss = self._loss, None
        self.lost += loss is not None
        if loss is Loss.NEO4J:
            self._away.set()
        return loss

    async def relay(self, caller: SocketStream) -> None:
        """Relay one connection until either side ends it, or all end."""
        async with caller:
            if self._away.is_set():
                return
            async with await anyio.connect_tcp(*self.neo4j) as neo4j:
                await _Connection(self, caller, neo4j).run(self._away)


class _Connection:
    def __init__(self, relay: Relay, caller: SocketStream, neo4j: SocketStream) -> None:
        self._relay = relay
        self._caller = caller
        self._neo4j = neo4j
        self._is_lost = False
        self._answered = anyio.Event()

    async def run(self, away: anyio.Event) -> None:
        async with anyio.create_task_group() as tasks:

            async def until_away() -> None:
                await away.wait()
                if not self._is_lost:
                    tasks.cancel_scope.cancel()

            tasks.start_soon(until_away)
            tasks.start_soon(self._relay_answers)
            await self._relay_requests()
            tasks.cancel_scope.cancel()

    async def _relay_answers(self) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for data in self._neo4j:
                if self._is_lost:
                    self._answered.set()
                else:
                    await self._caller.send(data)
            await self._caller.aclose()

    async def _relay_requests(self) -> None:
        is_meant = False
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for data in self._caller:
                self._relay.note(data)
                is_meant = is_meant or self._relay.of in data
                if _COMMIT in data and is_meant:
                    is_meant = False
                    if loss := self._relay.take_loss():
                        await self._lose(loss, data)
                        return
                await self._neo4j.send(data)

    async def _lose(self, loss: Loss, commit: bytes) -> None:
        if loss is Loss.COMMIT:
            return
        self._is_lost = True
        if loss is Loss.LATE:
            await self._caller.aclose()
            await self._relay.release.wait()
        await self._neo4j.send(commit)
        await self._answered.wait()
        if loss is Loss.SILENCE:
            async for _ in self._caller:
                pass


@asynccontextmanager
async def open_relay(uri: str) -> AsyncIterator[Relay]:
    """A relay before the Neo4j of this URI; its own is `relay.uri`."""
    relay = Relay(uri)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    relay.uri = f"bolt://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, relay.relay)
        yield relay
        tasks.cancel_scope.cancel()
