"""The rate limit: a sliding window for each principal, in this process.

The library `limits` implements the windows. Each service process counts for itself.

Source: SVC-29.
"""

import json
import math
import time

from limits import parse_many
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from server.core.errors import RateLimitExceeded
from server.core.principals import Principal


class RateLimit:
    """Counts the requests of each principal; `limit` is for example `500/second;10000/minute`, or None."""

    def __init__(self, limit: str | None) -> None:
        self._limits = parse_many(limit) if limit else []
        self._windows = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def require(self, caller: Principal) -> None:
        """Count a request; raise `RateLimitExceeded`, with the time to wait, where it exceeds the limit."""
        # One key for both: the library joins keys with a slash, which names may contain.
        key = json.dumps([caller.namespace, caller.name])
        for limit in self._limits:
            if not await self._windows.hit(limit, key):
                window = await self._windows.get_window_stats(limit, key)
                wait = max(1, math.ceil(window.reset_time - time.time()))
                raise RateLimitExceeded(
                    f"Rate limit exceeded: {caller.name!r} may send {limit}. Try again in {wait} s, or ask the "
                    "operator to raise PRECEDENT_RATE_LIMIT.",
                    {"retry_after_seconds": wait, "limit": str(limit)},
                )
