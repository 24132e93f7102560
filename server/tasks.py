"""Tasks: beside one another, of which the first that fails ends the others, and in the background, where none may."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import structlog
from anyio.abc import TaskGroup
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential_jitter

from server.errors import InternalError, PrecedentError

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def together() -> AsyncIterator[TaskGroup]:
    """A task group whose first error is raised as it is: in no group, and with its own cause for the log."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except ExceptionGroup as several:  # the first one cancelled the others
        first = several.exceptions[0]
        raise first from first.__cause__


async def persistently(work: Callable[[], Awaitable[None]], event: str) -> None:
    """Does background work until it goes through, ever more slowly; each failure is logged as `event`."""

    def told(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        # A part that is away or slow is an ordinary day; anything else is a fault of ours, and the log says which.
        ordinary = isinstance(error, PrecedentError) and not isinstance(error, InternalError)
        _log.warning(
            event, error=type(error).__name__, attempt=state.attempt_number, exc_info=None if ordinary else error
        )

    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(Exception),
        wait=wait_exponential_jitter(multiplier=0.2, max=15.0, jitter=0.2),
        before_sleep=told,
        sleep=anyio.sleep,
    ):
        with attempt:
            await work()
