"""One process at a time owns a home, and every process can ask which one. Source: SVC-3, SVC-11."""

import json
import os
import signal
import stat
import subprocess
import sys

import psutil
import pytest

from server.core.errors import HomeInUse
from server.core.home import Cache, Home
from server.local.owner import find_owner, own
from tests.local.conftest import service, until

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-11")
async def test_a_home_that_another_service_owns_names_it(home: Home, shared_cache: Cache) -> None:
    async with service(home, shared_cache, "deaf") as other:
        with pytest.raises(HomeInUse) as caught, own(home, "ingest", {}):
            pytest.fail("two own it")
        held = find_owner(home)
        assert held is not None
        ports = f"bolt {held.ports['bolt']}, browser {held.ports['browser']}"
        assert f"`precedent serve` (process {other.pid}, since {held.since}, {ports})" in caught.value.message
        assert "precedent stop" in caught.value.message
        assert "PRECEDENT_HOME" in caught.value.message
        assert caught.value.details == {"pid": other.pid, "ports": held.ports}


@pytest.mark.proves("SVC-11")
async def test_a_killed_owner_leaves_the_home_free(home: Home, shared_cache: Cache) -> None:
    async with service(home, shared_cache, "deaf") as other:
        other.kill()
        await other.wait()
    assert home.owner.exists()
    assert find_owner(home) is None
    with own(home, "ingest", {}) as me:
        assert me.pid == os.getpid()


async def test_a_dead_owner_that_its_parent_has_not_buried_owns_nothing(home: Home, shared_cache: Cache) -> None:
    line = [sys.executable, "-m", "tests.local.service", str(home.root), str(shared_cache.root), "17", "18", "deaf"]
    with subprocess.Popen(line) as process:  # asyncio would bury it at once
        await until(lambda: find_owner(home))
        process.send_signal(signal.SIGKILL)
        await until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE)
        assert find_owner(home) is None


def test_the_owner_describes_itself_while_it_holds_the_home(home: Home) -> None:
    assert find_owner(home) is None
    with own(home, "serve", {"http": 8001}) as me:
        assert find_owner(home) == me
        assert (me.pid, me.command, me.ports) == (os.getpid(), "serve", {"http": 8001})
        assert me.process == psutil.Process()
    assert find_owner(home) is None
    assert not home.owner.exists()


def test_a_home_is_released_after_a_failure(home: Home) -> None:
    with pytest.raises(ZeroDivisionError), own(home, "serve", {}):
        _ = 1 / 0
    with own(home, "serve", {}):
        pass


def test_another_process_that_got_the_owners_number_is_not_the_owner(home: Home) -> None:
    with own(home, "serve", {}):
        described = json.loads(home.owner.read_text())
        home.owner.write_text(json.dumps(described | {"born": described["born"] - 3600}))
        assert find_owner(home) is None


@pytest.mark.proves("SVC-3")
def test_a_home_is_its_owners_alone(home: Home) -> None:
    home.root.mkdir(parents=True)
    home.root.chmod(0o755)
    with own(home, "serve", {}):
        for folder in (home.root, home.secrets, home.logs):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
