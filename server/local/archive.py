"""A class-data archive of Neo4j: the JVM maps it instead of loading 19,000 classes one by one.

Measured on 2 cores: Bolt answers after 2.4 s instead of 3.8 s, and on a busy machine a fresh home is migrated after
20 s instead of 50 s. It is made once for the cache (about 35 s). A JVM that it does not fit ignores it.
"""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import anyio
import structlog
from anyio import to_thread

from server.home import Cache, Home
from server.local.exercise import exercise
from server.local.jars import digest, locked
from server.local.java import java
from server.local.neo4j import ENVIRONMENT, Installation, LocalNeo4j
from server.local.ports import Ports, free_ports
from server.progress import Progress

_log = structlog.get_logger(__name__)

_LONGEST = 4000  # bytes: the JVM refuses longer lines in a class list, though it writes them


def installation(cache: Cache) -> Installation:
    """The Neo4j that was provisioned into a cache. Raises `PlatformUnsupported`."""
    bare = Installation(java(), tuple(cache.jars / jar.name for jar in locked()))
    file = archive_file(cache, bare)
    return replace(bare, archive=file) if file.is_file() and file.stat().st_size else bare


def was_made(cache: Cache) -> bool:
    """Whether an archive was made, or tried in vain, for what the cache holds."""
    return archive_file(cache, installation(cache)).is_file()


def archive_file(cache: Cache, bare: Installation) -> Path:
    """Where the archive belongs: it fits one set of jars in one folder, and one Java."""
    release = (bare.java.parent.parent / "release").read_bytes()
    key = hashlib.sha256(f"{digest(locked())} {cache.jars.resolve()}".encode() + release).hexdigest()[:16]
    return cache.archives / f"{key}.jsa"


async def make(cache: Cache, progress: Progress) -> None:
    """Makes the archive; one at a time may do so (hold the cache's lock).

    Neo4j runs once, in a throw-away home, which also shows that it can run on this machine at all.
    Raises `SetupError` when it cannot; an archive that cannot be made is only logged, for all works without.
    """
    bare = replace(installation(cache), archive=None)
    workshop = cache.archives / ".making"
    classes = workshop / "classes"
    try:
        with progress.step("Neo4j, first start"):
            await to_thread.run_sync(lambda: shutil.rmtree(workshop, ignore_errors=True))
            await to_thread.run_sync(lambda: workshop.mkdir(parents=True))
            neo4j = LocalNeo4j(bare, Home(workshop), Ports(*free_ports(2)))
            await neo4j.start([f"-XX:DumpLoadedClassList={classes}"])
            try:
                await exercise(neo4j)
            finally:
                await neo4j.stop()
        with progress.step("Neo4j, faster starts"):
            await _dump(bare, classes, workshop / "archive", archive_file(cache, bare))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(lambda: shutil.rmtree(workshop, ignore_errors=True))


async def _dump(bare: Installation, classes: Path, draft: Path, archive: Path) -> None:
    class_path = draft.with_suffix(".args")

    def prepare() -> None:
        lines = [line for line in classes.read_bytes().splitlines(keepends=True) if len(line) < _LONGEST]
        classes.write_bytes(b"".join(lines))
        class_path.write_text(bare.class_path, "utf-8")

    await to_thread.run_sync(prepare)
    make = ["-Xshare:dump", f"-XX:SharedClassListFile={classes}"]
    use = ["-Xshare:on", "-version"]  # fails where the archive does not fit
    for options in (make, use):
        done = await anyio.run_process(
            [str(bare.java), "-Xlog:disable", f"-XX:SharedArchiveFile={draft}", f"@{class_path}", *options],
            env=ENVIRONMENT,
            check=False,
        )
        if done.returncode != 0:
            _log.warning("archive_not_made", exit_code=done.returncode, output=done.stderr.decode()[-500:])
            await to_thread.run_sync(archive.touch)  # an empty one says that it was tried in vain
            return
    await to_thread.run_sync(draft.replace, archive)
