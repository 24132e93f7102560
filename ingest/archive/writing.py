"""`precedent export`: the whole graph of a namespace into one file."""

import errno
import gzip
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, cast

from ingest.archive.form import BLOCK, EmbeddingModel, Manifest, line
from ingest.archive.survey import Nobody, Survey
from ingest.archive.words import Properties
from ingest.pipeline import Progress
from server.errors import Conflict, DiskFull, InvalidArgument, NotFound
from server.graph.graph import Graph
from server.graph.migrations import applied

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote. `left_out` counts relationships that lead out of the namespace."""

    manifest: Manifest
    left_out: int
    size: int
    seconds: float


@dataclass(slots=True)
class _Draft:
    file: IO[bytes]
    whole: bool = False
    size: int = 0


class _Writer:
    """Writes the lines of an archive, and their checksums."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sha256 = sha256()
        self._lines = 0

    def write(self, value: Any) -> None:
        written = line(value)
        self._file.write(written)
        self._sha256.update(written)
        self._lines += 1
        if self._lines % BLOCK == 0:
            self.seal()

    def seal(self) -> None:
        """Writes the checksum of all lines so far."""
        self._file.write(line({"sha256": self._sha256.hexdigest()}))

    def node(self, number: int, labels: list[str], properties: Properties) -> None:
        self.write({"node": number, "labels": labels, "properties": properties})

    def relation(self, type_: str, source: int, target: int, properties: Properties) -> None:
        self.write({"relation": type_, "from": source, "to": target, "properties": properties})


async def export_archive(graph: Graph, namespace: str, path: Path, progress: Progress) -> Exported:
    """Writes an archive of a namespace; `path` is gzipped where it ends in `.gz`, and is there whole or not at all.

    What it holds is the namespace of one moment: it is read until two readings, one after the other, are the same.
    Raises `NotFound` where there is nothing in the namespace, `Conflict` where it does not rest or is half imported,
    `DiskFull`.
    """
    started = time.monotonic()
    if await graph.one("archive/state", namespace=namespace):
        raise Conflict(
            f"CONFLICT: an import into the namespace {namespace!r} has not ended; run it again before you export."
        )
    before = await Survey(Nobody(), lambda done: progress.at("Reading", done, 0.0)).run(graph, namespace)
    progress.at("Reading", before.tally.nodes + before.tally.relations, 1.0)
    if not before.tally.nodes:
        raise NotFound(f"There is nothing in the namespace {namespace!r}: name another one with --namespace.")
    for _ in range(_ATTEMPTS):
        manifest = await _manifest(graph, namespace, before)
        with _draft(path) as draft:
            now = await _written(graph, manifest, draft.file, progress)
            draft.whole = now.same(before)
        if draft.whole:
            return Exported(manifest, now.left_out, draft.size, time.monotonic() - started)
        before = now
    raise Conflict(
        f"CONFLICT: the namespace {namespace!r} was written to each of the {_ATTEMPTS} times that it was read; "
        "nothing was exported. Export when its writers rest."
    )


async def _manifest(graph: Graph, namespace: str, seen: Survey) -> Manifest:
    model = await graph.one("projection/model")
    # Asked after the reading: whatever was read had its id by then.
    sequence = await graph.one("archive/sequence", namespace=namespace)
    assert sequence is not None
    return Manifest(
        schema_version=(await applied(graph))[-1],
        namespace=namespace,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        model=EmbeddingModel(**model) if model else None,
        last_id=sequence["value"],
        nodes=seen.tally.nodes,
        relations=seen.tally.relations,
        labels=dict(sorted(seen.tally.labels.items())),
        types=dict(sorted(seen.tally.types.items())),
        content=seen.tally.content,
    )


async def _written(graph: Graph, manifest: Manifest, file: IO[bytes], progress: Progress) -> Survey:
    total = manifest.nodes + manifest.relations
    writer = _Writer(file)
    writer.write(manifest.model_dump(by_alias=True))
    survey = Survey(writer, lambda done: progress.at("Writing", done, min(done / total, 1.0)))
    await survey.run(graph, manifest.namespace)
    writer.seal()
    return survey


@contextmanager
def _draft(path: Path) -> Iterator[_Draft]:
    """A file beside the one that is to be, for its owner alone; it takes the other's place where it is whole."""
    draft = path.with_name(f"{path.name}.part")
    try:
        draft.unlink(missing_ok=True)
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as raw:
            with gzip.GzipFile("", "wb", 6, raw) if path.suffix == ".gz" else nullcontext(raw) as file:
                made = _Draft(cast("IO[bytes]", file))
                yield made
            raw.flush()
            os.fsync(raw.fileno())
            made.size = raw.tell()
        if made.whole:
            draft.replace(path)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"There is no room for {path.name}: make room, or name a file on another disk.") from error
        raise InvalidArgument(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
