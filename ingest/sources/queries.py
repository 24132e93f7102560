"""Queries and what a search for them should find, from JSON Lines, plain or gzipped.

A line is an object: `query`; `expected`, a list of insights' ids and of insights' contents, word by word; and for a
golden set, if you like, `type`: `short`, `medium` or `long`. A golden query expects something; a ground-truth query may
leave that to the judges. Source: open-questions.md "cognitive.md", Tables and "get_golden_test_results".
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

from ingest.pipeline import Kind
from ingest.records import MAX_INDEXED, BadRecord, ExpectedFinds, storable
from ingest.sources.lines import Unread, json_values, lines_of, opened
from server.evaluation.models import QueryType

MOST_EXPECTED = 1_000
_LARGEST_ID = 2**53 - 1


def read_queries(
    path: Path, kind: Kind, *, at: Callable[[float], None] = lambda _: None
) -> Iterator[ExpectedFinds | BadRecord]:
    """Yields every query of a file in order, each once, and a `BadRecord` for each line that holds none.

    `kind` is `golden` or `ground-truth`. `at` hears which share of the file's bytes (0..1) has been read.
    """
    file, seen, last = str(path), dict[str, int](), 0
    try:
        with opened(path, at) as stream:
            for last, value in json_values(lines_of(stream)):
                record = _query(value, kind, last)
                if isinstance(record, str):
                    yield BadRecord(file, last, record)
                elif record.query in seen:
                    yield BadRecord(file, last, f"its query stands in line {seen[record.query]} already")
                else:
                    seen[record.query] = last
                    yield record
    except (OSError, EOFError, zlib.error) as error:
        yield BadRecord(file, last + 1, f"it cannot be read on from here: {type(error).__name__}")


def _query(value: Any, kind: Kind, line: int) -> ExpectedFinds | str:
    """The query of a line, or what is wrong with it."""
    if isinstance(value, Unread):
        return value.reason
    if not isinstance(value, dict):
        return "it is no object with query and expected"
    known = {"query", "expected", "type"} if kind == "golden" else {"query", "expected"}
    if unknown := sorted(set(value) - known):
        return f"it has unknown fields: {', '.join(unknown)[:80]}"
    query, expected, query_type = value.get("query"), value.get("expected", []), value.get("type")
    if not isinstance(query, str) or not query.strip() or len(query) > MAX_INDEXED or not storable(query):
        return f"its query is no text of 1 to {MAX_INDEXED:,} Unicode characters"
    if query_type is not None and query_type not in get_args(QueryType):
        return f"its type is none of {', '.join(get_args(QueryType))}"
    if not isinstance(expected, list) or not all(map(_insight, expected)) or len(expected) > MOST_EXPECTED:
        return f"its expected is no list of at most {MOST_EXPECTED:,} ids and contents of insights"
    if kind == "golden" and not expected:
        return "it expects nothing, so that nothing can be right"
    return ExpectedFinds(query, tuple(dict.fromkeys(expected)), query_type, line)


def _insight(value: Any) -> bool:
    """Whether this can name an insight."""
    if isinstance(value, str):
        return bool(value) and storable(value)
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST_ID
