"""Tasks beside one another, of which the first that fails ends the others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def together() -> AsyncIterator[TaskGroup]:
    """A task group whose first error is raised as it is: in no group, and with its own cause for the log."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except ExceptionGroup as several:  # the first one cancelled the others
        first = several.exceptions[0]
        raise first from first.__cause__
