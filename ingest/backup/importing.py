"""`precedent import`: a backup into an empty namespace, complete or not at all. Source: ING-74.

Imported nodes carry the label `Arriving`, and the namespace an `ArchiveImport`, until everything is stored, compared
and queued for its projection. An import that dies leaves both; the next one deletes what was imported and starts again,
or only completes an import that had stored everything.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
from anyio import to_thread

from ingest.backup.checking import Checked, Line, check, read_backup, read_manifest
from ingest.backup.disk_table import DiskTable
from ingest.backup.file_format import Manifest, decode_properties
from ingest.backup.survey import NullVisitor, Survey
from ingest.pipeline import Progress
from server.core.errors import Conflict, PrecedentError, RequestError
from server.core.principals import require_name
from server.core.types import Row
from server.graph.graph import Graph, Transaction
from server.graph.migrations import migrate_records
from server.vectors.repair import requeue

_ROWS = 1_000
_BYTES = 2 << 20
"""Bytes of lines that one transaction stores: the memory of Neo4j is small."""
_DELETED = 5_000
_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import stored; `queued` records wait for their projection, `resumed` if it completed an earlier one."""

    manifest: Manifest
    namespace: str
    queued: int
    resumed: bool
    seconds: float


async def import_backup(graph: Graph, path: Path, namespace: str | None, progress: Progress) -> ImportResult:
    """Import a backup into an empty namespace, by default its own.

    Raises `InvalidArgument` or `SchemaTooNew` for a bad file, `Conflict` for a namespace that is not empty or is
    written to meanwhile; the namespace then stays as it was. The same import, run again, completes one that died.
    """
    started = time.monotonic()
    to = read_manifest(path).namespace if namespace is None else require_name("namespace", namespace)
    checked = await to_thread.run_sync(check, path, to, lambda done, share: progress.report("Checking", done, share))
    progress.report("Checking", checked.manifest.nodes + checked.manifest.relations, 1.0)
    run = _Import(graph, to, path, checked, progress)
    resumed = await run.begin()
    if not resumed:
        await run.store_all()
    queued = await run.end()
    return ImportResult(checked.manifest, to, queued, resumed, time.monotonic() - started)


class _Import:
    """One run of an import."""

    def __init__(self, graph: Graph, namespace: str, path: Path, checked: Checked, progress: Progress) -> None:
        self._graph = graph
        self._namespace = namespace
        self._path = path
        self._manifest = checked.manifest
        self._renaming = checked.renaming
        self._progress = progress
        self._run: dict[str, Any] = {"namespace": namespace, "run": uuid4().hex}

    async def begin(self) -> bool:
        """Take the namespace for this run; return whether an earlier run stored everything and only has to end."""

        async def work(transaction: Transaction) -> bool:
            earlier = await transaction.one("backup/state", namespace=self._namespace)
            manifest = self._manifest
            if earlier is not None and earlier["state"] == "loaded":
                if earlier["content"] != manifest.content:
                    raise Conflict(
                        f"CONFLICT: the import of another backup into {self._namespace!r} died just before its end; "
                        "import that one again first."
                    )
                return True
            opened = await transaction.row(
                "backup/open", **self._run, content=manifest.content, last_id=manifest.last_id
            )
            found = await transaction.row("backup/foreign", namespace=self._namespace)
            if found["found"]:
                raise Conflict(
                    f"CONFLICT: the namespace {self._namespace!r} is not empty, and a backup is never mixed with other "
                    "records; name an empty one with --namespace, or import into another home. Nothing was changed."
                )
            if _may_repeat_ids(opened["value"], earlier, manifest):
                raise Conflict(
                    f"CONFLICT: integer ids of the namespace {self._namespace!r} were given out before, and the backup "
                    "could repeat them; name a namespace that was never written to. Nothing was changed."
                )
            await transaction.run("backup/raise_sequence", namespace=self._namespace, value=manifest.last_id)
            return False

        return await self._graph.transaction(work, timeout=_TIMEOUT)

    async def store_all(self) -> None:
        """Store everything and compare it with the backup; remove all of it if that fails."""
        try:
            await self._delete_imported()
            await self._store()
            await self._compare()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._remove()
            raise

    async def end(self) -> int:
        """Complete the import and return how many records wait for their projection."""
        await migrate_records(self._graph, self._manifest.schema_version)
        queued = await requeue(self._graph, self._namespace)
        await self._repeat("backup/settle", "settled", namespace=self._namespace)
        await self._graph.run("backup/close", namespace=self._namespace)
        return queued

    async def _store(self) -> None:
        done = 0
        with DiskTable() as elements:
            for lines in self._batches():
                with self._name_lines(lines):
                    if "node" in lines[0].value:
                        await self._store_nodes(lines, elements)
                    else:
                        await self._store_relations(lines, elements)
                done += len(lines)
                self._progress.report("Storing", done, done / (self._manifest.nodes + self._manifest.relations))

    async def _store_nodes(self, lines: list[Line], elements: DiskTable) -> None:
        rows = [
            {"number": line.value["node"], "labels": line.value["labels"]}
            | _to_row(self._renaming.rename(line.value["properties"]))
            for line in lines
        ]
        made = await self._graph.run("backup/add_nodes", **self._run, rows=rows, timeout=_TIMEOUT)
        self._require(len(made), lines)
        elements.store((row["number"], row["element"].encode()) for row in made)

    async def _store_relations(self, lines: list[Line], elements: DiskTable) -> None:
        ends = elements.find_all(list({line.value[end] for line in lines for end in ("from", "to")}))
        rows = [
            {
                "type": line.value["relation"],
                "source": ends[line.value["from"]].decode(),
                "target": ends[line.value["to"]].decode(),
            }
            | _to_row(line.value["properties"])
            for line in lines
        ]
        made = await self._graph.row("backup/add_relations", **self._run, rows=rows, timeout=_TIMEOUT)
        self._require(made["created"], lines)

    def _require(self, made: int, lines: list[Line]) -> None:
        if made != len(lines):
            raise Conflict(
                f"CONFLICT: another import into {self._namespace!r} has begun, or somebody deleted imported records; "
                "this import ends."
            )

    async def _compare(self) -> None:
        """Compare the graph with the backup: they differ if somebody else wrote to the namespace meanwhile."""
        total = self._manifest.nodes + self._manifest.relations
        survey = Survey(NullVisitor(), lambda done: self._progress.report("Comparing", done, min(done / total, 1.0)))
        await survey.run(self._graph, self._namespace)
        if survey.is_inconsistent or survey.left_out or survey.content.hash != self._manifest.content:
            raise Conflict(
                f"CONFLICT: somebody wrote to the namespace {self._namespace!r} during the import, and it differs "
                "from the backup. What was imported is removed; import while nobody writes."
            )
        if not (await self._graph.row("backup/loaded", **self._run))["is_current"]:
            raise Conflict(f"CONFLICT: another import into {self._namespace!r} has begun; this import ends.")

    async def _remove(self) -> None:
        try:
            await self._delete_imported()
            await self._graph.run("backup/abandon", **self._run, value=self._manifest.last_id)
        except PrecedentError:
            # The error that ended the import is the one to report; the next import removes the rest.
            return

    async def _delete_imported(self) -> None:
        """Delete what this run, or one that died before it, has stored."""
        await self._repeat("backup/drop_relations", "dropped", **self._run)
        await self._repeat("backup/drop_nodes", "dropped", **self._run)

    async def _repeat(self, name: str, count: str, **parameters: str) -> None:
        while True:
            row = await self._graph.row(name, **parameters, limit=_DELETED, timeout=_TIMEOUT)
            if not row[count]:
                return

    def _batches(self) -> Iterator[list[Line]]:
        """Lines that are stored together: all of them nodes, or all relationships."""
        batch: list[Line] = []
        size = 0
        for line in read_backup(self._path, lambda _: None):
            if line.number == 1:
                continue
            if batch and (len(batch) == _ROWS or size > _BYTES or batch[0].value.keys() != line.value.keys()):
                yield batch
                batch, size = [], 0
            batch.append(line)
            size += line.size
        if batch:
            yield batch

    @contextmanager
    def _name_lines(self, lines: list[Line]) -> Iterator[None]:
        """Name the lines in the error if they cannot be stored."""
        try:
            yield
        except RequestError as error:
            location = f"{self._path.name}, lines {lines[0].number} to {lines[-1].number}"
            raise type(error)(f"{location}: {error.message} What was imported is removed.") from error


def _may_repeat_ids(value: int, earlier: Row | None, manifest: Manifest) -> bool:
    """Whether a process may own ids that it has not used yet and that the backup contains.

    Not after an unfinished import of the same backup: that one raised the sequence itself.
    """
    if earlier is None:
        return value > 0
    return bool(earlier["content"] != manifest.content and value != earlier["last_id"])


def _to_row(properties: dict[str, Any]) -> dict[str, Any]:
    plain, typed = decode_properties(properties)
    return {"properties": plain, "typed": typed}
