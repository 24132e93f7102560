"""Reads an archive, and finds whatever is wrong with it before anything is changed."""

import gzip
import json
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ingest.archive.form import BLOCK, FORMAT, REFUSED, Manifest, Tally, decoded, possible
from ingest.archive.shelf import Shelf
from ingest.archive.words import Renaming
from ingest.sources.lines import no_constant, opened
from server.errors import InvalidArgument, SchemaTooNew
from server.graph.migrations import known

_LONGEST = 64 << 20
"""Bytes of one line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an archive: where it stands, how many bytes it has, what it says."""

    number: int
    size: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """An archive with nothing wrong with it, and how its records are named in the namespace that it goes to."""

    manifest: Manifest
    renaming: Renaming


def manifest_of(path: Path) -> Manifest:
    """The manifest of an archive; raises `InvalidArgument` or `SchemaTooNew` where it is none that can be read."""
    lines = read(path, lambda _: None)
    try:
        first = next(lines, None)
        if first is None:
            raise InvalidArgument(f"{path.name} is empty.")
        return _manifest(path, first)
    finally:
        lines.close()


def check(path: Path, namespace: str, at: Callable[[int, float], None]) -> Checked:
    """Reads an archive from beginning to end; `namespace` is the one that it is to go to.

    `at` hears how many nodes and relationships were read, and which share of the file. Raises `InvalidArgument`, with
    the number of the line that is wrong, and `SchemaTooNew`.
    """
    share = 0.0

    def hear(so_far: float) -> None:
        nonlocal share
        share = so_far

    manifest = manifest_of(path)
    renaming = Renaming(manifest.namespace, namespace)
    tally = Tally()
    with Shelf() as shelf:
        for line in _body(path, hear):
            with _told(path, line):
                _add(line.value, tally, shelf, renaming)
            if line.number % BLOCK == 0:
                at(tally.nodes + tally.relations, share)
    for told, found in (
        (f"{manifest.nodes} nodes", f"{tally.nodes} nodes"),
        (f"{manifest.relations} relationships", f"{tally.relations} relationships"),
        (f"content {manifest.content}", f"content {tally.content}"),
    ):
        if told != found:
            raise _wrong(path, 1, f"the manifest says {told}, and the file holds {found}")
    if manifest.namespace != namespace:
        # Now that it has heard of all nodes.
        for line in _body(path, lambda _: None):
            with _told(path, line):
                renaming.renamed(line.value["properties"])
    return Checked(manifest, renaming)


def read(path: Path, at: Callable[[float], None]) -> Generator[Line, None, None]:
    """Yields the lines of an archive but for its checksums, which it compares; `at` hears the share that was read.

    Raises `InvalidArgument`, with the number of the line, for what is no line of an archive or not as it was written.
    """
    seal, number, sealed = sha256(), 0, 0
    try:
        with opened(path, at) as stream:
            while raw := stream.readline(_LONGEST + 1):
                number += 1
                value = _object(raw)
                if "sha256" not in value:
                    seal.update(raw)
                    _require(number - sealed <= BLOCK, "a checksum should stand here")
                    yield Line(number, len(raw), value)
                else:
                    whole = value == {"sha256": seal.hexdigest()}
                    _require(
                        whole, f"lines {sealed + 1} to {number - 1} are not as they were written, by this checksum"
                    )
                    sealed = number
            _require(number == sealed, "the file ends without a checksum: it is cut off")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _wrong(path, number + 1, "the file is damaged or cut off here") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise _wrong(path, number, str(error)) from error


def _require(so: bool, told: str) -> None:
    if not so:
        raise ValueError(told)


def _body(path: Path, at: Callable[[float], None]) -> Iterator[Line]:
    return islice(read(path, at), 1, None)


def _object(raw: bytes) -> dict[str, Any]:
    if len(raw) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST:,} bytes")
    try:
        value = json.loads(raw.decode(), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is no JSON") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - the line is wrong, not its type
    return value


def _manifest(path: Path, line: Line) -> Manifest:
    if line.value.get("archive") != "precedent":
        raise _wrong(path, 1, "this is no archive of Precedent")
    if line.value.get("format") != FORMAT:
        raise _wrong(path, 1, f"the archive has format {line.value.get('format')}, and this release reads {FORMAT}")
    try:
        manifest = Manifest.model_validate(line.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _wrong(path, 1, f"the manifest's {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    newest = known()[-1].version
    if manifest.schema_version > newest:
        raise SchemaTooNew(
            f"The archive has schema {manifest.schema_version}, and this release knows up to {newest}. "
            "Import it with the release that wrote it, or a newer one.",
            {"archive": manifest.schema_version, "release": newest},
        )
    return manifest


def _add(value: dict[str, Any], tally: Tally, shelf: Shelf, renaming: Renaming) -> None:
    """Raises ValueError for a line that is no node or relationship, or not one that can stand here."""
    match value:
        case {"node": int(number), "labels": list(labels), "properties": dict(properties), **rest} if not rest:
            if tally.relations:
                raise ValueError("a node after the relationships")
            if number != tally.nodes + 1:
                raise ValueError(f"it is node {number}, and {tally.nodes + 1} comes next")
            if not all(map(possible, labels)) or len(set(labels)) < len(labels):
                raise ValueError(f"{labels} are no labels")
            if not REFUSED.isdisjoint(labels):
                raise ValueError(f"no archive holds a node with the labels {labels}")
            if "namespace" in properties:
                raise ValueError("a node of an archive has no property 'namespace'")
            decoded(properties)
            renaming.learn(labels, properties)
            shelf.keep([(number, tally.node(labels, properties))])
        case {"relation": kind, "from": int(first), "to": int(second), "properties": dict(properties), **rest} if (
            not rest
        ):
            if not possible(kind):
                raise ValueError(f"{kind!r} is no type of a relationship")
            source, target = shelf.get(first), shelf.get(second)
            if source is None or target is None:
                raise ValueError(f"there is no node {first if source is None else second}")
            decoded(properties)
            tally.relation(kind, properties, source, target)
        case _:
            raise ValueError("it is neither a node nor a relationship")


@contextmanager
def _told(path: Path, line: Line) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise _wrong(path, line.number, str(error)) from error


def _wrong(path: Path, number: int, told: str) -> InvalidArgument:
    return InvalidArgument(f"{path.name}, line {number}: {told}. Nothing was changed.", {"line": number})
