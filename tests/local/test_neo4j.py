"""The Neo4j of a home: how it starts, what it listens on, how it stops. Source: SVC-2, SVC-15."""

import gc
import os
import socket
import sys
from collections.abc import AsyncIterator

import anyio
import psutil
import pytest
from neo4j import AsyncGraphDatabase

from server.core.errors import PortTaken, SetupError
from server.core.home import Cache, Home
from server.core.settings import Settings
from server.local.class_data import installation
from server.local.neo4j import USER, LocalNeo4j, MemoryLimits, find_processes
from server.local.ports import Ports, free_ports
from tests.local.conftest import service

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]  # starts Neo4j, also on a busy machine


def local(home: Home, cache: Cache, memory: MemoryLimits | None = None) -> LocalNeo4j:
    options = (*Settings().neo4j_jvm, "-Xmx600m")
    return LocalNeo4j(installation(cache), home, Ports(*free_ports(2)), memory, jvm_flags=options)


async def value(neo4j: LocalNeo4j, statement: str) -> object:
    async with AsyncGraphDatabase.driver(neo4j.uri, auth=(USER, neo4j.password)) as driver:
        answer = await driver.execute_query(statement, database_="neo4j")
        return answer.records[0][0] if answer.records else None


@pytest.fixture
async def neo4j(used_home: Home, shared_cache: Cache) -> AsyncIterator[LocalNeo4j]:
    """A running Neo4j, in a home where it ran before."""
    started = local(used_home, shared_cache)
    await started.start()
    try:
        yield started
    finally:
        await started.stop()


@pytest.fixture(scope="module")
async def standing(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, shared_cache: Cache
) -> AsyncIterator[tuple[LocalNeo4j, Home]]:
    """A running Neo4j that tests only look at, and its home."""
    home = Home(tmp_path_factory.mktemp("standing"))
    fresh = local(home, shared_cache)
    await fresh.start()
    try:
        yield fresh, home
    finally:
        await fresh.stop()


async def test_waiting_for_the_answer_can_be_given_up_at_any_moment_without_losing_a_socket(
    home: Home, shared_cache: Cache
) -> None:
    neo4j = local(home, shared_cache)
    process = await anyio.open_process([sys.executable, "-c", "import time; time.sleep(300)"])  # it never answers
    try:
        for round_ in range(200):
            with anyio.move_on_after(round_ * 0.00005):
                await neo4j._wait_until_ready(process)
        gc.collect()  # an unclosed socket is an error from here
    finally:
        process.kill()
        await process.wait()


async def test_a_started_neo4j_answers_only_on_loopback_and_keeps_its_secrets(
    standing: tuple[LocalNeo4j, Home],
) -> None:
    neo4j, home = standing
    assert str(await value(neo4j, "CALL dbms.components() YIELD versions RETURN versions[0]")).startswith("5.26")
    assert neo4j.pid is not None
    process = psutil.Process(neo4j.pid)
    assert [each.pid for each in find_processes(home)] == [neo4j.pid]
    listening = {each.laddr for each in process.net_connections("tcp") if each.status == psutil.CONN_LISTEN}
    assert listening
    assert {address[0].removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert neo4j.password not in " ".join([*process.cmdline(), *process.environ().values()])
    assert set(process.environ()) <= {"LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"}
    for file in home.logs.iterdir():
        assert neo4j.password not in file.read_text()


async def test_a_stop_ends_the_process_and_keeps_the_data(neo4j: LocalNeo4j, home: Home, shared_cache: Cache) -> None:
    pid = neo4j.pid
    await value(neo4j, "CREATE (:Kept {n: 1})")
    await neo4j.stop()
    assert pid is not None
    assert not psutil.pid_exists(pid)
    assert neo4j.pid is None
    await neo4j.stop()  # once more does nothing
    assert "Stopped." in (home.logs / "neo4j-console.log").read_text()
    again = local(home, shared_cache, MemoryLimits(heap_initial=200, heap_max=300, page_cache=64))
    await again.start()
    try:
        assert await value(again, "MATCH (k:Kept) RETURN k.n") == 1
        assert again.pid is not None
        assert {"-Xms200m", "-Xmx300m"} <= set(psutil.Process(again.pid).cmdline())
    finally:
        await again.stop()


async def test_the_leftover_of_a_killed_service_never_makes_the_next_start_fail(
    used_home: Home, shared_cache: Cache
) -> None:
    async with service(used_home, shared_cache) as killed:
        [leftover] = find_processes(used_home)
        killed.kill()
        await killed.wait()
        assert leftover.is_running()
        neo4j = local(used_home, shared_cache)
        await neo4j.start()
        try:
            assert not leftover.is_running()
            assert [each.pid for each in find_processes(used_home)] == [neo4j.pid]
        finally:
            await neo4j.stop()


async def test_a_wrong_password_is_an_error_that_names_the_file(
    neo4j: LocalNeo4j, home: Home, shared_cache: Cache
) -> None:
    await neo4j.stop()
    home.neo4j_password.write_text("not the one")
    with pytest.raises(SetupError, match=r"rejects the password in .*neo4j-password"):
        await local(home, shared_cache).start()
    assert find_processes(home) == []


async def test_a_taken_port_is_named_before_anything_starts(home: Home, shared_cache: Cache) -> None:
    [browser] = free_ports(1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        with pytest.raises(PortTaken, match=f"{taken}.*process {os.getpid()}.*PRECEDENT_BOLT_PORT"):
            await LocalNeo4j(installation(shared_cache), home, Ports(taken, browser)).start()
    assert find_processes(home) == []
    assert not home.neo4j.exists()


async def test_a_neo4j_that_ends_at_its_start_is_an_error_with_its_last_output(home: Home, shared_cache: Cache) -> None:
    with pytest.raises(SetupError, match=r"ended while starting.*Unrecognized VM option 'NoSuchThing'"):
        await local(home, shared_cache).start(["-XX:+NoSuchThing"])
    assert find_processes(home) == []


async def test_an_empty_home_takes_little_room(standing: tuple[LocalNeo4j, Home]) -> None:
    _, home = standing
    taken = sum(file.stat().st_blocks * 512 for file in home.root.rglob("*") if file.is_file())
    assert taken < 20_000_000


@pytest.mark.skipif(not psutil.LINUX, reason="only Linux tells what a process has mapped")
async def test_the_class_data_archive_is_the_one_that_runs(
    standing: tuple[LocalNeo4j, Home], shared_cache: Cache
) -> None:
    neo4j, _ = standing
    archive = installation(shared_cache).archive
    assert neo4j.pid is not None
    mapped = {each.path for each in psutil.Process(neo4j.pid).memory_maps()}
    assert str(archive) in mapped


async def test_options_for_java_in_the_settings_override_the_defaults(standing: tuple[LocalNeo4j, Home]) -> None:
    neo4j, _ = standing
    arguments = psutil.Process(neo4j.pid).cmdline()
    assert [argument for argument in arguments if argument.startswith("-Xmx")][-1] == "-Xmx600m"
