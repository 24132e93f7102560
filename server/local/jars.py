"""Neo4j's jars: downloaded from a Maven repository and checked against the lock file.

Source: SVC-5.
"""

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

from server.core.errors import ChecksumMismatch, RegistryUnreachable, SetupError
from server.core.files import sha256_of
from server.core.home import Cache
from server.core.setup_progress import SetupProgress, SetupStep
from server.core.tasks import open_task_group

_CONCURRENT = 16
_TIMEOUT = (10, 60)  # seconds: to connect, and between two packets
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock file: a Maven artifact with its checksum and size."""

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
        """Return whether the file has the size and checksum of the lock file."""
        return file.is_file() and file.stat().st_size == self.size and sha256_of(file) == self.sha256


@cache
def load_lock() -> tuple[Jar, ...]:
    """Load the jars of `neo4j.lock`, in its order, which is also that of the class path."""
    text = resources.files("server.local").joinpath("neo4j.lock").read_text("utf-8")
    return tuple(Jar.parse(line) for line in text.splitlines() if line and not line.startswith("#"))


def digest(jars: tuple[Jar, ...]) -> str:
    """Return a digest of a set of jars, the key of what is made from them."""
    return hashlib.sha256("\n".join(f"{jar.name} {jar.sha256}" for jar in jars).encode()).hexdigest()[:16]


async def find_missing(folder: Path, jars: tuple[Jar, ...]) -> tuple[Jar, ...]:
    """Find the jars that are not in `folder` with the right checksum."""

    def check() -> tuple[Jar, ...]:
        return tuple(jar for jar in jars if not jar.matches(folder / jar.name))

    return await to_thread.run_sync(check)


async def fetch(folder: Path, jars: tuple[Jar, ...], progress: SetupProgress, repository: str | None = None) -> None:
    """Download `jars` into `folder`, 16 at a time; the caller holds the cache's lock.

    A file gets its final name only with the right SHA-256, so an interruption leaves no incomplete file, and finished
    files stay. `repository` is the address of a Maven repository; by default the public one. Proxies are those of the
    environment (`HTTPS_PROXY`). Trusted certificates are those of the system, as with pip, and of
    `REQUESTS_CA_BUNDLE`. The user's own Maven folder is neither read nor written.
    Raises `RegistryUnreachable`, and `ChecksumMismatch` when the checksum of a file is wrong twice.
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
    slots = anyio.CapacityLimiter(_CONCURRENT)

    async def fetch_one(jar: Jar, step: SetupStep) -> None:
        await _fetch_one(maven, jar, folder, slots)
        step.advance(jar.size)

    try:
        with progress.step(f"Neo4j, {len(jars)} files", sum(jar.size for jar in jars)) as step:
            async with open_task_group() as group:
                for jar in jars:
                    group.start_soon(fetch_one, jar, step)
    finally:
        resolver.close()
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(staging, ignore_errors=True))


class _SystemTrust(HTTPAdapter):
    """Trusts the certificates of the operating system, where companies install their own."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, ssl_context=SSLContext(ssl.PROTOCOL_TLS_CLIENT), **options)

    def proxy_manager_for(self, *args: Any, **options: Any) -> ProxyManager:
        trust = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        manager: ProxyManager = super().proxy_manager_for(*args, ssl_context=trust, **options)
        return manager


class _Downloads(PythonResolver):
    """Downloads artifacts over persistent connections; jgo's own resolver sends two requests for each artifact."""

    def __init__(self) -> None:
        super().__init__()
        self._session = requests.Session()
        busy = (429, 502, 503, 504)  # temporary; Retry-After may say how long to wait
        patience = Retry(
            4, connect=0, read=0, other=0, status_forcelist=busy, backoff_factor=0.5, raise_on_status=False
        )
        adapter = _SystemTrust(pool_maxsize=_CONCURRENT, max_retries=patience)
        self._session.mount("https://", adapter)
        self._session.mount("http://", adapter)

    def download(self, artifact: Artifact) -> Path:
        """Download an artifact; raise requests' `RequestException`, such as `HTTPError`."""
        [repository] = artifact.context.remote_repos.values()
        path = (artifact.component.path_prefix / artifact.filename).as_posix()
        file = artifact.cached_path
        assert file is not None
        file.parent.mkdir(parents=True, exist_ok=True)
        with self._session.get(f"{repository}/{path}", stream=True, timeout=_TIMEOUT) as response:
            response.raise_for_status()
            with file.open("wb") as out:
                for chunk in response.iter_content(_CHUNK):
                    out.write(chunk)
        return file

    def close(self) -> None:
        self._session.close()


async def _fetch_one(maven: MavenContext, jar: Jar, folder: Path, slots: anyio.CapacityLimiter) -> None:
    """Download one jar; retry after network errors, and once after a wrong checksum."""
    artifact = maven.project(jar.group, jar.artifact).at_version(jar.version).artifact(jar.classifier, jar.kind)
    file = artifact.cached_path
    assert file is not None

    def download() -> bool:
        file.unlink(missing_ok=True)  # otherwise jgo would use an incomplete download
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
            f"The Maven repository answers {error.response.status_code} for {jar.name}. If it is a mirror, it has to "
            "mirror the whole public repository; or copy PRECEDENT_CACHE from a machine that has it."
        ) from error
    except requests.exceptions.SSLError as error:
        raise RegistryUnreachable(
            "The certificate of the Maven repository is not trusted. If a proxy of your network replaces certificates, "
            "install its certificate in the system, or set REQUESTS_CA_BUNDLE to its file."
        ) from error
    except requests.RequestException as error:
        raise RegistryUnreachable(
            f"{jar.name} could not be downloaded: the Maven repository cannot be reached. Check the network and "
            "HTTPS_PROXY and run `precedent setup` again, which continues where it stopped; or copy PRECEDENT_CACHE "
            "from a machine that has it."
        ) from error
    raise ChecksumMismatch(
        f"{jar.name} was downloaded twice with a wrong checksum and deleted. Check the proxy or mirror between this "
        "machine and the Maven repository, which changes files; or copy PRECEDENT_CACHE from a machine that has it."
    )


def _may_pass(error: BaseException) -> bool:
    """Return whether a retry may help, which it does not after an HTTP error or with an untrusted certificate."""
    permanent = (requests.HTTPError, requests.exceptions.SSLError)
    return isinstance(error, requests.RequestException) and not isinstance(error, permanent)


def require_provisioned(cache: Cache) -> None:
    """Raise `SetupError` when a jar is missing in the cache.

    Compares only the sizes, because every start does it; `find_missing` compares checksums.
    """
    for jar in load_lock():
        file = cache.jars / jar.name
        if not file.is_file() or file.stat().st_size != jar.size:
            raise SetupError("Neo4j is not installed, or not completely: run `precedent setup`.")
