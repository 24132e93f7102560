"""Triples from TSV, CSV and JSON Lines, compressed or not, read as a stream in constant memory. Source: ING-50 to
ING-52.

| form | a record |
|---|---|
| `.tsv` | fields between tabs, as they are: quotes have no meaning |
| `.csv` | RFC 4180, quoted fields may have commas and line breaks |
| `.jsonl`, `.ndjson` | an object with the names below, or an array in their order |

Fields in order: `head`, `relation`, `tail`, then optionally `weight` (0..1), `properties` (a JSON object),
`head_label`, `tail_label`. A first line with these names (or `source`/`subject`, `predicate`, `target`/`object`)
sets another order. A record may have what `graph_add_edge` accepts, except that blank names and relations are refused
as mistakes (ING-54).
"""

import csv
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from ingest.records import MAX_INDEXED, BadRecord, Triple, is_storable
from ingest.sources.lines import UNUSABLE, BadLine, Line, open_stream, parse_json_lines, read_lines, refuse_constant

TripleFormat = Literal["tsv", "csv", "jsonl"]
FIELDS: tuple[str, ...] = ("head", "relation", "tail", "weight", "properties", "head_label", "tail_label")
_FORMS: dict[str, TripleFormat] = {
    ".tsv": "tsv", ".tab": "tsv", ".txt": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
_OTHER_NAMES = {
    "source": "head", "subject": "head", "source_name": "head", "predicate": "relation", "type": "relation",
    "target": "tail", "object": "tail", "target_name": "tail", "source_label": "head_label",
    "target_label": "tail_label",
}  # fmt: skip
Row = tuple[int, list[Any] | dict[str, Any] | str]
"""Line and fields of a record, in order or by name, or what is wrong with it."""


def detect_format(path: Path) -> TripleFormat | None:
    """The format that a file's name shows, without `.gz`; None if it shows none."""
    name = path.name.lower().removesuffix(".gz")
    return _FORMS.get(Path(name).suffix)


def read_triples(
    path: Path, form: TripleFormat | None = None, *, at: Callable[[float], None] = lambda _: None
) -> Iterator[Triple | BadRecord]:
    """Yield every triple of a file in order, and a `BadRecord` for each record that is not one.

    By default the file's name shows its `form`. `at` takes the share (0..1) of the file's bytes that has been read.
    """
    file, form = str(path), form or detect_format(path)
    if form is None:
        yield BadRecord(file, 0, "its name does not show its format; name it .tsv, .csv or .jsonl, or use --format")
        return
    last = 0
    try:
        with open_stream(path, at) as stream:
            for last, fields in _rows(read_lines(stream), form):
                yield _parse_triple(fields, file, last) if isinstance(fields, dict) else BadRecord(file, last, fields)
    except (OSError, EOFError, zlib.error) as error:
        yield BadRecord(file, last + 1, f"it cannot be read from here on: {type(error).__name__}")


def _rows(lines: Iterator[Line], form: TripleFormat) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the line and the fields of each record by name, or what is wrong with it."""
    names, first = FIELDS, True
    for number, row in {"tsv": _tsv, "csv": _csv, "jsonl": _jsonl}[form](lines):
        if isinstance(row, list) and first and (header := _parse_header(row)):
            names, first = header, False
        elif isinstance(row, list) and not 3 <= len(row) <= len(names):  # noqa: PLR2004
            yield (
                number,
                f"it has {len(row)} fields; a triple has head, relation, tail and at most {len(names) - 3} more",
            )
        else:
            first = False
            yield number, dict(zip(names, row, strict=False)) if isinstance(row, list) else row


def _parse_header(row: list[Any]) -> tuple[str, ...] | None:
    given = (str(name).strip().lower() for name in row)
    names = tuple(_OTHER_NAMES.get(name, name) for name in given)
    return names if {"head", "relation", "tail"} <= set(names) and set(names) <= set(FIELDS) else None


def _tsv(lines: Iterator[Line]) -> Iterator[Row]:
    for number, text in lines:
        if text is None:
            yield number, UNUSABLE
        elif text.strip():
            yield number, list(text.rstrip("\r\n").split("\t"))


def _csv(lines: Iterator[Line]) -> Iterator[Row]:
    """A record begins on the line after the last one; a bad record ends where the reader stopped."""
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
            yield start, f"it is not valid CSV: {error}"
            continue
        yield from ((number, UNUSABLE) for number in broken)
        broken.clear()
        if row is None:
            return
        if any(field.strip() for field in row):
            yield start, row


def _jsonl(lines: Iterator[Line]) -> Iterator[Row]:
    for number, value in parse_json_lines(lines):
        if isinstance(value, BadLine):
            yield number, value.reason
        elif isinstance(value, dict):
            named = {_OTHER_NAMES.get(str(name), str(name)): part for name, part in value.items()}
            unknown = sorted(set(named) - set(FIELDS))
            yield number, f"it has unknown fields: {', '.join(unknown)[:80]}" if unknown else named
        else:
            yield number, value if isinstance(value, list) else "it is neither an object nor an array"


def _parse_triple(fields: dict[str, Any], file: str, line: int) -> Triple | BadRecord:
    fields = {name: value for name, value in fields.items() if value is not None and value != ""}
    for name in ("head", "relation", "tail"):
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            return BadRecord(file, line, f"its {name} is missing, empty or not a text")
    for name in ("head", "relation", "tail", "head_label", "tail_label"):
        value = fields.get(name, "Entity")
        if not isinstance(value, str) or len(value) > MAX_INDEXED or not is_storable(value):
            return BadRecord(file, line, f"its {name} is not a text of at most {MAX_INDEXED:,} Unicode characters")
    weight = _parse_weight(fields["weight"]) if "weight" in fields else None
    if weight is None and "weight" in fields:
        return BadRecord(file, line, "its weight is not a number from 0 to 1")
    properties = _parse_properties(fields.get("properties", {}))
    if properties is None:
        return BadRecord(file, line, "its properties are not a JSON object")
    return Triple(
        fields["head"], fields["relation"], fields["tail"], weight, properties,
        fields.get("head_label", "Entity"), fields.get("tail_label", "Entity"), line,
    )  # fmt: skip


def _parse_weight(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1 else None


def _parse_properties(value: object) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_constant=refuse_constant)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None
