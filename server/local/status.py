"""The state of a home's processes, and how to stop them, for `precedent status` and `precedent stop`."""

from dataclasses import dataclass

import anyio
import psutil

from server.core.errors import SetupError
from server.core.home import Home
from server.local.neo4j import find_processes, stop_leftover
from server.local.owner import Owner, find_owner, own


@dataclass(frozen=True, slots=True)
class Status:
    """The processes of a home."""

    owner: Owner | None
    neo4j_pid: int | None

    @property
    def is_running(self) -> bool:
        return self.owner is not None

    @property
    def has_leftover(self) -> bool:
        """Whether the Neo4j of a killed service runs; the next start, or `stop`, ends it."""
        return self.owner is None and self.neo4j_pid is not None


def load_status(home: Home) -> Status:
    """Look up the processes of a home, without a request to them."""
    current = find_owner(home)
    return Status(current, next((process.pid for process in find_processes(home)), None))


async def stop(home: Home, patience: float = 90.0) -> bool:
    """Stop the service of the home, or the leftover of a killed service.

    Returns whether there was something to stop. Raises `SetupError` when it still runs after `patience` seconds.
    """
    current = find_owner(home)
    if current is None:
        return await _stop_leftover(home)
    try:
        psutil.Process(current.pid).terminate()
    except psutil.NoSuchProcess:  # it has ended already
        return True
    with anyio.move_on_after(patience):
        while current.process:  # noqa: ASYNC110 - another process sends no event
            await anyio.sleep(0.05)
        await _stop_leftover(home)  # of a service that crashed instead
        return True
    raise SetupError(
        f"Process {current.pid} (`precedent {current.command}`) still runs {patience:.0f} s after the request to stop; "
        f"its log is {home.log}. As a last resort, `kill -9 {current.pid}` is safe: acknowledged writes are stored.",
        {"pid": current.pid},
    )


async def _stop_leftover(home: Home) -> bool:
    if not find_processes(home):
        return False
    with own(home, "stop", {}):  # so that no service starts meanwhile
        return await stop_leftover(home)
