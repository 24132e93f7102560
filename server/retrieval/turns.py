"""Taking turns: who says something in a session waits here for those before.

Neo4j's own lock goes to anyone who waits for it, and waiting for it counts against the time of a transaction.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

import anyio

from server.errors import QueryTimeout

_LONGEST = 30.0
"""Seconds that a turn is waited for."""


class _Turn:
    """One session's; there as long as somebody waits for it."""

    def __init__(self) -> None:
        self.lock = anyio.Lock()


_turns: WeakValueDictionary[tuple[str, str], _Turn] = WeakValueDictionary()


@asynccontextmanager
async def turn(namespace: str, session: str | None) -> AsyncIterator[None]:
    """Lets this process's writers of a session through one after another; what is in none goes ahead.

    Other processes are kept apart by the session's lock in the graph alone. Raises `QueryTimeout` after 30 s.
    """
    if session is None:
        yield
        return
    waiting = _turns.setdefault((namespace, session), _Turn())
    with anyio.move_on_after(_LONGEST) as limit:
        await waiting.lock.acquire()
    if limit.cancelled_caught:
        raise QueryTimeout("Many write to this session at the moment: nothing was changed. Try again in a moment.")
    try:
        yield
    finally:
        waiting.lock.release()
