"""The faults: each breaks a running service in one way, and leaves it running again.

A fault raises `AssertionError` where the service answers otherwise than documented, for example where it starts on
vectors of another model.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2
from anyio import to_thread

from server.local.neo4j import find_processes
from tests.interaction.service import Service
from tests.qdrant import Qdrant


@dataclass(frozen=True, slots=True)
class Breaking:
    """What a fault works with: the service, a seeded source of choices, and how long it may last in seconds."""

    service: Service
    random: random.Random
    seconds: float
    number: int
    qdrant: Qdrant | None = None
    """The Qdrant server that the service uses, if it does not embed one."""

    async def command(self, *arguments: str, kill_after: float | None = None) -> "subprocess.CompletedProcess[str]":
        """Run `precedent …` beside the service, and kill it after this many seconds where a number is given."""
        return await to_thread.run_sync(self._command, arguments, kill_after)

    def _command(self, arguments: tuple[str, ...], kill_after: float | None) -> "subprocess.CompletedProcess[str]":
        with subprocess.Popen(
            [sys.executable, "-m", "cli", *arguments],
            env=self.service.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=240 if kill_after is None else kill_after)
            except subprocess.TimeoutExpired:
                process.kill()
                output, _ = process.communicate()
        return subprocess.CompletedProcess(arguments, process.returncode, output)

    @property
    def vectors(self) -> Path:
        return self.service.home.vectors


Fault = Callable[[Breaking], Awaitable[None]]


async def kill_service(it: Breaking) -> None:
    await it.service.end(signal.SIGKILL)
    await it.service.start()


async def kill_neo4j(it: Breaking) -> None:
    it.service.neo4j.kill()
    # The first answer may be from before.
    await anyio.sleep(1)
    await it.service.healthy()


async def kill_both(it: Breaking) -> None:
    it.service.neo4j.kill()
    await kill_service(it)


async def freeze_neo4j(it: Breaking) -> None:
    it.service.neo4j.suspend()
    try:
        await anyio.sleep(it.seconds)
    finally:
        it.service.neo4j.resume()
    await it.service.healthy()


async def kill_ingestion(it: Breaking) -> None:
    """Kill an ingestion beside the service; the next run completes it."""
    arguments = ("ingest", "docs", "docs/contract", "--namespace", f"ingested-{it.number}")
    await it.command(*arguments, kill_after=3 + it.random.random() * it.seconds / 2)
    done = await it.command(*arguments)
    assert done.returncode == 0, done.stdout
    again = await it.command(*arguments)
    assert again.returncode == 0, again.stdout


async def kill_import(it: Breaking) -> None:
    """Kill an import beside the service; the same import completes it, with the hash of the export."""
    source, to, file = (
        f"ingested-{it.number}",
        f"imported-{it.number}",
        str(it.service.output.with_name("backup.jsonl")),
    )
    for arguments in (
        ("ingest", "docs", "docs/how-to", "--namespace", source),
        ("export", file, "--namespace", source),
    ):
        done = await it.command(*arguments)
        assert done.returncode == 0, done.stdout
    await it.command("import", file, "--namespace", to, kill_after=3 + it.random.random() * it.seconds / 2)
    imported = await it.command("import", file, "--namespace", to)
    assert imported.returncode == 0 or "CONFLICT" in imported.stdout, imported.stdout
    await anyio.Path(file).unlink()


async def kill_rebuild(it: Breaking) -> None:
    await it.service.end(signal.SIGTERM)
    await it.command("rebuild", kill_after=8 + it.random.random() * it.seconds)
    await it.service.start()


async def delete_vectors(it: Breaking) -> None:
    await it.service.end(signal.SIGKILL)
    shutil.rmtree(it.vectors / "shard")
    await it.service.start()


async def damage_vectors(it: Breaking) -> None:
    """Delete, empty or cut a file of the vectors."""
    await it.service.end(signal.SIGKILL)
    file = it.random.choice(sorted(_list_files(it.vectors / "shard")))
    does = it.random.choice(("delete", "empty", "cut"))
    if does == "delete":
        file.unlink()
    else:
        os.truncate(file, 0 if does == "empty" else file.stat().st_size // 2)
    await it.service.start()


def _list_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def change_model(it: Breaking) -> None:
    """Vectors of another model refuse the start, and are never dropped; `rebuild` recreates them."""
    await it.service.end(signal.SIGTERM)
    file = it.vectors / "model.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "fingerprint": "another"}))
    refused = await it.command("serve")
    assert (refused.returncode, "MODEL_MISMATCH" in refused.stdout) == (1, True), refused.stdout
    rebuilt = await it.command("rebuild")
    assert rebuilt.returncode == 0, rebuilt.stdout
    await it.service.start()


async def start_twice(it: Breaking) -> None:
    refused = await it.command("serve")
    assert (refused.returncode, "HOME_IN_USE" in refused.stdout) == (1, True), refused.stdout


async def crash_at_start(it: Breaking) -> None:
    """Kill the service, and then several starts, each at another moment."""
    await it.service.end(signal.SIGKILL)
    for _ in range(4):
        await it.command("serve", kill_after=0.5 + it.random.random() * it.seconds)
    await it.service.start()


async def fill_disk(it: Breaking) -> None:
    """Fill the disk of the vectors, a small one in memory, while clients write; then free it."""
    await it.service.end(signal.SIGTERM)
    with _small_disk(it.vectors) as disk:
        await it.service.start()
        filler = disk / "filler"
        with filler.open("wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
                    file.flush()
            except OSError:
                pass
        await anyio.sleep(it.seconds)
        await it.service.end(signal.SIGKILL)
        filler.unlink(missing_ok=True)
        await it.service.start()
        await it.service.projected()
        await it.service.end(signal.SIGTERM)
    await it.service.start()


async def set_clock_back(it: Breaking) -> None:
    """Restart the service and Neo4j with a clock that is an hour slow, after a kill; it stays slow for the round.

    Needs libfaketime: FAKETIME_LIBRARY names the file of its library.
    """
    await it.service.end(signal.SIGKILL)
    slow = {"LD_PRELOAD": os.environ["FAKETIME_LIBRARY"], "FAKETIME": "-1h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    it.service.environment |= slow
    try:
        # A Neo4j of before would keep its clock.
        for process in find_processes(it.service.home):
            process.kill()
            process.wait()
        await it.service.start()
    finally:
        for name in slow:
            del it.service.environment[name]


async def kill_qdrant(it: Breaking) -> None:
    assert it.qdrant is not None
    await it.qdrant.stop()
    await anyio.sleep(it.seconds)
    await it.qdrant.start()


async def freeze_qdrant(it: Breaking) -> None:
    assert it.qdrant is not None
    assert it.qdrant.process is not None
    it.qdrant.process.send_signal(signal.SIGSTOP)
    try:
        await anyio.sleep(it.seconds)
    finally:
        it.qdrant.process.send_signal(signal.SIGCONT)


async def drop_collection(it: Breaking) -> None:
    """Drop the collection behind the service's back; what it knows of is projected again."""
    assert it.qdrant is not None
    async with httpx2.AsyncClient(base_url=it.qdrant.url, timeout=60) as http:
        names = [each["name"] for each in (await http.get("/collections")).json()["result"]["collections"]]
        assert names, "the service has a collection"
        for name in names:
            (await http.delete(f"/collections/{name}")).raise_for_status()


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    """Put a folder on a disk of its own in memory, and back; needs the right to mount."""
    kept = folder.with_name("vectors.kept")
    folder.rename(kept)
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", str(folder)], check=True)
    try:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        yield folder
        shutil.rmtree(kept)
        shutil.copytree(folder, kept)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()
        kept.rename(folder)


def find_leftovers(service: Service) -> int:
    """Return how many processes of Neo4j run on the home."""
    return len(find_processes(service.home))


FAULTS: Mapping[str, Fault] = {
    "kill -9 of the service": kill_service,
    "kill -9 of Neo4j": kill_neo4j,
    "kill -9 of both": kill_both,
    "Neo4j stopped (SIGSTOP)": freeze_neo4j,
    "kill -9 of an ingestion": kill_ingestion,
    "kill -9 of an import": kill_import,
    "kill -9 of a rebuild": kill_rebuild,
    "vectors deleted": delete_vectors,
    "a file of the vectors damaged": damage_vectors,
    "vectors of another model": change_model,
    "two services on one home": start_twice,
    "kill -9 during four starts": crash_at_start,
    "disk of the vectors full": fill_disk,
}
"""For a service of the local profile."""
_ANYWHERE = ("kill -9 of the service", "kill -9 of Neo4j", "kill -9 of a rebuild")
QDRANT_FAULTS: Mapping[str, Fault] = {
    "kill -9 of Qdrant": kill_qdrant,
    "Qdrant stopped (SIGSTOP)": freeze_qdrant,
    "collection dropped": drop_collection,
    **{name: FAULTS[name] for name in _ANYWHERE},
}
"""For a service that uses a Qdrant server."""
CLOCK_FAULTS: Mapping[str, Fault] = {"clock set back by an hour": set_clock_back}
