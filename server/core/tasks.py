"""Concurrent tasks, and background work that is repeated until it succeeds."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import structlog
from anyio.abc import TaskGroup
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential_jitter

from server.core.errors import InternalError, PrecedentError

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_task_group() -> AsyncIterator[TaskGroup]:
    """Open a task group; its first error ends the other tasks and is raised without an exception group."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except ExceptionGroup as several:  # the first error cancelled the other tasks
        first = several.exceptions[0]
        raise first from first.__cause__


async def retry_until_done(work: Callable[[], Awaitable[None]], event: str) -> None:
    """Repeat background work until it succeeds, with growing pauses; log each failure as `event`."""

    def log_failure(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        # That a part is not available is expected; any other error is logged with its traceback.
        is_expected = isinstance(error, PrecedentError) and not isinstance(error, InternalError)
        _log.warning(
            event, error=type(error).__name__, attempt=state.attempt_number, exc_info=None if is_expected else error
        )

    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(Exception),
        wait=wait_exponential_jitter(multiplier=0.2, max=15.0, jitter=0.2),
        before_sleep=log_failure,
        sleep=anyio.sleep,
    ):
        with attempt:
            await work()
