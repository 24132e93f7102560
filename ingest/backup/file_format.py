"""The format of a backup file. Source: ING-69, ING-70.

A backup is a file of lines of JSON, compressed or not. The first line is its manifest; then come all nodes, numbered
from 1, then all relationships, by the numbers of their ends. After each thousand lines and at the end comes the
SHA-256 of all lines before it, checksums left out. A property is its JSON value, or a map of its type and value:
`{"FLOAT": "nan"}`, `{"BYTES": "AP8="}`, and for types that only Neo4j has, its own text form: `{"DATE": "2026-01-01"}`.

The hash of the content leaves out `namespace` and the tags derived from it, so it is the same under another name.
"""

import base64
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ingest.backup.scope_tags import Properties, remove_scope_tags
from server.core.types import Json

FORMAT: Final = 1
BLOCK = 1_000
"""Lines between two checksums."""
TRANSIENT = frozenset({"Unprojected", "Arriving"})
"""Labels that mark the progress of a record; they are not part of its content."""
REFUSED = TRANSIENT | {
    "Token",
    "Tombstone",
    "ProjectionClaim",
    "Sequence",
    "ArchiveImport",
    "Migration",
    "EmbeddingModel",
}
"""Labels that no node of a backup has: credentials stay in their home, and the rest is created again."""
# A zoned one is the local time, the offset, and of a datetime the zone; a point is its SRID and coordinates.
_SCALARS: dict[str, type] = {
    "ZONED DATETIME": list,
    "LOCAL DATETIME": str,
    "DATE": str,
    "ZONED TIME": list,
    "LOCAL TIME": str,
    "DURATION": str,
    "POINT": list,
}
_INTEGERS = 1 << 63
_MODULUS = 1 << 256
Count = Annotated[int, Field(ge=0)]


class EmbeddingModel(BaseModel):
    """The embedding model of the namespace's vectors; the vectors are not in the backup."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str
    dimension: int
    fingerprint: str


class Manifest(BaseModel):
    """The first line. `schema` is the version of the graph's schema, `last_id` the last integer id of the namespace."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)

    archive: Literal["precedent"] = "precedent"
    format: Literal[1] = 1
    schema_version: Annotated[int, Field(ge=1, alias="schema")]
    namespace: Annotated[str, Field(min_length=1, max_length=200)]
    created: str
    model: EmbeddingModel | None
    last_id: Count
    nodes: Annotated[int, Field(ge=1)]
    relations: Count
    labels: dict[str, Count]
    types: dict[str, Count]
    content: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ContentSummary:
    """Counts nodes and relationships and hashes their content, whatever their order.

    The hash is a sum, so the order does not matter. A relationship identifies its nodes by their content: two nodes
    with equal labels and properties count as the same.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.relations = 0
        self.labels: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self._sum = 0

    def add_node(self, labels: Sequence[str], properties: Properties) -> bytes:
        """Add a node and return its digest."""
        self.nodes += 1
        self.labels.update(labels)
        return self._add(b"node", encode_line([list[Json](sorted(labels)), remove_scope_tags(properties)]))

    def add_relation(self, type_: str, properties: Properties, source: bytes, target: bytes) -> None:
        """Add a relationship between the nodes of these digests."""
        self.relations += 1
        self.types[type_] += 1
        self._add(b"relation", encode_line([type_, properties]), source, target)

    @property
    def hash(self) -> str:
        """The hash of all that was added."""
        return f"{self._sum:064x}"

    def _add(self, *parts: bytes) -> bytes:
        digest = sha256(b"".join(parts)).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % _MODULUS
        return digest


def encode_line(value: Json) -> bytes:
    """The line of a value, always the same for the same value. Raises ValueError for text that is not Unicode."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"


def encode_properties(plain: Iterable[tuple[str, Any]], typed: Iterable[tuple[str, str, list[Any]]]) -> Properties:
    """The properties that `backup/nodes` and `backup/relations` return, as JSON."""
    found: Properties = {key: _to_json(value) for key, value in plain}
    for key, kind, values in typed:
        found[key] = {kind: _to_json(values if kind.startswith("LIST<") else values[0])}
    return found


def decode_properties(properties: Mapping[str, Json]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The properties that `backup/add_nodes` and `backup/add_relations` take: plain ones, and typed ones.

    Raises ValueError, with the key and the reason, for a value that Neo4j cannot store.
    """
    plain: dict[str, Any] = {}
    typed: list[dict[str, Any]] = []
    for key, value in properties.items():
        if not is_token(key):
            raise ValueError(f"{key!r} is not a valid name of a property")
        try:
            if isinstance(value, dict) and not value.keys() & {"FLOAT", "BYTES"}:
                typed.append({"key": key, **_decode_typed(value)})
            else:
                plain[key] = _to_python(value)
        except (ValueError, TypeError) as error:
            raise ValueError(f"Neo4j cannot store the property {key!r}: {error}") from error
    return plain, typed


def is_token(token: object) -> bool:
    """Whether this is a valid name of a label, type or property."""
    return isinstance(token, str) and token != "" and "\0" not in token


def _to_json(value: Any) -> Json:
    match value:
        case float() if not math.isfinite(value):
            return {"FLOAT": str(value)}
        case bytes() | bytearray():
            return {"BYTES": base64.b64encode(value).decode()}
        case list():
            return [_to_json(each) for each in value]
        case _:
            found: Json = value
            return found


def _decode_typed(value: Mapping[str, Json]) -> dict[str, Any]:
    [(kind, encoded)] = value.items()
    of = kind.removeprefix("LIST<").removesuffix(">")
    if of not in _SCALARS or kind not in {of, f"LIST<{of}>"}:
        raise ValueError(f"{kind} is not a valid type")
    each = [encoded] if kind == of else encoded
    if not isinstance(each, list) or not all(isinstance(one, _SCALARS[of]) for one in each):
        raise ValueError(f"its value is not a valid {kind}")
    if of == "POINT":
        each = [[_to_python(coordinate) for coordinate in point] for point in each if isinstance(point, list)]
    return {"type": kind, "value": each[0] if kind == of else each}


def _to_python(value: Json) -> Any:
    match value:
        case bool() | float():
            return value
        case int() if -_INTEGERS <= value < _INTEGERS:
            return value
        case str():
            value.encode()
            return value
        case {"FLOAT": "nan" | "inf" | "-inf" as text, **rest} if not rest:
            return float(text)
        case {"BYTES": str(text), **rest} if not rest:
            return base64.b64decode(text, validate=True)
        case list():
            found = [_to_python(each) for each in value]
            if len({type(each) for each in found}) > 1 or any(isinstance(each, list | bytes) for each in found):
                raise ValueError("its elements are not of one type")
            return found
        case _:
            raise ValueError(f"{type(value).__name__} is not a valid type of a property")
