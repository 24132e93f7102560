"""What an archive is made of.

An archive is a file of lines of JSON, gzipped or not. The first line is its manifest; then comes every node, numbered
from 1, then every relationship, by the numbers of its ends; after every thousand lines and at the end stands the
SHA-256 of all lines so far, but for those of checksums. A property is what JSON has for it, or a map of its type and
its value: `{"FLOAT": "nan"}`, `{"BYTES": "AP8="}`, and of what only Neo4j has, in its own words,
`{"DATE": "2026-01-01"}`.

`namespace` and what is derived from it is left out of the hash of the content, which is so the same under another name.
"""

import base64
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ingest.archive.words import Properties, without_derived
from server.types import Json

FORMAT: Final = 1
BLOCK = 1_000
"""Lines after which a checksum stands."""
TRANSIENT = frozenset({"Unprojected", "Arriving"})
"""Labels that say where a record is on its way; no part of what it is."""
REFUSED = TRANSIENT | {"Token", "Tombstone", "Sequence", "ArchiveImport", "Migration", "EmbeddingModel"}
"""Labels that no node of an archive has: credentials stay where they are, and the rest is made anew."""
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
    """The model that the namespace's records were projected with; its vectors are not in the archive."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str
    dimension: int
    fingerprint: str


class Manifest(BaseModel):
    """The first line. `schema` is the graph's, `last_id` the last integer id that was handed out in the namespace."""

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


class Tally:
    """Counts nodes and relationships, and hashes what they say, in whatever order they come.

    The hash is a sum, so that no order matters. A relationship's part in it says which nodes it connects by what those
    say: two nodes alike in every label and property are not told apart by it.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.relations = 0
        self.labels: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self._sum = 0

    def node(self, labels: Sequence[str], properties: Properties) -> bytes:
        """Adds a node and returns its digest."""
        self.nodes += 1
        self.labels.update(labels)
        return self._add(b"node", line([list[Json](sorted(labels)), without_derived(properties)]))

    def relation(self, type_: str, properties: Properties, source: bytes, target: bytes) -> None:
        """Adds a relationship between the nodes of these digests."""
        self.relations += 1
        self.types[type_] += 1
        self._add(b"relation", line([type_, properties]), source, target)

    @property
    def content(self) -> str:
        """The hash of all that was added."""
        return f"{self._sum:064x}"

    def _add(self, *parts: bytes) -> bytes:
        digest = sha256(b"".join(parts)).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % _MODULUS
        return digest


def line(value: Json) -> bytes:
    """A line of an archive; one value is one line, always the same. Raises ValueError for text that is no Unicode."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode() + b"\n"


def encoded(plain: Iterable[tuple[str, Any]], typed: Iterable[tuple[str, str, list[Any]]]) -> Properties:
    """The properties of a node or relationship as `archive/nodes` and `archive/relations` return them, as JSON."""
    found: Properties = {key: _json(value) for key, value in plain}
    for key, kind, values in typed:
        found[key] = {kind: _json(values if kind.startswith("LIST<") else values[0])}
    return found


def decoded(properties: Mapping[str, Json]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Properties as `archive/add_nodes` and `archive/add_relations` take them: plain ones, and typed ones.

    Raises ValueError, saying which and why, for what Neo4j could not hold.
    """
    plain: dict[str, Any] = {}
    typed: list[dict[str, Any]] = []
    for key, value in properties.items():
        if not possible(key):
            raise ValueError(f"{key!r} is no name of a property")
        try:
            if isinstance(value, dict) and not value.keys() & {"FLOAT", "BYTES"}:
                typed.append({"key": key, **_typed(value)})
            else:
                plain[key] = _python(value)
        except (ValueError, TypeError) as error:
            raise ValueError(f"the property {key!r} is nothing that Neo4j can hold: {error}") from error
    return plain, typed


def possible(token: object) -> bool:
    """Whether this can be the name of a label, type or property."""
    return isinstance(token, str) and token != "" and "\0" not in token


def _json(value: Any) -> Json:
    match value:
        case float() if not math.isfinite(value):
            return {"FLOAT": str(value)}
        case bytes() | bytearray():
            return {"BYTES": base64.b64encode(value).decode()}
        case list():
            return [_json(each) for each in value]
        case _:
            found: Json = value
            return found


def _typed(value: Mapping[str, Json]) -> dict[str, Any]:
    [(kind, said)] = value.items()
    of = kind.removeprefix("LIST<").removesuffix(">")
    if of not in _SCALARS or kind not in {of, f"LIST<{of}>"}:
        raise ValueError(f"{kind} is no type")
    each = [said] if kind == of else said
    if not isinstance(each, list) or not all(isinstance(one, _SCALARS[of]) for one in each):
        raise ValueError(f"its value is no {kind}")
    if of == "POINT":
        each = [[_python(coordinate) for coordinate in point] for point in each if isinstance(point, list)]
    return {"type": kind, "value": each[0] if kind == of else each}


def _python(value: Json) -> Any:
    match value:
        case bool() | float():
            return value
        case int() if -_INTEGERS <= value < _INTEGERS:
            return value
        case str():
            value.encode()
            return value
        case {"FLOAT": "nan" | "inf" | "-inf" as said, **rest} if not rest:
            return float(said)
        case {"BYTES": str(said), **rest} if not rest:
            return base64.b64decode(said, validate=True)
        case list():
            found = [_python(each) for each in value]
            if len({type(each) for each in found}) > 1 or any(isinstance(each, list | bytes) for each in found):
                raise ValueError("its elements are not of one type")
            return found
        case _:
            raise ValueError(f"{type(value).__name__} is no type of a property")
