"""How many statements and transactions of this process Neo4j runs at once.

More of them than Neo4j has processors for makes none of them faster: each gets a smaller share, holds its locks for
longer, and takes the processors from the compiler of a Neo4j that has just started.

Source: SVC-102.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

import anyio

_QUICK = 0.25
"""Seconds after which a statement counts no more: those that take long keep no others waiting."""


class ConcurrencyLimit:
    """At most `most` quick statements at once; the others wait in the order in which they came."""

    def __init__(self, most: int) -> None:
        self._free = anyio.Semaphore(most)

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Wait for a place, which is free again when the block ends, or before that where the block takes long."""
        await self._free.acquire()
        place = ExitStack()
        place.callback(self._free.release)
        slow = asyncio.get_running_loop().call_later(_QUICK, place.close)
        try:
            yield
        finally:
            slow.cancel()
            place.close()
