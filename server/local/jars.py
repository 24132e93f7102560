"""Neo4j's jars, fetched from a Maven repository and checked against the lock file."""

import hashlib
import shutil
import ssl
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import anyio
import requests
from anyio import to_thread
from jgo.maven import Artifact, MavenContext, PythonResolver
from requests.adapters import HTTPAdapter
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter
from truststore import SSLContext
from urllib3 import ProxyManager, Retry

from server.errors import ChecksumMismatch, RegistryUnreachable, SetupError
from server.files import sha256_of
from server.home import Cache
from server.progress import Progress, Step
from server.tasks import together

_AT_ONCE = 16
_TIMEOUT = (10, 60)  # seconds: to connect, and between two packets
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock file: a Maven artifact, and what its bytes are."""

    group: str
    artifact: str
    version: str
    classifier: str
    kind: str
    sha256: str
    size: int

    @classmethod
    def parse(cls, line: str) -> "Jar":
        coordinate, sha256, size = line.split()
        group, artifact, version, *classifier, kind = coordinate.split(":")
        return cls(group, artifact, version, "".join(classifier), kind, sha256, int(size))

    @property
    def name(self) -> str:
        tail = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{tail}.{self.kind}"

    def matches(self, file: Path) -> bool:
        """Whether `file` holds exactly the locked bytes."""
        return file.is_file() and file.stat().st_size == self.size and sha256_of(file) == self.sha256


@cache
def locked() -> tuple[Jar, ...]:
    """The jars of `neo4j.lock`, in its order, which is also the order of the class path."""
    text = resources.files("server.local").joinpath("neo4j.lock").read_text("utf-8")
    return tuple(Jar.parse(line) for line in text.splitlines() if line and not line.startswith("#"))


def digest(jars: tuple[Jar, ...]) -> str:
    """One short name for a set of jars: what is made from them is kept under it."""
    return hashlib.sha256("\n".join(f"{jar.name} {jar.sha256}" for jar in jars).encode()).hexdigest()[:16]


async def missing(folder: Path, jars: tuple[Jar, ...]) -> tuple[Jar, ...]:
    """Those of `jars` that `folder` does not hold byte for byte (about 0.2 s for all of Neo4j)."""

    def check() -> tuple[Jar, ...]:
        return tuple(jar for jar in jars if not jar.matches(folder / jar.name))

    return await to_thread.run_sync(check)


async def fetch(folder: Path, jars: tuple[Jar, ...], progress: Progress, repository: str | None = None) -> None:
    """Puts `jars` into `folder`, 16 at a time; one at a time may do so (hold the cache's lock).

    A file gets its final name only once its SHA-256 is the lock's, so that an interruption leaves nothing half
    done, and what was fetched before it stays. `repository` is the address of a Maven repository; without it, the
    public one. Proxies are those of the environment (`HTTPS_PROXY`); certificates those that the system trusts, as
    with pip, and those of `REQUESTS_CA_BUNDLE`. The user's own Maven folder is neither read nor written.
    Raises `RegistryUnreachable`, and `ChecksumMismatch` when a file is wrong twice.
    """
    staging = folder / ".fetching"
    await to_thread.run_sync(lambda: shutil.rmtree(staging, ignore_errors=True))
    await to_thread.run_sync(lambda: staging.mkdir(parents=True))
    resolver = _Downloads()
    maven = MavenContext(
        resolver=resolver,
        repo_cache=staging,
        local_repos=[],
        remote_repos={"chosen": repository.rstrip("/")} if repository else None,
    )
    slots = anyio.CapacityLimiter(_AT_ONCE)

    async def one(jar: Jar, step: Step) -> None:
        await _fetch_one(maven, jar, folder, slots)
        step.advance(jar.size)

    try:
        with progress.step(f"Neo4j, {len(jars)} files", sum(jar.size for jar in jars)) as step:
            async with together() as group:
                for jar in jars:
                    group.start_soon(one, jar, step)
    finally:
        resolver.close()
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(staging, ignore_errors=True))


class _SystemTrust(HTTPAdapter):
    """Trusts what the operating system trusts: a company's own certificate is installed there, not in a package."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, ssl_context=SSLContext(ssl.PROTOCOL_TLS_CLIENT), **options)

    def proxy_manager_for(self, *args: Any, **options: Any) -> ProxyManager:
        trust = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        manager: ProxyManager = super().proxy_manager_for(*args, ssl_context=trust, **options)
        return manager


class _Downloads(PythonResolver):
    """Downloads artifacts over kept connections; jgo's own asks twice for each and leaves connections open."""

    def __init__(self) -> None:
        super().__init__()
        self._session = requests.Session()
        busy = (429, 502, 503, 504)  # these ask for patience, and may say how much (Retry-After)
        patience = Retry(
            4, connect=0, read=0, other=0, status_forcelist=busy, backoff_factor=0.5, raise_on_status=False
        )
        adapter = _SystemTrust(pool_maxsize=_AT_ONCE, max_retries=patience)
        self._session.mount("https://", adapter)
        self._session.mount("http://", adapter)

    def download(self, artifact: Artifact) -> Path:
        """Raises requests' `RequestException`, `HTTPError` among them."""
        [repository] = artifact.context.remote_repos.values()
        place = (artifact.component.path_prefix / artifact.filename).as_posix()
        file = artifact.cached_path
        assert file is not None
        file.parent.mkdir(parents=True, exist_ok=True)
        with self._session.get(f"{repository}/{place}", stream=True, timeout=_TIMEOUT) as response:
            response.raise_for_status()
            with file.open("wb") as out:
                for chunk in response.iter_content(_CHUNK):
                    out.write(chunk)
        return file

    def close(self) -> None:
        self._session.close()


async def _fetch_one(maven: MavenContext, jar: Jar, folder: Path, slots: anyio.CapacityLimiter) -> None:
    """Fetches one jar, again after a break in the network, and once again after a wrong checksum."""
    artifact = maven.project(jar.group, jar.artifact).at_version(jar.version).artifact(jar.classifier, jar.kind)
    file = artifact.cached_path
    assert file is not None

    def download() -> bool:
        file.unlink(missing_ok=True)  # or jgo would take what a broken download left
        if not jar.matches(artifact.resolve()):
            return False
        file.replace(folder / jar.name)
        return True

    network = AsyncRetrying(
        retry=retry_if_exception(_may_pass),
        wait=wait_exponential_jitter(multiplier=0.5, max=5, jitter=0.5),
        stop=stop_after_attempt(3),
        reraise=True,
    )
    try:
        for _ in range(2):
            if await network(to_thread.run_sync, download, limiter=slots):
                return
    except requests.HTTPError as error:
        assert error.response is not None
        raise RegistryUnreachable(
            f"The Maven repository answers {error.response.status_code} for {jar.name}. If it is a mirror, let it "
            "carry the public repository whole; or copy PRECEDENT_CACHE from a machine that has it."
        ) from error
    except requests.exceptions.SSLError as error:
        raise RegistryUnreachable(
            "The certificate of the Maven repository is not trusted. If a proxy of your network signs anew what passes "
            "it, install its certificate in the system, or name its file in REQUESTS_CA_BUNDLE."
        ) from error
    except requests.RequestException as error:
        raise RegistryUnreachable(
            f"{jar.name} could not be fetched: the Maven repository cannot be reached. Check the network and "
            "HTTPS_PROXY and run `precedent setup` again, it goes on where it stopped; or copy PRECEDENT_CACHE from "
            "a machine that has it."
        ) from error
    raise ChecksumMismatch(
        f"{jar.name} came twice with the wrong checksum and was thrown away. Something between here and the "
        "Maven repository changes files (a proxy, a mirror): mend that, or copy PRECEDENT_CACHE from a machine "
        "that has it."
    )


def _may_pass(error: BaseException) -> bool:
    """Whether asking again may help: a refusal stays one, and so does a certificate that is not trusted."""
    lasting = (requests.HTTPError, requests.exceptions.SSLError)
    return isinstance(error, requests.RequestException) and not isinstance(error, lasting)


def require_provisioned(cache: Cache) -> None:
    """Raises `SetupError` when a jar is not in the cache; sizes only, for every start (`missing` reads the bytes)."""
    for jar in locked():
        file = cache.jars / jar.name
        if not file.is_file() or file.stat().st_size != jar.size:
            raise SetupError("Neo4j has not been fetched yet, or not whole: run `precedent setup`.")
