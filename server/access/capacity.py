"""Back-pressure: how many requests one process carries out at once, and how long others wait for their turn.

Without it a queue would grow, in which each caller waits longer than the one before.

Source: SVC-87.
"""

import anyio

from server.core.errors import Overloaded

_WAIT_SECONDS = 1.0
"""How long a request waits for its turn: a burst of calls passes."""
_RETRY_SECONDS = 2


class RequestTurn:
    """The turn of one request, not begun yet."""

    def __init__(self, free: anyio.Semaphore) -> None:
        self._free = free
        self._has_begun = False

    async def begin(self) -> None:
        """Wait for the turn, for a limited time; raise `Overloaded`. The caller ends it."""
        try:
            self._free.acquire_nowait()
        except anyio.WouldBlock:
            with anyio.move_on_after(_WAIT_SECONDS) as waiting:
                await self._free.acquire()
            if waiting.cancelled_caught:
                raise Overloaded(
                    f"The service is busy with other requests; nothing was stored. Retry in {_RETRY_SECONDS} s.",
                    {"retry_after_seconds": _RETRY_SECONDS},
                ) from None
        self._has_begun = True

    def end(self) -> None:
        """Let the next request have its turn; without a turn that has begun, do nothing."""
        if self._has_begun:
            self._has_begun = False
            self._free.release()


class Capacity:
    """The requests that this process carries out at once, at most `most`."""

    def __init__(self, most: int) -> None:
        self._free = anyio.Semaphore(most)

    def create_turn(self) -> RequestTurn:
        """Return a turn that has not begun, for a request that is still arriving."""
        return RequestTurn(self._free)

    async def take_turn(self) -> RequestTurn:
        """Return a turn that has begun; raise `Overloaded`. The caller ends it."""
        turn = self.create_turn()
        await turn.begin()
        return turn
