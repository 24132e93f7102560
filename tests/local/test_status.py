"""What `precedent status` and `precedent stop` see and do from another terminal. Source: SVC-15, SVC-16."""

import os
import sys

import anyio
import psutil
import pytest

from server.core.errors import SetupError
from server.core.home import Cache, Home
from server.local.neo4j import find_processes
from server.local.ports import free_ports
from server.local.status import Status, load_status, stop
from tests.local.conftest import service

_COMMAND = """
import signal
import sys
import anyio
from server.core.settings import Settings
from server.local.connection import open_graph_for_command

async def work():
    async with open_graph_for_command(Settings(), "ingest"):
        print("ready", flush=True)
        await anyio.sleep_forever()

if sys.argv[1] == "background":  # as a shell has it, of what ends with &
    signal.signal(signal.SIGINT, signal.SIG_IGN)
anyio.run(work)
"""
pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]  # starts Neo4j, also on a busy machine


async def test_where_nothing_runs_there_is_nothing_to_stop(home: Home) -> None:
    assert load_status(home) == Status(owner=None, neo4j_pid=None)
    assert not load_status(home).is_running
    assert await stop(home) is False


@pytest.mark.proves("SVC-15")
async def test_a_running_service_is_shown_and_stopped_completely(used_home: Home, shared_cache: Cache) -> None:
    async with service(used_home, shared_cache) as process:
        seen = load_status(used_home)
        assert seen.owner is not None
        assert (seen.owner.pid, seen.owner.command) == (process.pid, "serve")
        assert seen.is_running
        assert not seen.has_leftover
        assert [each.pid for each in find_processes(used_home)] == [seen.neo4j_pid]
        assert await stop(used_home) is True
        assert await process.wait() == 0
    assert load_status(used_home) == Status(owner=None, neo4j_pid=None)


@pytest.mark.proves("SVC-15")
async def test_the_leftover_of_a_killed_service_is_shown_and_stopped(used_home: Home, shared_cache: Cache) -> None:
    async with service(used_home, shared_cache) as process:
        process.kill()
        await process.wait()
        seen = load_status(used_home)
        assert seen.has_leftover
        assert not seen.is_running
        assert seen.neo4j_pid is not None
        assert await stop(used_home) is True
        assert not psutil.pid_exists(seen.neo4j_pid)
        assert await stop(used_home) is False


async def test_a_command_that_is_stopped_stops_the_neo4j_that_it_started(used_home: Home, shared_cache: Cache) -> None:
    bolt, browser = free_ports(2)
    environment = os.environ | {
        "PRECEDENT_HOME": str(used_home.root),
        "PRECEDENT_CACHE": str(shared_cache.root),
        "PRECEDENT_BOLT_PORT": str(bolt),
        "PRECEDENT_BROWSER_PORT": str(browser),
    }
    for shell in ("terminal", "background"):
        async with await anyio.open_process([sys.executable, "-c", _COMMAND, shell], env=environment) as process:
            assert process.stdout is not None
            assert (await process.stdout.receive()).startswith(b"ready")
            assert load_status(used_home).neo4j_pid is not None
            assert await stop(used_home) is True
            assert load_status(used_home) == Status(owner=None, neo4j_pid=None)
            assert await process.wait() != 0


async def test_a_service_that_does_not_stop_is_named(home: Home, shared_cache: Cache) -> None:
    async with service(home, shared_cache, "deaf") as process:
        with pytest.raises(SetupError, match=f"Process {process.pid} .*still runs"):
            await stop(home, patience=0.3)
        assert load_status(home).is_running
