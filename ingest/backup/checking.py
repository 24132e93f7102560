"""A backup file, read and checked before anything is changed. Source: ING-72."""

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

from ingest.backup.disk_table import DiskTable
from ingest.backup.file_format import BLOCK, FORMAT, REFUSED, ContentSummary, Manifest, decode_properties, is_token
from ingest.backup.scope_tags import Renaming
from ingest.sources.lines import open_stream, refuse_constant
from server.core.errors import InvalidArgument, SchemaTooNew
from server.graph.migrations import list_migrations

_LONGEST = 64 << 20
"""Bytes of one line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a backup: its number, its size in bytes, its value."""

    number: int
    size: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """A backup without an error, and the names of its records in the namespace that it is imported into."""

    manifest: Manifest
    renaming: Renaming


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of a backup; raises `InvalidArgument` or `SchemaTooNew` if it cannot be read."""
    lines = read_backup(path, lambda _: None)
    try:
        first = next(lines, None)
        if first is None:
            raise InvalidArgument(f"{path.name} is empty.")
        return _parse_manifest(path, first)
    finally:
        lines.close()


def check(path: Path, namespace: str, report: Callable[[int, float], None]) -> Checked:
    """Read a backup from beginning to end; `namespace` is the one that it is imported into.

    `report` takes how many nodes and relationships were read, and which share of the file. Raises `InvalidArgument`,
    with the number of the bad line, and `SchemaTooNew`.
    """
    share = 0.0

    def take_share(so_far: float) -> None:
        nonlocal share
        share = so_far

    manifest = read_manifest(path)
    renaming = Renaming(manifest.namespace, namespace)
    content = ContentSummary()
    with DiskTable() as nodes:
        for line in _read_body(path, take_share):
            with _name_line(path, line):
                _add(line.value, content, nodes, renaming)
            if line.number % BLOCK == 0:
                report(content.nodes + content.relations, share)
    for stated, found in (
        (f"{manifest.nodes} nodes", f"{content.nodes} nodes"),
        (f"{manifest.relations} relationships", f"{content.relations} relationships"),
        (f"content {manifest.content}", f"content {content.hash}"),
    ):
        if stated != found:
            raise _bad_line(path, 1, f"the manifest states {stated}, and the file has {found}")
    if manifest.namespace != namespace:
        # The renaming has learnt all nodes by now.
        for line in _read_body(path, lambda _: None):
            with _name_line(path, line):
                renaming.rename(line.value["properties"])
    return Checked(manifest, renaming)


def read_backup(path: Path, report: Callable[[float], None]) -> Generator[Line, None, None]:
    """Yield the lines of a backup and compare its checksums; `report` takes the share that was read.

    Raises `InvalidArgument`, with the number of the line, for a line that is invalid or was changed.
    """
    seal, number, sealed = sha256(), 0, 0
    try:
        with open_stream(path, report) as stream:
            while raw := stream.readline(_LONGEST + 1):
                number += 1
                value = _parse_object(raw)
                if "sha256" not in value:
                    seal.update(raw)
                    _require(number - sealed <= BLOCK, "a checksum is missing here")
                    yield Line(number, len(raw), value)
                else:
                    is_unchanged = value == {"sha256": seal.hexdigest()}
                    _require(is_unchanged, f"by this checksum, lines {sealed + 1} to {number - 1} were changed")
                    sealed = number
            _require(number == sealed, "the file ends without a checksum: it is incomplete")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _bad_line(path, number + 1, "the file is damaged or incomplete here") from error
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise _bad_line(path, number, str(error)) from error


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def _read_body(path: Path, report: Callable[[float], None]) -> Iterator[Line]:
    return islice(read_backup(path, report), 1, None)


def _parse_object(raw: bytes) -> dict[str, Any]:
    if len(raw) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST:,} bytes")
    try:
        value = json.loads(raw.decode(), parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not valid JSON") from error
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - the line is wrong, not its type
    return value


def _parse_manifest(path: Path, line: Line) -> Manifest:
    if line.value.get("archive") != "precedent":
        raise _bad_line(path, 1, "this is not a backup of Precedent")
    if line.value.get("format") != FORMAT:
        raise _bad_line(path, 1, f"the backup has format {line.value.get('format')}, and this release reads {FORMAT}")
    try:
        manifest = Manifest.model_validate(line.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _bad_line(path, 1, f"the manifest's {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    newest = list_migrations()[-1].version
    if manifest.schema_version > newest:
        raise SchemaTooNew(
            f"The backup has schema {manifest.schema_version}, and this release knows schemas up to {newest}. "
            "Import it with the release that wrote it, or a newer one.",
            {"archive": manifest.schema_version, "release": newest},
        )
    return manifest


def _add(value: dict[str, Any], content: ContentSummary, nodes: DiskTable, renaming: Renaming) -> None:
    """Add the node or relationship of a line; raises ValueError for any other line."""
    match value:
        case {"node": int(number), "labels": list(labels), "properties": dict(properties), **rest} if not rest:
            if content.relations:
                raise ValueError("it is a node after the relationships")
            if number != content.nodes + 1:
                raise ValueError(f"it is node {number}, and {content.nodes + 1} comes next")
            if not all(map(is_token, labels)) or len(set(labels)) < len(labels):
                raise ValueError(f"{labels} are not valid labels")
            if not REFUSED.isdisjoint(labels):
                raise ValueError(f"a backup has no node with the labels {labels}")
            if "namespace" in properties:
                raise ValueError("a node of a backup has no property 'namespace'")
            decode_properties(properties)
            renaming.learn(labels, properties)
            nodes.store([(number, content.add_node(labels, properties))])
        case {"relation": kind, "from": int(first), "to": int(second), "properties": dict(properties), **rest} if (
            not rest
        ):
            if not is_token(kind):
                raise ValueError(f"{kind!r} is not a valid type of a relationship")
            source, target = nodes.find(first), nodes.find(second)
            if source is None or target is None:
                raise ValueError(f"there is no node {first if source is None else second}")
            decode_properties(properties)
            content.add_relation(kind, properties, source, target)
        case _:
            raise ValueError("it is neither a node nor a relationship")


@contextmanager
def _name_line(path: Path, line: Line) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise _bad_line(path, line.number, str(error)) from error


def _bad_line(path: Path, number: int, reason: str) -> InvalidArgument:
    return InvalidArgument(f"{path.name}, line {number}: {reason}. Nothing was changed.", {"line": number})
