"""A class-data archive of Neo4j: the JVM maps it instead of loading 19,000 classes one by one, and starts faster.

It is created once per cache. A JVM that it does not match ignores it.
"""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import anyio
import structlog
from anyio import to_thread

from server.core.home import Cache, Home
from server.core.setup_progress import SetupProgress
from server.local.exercise import exercise
from server.local.jars import digest, load_lock
from server.local.java import find_java
from server.local.neo4j import ENVIRONMENT, Installation, LocalNeo4j
from server.local.ports import Ports, free_ports

_log = structlog.get_logger(__name__)

_LONGEST = 4000  # bytes: the JVM writes longer lines into a class list, but does not read them


def installation(cache: Cache) -> Installation:
    """Return the Neo4j of a cache. Raises `PlatformUnsupported`."""
    bare = Installation(find_java(), tuple(cache.jars / jar.name for jar in load_lock()))
    file = archive_file(cache, bare)
    return replace(bare, archive=file) if file.is_file() and file.stat().st_size else bare


def was_created(cache: Cache) -> bool:
    """Return whether an archive was created, or could not be, for the content of the cache."""
    return archive_file(cache, installation(cache)).is_file()


def archive_file(cache: Cache, bare: Installation) -> Path:
    """Return the path of the archive, which matches one set of jars in one folder, and one Java."""
    release = (bare.java.parent.parent / "release").read_bytes()
    key = hashlib.sha256(f"{digest(load_lock())} {cache.jars.resolve()}".encode() + release).hexdigest()[:16]
    return cache.archives / f"{key}.jsa"


async def create(cache: Cache, progress: SetupProgress) -> None:
    """Create the archive; the caller holds the cache's lock.

    Neo4j runs once in a temporary home, which also shows whether it runs on this machine.
    Raises `SetupError` when it does not. An archive that cannot be created is only logged, because it is optional.
    """
    bare = replace(installation(cache), archive=None)
    draft = cache.archives / ".making"
    classes = draft / "classes"
    try:
        with progress.step("Neo4j, first start"):
            await to_thread.run_sync(lambda: shutil.rmtree(draft, ignore_errors=True))
            await to_thread.run_sync(lambda: draft.mkdir(parents=True))
            neo4j = LocalNeo4j(bare, Home(draft), Ports(*free_ports(2)))
            await neo4j.start([f"-XX:DumpLoadedClassList={classes}"])
            try:
                await exercise(neo4j)
            finally:
                await neo4j.stop()
        with progress.step("Neo4j, faster starts"):
            await _dump(bare, classes, draft / "archive", archive_file(cache, bare))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(draft, ignore_errors=True))


async def _dump(bare: Installation, classes: Path, draft: Path, archive: Path) -> None:
    class_path = draft.with_suffix(".args")

    def prepare() -> None:
        lines = [line for line in classes.read_bytes().splitlines(keepends=True) if len(line) < _LONGEST]
        classes.write_bytes(b"".join(lines))
        class_path.write_text(bare.class_path, "utf-8")

    await to_thread.run_sync(prepare)
    dump = ["-Xshare:dump", f"-XX:SharedClassListFile={classes}"]
    use = ["-Xshare:on", "-version"]  # fails where the archive does not match
    for options in (dump, use):
        done = await anyio.run_process(
            [str(bare.java), "-Xlog:disable", f"-XX:SharedArchiveFile={draft}", f"@{class_path}", *options],
            env=ENVIRONMENT,
            check=False,
        )
        if done.returncode != 0:
            _log.warning("archive_not_made", exit_code=done.returncode, output=done.stderr.decode()[-500:])
            await to_thread.run_sync(archive.touch)  # an empty file: do not try again
            return
    await to_thread.run_sync(draft.replace, archive)
