"""`precedent import`: an archive into an empty namespace, where it is whole or not at all.

What is brought carries the label `Arriving`, and the namespace an `ArchiveImport`, until all of it is there, compared
and queued for its projection. An import that dies leaves both; the next one deletes what had arrived and begins again,
or only ends what was whole already.
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

from ingest.archive.checking import Checked, Line, check, manifest_of, read
from ingest.archive.form import Manifest, decoded
from ingest.archive.shelf import Shelf
from ingest.archive.survey import Nobody, Survey
from ingest.pipeline import Progress
from server.errors import Conflict, PrecedentError, RequestError
from server.graph.graph import Graph, Transaction
from server.graph.migrations import migrate_records
from server.principals import usable
from server.types import Row
from server.vectors.repair import requeue

_ROWS = 1_000
_BYTES = 2 << 20
"""Bytes of lines that one transaction stores: Neo4j's memory is small."""
_SWEPT = 5_000
_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought; `queued` records wait for their projection, `resumed` where one that died was ended."""

    manifest: Manifest
    namespace: str
    queued: int
    resumed: bool
    seconds: float


async def import_archive(graph: Graph, path: Path, namespace: str | None, progress: Progress) -> Imported:
    """Brings an archive into a namespace, its own by default, that holds nothing.

    Raises `InvalidArgument` or `SchemaTooNew` for a bad archive, `Conflict` for a namespace that holds something or is
    written to meanwhile; the namespace then holds what it held. Running it again ends an import that died.
    """
    started = time.monotonic()
    to = manifest_of(path).namespace if namespace is None else usable("namespace", namespace)
    checked = await to_thread.run_sync(check, path, to, lambda done, share: progress.at("Checking", done, share))
    progress.at("Checking", checked.manifest.nodes + checked.manifest.relations, 1.0)
    load = _Load(graph, to, path, checked, progress)
    resumed = await load.begin()
    if not resumed:
        await load.fill()
    queued = await load.end()
    return Imported(checked.manifest, to, queued, resumed, time.monotonic() - started)


class _Load:
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
        """Takes the namespace for this run; tells whether an earlier one brought everything and has only to end."""

        async def work(transaction: Transaction) -> bool:
            earlier = await transaction.one("archive/state", namespace=self._namespace)
            manifest = self._manifest
            if earlier is not None and earlier["state"] == "loaded":
                if earlier["content"] != manifest.content:
                    raise Conflict(
                        f"CONFLICT: another archive was brought into {self._namespace!r}, and its import died just "
                        "before its end: import that one again first."
                    )
                return True
            opened = await transaction.one(
                "archive/open", **self._run, content=manifest.content, last_id=manifest.last_id
            )
            found = await transaction.one("archive/foreign", namespace=self._namespace)
            assert opened is not None
            assert found is not None
            if found["found"]:
                raise Conflict(
                    f"CONFLICT: the namespace {self._namespace!r} is not empty, and an archive is never mixed with "
                    "anything: name an empty one with --namespace, or import into another home. Nothing was changed."
                )
            if _given_out(opened["value"], earlier, manifest):
                raise Conflict(
                    f"CONFLICT: integer ids of the namespace {self._namespace!r} were handed out before, and the "
                    "archive's could be given twice: name one that was never written to. Nothing was changed."
                )
            await transaction.run("archive/raise_sequence", namespace=self._namespace, value=manifest.last_id)
            return False

        return await self._graph.transaction(work, timeout=_TIMEOUT)

    async def fill(self) -> None:
        """Stores everything and compares it with the archive; takes all of it back where that fails."""
        try:
            await self._sweep()
            await self._store()
            await self._compare()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._take_back()
            raise

    async def end(self) -> int:
        """Makes what arrived the namespace's own, and returns how many records wait for their projection."""
        await migrate_records(self._graph, self._manifest.schema_version)
        queued = await requeue(self._graph, self._namespace)
        await self._repeat("archive/settle", "settled", namespace=self._namespace)
        await self._graph.run("archive/close", namespace=self._namespace)
        return queued

    async def _store(self) -> None:
        done = 0
        with Shelf() as elements:
            for lines in self._batches():
                with self._said(lines):
                    if "node" in lines[0].value:
                        await self._store_nodes(lines, elements)
                    else:
                        await self._store_relations(lines, elements)
                done += len(lines)
                self._progress.at("Storing", done, done / (self._manifest.nodes + self._manifest.relations))

    async def _store_nodes(self, lines: list[Line], elements: Shelf) -> None:
        rows = [
            {"number": line.value["node"], "labels": line.value["labels"]}
            | _properties(self._renaming.renamed(line.value["properties"]))
            for line in lines
        ]
        made = await self._graph.run("archive/add_nodes", **self._run, rows=rows, timeout=_TIMEOUT)
        self._require(len(made), lines)
        elements.keep((row["number"], row["element"].encode()) for row in made)

    async def _store_relations(self, lines: list[Line], elements: Shelf) -> None:
        ends = elements.find(list({line.value[end] for line in lines for end in ("from", "to")}))
        rows = [
            {
                "type": line.value["relation"],
                "source": ends[line.value["from"]].decode(),
                "target": ends[line.value["to"]].decode(),
            }
            | _properties(line.value["properties"])
            for line in lines
        ]
        made = await self._graph.one("archive/add_relations", **self._run, rows=rows, timeout=_TIMEOUT)
        self._require(made["created"] if made else 0, lines)

    def _require(self, made: int, lines: list[Line]) -> None:
        if made != len(lines):
            raise Conflict(
                f"CONFLICT: another import into {self._namespace!r} has begun, or somebody deleted what this one had "
                "brought; this one ends."
            )

    async def _compare(self) -> None:
        """What the graph holds is what the archive holds, or somebody else wrote to the namespace meanwhile."""
        total = self._manifest.nodes + self._manifest.relations
        survey = Survey(Nobody(), lambda done: self._progress.at("Comparing", done, min(done / total, 1.0)))
        await survey.run(self._graph, self._namespace)
        if survey.torn or survey.left_out or survey.tally.content != self._manifest.content:
            raise Conflict(
                f"CONFLICT: somebody wrote to the namespace {self._namespace!r} while it was filled, and it "
                "is not what the archive holds. What was imported is taken back: import where nobody writes meanwhile."
            )
        if not (await self._graph.run("archive/loaded", **self._run))[0]["said"]:
            raise Conflict(f"CONFLICT: another import into {self._namespace!r} has begun; this one ends.")

    async def _take_back(self) -> None:
        try:
            await self._sweep()
            await self._graph.run("archive/abandon", **self._run, value=self._manifest.last_id)
        except PrecedentError:
            # What ended the import is what is told; the next import sweeps.
            return

    async def _sweep(self) -> None:
        """Deletes what this run, or one that died before it, has brought."""
        await self._repeat("archive/drop_relations", "dropped", **self._run)
        await self._repeat("archive/drop_nodes", "dropped", **self._run)

    async def _repeat(self, name: str, count: str, **parameters: str) -> None:
        while True:
            row = await self._graph.one(name, **parameters, limit=_SWEPT, timeout=_TIMEOUT)
            if row is None or not row[count]:
                return

    def _batches(self) -> Iterator[list[Line]]:
        """Lines that are stored together: all nodes, or all relationships."""
        batch: list[Line] = []
        size = 0
        for line in read(self._path, lambda _: None):
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
    def _said(self, lines: list[Line]) -> Iterator[None]:
        """Says which lines could not be stored."""
        try:
            yield
        except RequestError as error:
            place = f"{self._path.name}, lines {lines[0].number} to {lines[-1].number}"
            raise type(error)(f"{place}: {error.message} What was imported is taken back.") from error


def _given_out(value: int, earlier: Row | None, manifest: Manifest) -> bool:
    """Whether a process may hold ids that it has not given yet, and that the archive brings.

    Not after an import of the same archive that died, for its first act was to raise the sequence.
    """
    if earlier is None:
        return value > 0
    return bool(earlier["content"] != manifest.content and value != earlier["last_id"])


def _properties(properties: dict[str, Any]) -> dict[str, Any]:
    plain, typed = decoded(properties)
    return {"properties": plain, "typed": typed}
