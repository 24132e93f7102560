"""Neo4j's jars are the locked ones, byte for byte, whatever the network does. Source: SVC-5."""

import hashlib
import sys
from pathlib import Path
from threading import Event

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trustme import CA

from server.core.errors import ChecksumMismatch, RegistryUnreachable, SetupError
from server.core.home import Cache
from server.local.jars import Jar, digest, fetch, find_missing, load_lock, require_provisioned
from server.local.ports import free_ports
from tests.local.conftest import Recorder, until
from tests.local.web import Answer, Web, web
from tests.setup_progress import SilentSetup

pytestmark = pytest.mark.anyio

_words = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)


def jar(name: str, content: bytes, classifier: str = "") -> Jar:
    return Jar("org.example", name, "1.0", classifier, "jar", hashlib.sha256(content).hexdigest(), len(content))


def path(of: Jar) -> str:
    return f"/org/example/{of.artifact}/{of.version}/{of.name}"


def left_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.rglob("*"))


ONE, TWO = b"one" * 100, b"two" * 50_000


async def test_fetched_jars_are_there_under_their_own_names(maven: Web, tmp_path: Path, recorder: Recorder) -> None:
    first, second = jar("one", ONE), jar("two", TWO, "linux-x86_64")
    maven.serve(path(first), ONE)
    maven.serve(path(second), TWO)
    await fetch(tmp_path, (first, second), recorder, maven.address)
    assert left_in(tmp_path) == ["one-1.0.jar", "two-1.0-linux-x86_64.jar"]
    assert (tmp_path / second.name).read_bytes() == TWO
    assert recorder.done == recorder.total == len(ONE) + len(TWO)
    assert await find_missing(tmp_path, (first, second)) == ()


@pytest.mark.proves("SVC-5")
async def test_a_file_with_a_wrong_checksum_is_downloaded_once_more(maven: Web, tmp_path: Path) -> None:
    wanted = jar("one", ONE)
    maven.serve(path(wanted), ONE[:-1] + b"x", ONE)
    await fetch(tmp_path, (wanted,), SilentSetup(), maven.address)
    assert (tmp_path / wanted.name).read_bytes() == ONE
    assert maven.asked[path(wanted)] == 2


@pytest.mark.proves("SVC-5")
async def test_a_file_that_is_wrong_twice_is_refused_and_thrown_away(maven: Web, tmp_path: Path) -> None:
    wanted = jar("one", ONE)
    maven.serve(path(wanted), ONE[:-1] + b"x")
    with pytest.raises(ChecksumMismatch, match=r"one-1\.0\.jar was downloaded twice with a wrong checksum"):
        await fetch(tmp_path, (wanted,), SilentSetup(), maven.address)
    assert left_in(tmp_path) == []
    assert maven.asked[path(wanted)] == 2


async def test_a_broken_connection_is_retried(maven: Web, tmp_path: Path) -> None:
    wanted = jar("two", TWO)
    maven.serve(path(wanted), Answer(TWO, sent=70_000), TWO)
    await fetch(tmp_path, (wanted,), SilentSetup(), maven.address)
    assert (tmp_path / wanted.name).read_bytes() == TWO


@pytest.mark.proves("SVC-5")
async def test_an_unreachable_repository_is_an_error_with_advice(tmp_path: Path) -> None:
    [closed] = free_ports(1)
    with pytest.raises(RegistryUnreachable, match=r"HTTPS_PROXY.*precedent setup.*PRECEDENT_CACHE"):
        await fetch(tmp_path, (jar("one", ONE),), SilentSetup(), f"http://127.0.0.1:{closed}")
    assert left_in(tmp_path) == []


async def test_a_missing_file_is_named(maven: Web, tmp_path: Path) -> None:
    with pytest.raises(RegistryUnreachable, match=r"answers 404 for one-1\.0\.jar"):
        await fetch(tmp_path, (jar("one", ONE),), SilentSetup(), maven.address)


async def test_an_untrusted_certificate_fails_without_retry_and_can_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, wanted = CA(), jar("one", ONE)
    with web(authority.issue_cert("127.0.0.1")) as maven:
        maven.serve(path(wanted), ONE)
        with pytest.raises(RegistryUnreachable, match=r"not trusted.*REQUESTS_CA_BUNDLE"):
            await fetch(tmp_path / "cache", (wanted,), SilentSetup(), maven.address)
        authority.cert_pem.write_to_path(str(tmp_path / "company.pem"))
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "company.pem"))
        await fetch(tmp_path / "cache", (wanted,), SilentSetup(), maven.address)
    assert left_in(tmp_path / "cache") == [wanted.name]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable says what the system trusts")
async def test_a_certificate_that_the_system_trusts_needs_no_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, wanted = CA(), jar("one", ONE)
    authority.cert_pem.write_to_path(str(tmp_path / "company.pem"))
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "company.pem"))
    with web(authority.issue_cert("127.0.0.1")) as maven:
        maven.serve(path(wanted), ONE)
        await fetch(tmp_path / "cache", (wanted,), SilentSetup(), maven.address)
    assert left_in(tmp_path / "cache") == [wanted.name]


async def test_a_busy_repository_is_retried(maven: Web, tmp_path: Path) -> None:
    wanted = jar("one", ONE)
    maven.serve(path(wanted), Answer(b"", 429, {"Retry-After": "0"}), Answer(b"", 503), ONE)
    await fetch(tmp_path, (wanted,), SilentSetup(), maven.address)
    assert maven.asked[path(wanted)] == 3


async def test_finished_files_stay_after_a_failure(maven: Web, tmp_path: Path) -> None:
    wanted = (jar("one", ONE), jar("two", TWO))
    maven.serve(path(wanted[0]), ONE)
    await fetch(tmp_path, wanted[:1], SilentSetup(), maven.address)
    with pytest.raises(RegistryUnreachable):
        await fetch(tmp_path, await find_missing(tmp_path, wanted), SilentSetup(), maven.address)
    maven.serve(path(wanted[1]), TWO)
    assert await find_missing(tmp_path, wanted) == wanted[1:]
    await fetch(tmp_path, await find_missing(tmp_path, wanted), SilentSetup(), maven.address)
    assert await find_missing(tmp_path, wanted) == ()
    assert maven.asked[path(wanted[0])] == 1


_FETCHING = """
import sys, anyio
from pathlib import Path
from server.local.jars import Jar, fetch
from tests.setup_progress import SilentSetup
anyio.run(fetch, Path(sys.argv[1]), tuple(map(Jar.parse, sys.argv[3:])), SilentSetup(), sys.argv[2])
"""


async def test_a_killed_setup_leaves_no_incomplete_file_under_a_final_name(maven: Web, tmp_path: Path) -> None:
    wanted, held = (jar("one", ONE), jar("two", TWO)), Event()
    maven.serve(path(wanted[0]), ONE)
    maven.serve(path(wanted[1]), Answer(TWO, until=held), TWO)
    lines = [f"org.example:{each.artifact}:1.0:jar {each.sha256} {each.size}" for each in wanted]
    async with await anyio.open_process([sys.executable, "-c", _FETCHING, tmp_path, maven.address, *lines]) as process:
        await until(lambda: maven.asked[path(wanted[1])] and (tmp_path / wanted[0].name).exists())
        process.kill()
    held.set()
    assert await find_missing(tmp_path, wanted) == wanted[1:]
    await fetch(tmp_path, wanted[1:], SilentSetup(), maven.address)
    assert left_in(tmp_path) == [each.name for each in wanted]


async def test_a_changed_byte_makes_a_jar_missing(tmp_path: Path) -> None:
    wanted = jar("one", ONE)
    (tmp_path / wanted.name).write_bytes(ONE)
    assert await find_missing(tmp_path, (wanted,)) == ()
    (tmp_path / wanted.name).write_bytes(ONE[:-1] + b"x")
    assert await find_missing(tmp_path, (wanted,)) == (wanted,)


async def test_the_users_own_maven_folder_is_left_alone(
    maven: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    monkeypatch.setenv("M2_REPO", str(theirs))
    wanted = jar("one", ONE)
    planted = theirs / path(wanted)[1:]
    planted.parent.mkdir(parents=True)
    planted.write_bytes(b"planted")
    maven.serve(path(wanted), ONE)
    await fetch(tmp_path / "ours", (wanted,), SilentSetup(), maven.address)
    assert (tmp_path / "ours" / wanted.name).read_bytes() == ONE
    assert planted.read_bytes() == b"planted"
    assert [file for file in theirs.rglob("*") if file.is_file()] == [planted]


def test_a_start_without_the_jars_names_the_command_that_fetches_them(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="precedent setup"):
        require_provisioned(Cache(tmp_path))


def test_the_lock_file_names_every_jar_once_and_no_address() -> None:
    jars = load_lock()
    assert len(jars) == 219
    assert len({each.name for each in jars}) == len(jars)
    assert all(len(each.sha256) == 64 and each.size > 0 and each.kind == "jar" for each in jars)
    assert {each.version for each in jars if each.group == "org.neo4j"} == {"5.26.31"}
    assert "://" not in Path("server/local/neo4j.lock").read_text()


@given(_words, _words, _words, st.one_of(st.just(""), _words), st.integers(0, 2**40))
def test_a_line_of_the_lock_file_is_read_as_it_was_written(
    group: str, artifact: str, version: str, classifier: str, size: int
) -> None:
    coordinate = ":".join(part for part in (group, artifact, version, classifier, "jar") if part)
    read = Jar.parse(f"{coordinate} {'0' * 64} {size}")
    assert read == Jar(group, artifact, version, classifier, "jar", "0" * 64, size)
    assert read.name == f"{artifact}-{version}{'-' + classifier if classifier else ''}.jar"


def test_the_digest_of_a_set_of_jars_changes_with_any_of_them() -> None:
    jars = (jar("one", ONE), jar("two", TWO))
    assert digest(jars) == digest((jar("one", ONE), jar("two", TWO)))
    assert len({digest(jars), digest(jars[:1]), digest((jars[0], jar("two", ONE)))}) == 3
