"""A memory or summary as one line of an archive: what is written, and what is taken.

`{"collection", "id", "embedding", "metadata", "document"}`; the vector is of the document. Read is also what earlier
backups hold: lines without `collection` (a summary's id begins with `summary_`), technologies as one string, scores out
of range and categories of their own. What a line's metadata hold beyond what is known comes back as it was.

Source: memory-core-rest.md "Database Endpoints"; open-questions.md "memory-core-rest.md", Export / import.
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

from server.fields import LONGEST_TEXT, captioned, encoded, iso, milliseconds
from server.sessions.collections import Of
from server.sessions.memories import MEMORIES, document
from server.sessions.models import MEMORY_TYPE, Category, Method, SessionId, Text
from server.sessions.summaries import SUMMARIES
from server.types import Row
from server.vectors.store import Vector, packed

LONGEST_LINE = 16 * LONGEST_TEXT
"""Bytes of a line: three texts of the longest kind, each character escaped, and a vector."""
BEGINNING = milliseconds(datetime.min.replace(tzinfo=UTC))
"""Before every record, in epoch milliseconds."""
_LATEST = datetime(9999, 1, 1, tzinfo=UTC)
"""What is said next in a session is always later than what was said last."""
_EXACT = 1e-6
"""How far from 1 a vector's squared length may be that is left as it is, as Qdrant leaves it."""
_CATEGORIES = frozenset(get_args(Category))
_SCORES = ("quality", "productivity", "impact", "complexity")


class LineError(ValueError):
    """What is wrong with a line; its text holds no value of it."""


def _moment(value: object) -> object:
    """An ISO time, or whole milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is no time")  # noqa: TRY004 - pydantic tells a ValueError, and nothing else
    try:
        if isinstance(value, int):
            return datetime.fromtimestamp(value / 1000, UTC)
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError("is no ISO 8601 time, such as 2025-10-08T12:00:00.000Z") from None
    if moment >= _LATEST:
        raise ValueError("is no time that anything can come after")
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _score(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("is no number")  # noqa: TRY004
    return round(min(max(value, 0), 100))


def _names(value: object) -> object:
    return [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value


def _category(value: object) -> object:
    return value if value in _CATEGORIES else "other"


def _method(value: object) -> object:
    return value if value in {"extractive", "model"} else "model"


Score = Annotated[int, BeforeValidator(_score)]


class _Metadata(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)
    session_id: SessionId = Field(alias="sessionId")
    timestamp: Annotated[datetime, BeforeValidator(_moment)]


class _MemoryMetadata(_Metadata):
    prompt: Text
    thought: Text
    response: Text


class _SummaryMetadata(_Metadata):
    title: Text
    category: Annotated[Category, BeforeValidator(_category)] = "other"
    memory_count: Annotated[int, Field(ge=0, le=2**53, alias="memoryCount")] = 0
    quality: Score = 0
    productivity: Score = 0
    impact: Score = 0
    complexity: Score = 0
    technologies: Annotated[list[Text], BeforeValidator(_names)] = Field(default_factory=list)
    method: Annotated[Method, BeforeValidator(_method)] = "model"


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)
    collection: Of | None = None
    id: Annotated[Text, Field(min_length=1, max_length=1_000)]
    embedding: list[float] | None = None
    model: str | None = None
    metadata: dict[str, Any]
    document: Text | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A line that was read: what it is of, and its node's properties; `vector` among them where it brought one."""

    of: Of
    properties: dict[str, Any]

    @property
    def id(self) -> str:
        """The id of the memory or summary."""
        id_: str = self.properties["id"]
        return id_


def read(line: bytes, model: str, dimension: int) -> Record:
    """Reads a line; raises `LineError`. A vector counts that is of our size and is not said to be of another model."""
    try:
        parsed = _Line.model_validate(_object(line))
        of = parsed.collection or (SUMMARIES if parsed.id.startswith("summary_") else MEMORIES)
        kind = _SummaryMetadata if of == SUMMARIES else _MemoryMetadata
        metadata = kind.model_validate(parsed.metadata)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part)[:100] for part in problem["loc"])
        raise LineError(f"{where}: {str(problem['msg']).removeprefix('Value error, ')}") from None
    # Field by field: what somebody else's metadata hold may be called like one of ours.
    properties = {name: getattr(metadata, name) for name in kind.model_fields}
    properties["created_at"] = properties.pop("timestamp")
    # A memory's type says what it is, and is written anew.
    ours = {"type"} if of == MEMORIES else set()
    extra = {name: value for name, value in (metadata.model_extra or {}).items() if name not in ours}
    try:
        properties |= {"id": parsed.id, "extra": encoded(extra)}
    except ValueError:
        raise LineError("metadata: holds a number that is not finite") from None
    if isinstance(metadata, _SummaryMetadata):
        properties |= {"name": metadata.title, "label": "Summary", "summary": parsed.document or ""}
    else:
        properties |= {"name": captioned(metadata.prompt or metadata.response), "label": "Interaction"}
    vector = None if parsed.model not in {None, model} else _vector(parsed.embedding, dimension)
    return Record(of, properties if vector is None else properties | {"vector": vector})


def _object(line: bytes) -> Any:
    try:
        # Some editors begin a file with the mark of UTF-8.
        parsed = from_json(line.removeprefix(codecs.BOM_UTF8), allow_inf_nan=False)
    except ValueError as error:
        raise LineError(f"is no JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise LineError("is no JSON object")
    return parsed


def _vector(numbers: Sequence[float] | None, dimension: int) -> bytes | None:
    """A vector of length 1 as it is stored; None where the document has to be embedded."""
    if numbers is None or len(numbers) != dimension:
        return None
    vector = np.asarray(numbers, dtype=np.float64)
    with np.errstate(over="ignore"):
        length = float(vector @ vector)
    if not np.isfinite(length) or length == 0:
        return None
    return packed((vector if abs(length - 1) <= _EXACT else vector / np.sqrt(length)).tolist())


def write(of: Of, row: Row, at: int, vector: Vector, model: str) -> bytes:
    """A line, its end included: the same record gives the same bytes, always. `at` is in epoch milliseconds."""
    when = iso(at)
    line = {
        "collection": of,
        "id": row["id"],
        "model": model,
        "metadata": _metadata(of, row, when),
        "document": text(of, row),
    }
    head = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    # Nine digits tell a number of 32 bits apart from every other.
    numbers = ",".join(["%.9g"] * len(vector)) % tuple(
        number + 0.0 for number in vector
    )  # no -0, which JSON reads as 0
    return f'{head[:-1]},"embedding":[{numbers}]}}\n'.encode()


def text(of: Of, row: Mapping[str, Any]) -> str:
    """The text that a record's vector is of."""
    if of == SUMMARIES:
        return str(row["summary"])
    return document(row["prompt"], row["thought"], row["response"])


def _metadata(of: Of, row: Row, when: str) -> dict[str, Any]:
    common = {"sessionId": row["session_id"], "timestamp": when}
    extra = json.loads(row["extra"])
    if of == MEMORIES:
        said = {name: row[name] for name in ("prompt", "thought", "response")}
        return {**common, **said, "type": MEMORY_TYPE, **extra}
    told = {"title": row["title"], "category": row["category"], "memoryCount": row["memory_count"]}
    rest = {name: row[name] for name in (*_SCORES, "technologies", "method")}
    return {**common, **told, **rest, **extra}
