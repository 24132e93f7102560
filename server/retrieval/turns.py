"""Writers of one session take turns in the order in which they come. Source: RET-25.

Neo4j's own lock does not keep that order, and waiting for it counts against the time limit of a transaction.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

import anyio

from server.core.errors import QueryTimeout

_LONGEST = 30.0
"""The most seconds that a writer waits for its turn."""


class _Turn:
    """The lock of one session; it exists as long as a writer uses or waits for it."""

    def __init__(self) -> None:
        self.lock = anyio.Lock()


_turns: WeakValueDictionary[tuple[str, str], _Turn] = WeakValueDictionary()


@asynccontextmanager
async def take_turn(namespace: str, session: str | None) -> AsyncIterator[None]:
    """Run the block when it is this writer's turn in the session; without a session, at once.

    Between processes only the session's lock in the graph keeps writers apart. Raises `QueryTimeout` after 30 s.
    """
    if session is None:
        yield
        return
    waiting = _turns.setdefault((namespace, session), _Turn())
    with anyio.move_on_after(_LONGEST) as limit:
        await waiting.lock.acquire()
    if limit.cancelled_caught:
        raise QueryTimeout("Too many writers of this session are waiting; nothing was changed. Retry in a few seconds.")
    try:
        yield
    finally:
        waiting.lock.release()
