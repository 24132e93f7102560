"""What `precedent status` and `precedent stop` do from another terminal."""

from dataclasses import dataclass

import anyio
import psutil

from server.errors import SetupError
from server.home import Home
from server.local.neo4j import running, stop_leftover
from server.local.owner import Owner, hold, owner


@dataclass(frozen=True, slots=True)
class Status:
    """What runs on a home."""

    owner: Owner | None
    neo4j_pid: int | None

    @property
    def is_running(self) -> bool:
        return self.owner is not None

    @property
    def has_leftover(self) -> bool:
        """Whether a Neo4j runs whose service was killed; the next start, or `stop`, ends it."""
        return self.owner is None and self.neo4j_pid is not None


def status(home: Home) -> Status:
    """Looks at the processes of this machine; asks none of them."""
    held = owner(home)
    return Status(held, next((process.pid for process in running(home)), None))


async def stop(home: Home, patience: float = 90.0) -> bool:
    """Ends what runs on the home, cleanly: the service, or what a killed one left behind.

    Says whether there was anything to end. Raises `SetupError` when it still runs after `patience` seconds.
    """
    held = owner(home)
    if held is None:
        return await _stop_leftover(home)
    try:
        psutil.Process(held.pid).terminate()
    except psutil.NoSuchProcess:  # it was faster
        return True
    with anyio.move_on_after(patience):
        while held.process:  # noqa: ASYNC110 - another process tells nobody when it ends
            await anyio.sleep(0.05)
        await _stop_leftover(home)  # of one that died instead
        return True
    raise SetupError(
        f"Process {held.pid} (`precedent {held.command}`) still runs {patience:.0f} s after it was asked to stop; "
        f"its log is {home.log}. As a last resort `kill -9 {held.pid}` is safe: nothing acknowledged is lost.",
        {"pid": held.pid},
    )


async def _stop_leftover(home: Home) -> bool:
    if not running(home):
        return False
    with hold(home, "stop", {}):  # so that nobody starts on it meanwhile
        return await stop_leftover(home)
