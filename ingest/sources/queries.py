"""Queries and what a search for them should find, from JSON Lines, compressed or not. Source: ING-58, ING-59, ING-62.

A line is an object: `query`; `expected`, a list of ids and of exact contents of insights; and for a golden set,
optionally, `type`: `short`, `medium` or `long`. A golden query expects an insight; a ground-truth query may leave that
to the judges.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from ingest.records import MAX_INDEXED, BadRecord, ExpectedFinds, is_storable
from ingest.sources.lines import BadLine, open_stream, parse_json_lines, read_lines
from server.evaluation.models import QueryType

QueryKind = Literal["golden", "ground-truth"]
MOST_EXPECTED = 1_000
_LARGEST_ID = 2**53 - 1


def read_queries(
    path: Path, kind: QueryKind, *, at: Callable[[float], None] = lambda _: None
) -> Iterator[ExpectedFinds | BadRecord]:
    """Yield every query of a file in order, each once, and a `BadRecord` for each other line.

    `kind` is `golden` or `ground-truth`. `at` takes the share (0..1) of the file's bytes that has been read.
    """
    file, seen, last = str(path), dict[str, int](), 0
    try:
        with open_stream(path, at) as stream:
            for last, value in parse_json_lines(read_lines(stream)):
                record = _parse_query(value, kind, last)
                if isinstance(record, str):
                    yield BadRecord(file, last, record)
                elif record.query in seen:
                    yield BadRecord(file, last, f"line {seen[record.query]} has the same query")
                else:
                    seen[record.query] = last
                    yield record
    except (OSError, EOFError, zlib.error) as error:
        yield BadRecord(file, last + 1, f"it cannot be read from here on: {type(error).__name__}")


def _parse_query(value: Any, kind: QueryKind, line: int) -> ExpectedFinds | str:
    """The query of a line, or what is wrong with it."""
    if isinstance(value, BadLine):
        return value.reason
    if not isinstance(value, dict):
        return "it is not an object with query and expected"
    known = {"query", "expected", "type"} if kind == "golden" else {"query", "expected"}
    if unknown := sorted(set(value) - known):
        return f"it has unknown fields: {', '.join(unknown)[:80]}"
    query, expected, query_type = value.get("query"), value.get("expected", []), value.get("type")
    if not isinstance(query, str) or not query.strip() or len(query) > MAX_INDEXED or not is_storable(query):
        return f"its query is not a text of 1 to {MAX_INDEXED:,} Unicode characters"
    if query_type is not None and query_type not in get_args(QueryType):
        return f"its type is not one of {', '.join(get_args(QueryType))}"
    if not isinstance(expected, list) or not all(map(_is_insight, expected)) or len(expected) > MOST_EXPECTED:
        return f"its expected is not a list of at most {MOST_EXPECTED:,} ids and contents of insights"
    if kind == "golden" and not expected:
        return "it expects no insight"
    return ExpectedFinds(query, tuple(dict.fromkeys(expected)), query_type, line)


def _is_insight(value: Any) -> bool:
    """Whether this can name an insight."""
    if isinstance(value, str):
        return bool(value) and is_storable(value)
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST_ID
