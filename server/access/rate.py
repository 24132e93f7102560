"""How often a caller may ask: a sliding window for each principal, in this process.

Source: issue 6, "Access". The windows are those of the library `limits`; several service processes count each for
itself.
"""

import json
import math
import time

from limits import parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from server.errors import RateLimitExceeded
from server.principals import Principal


class RateLimit:
    """Counts the requests of each principal; `limit` is such as `500/second;10000/minute`, or None for no limit."""

    def __init__(self, limit: str | None) -> None:
        self._limits = parse_many(limit) if limit else []
        self._windows = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def require(self, caller: Principal) -> None:
        """Counts a request; raises `RateLimitExceeded`, saying when to come back, where it is one too many."""
        # One word for both: the library puts a slash between two, which names may hold as well.
        who = json.dumps([caller.namespace, caller.name])
        for limit in self._limits:
            if not await self._windows.hit(limit, who):
                window = await self._windows.get_window_stats(limit, who)
                wait = max(1, math.ceil(window.reset_time - time.time()))
                raise RateLimitExceeded(
                    f"Rate limit exceeded: {caller.name!r} may ask {limit}. Try again in {wait} s, or have whoever "
                    "runs the service raise PRECEDENT_RATE_LIMIT.",
                    {"retry_after_seconds": wait, "limit": str(limit)},
                )
