"""Keeps the local Neo4j running while the service runs.

Source: SVC-14.
"""

from enum import StrEnum

import anyio
import structlog

from server.core.errors import SetupError
from server.local.neo4j import LocalNeo4j

_log = structlog.get_logger(__name__)

_FIRST_PAUSE = 0.25  # seconds before the first restart; each further failure doubles it
_LONGEST_PAUSE = 30.0
_STABLE = 60.0  # seconds; a failure after so long counts as the first


class State(StrEnum):
    """The state of the local Neo4j."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    STOPPED = "stopped"


class Supervisor:
    """Starts Neo4j, restarts it whenever it ends, and stops it.

    Meanwhile calls fail with `GRAPH_UNAVAILABLE`; acknowledged writes are in Neo4j's transaction log.
    """

    def __init__(self, neo4j: LocalNeo4j) -> None:
        self._neo4j = neo4j
        self.state = State.STOPPED
        self.restarts = 0

    @property
    def pid(self) -> int | None:
        return self._neo4j.pid

    async def start(self) -> None:
        """Start Neo4j; raise `SetupError` where the first start fails."""
        self.state = State.STARTING
        try:
            await self._neo4j.start()
        except BaseException:
            self.state = State.STOPPED
            raise
        self.state = State.READY

    async def watch(self) -> None:
        """Restart Neo4j whenever it ends, with growing pauses while that fails; run until cancelled."""
        failures = 0
        while True:
            since = anyio.current_time()
            exit_code = await self._neo4j.wait()
            self.state = State.RESTARTING
            failures = 0 if anyio.current_time() - since >= _STABLE else failures
            _log.error("neo4j_died", exit_code=exit_code, restarts=self.restarts)
            while self.state is not State.READY:
                await anyio.sleep(restart_pause(failures))
                failures += 1
                await self._restart()

    async def stop(self) -> None:
        """Stop Neo4j; `watch` has to be cancelled before."""
        await self._neo4j.stop()
        self.state = State.STOPPED

    async def _restart(self) -> None:
        try:
            await self._neo4j.start()
        except (SetupError, OSError) as error:
            _log.exception("neo4j_not_restarted", reason=type(error).__name__)
        else:
            self.restarts += 1
            self.state = State.READY
            _log.info("neo4j_restarted", pid=self._neo4j.pid, restarts=self.restarts)


def restart_pause(failures: int) -> float:
    """Return the seconds to wait before the next start, after so many failures in a row."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures, 20))
