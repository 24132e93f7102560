"""A memory or summary as one line of an export file: formatting and parsing.

`{"collection", "id", "embedding", "metadata", "document"}`; the embedding is that of the document. The parser also
accepts backups of the earlier tool: lines without `collection` (a summary's id starts with `summary_`), technologies
as one string, scores out of range and unknown categories. Unknown metadata is stored and exported unchanged.

Source: SES-50, SES-51, SES-52.
"""

import codecs
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, get_args

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from server.core.fields import LONGEST_TEXT, encode_json, format_caption, format_time, to_milliseconds
from server.core.types import Row
from server.sessions.collections import Collection
from server.sessions.memories import MEMORIES, format_document
from server.sessions.models import MEMORY_TYPE, Category, Method, SessionId, Text
from server.sessions.summaries import SUMMARIES
from server.vectors.store import Vector, pack_vector

LONGEST_LINE = 16 * LONGEST_TEXT
"""Bytes of a line: three texts of the greatest length with every character escaped, and a vector."""
BEGINNING = to_milliseconds(datetime.min.replace(tzinfo=UTC))
"""A time before every record, in epoch milliseconds."""
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
"""Times end here, because the next memory of a session is always later than the last one."""
_TOLERANCE = 1e-6
"""A vector whose squared length is this close to 1 is not changed; Qdrant does not change it either."""
_CATEGORIES = frozenset(get_args(Category))
_SCORES = ("quality", "productivity", "impact", "complexity")


class LineError(ValueError):
    """The problem of a line; its text contains no value of the line."""


def _parse_time(value: object) -> object:
    """Parse an ISO time, or whole milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("must be an ISO 8601 time or milliseconds")  # noqa: TRY004 - pydantic reports only a ValueError
    try:
        if isinstance(value, int):
            return datetime.fromtimestamp(value / 1000, UTC)
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError("is not a valid ISO 8601 time such as 2025-10-08T12:00:00.000Z") from None
    if moment >= _LATEST:
        raise ValueError("is too late; a time must be before the year 9999")
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _parse_score(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")  # noqa: TRY004
    return round(min(max(value, 0), 100))


def _split_names(value: object) -> object:
    return [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value


def _parse_category(value: object) -> object:
    return value if value in _CATEGORIES else "other"


def _parse_method(value: object) -> object:
    return value if value in {"extractive", "model"} else "model"


Score = Annotated[int, BeforeValidator(_parse_score)]


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)
    session_id: SessionId = Field(alias="sessionId")
    timestamp: Annotated[datetime, BeforeValidator(_parse_time)]


class _MemoryMetadata(_Metadata):
    prompt: Text
    thought: Text
    response: Text


class _SummaryMetadata(_Metadata):
    title: Text
    category: Annotated[Category, BeforeValidator(_parse_category)] = "other"
    memory_count: Annotated[int, Field(ge=0, le=2**53, alias="memoryCount")] = 0
    quality: Score = 0
    productivity: Score = 0
    impact: Score = 0
    complexity: Score = 0
    technologies: Annotated[list[Text], BeforeValidator(_split_names)] = Field(default_factory=list)
    method: Annotated[Method, BeforeValidator(_parse_method)] = "model"


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    collection: Collection | None = None
    id: Annotated[Text, Field(min_length=1, max_length=1_000)]
    embedding: list[float] | None = None
    model: str | None = None
    metadata: dict[str, Any]
    document: Text | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A parsed line: the kind of its record, and the properties of its node with `vector` where the line has one."""

    of: Collection
    properties: dict[str, Any]

    @property
    def id(self) -> str:
        """The id of the memory or summary."""
        id_: str = self.properties["id"]
        return id_


def parse_line(line: bytes, model: str, dimension: int) -> Record:
    """Parse a line. A vector is used if it has the dimension and is not marked as another model's.

    Raises `LineError`.
    """
    try:
        parsed = _Line.model_validate(_parse_object(line))
        of = parsed.collection or (SUMMARIES if parsed.id.startswith("summary_") else MEMORIES)
        kind = _SummaryMetadata if of == SUMMARIES else _MemoryMetadata
        metadata = kind.model_validate(parsed.metadata)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part)[:100] for part in problem["loc"])
        raise LineError(f"{where}: {str(problem['msg']).removeprefix('Value error, ')}") from None
    # Field by field: unknown metadata may have the name of one of our properties.
    properties = {name: getattr(metadata, name) for name in kind.model_fields}
    properties["created_at"] = properties.pop("timestamp")
    # The type of a memory is constant; the export adds it again.
    known = {"type"} if of == MEMORIES else set()
    extra = {name: value for name, value in (metadata.model_extra or {}).items() if name not in known}
    try:
        properties |= {"id": parsed.id, "extra": encode_json(extra)}
    except ValueError:
        raise LineError("metadata: has a number that is not finite") from None
    if isinstance(metadata, _SummaryMetadata):
        properties |= {"name": metadata.title, "label": "Summary", "summary": parsed.document or ""}
    else:
        properties |= {"name": format_caption(metadata.prompt or metadata.response), "label": "Interaction"}
    vector = None if parsed.model not in {None, model} else _to_unit_vector(parsed.embedding, dimension)
    return Record(of, properties if vector is None else properties | {"vector": vector})


def _parse_object(line: bytes) -> Any:
    try:
        # Some editors start a file with a byte order mark.
        parsed = from_json(line.removeprefix(codecs.BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise LineError(f"is not valid JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise LineError("is not a JSON object")
    return parsed


def _to_unit_vector(numbers: Sequence[float] | None, dimension: int) -> bytes | None:
    """Return a vector of length 1 in its stored form; None where the document must be embedded."""
    if numbers is None or len(numbers) != dimension:
        return None
    vector = np.asarray(numbers, dtype=np.float64)
    with np.errstate(over="ignore"):
        length = float(vector @ vector)
    if not np.isfinite(length) or length == 0:
        return None
    return pack_vector((vector if abs(length - 1) <= _TOLERANCE else vector / np.sqrt(length)).tolist())


def format_line(of: Collection, row: Row, at: int, vector: Vector, model: str) -> bytes:
    """Return a line with its end; the same record always gives the same bytes. `at` is in epoch milliseconds."""
    when = format_time(at)
    line = {
        "collection": of,
        "id": row["id"],
        "model": model,
        "metadata": _build_metadata(of, row, when),
        "document": to_document(of, row),
    }
    head = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    # Nine digits distinguish all numbers of 32 bits.
    numbers = ",".join(["%.9g"] * len(vector)) % tuple(
        number + 0.0 for number in vector
    )  # no -0, which JSON reads as 0
    return f'{head[:-1]},"embedding":[{numbers}]}}\n'.encode()


def to_document(of: Collection, row: Mapping[str, Any]) -> str:
    """Return the text that a record's vector is computed from."""
    if of == SUMMARIES:
        return str(row["summary"])
    return format_document(row["prompt"], row["thought"], row["response"])


def _build_metadata(of: Collection, row: Row, when: str) -> dict[str, Any]:
    common = {"sessionId": row["session_id"], "timestamp": when}
    extra = json.loads(row["extra"])
    if of == MEMORIES:
        texts = {name: row[name] for name in ("prompt", "thought", "response")}
        return {**common, **texts, "type": MEMORY_TYPE, **extra}
    summary = {"title": row["title"], "category": row["category"], "memoryCount": row["memory_count"]}
    summary |= {name: row[name] for name in (*_SCORES, "technologies", "method")}
    return {**common, **summary, **extra}
