"""`precedent setup`: everything that the local profile runs from. Source: issue 3, section 2."""

import errno
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio import to_thread
from filelock import FileLock, Timeout

from server.embedding.provision import is_provisioned, provision_model
from server.errors import DiskFull, SetupError
from server.home import Cache, LocalPaths
from server.local import archive, jars
from server.local.credentials import secret
from server.local.java import java
from server.progress import Progress
from server.tasks import together

_MB = 1_000_000
_MODEL_SPACE = 180 * _MB  # the package and what is made of it, for a while side by side
_ARCHIVE_SPACE = 250 * _MB  # with what it is made from
_HOME_SPACE = 100 * _MB  # an empty home takes 3 MB; the rest is for it to begin to live
_WHERE = "Make room, or set PRECEDENT_CACHE and PRECEDENT_HOME to folders on another disk; then run it again."

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """Bytes that may still be written where `folder` is, or will be."""
    existing = next(each for each in (folder, *folder.parents) if each.is_dir())
    return shutil.disk_usage(existing).free


@dataclass(frozen=True, slots=True)
class Sources:
    """Where things are fetched from, where not from the usual places."""

    repository: str | None = None
    """Address of a Maven repository."""
    hub: str | None = None
    """Address of a model hub."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a cache does not hold, or not byte for byte."""

    jars: tuple[jars.Jar, ...]
    model: bool
    archive: bool

    @classmethod
    async def of(cls, cache: Cache, *, neo4j: bool = True) -> "Missing":
        absent = await jars.missing(cache.jars, jars.locked() if neo4j else ())
        no_archive = neo4j and (bool(absent) or not archive.was_made(cache))
        return cls(absent, model=not await is_provisioned(cache), archive=no_archive)

    def __bool__(self) -> bool:
        return bool(self.jars) or self.model or self.archive

    @property
    def space(self) -> int:
        """Bytes that filling it takes."""
        return sum(jar.size for jar in self.jars) + self.model * _MODEL_SPACE + self.archive * _ARCHIVE_SPACE


async def provision(
    paths: LocalPaths,
    progress: Progress,
    *,
    cache_only: bool = False,
    neo4j: bool = True,
    sources: Sources | None = None,
    free: FreeBytes = free_bytes,
) -> None:
    """Makes the cache whole and the home ready; what is there and right is left alone (0.3 s when all is).

    Every file is read and checked. After an interruption it goes on where it stopped; a second one beside it waits.
    `cache_only` makes no home; without `neo4j`, where NEO4J_URI names one, only the model is provided for.
    Raises `PlatformUnsupported`, `RegistryUnreachable`, `ChecksumMismatch`, `DiskFull`, `SetupError`.
    """
    if neo4j:
        java()
    try:
        missing = await Missing.of(paths.cache, neo4j=neo4j)
        await _require_space(paths.cache.root, missing.space, free)
        if missing:
            await _fill(paths.cache, progress, sources or Sources(), neo4j=neo4j)
        if not cache_only:
            await _require_space(paths.home.root, _HOME_SPACE, free)
            await to_thread.run_sync(_make_home, paths)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"The disk is full. {_WHERE}") from error
        raise SetupError(f"A file cannot be read or written: {error.strerror} ({error.filename}).") from error


async def _fill(cache: Cache, progress: Progress, sources: Sources, *, neo4j: bool) -> None:
    async with _alone(cache, progress):
        missing = await Missing.of(cache, neo4j=neo4j)  # another setup may have been here meanwhile

        async def provide_neo4j() -> None:
            if missing.jars:
                await jars.fetch(cache.jars, missing.jars, progress, sources.repository)
            if missing.archive:
                await archive.make(cache, progress)

        async def provide_model() -> None:
            if missing.model:
                await provision_model(cache, progress, sources.hub)

        async with together() as group:
            group.start_soon(provide_neo4j)
            group.start_soon(provide_model)


@asynccontextmanager
async def _alone(cache: Cache, progress: Progress) -> AsyncIterator[None]:
    """Has the cache for itself; waits while another setup fills it."""
    await to_thread.run_sync(lambda: cache.root.mkdir(mode=0o700, parents=True, exist_ok=True))
    lock = FileLock(cache.lock, timeout=0, thread_local=False)
    if not _acquired(lock):
        with progress.step("Waiting for another setup"):
            while not _acquired(lock):  # noqa: ASYNC110 - another process tells nobody when it is done
                await anyio.sleep(0.2)
    try:
        yield
    finally:
        lock.release()


def _acquired(lock: FileLock) -> bool:
    try:
        lock.acquire()
    except Timeout:
        return False
    return True


async def _require_space(folder: Path, needed: int, free: FreeBytes) -> None:
    """Raises `DiskFull` before anything is written that would not fit."""
    available = await to_thread.run_sync(free, folder)
    if needed > available:
        raise DiskFull(
            f"{folder} needs {needed // _MB} MB, and its disk has {available // _MB} MB free. {_WHERE}",
            {"folder": str(folder), "needed_bytes": needed, "free_bytes": available},
        )


def _make_home(paths: LocalPaths) -> None:
    paths.home.create()
    secret(paths.home.neo4j_password)
    secret(paths.home.agent_memory_secret)
