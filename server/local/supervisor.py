"""Keeps the local Neo4j running for as long as the service does."""

from enum import StrEnum

import anyio
import structlog

from server.errors import SetupError
from server.local.neo4j import LocalNeo4j

_log = structlog.get_logger(__name__)

_FIRST_PAUSE = 0.25  # seconds before the first restart; each failure in a row doubles it
_LONGEST_PAUSE = 30.0
_WELL = 60.0  # seconds of life after which a death counts as a first one again


class State(StrEnum):
    """How the local Neo4j is."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    STOPPED = "stopped"


class Supervisor:
    """Starts Neo4j, starts it again whenever it dies, and stops it. Source: issue 3, section 2.

    Meanwhile calls fail as `GRAPH_UNAVAILABLE`; what was acknowledged is in Neo4j's transaction log.
    """

    def __init__(self, neo4j: LocalNeo4j) -> None:
        self._neo4j = neo4j
        self.state = State.STOPPED
        self.restarts = 0

    @property
    def pid(self) -> int | None:
        return self._neo4j.pid

    async def start(self) -> None:
        """Starts Neo4j; a failure of the first start is the operator's to mend. Raises `SetupError`."""
        self.state = State.STARTING
        try:
            await self._neo4j.start()
        except BaseException:
            self.state = State.STOPPED
            raise
        self.state = State.READY

    async def watch(self) -> None:
        """Runs until cancelled: whenever Neo4j has ended, starts it again, ever more slowly while that fails."""
        failures = 0
        while True:
            since = anyio.current_time()
            exit_code = await self._neo4j.wait()
            self.state = State.RESTARTING
            failures = 0 if anyio.current_time() - since >= _WELL else failures
            _log.error("neo4j_died", exit_code=exit_code, restarts=self.restarts)
            while self.state is not State.READY:
                await anyio.sleep(pause(failures))
                failures += 1
                await self._restart()

    async def stop(self) -> None:
        """Stops Neo4j; `watch` has been cancelled before."""
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


def pause(failures: int) -> float:
    """Seconds to wait before the next start after so many in a row that did not last."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures, 20))
