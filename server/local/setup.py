"""`precedent setup`: install what the local profile needs.

Source: SVC-4.
"""

import errno
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio import to_thread
from filelock import FileLock, Timeout

from server.core.errors import DiskFull, SetupError
from server.core.home import Cache, LocalPaths
from server.core.setup_progress import SetupProgress
from server.core.tasks import open_task_group
from server.embedding.choice import ModelChoice
from server.embedding.other_models import has_model, provision_choice
from server.local import class_data as archive
from server.local import jars
from server.local.credentials import load_secret
from server.local.java import find_java

_MB = 1_000_000
_MODEL_SPACE = 250 * _MB  # the model in both precisions, and a copy while it is converted
_ARCHIVE_SPACE = 250 * _MB  # the archive and its temporary files
_HOME_SPACE = 100 * _MB  # an empty home has 3 MB; the rest is for the first data
_ADVICE = "Free some space, or set PRECEDENT_CACHE and PRECEDENT_HOME to folders on another disk; then run it again."

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk of `folder`, which need not exist."""
    existing = next(each for each in (folder, *folder.parents) if each.is_dir())
    return shutil.disk_usage(existing).free


@dataclass(frozen=True, slots=True)
class Sources:
    """Other sources of downloads than the usual ones."""

    repository: str | None = None
    """Address of a Maven repository."""
    hub: str | None = None
    """Address of a model hub."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The parts that are missing in a cache, or have a wrong checksum."""

    jars: tuple[jars.Jar, ...]
    model: bool
    archive: bool

    @classmethod
    async def of(cls, cache: Cache, *, neo4j: bool = True, choice: ModelChoice | None = None) -> "Missing":
        absent = await jars.find_missing(cache.jars, jars.load_lock() if neo4j else ())
        no_archive = neo4j and (bool(absent) or not archive.was_created(cache))
        return cls(absent, model=not await has_model(cache, choice), archive=no_archive)

    def __bool__(self) -> bool:
        return bool(self.jars) or self.model or self.archive

    @property
    def space(self) -> int:
        """The bytes that they need on the disk."""
        return sum(jar.size for jar in self.jars) + self.model * _MODEL_SPACE + self.archive * _ARCHIVE_SPACE


async def provision(
    paths: LocalPaths,
    progress: SetupProgress,
    *,
    cache_only: bool = False,
    neo4j: bool = True,
    choice: ModelChoice | None = None,
    sources: Sources | None = None,
    free: FreeBytes = free_bytes,
) -> None:
    """Complete the cache and create the home; files with the right checksum stay.

    Every file is read and checked. After an interruption it continues where it stopped; a concurrent setup waits.
    With `cache_only`, no home is created; without `neo4j` (NEO4J_URI is set), only the model is installed: that of
    `choice`, or the default one.
    Raises `PlatformUnsupported`, `RegistryUnreachable`, `ChecksumMismatch`, `DiskFull`, `SetupError`.
    """
    if neo4j:
        find_java()
    try:
        missing = await Missing.of(paths.cache, neo4j=neo4j, choice=choice)
        await _require_space(paths.cache.root, missing.space, free)
        if missing:
            await _fill(paths.cache, progress, sources or Sources(), neo4j=neo4j, choice=choice)
        if not cache_only:
            await _require_space(paths.home.root, _HOME_SPACE, free)
            await to_thread.run_sync(_create_home, paths)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"The disk is full. {_ADVICE}") from error
        raise SetupError(f"A file cannot be read or written: {error.strerror} ({error.filename}).") from error


async def _fill(
    cache: Cache, progress: SetupProgress, sources: Sources, *, neo4j: bool, choice: ModelChoice | None
) -> None:
    async with lock_cache(cache, progress):
        missing = await Missing.of(cache, neo4j=neo4j, choice=choice)  # another setup may have filled it meanwhile

        async def provide_neo4j() -> None:
            if missing.jars:
                await jars.fetch(cache.jars, missing.jars, progress, sources.repository)
            if missing.archive:
                await archive.create(cache, progress)

        async def provide_model() -> None:
            if missing.model:
                await provision_choice(cache, choice, progress, sources.hub)

        async with open_task_group() as group:
            group.start_soon(provide_neo4j)
            group.start_soon(provide_model)


@asynccontextmanager
async def lock_cache(cache: Cache, progress: SetupProgress) -> AsyncIterator[None]:
    """Lock the cache in this block; wait while another setup has the lock."""
    await to_thread.run_sync(lambda: cache.root.mkdir(mode=0o700, parents=True, exist_ok=True))
    lock = FileLock(cache.lock, timeout=0, thread_local=False)
    if not _try_acquire(lock):
        with progress.step("Waiting for another setup"):
            while not _try_acquire(lock):  # noqa: ASYNC110 - another process sends no event
                await anyio.sleep(0.2)
    try:
        yield
    finally:
        lock.release()


def _try_acquire(lock: FileLock) -> bool:
    try:
        lock.acquire()
    except Timeout:
        return False
    return True


async def _require_space(folder: Path, needed: int, free: FreeBytes) -> None:
    """Raise `DiskFull`, before anything is written, where the space is too small."""
    available = await to_thread.run_sync(free, folder)
    if needed > available:
        raise DiskFull(
            f"{folder} needs {needed // _MB} MB, and its disk has {available // _MB} MB free. {_ADVICE}",
            {"folder": str(folder), "needed_bytes": needed, "free_bytes": available},
        )


def _create_home(paths: LocalPaths) -> None:
    paths.home.create()
    load_secret(paths.home.neo4j_password)
    load_secret(paths.home.agent_memory_secret)
