"""`precedent export`: all of a namespace into one file. Source: ING-64."""

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

from ingest.backup.file_format import BLOCK, EmbeddingModel, Manifest, encode_line
from ingest.backup.scope_tags import Properties
from ingest.backup.survey import NullVisitor, Survey
from ingest.pipeline import Progress
from server.core.errors import Conflict, DiskFull, InvalidArgument, NotFound
from server.graph.graph import Graph
from server.graph.migrations import load_applied_versions

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What an export wrote; `left_out` counts relationships that lead out of the namespace."""

    manifest: Manifest
    left_out: int
    size: int
    seconds: float


@dataclass(slots=True)
class _Draft:
    """A file that takes its name only if it `is_complete`."""

    file: IO[bytes]
    is_complete: bool = False
    size: int = 0


class _Writer:
    """The writer of a backup's lines and checksums."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sha256 = sha256()
        self._lines = 0

    def write(self, value: Any) -> None:
        written = encode_line(value)
        self._file.write(written)
        self._sha256.update(written)
        self._lines += 1
        if self._lines % BLOCK == 0:
            self.seal()

    def seal(self) -> None:
        """Write the checksum of all lines so far."""
        self._file.write(encode_line({"sha256": self._sha256.hexdigest()}))

    def node(self, number: int, labels: list[str], properties: Properties) -> None:
        self.write({"node": number, "labels": labels, "properties": properties})

    def relation(self, type_: str, source: int, target: int, properties: Properties) -> None:
        self.write({"relation": type_, "from": source, "to": target, "properties": properties})


async def export_backup(graph: Graph, namespace: str, path: Path, progress: Progress) -> ExportResult:
    """Write a namespace to a file, complete or not at all; it is compressed if its name ends in `.gz`.

    The file shows the namespace at one moment: it is read until two readings, one after the other, are the same. Raises
    `NotFound` for an empty namespace, `Conflict` if it is always written to or has an unfinished import, `DiskFull`.
    """
    started = time.monotonic()
    if await graph.one("backup/state", namespace=namespace):
        raise Conflict(
            f"CONFLICT: the namespace {namespace!r} has an unfinished import; run the import again before you export."
        )
    before = await Survey(NullVisitor(), lambda done: progress.report("Reading", done, 0.0)).run(graph, namespace)
    progress.report("Reading", before.content.nodes + before.content.relations, 1.0)
    if not before.content.nodes:
        raise NotFound(f"The namespace {namespace!r} is empty; name another one with --namespace.")
    for _ in range(_ATTEMPTS):
        manifest = await _build_manifest(graph, namespace, before)
        with _open_draft(path) as draft:
            now = await _write(graph, manifest, draft.file, progress)
            draft.is_complete = now.is_same_as(before)
        if draft.is_complete:
            return ExportResult(manifest, now.left_out, draft.size, time.monotonic() - started)
        before = now
    raise Conflict(
        f"CONFLICT: the namespace {namespace!r} was written to each of the {_ATTEMPTS} times that it was read; "
        "nothing was exported. Export it while nobody writes."
    )


async def _build_manifest(graph: Graph, namespace: str, seen: Survey) -> Manifest:
    model = await graph.one("projection/model")
    # Read after the survey: all nodes that it found had their ids by then.
    sequence = await graph.row("backup/sequence", namespace=namespace)
    return Manifest(
        schema_version=(await load_applied_versions(graph))[-1],
        namespace=namespace,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        model=EmbeddingModel.model_validate({name: model[name] for name in EmbeddingModel.model_fields})
        if model
        else None,
        last_id=sequence["value"],
        nodes=seen.content.nodes,
        relations=seen.content.relations,
        labels=dict(sorted(seen.content.labels.items())),
        types=dict(sorted(seen.content.types.items())),
        content=seen.content.hash,
    )


async def _write(graph: Graph, manifest: Manifest, file: IO[bytes], progress: Progress) -> Survey:
    total = manifest.nodes + manifest.relations
    writer = _Writer(file)
    writer.write(manifest.model_dump(by_alias=True))
    survey = Survey(writer, lambda done: progress.report("Writing", done, min(done / total, 1.0)))
    await survey.run(graph, manifest.namespace)
    writer.seal()
    return survey


@contextmanager
def _open_draft(path: Path) -> Iterator[_Draft]:
    """A file that only its owner can read, beside `path`; it replaces `path` once it is complete."""
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
        if made.is_complete:
            draft.replace(path)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"The disk is full; make room for {path.name}, or name a file on another disk.") from error
        raise InvalidArgument(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
