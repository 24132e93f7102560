"""Triples from TSV, CSV and JSON Lines, plain or gzipped, read as a stream in constant memory.

| form | a record |
|---|---|
| `.tsv` | fields between tabs, taken as they are: quotes mean nothing |
| `.csv` | RFC 4180, quoted fields may hold commas and line breaks |
| `.jsonl`, `.ndjson` | an object with the names below, or an array in their order |

Fields in order: `head`, `relation`, `tail`, then optionally `weight` (0..1), `properties` (a JSON object),
`head_label`, `tail_label`. A first line that holds these names (or `source`/`subject`, `predicate`, `target`/`object`)
sets another order. What a record may hold is what `graph_add_edge` accepts (cognitive.md), except that
blank names and relations are taken for the mistakes they are.
"""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

from ingest.records import MAX_INDEXED, BadRecord, Triple, storable

Form = Literal["tsv", "csv", "jsonl"]
FIELDS: tuple[str, ...] = ("head", "relation", "tail", "weight", "properties", "head_label", "tail_label")
MAX_LINE = 1_000_000
"""Bytes of one line; a longer one is set aside without being held in memory."""

_FORMS: dict[str, Form] = {
    ".tsv": "tsv", ".tab": "tsv", ".txt": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
_OTHER_NAMES = {
    "source": "head", "subject": "head", "source_name": "head", "predicate": "relation", "type": "relation",
    "target": "tail", "object": "tail", "target_name": "tail", "source_label": "head_label",
    "target_label": "tail_label",
}  # fmt: skip
_GZIP = b"\x1f\x8b"
Line = tuple[int, str | None]
"""Number and text of a line; None in place of a text that cannot be used."""
Row = tuple[int, list[Any] | dict[str, Any] | str]
"""Line and fields of a record, in order or by name, or what is wrong with it."""


def form_of(path: Path) -> Form | None:
    """The form that a file's name tells, `.gz` left out; None where it tells none."""
    name = path.name.lower().removesuffix(".gz")
    return _FORMS.get(Path(name).suffix)


def read_triples(
    path: Path, form: Form | None = None, *, at: Callable[[float], None] = lambda _: None
) -> Iterator[Triple | BadRecord]:
    """Yields every triple of a file in order, and a `BadRecord` for each that cannot be one; never raises for content.

    `form` is told by the file's name unless given. `at` hears which share of the file's bytes (0..1) has been read.
    """
    file, form = str(path), form or form_of(path)
    if form is None:
        yield BadRecord(
            file, 0, "its name tells no form: .tsv, .csv or .jsonl, with .gz or without, or say which it is"
        )
        return
    last = 0
    try:
        with _opened(path, at) as stream:
            for last, fields in _rows(_lines(stream), form):
                yield _triple(fields, file, last) if isinstance(fields, dict) else BadRecord(file, last, fields)
    except (OSError, EOFError, zlib.error) as error:
        yield BadRecord(file, last + 1, f"it cannot be read on from here: {type(error).__name__}")


class _Counted(io.RawIOBase):
    """The raw bytes of a file, telling how far it is read."""

    def __init__(self, path: Path, at: Callable[[float], None]) -> None:
        self._raw = path.open("rb", buffering=0)
        self._size = max(path.stat().st_size, 1)
        self._at = at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        count = self._raw.readinto(buffer)
        self._at(min(self._raw.tell() / self._size, 1.0))
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


@contextmanager
def _opened(path: Path, at: Callable[[float], None]) -> Iterator[IO[bytes]]:
    with io.BufferedReader(_Counted(path, at), buffer_size=1 << 16) as buffered:
        if buffered.peek(2)[:2] != _GZIP:
            yield buffered
            return
        with gzip.GzipFile(fileobj=buffered) as unpacked, io.BufferedReader(unpacked, buffer_size=1 << 16) as lines:
            yield lines


def _lines(stream: IO[bytes]) -> Iterator[Line]:
    number = 0
    while raw := stream.readline(MAX_LINE):
        number += 1
        whole = len(raw) < MAX_LINE or raw.endswith(b"\n")
        while not whole:
            rest = stream.readline(MAX_LINE)
            whole = len(rest) < MAX_LINE or rest.endswith(b"\n")
            raw = b"\xff"  # too long: as unusable as bytes that are no text
        try:
            yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            yield number, None


def _rows(lines: Iterator[Line], form: Form) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yields the line and the fields of each record by name, or what is wrong with it."""
    names, first = FIELDS, True
    for number, row in {"tsv": _tsv, "csv": _csv, "jsonl": _jsonl}[form](lines):
        if isinstance(row, list) and first and (header := _header(row)):
            names, first = header, False
        elif isinstance(row, list) and not 3 <= len(row) <= len(names):  # noqa: PLR2004
            yield (
                number,
                f"it has {len(row)} fields; a triple has head, relation, tail and at most {len(names) - 3} more",
            )
        else:
            first = False
            yield number, dict(zip(names, row, strict=False)) if isinstance(row, list) else row


def _header(row: list[Any]) -> tuple[str, ...] | None:
    said = [str(name).strip().lower() for name in row]
    names = tuple(_OTHER_NAMES.get(name, name) for name in said)
    return names if {"head", "relation", "tail"} <= set(names) and set(names) <= set(FIELDS) else None


_UNUSABLE = f"it is not UTF-8 text, or longer than {MAX_LINE:,} bytes"


def _tsv(lines: Iterator[Line]) -> Iterator[Row]:
    for number, text in lines:
        if text is None:
            yield number, _UNUSABLE
        elif text.strip():
            yield number, list(text.rstrip("\r\n").split("\t"))


def _csv(lines: Iterator[Line]) -> Iterator[Row]:
    """A record begins on the line after the one before it; a broken one ends where the reader gave it up."""
    broken: list[int] = []
    read = 0

    def texts() -> Iterator[str]:
        nonlocal read
        for number, text in lines:
            read = number
            if text is None:
                broken.append(number)
            else:
                yield text

    reader = csv.reader(texts(), strict=True)
    while True:
        start = read + 1
        try:
            row: list[Any] | None = next(reader, None)
        except csv.Error as error:
            yield start, f"it is no CSV: {error}"
            continue
        yield from ((number, _UNUSABLE) for number in broken)
        broken.clear()
        if row is None:
            return
        if any(field.strip() for field in row):
            yield start, row


def _jsonl(lines: Iterator[Line]) -> Iterator[Row]:
    for number, text in lines:
        if text is None:
            yield number, _UNUSABLE
        elif text.strip():
            try:
                value = json.loads(text, parse_constant=_no_constant)
            except RecursionError:
                yield number, "it is no JSON that can be read: nested too deeply"
                continue
            except ValueError as error:
                yield number, f"it is no JSON: {getattr(error, 'msg', error)}"
                continue
            if isinstance(value, dict):
                named = {_OTHER_NAMES.get(str(name), str(name)): part for name, part in value.items()}
                unknown = sorted(set(named) - set(FIELDS))
                yield number, f"it has unknown fields: {', '.join(unknown)[:80]}" if unknown else named
            else:
                yield number, value if isinstance(value, list) else "it is neither an object nor an array"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _triple(fields: dict[str, Any], file: str, line: int) -> Triple | BadRecord:
    fields = {name: value for name, value in fields.items() if value is not None and value != ""}
    for name in ("head", "relation", "tail"):
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            return BadRecord(file, line, f"its {name} is missing, empty or no text")
    for name in ("head", "relation", "tail", "head_label", "tail_label"):
        value = fields.get(name, "Entity")
        if not isinstance(value, str) or len(value) > MAX_INDEXED or not storable(value):
            return BadRecord(file, line, f"its {name} is no text of at most {MAX_INDEXED:,} Unicode characters")
    weight = _weight(fields["weight"]) if "weight" in fields else None
    if weight is None and "weight" in fields:
        return BadRecord(file, line, "its weight is no number from 0 to 1")
    properties = _properties(fields.get("properties", {}))
    if properties is None:
        return BadRecord(file, line, "its properties are no JSON object")
    return Triple(
        fields["head"], fields["relation"], fields["tail"], weight, properties,
        fields.get("head_label", "Entity"), fields.get("tail_label", "Entity"), line,
    )  # fmt: skip


def _weight(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1 else None


def _properties(value: object) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None
