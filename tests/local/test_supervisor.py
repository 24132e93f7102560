"""Neo4j runs for as long as the service does. Source: SVC-14."""

from collections.abc import AsyncIterator

import anyio
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import AsyncGraphDatabase

from server.core.errors import PortTaken
from server.core.home import Cache, Home
from server.core.settings import Settings
from server.local.class_data import installation
from server.local.neo4j import USER, LocalNeo4j, find_processes
from server.local.ports import Ports, free_ports
from server.local.supervisor import State, Supervisor, restart_pause
from tests.local.conftest import until

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]  # starts Neo4j, also on a busy machine


@pytest.fixture
async def supervised(used_home: Home, shared_cache: Cache) -> AsyncIterator[tuple[LocalNeo4j, Supervisor]]:
    """A Neo4j that is being watched, and who watches it."""
    neo4j = LocalNeo4j(installation(shared_cache), used_home, Ports(*free_ports(2)), jvm_flags=Settings().neo4j_jvm)
    supervisor = Supervisor(neo4j)
    await supervisor.start()
    yield neo4j, supervisor
    await supervisor.stop()


@pytest.mark.proves("SVC-62")
async def test_a_killed_neo4j_restarts_with_every_acknowledged_write(
    supervised: tuple[LocalNeo4j, Supervisor], home: Home
) -> None:
    neo4j, supervisor = supervised
    async with (
        anyio.create_task_group() as tasks,
        AsyncGraphDatabase.driver(neo4j.uri, auth=(USER, neo4j.password)) as driver,
    ):
        tasks.start_soon(supervisor.watch)
        for number in range(50):
            await driver.execute_query("CREATE (:Said {n: $n})", parameters_={"n": number}, database_="neo4j")
        assert neo4j.pid is not None
        psutil.Process(neo4j.pid).kill()
        await until(lambda: supervisor.state is State.RESTARTING)
        await until(lambda: supervisor.state is State.READY)
        assert supervisor.restarts == 1
        [said] = (await driver.execute_query("MATCH (s:Said) RETURN count(s)", database_="neo4j")).records[0]
        assert said == 50
        tasks.cancel_scope.cancel()
    assert [each.pid for each in find_processes(home)] == [supervisor.pid]


async def test_a_stop_during_a_restart_leaves_nothing_running(
    supervised: tuple[LocalNeo4j, Supervisor], home: Home
) -> None:
    neo4j, supervisor = supervised
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(supervisor.watch)
        assert neo4j.pid is not None
        killed = neo4j.pid
        psutil.Process(killed).kill()
        await until(lambda: neo4j.pid not in (None, killed))
        assert supervisor.state is State.RESTARTING
        tasks.cancel_scope.cancel()
    await supervisor.stop()
    assert supervisor.state is State.STOPPED
    assert find_processes(home) == []


async def test_a_first_start_that_fails_raises_and_is_not_repeated(home: Home, shared_cache: Cache) -> None:
    [port] = free_ports(1)
    supervisor = Supervisor(LocalNeo4j(installation(shared_cache), home, Ports(port, port)))
    with pytest.raises(PortTaken, match="use different ports"):
        await supervisor.start()
    assert supervisor.state is State.STOPPED
    assert find_processes(home) == []


@pytest.mark.proves("SVC-14")
@given(st.integers(0, 10_000))
def test_pauses_grow_and_stay_bounded(failures: int) -> None:
    assert 0 < restart_pause(failures) <= restart_pause(failures + 1) <= 30
