"""Requests and responses of the graph tools.

Docstrings and descriptions are part of the published schemas. Agents pay for every character, so they are short.

Source: ENT-10, ENT-36, ENT-60.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from server.core.fields import Until, ValidText
from server.interface.tools import ToolInput, ToolOutput

_RECORD_ID = re.compile(r"(decision|proposal)_\d{8}_\d{6}_\d{6}_[0-9a-f]{8}")


def _refuse_record_id(name: str) -> str:
    if match := _RECORD_ID.fullmatch(name):
        raise ValueError(f"is the id of a {match[1]}, not a name; use the name of its target")
    return name


Name = Annotated[str, Field(min_length=1, max_length=1000), ValidText]
"""The uniqueness constraint on names cannot hold longer keys. Source: ENT-2."""
EntityName = Annotated[Name, AfterValidator(_refuse_record_id)]
"""Not the id of a record: an entity of that name would hide the record from every reader. Source: ENT-3."""
ShortText = Annotated[str, Field(max_length=1000), ValidText]
Weight = Annotated[float, Field(ge=0.0, le=1.0)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
Reason = Annotated[str, Field(min_length=3, max_length=10_000, pattern=r"\S", description="Why; kept"), ValidText]
AsOf = Annotated[Until, Field(description="As it was then")]
"""A time in the past; a date is its end. Source: ENT-66."""
Properties = Annotated[dict[str, Any], Field(default_factory=dict)]
"""Any JSON object. `properties.py` validates and encodes it."""


class AddNode(ToolInput):
    label: ShortText = Field(description="Kind of entity, e.g. Project, Technology, Client, Error, Solution")
    name: EntityName
    properties: Properties
    vector_id: int | None = Field(None, ge=1, le=2**63 - 1, description="Id of the insight that describes it")


class NearName(ToolOutput):
    name: str
    label: str
    kind: Literal["entity", "decision", "proposal"]


class NodeAdded(ToolOutput):
    """`label` and `vector_id` are the stored ones; `near` lists names similar to a new name."""

    node_id: int
    label: str
    name: str
    created: bool
    vector_id: int | None
    near: list[NearName]
    message: str | None
    status: Literal["success"] = "success"


class AddEdge(ToolInput):
    source_name: EntityName
    target_name: EntityName
    relation: ShortText = Field(description="E.g. USES, SOLVES, CREATED_BY, RELATED_TO, DEPENDS_ON")
    source_label: ShortText = Field("Entity", description="If created")
    target_label: ShortText = Field("Entity", description="If created")
    weight: Weight | None = Field(None, description="Relevance; default 1.0, or the stored one")
    properties: Properties
    create_missing: bool = Field(True, description="false: both must exist")


class EdgeAdded(ToolOutput):
    edge_id: int
    source_node_id: int
    target_node_id: int
    relation: str
    weight: float
    created: bool
    source_created: bool
    target_created: bool
    near: list[NearName]
    message: str | None
    status: Literal["success"] = "success"


class QueryNeighbors(ToolInput):
    node_name: Name = Field(description="Name of an entity, or id of a record")
    relation_type: ShortText | None = Field(None, description="Follow only this relation, on every hop")
    depth: int = Field(1, ge=1, le=5)
    direction: Literal["both", "outgoing", "incoming"] = "both"
    limit: int = Field(200, ge=1, le=1000)
    offset: Offset = 0
    as_of: AsOf | None = None


Direction = Literal["outgoing", "incoming"]


class Neighbor(ToolOutput):
    """`direction` is seen from the node nearer to the start."""

    node_id: int
    label: str
    name: str
    properties: dict[str, Any]
    relation: str
    distance: int
    weight: float
    direction: Direction
    edge_id: int | None  # null on the service's own relations
    edge_properties: dict[str, Any]


class StartNode(ToolOutput):
    node_id: int
    label: str
    name: str
    status: str | None  # of decisions and proposals only
    properties: dict[str, Any]


class Neighbors(ToolOutput):
    """Totals and row counts by relation (the 100 most frequent) cover all pages. `start` is on the first page."""

    neighbors: list[Neighbor]
    start_node: str
    start: StartNode | None
    depth: int
    total_neighbors: int
    total_rows: int
    by_relation: dict[str, int]
    truncated: bool
    next_offset: int | None
    status: Literal["success"] = "success"


class ListEntities(ToolInput):
    name_contains: Name | None = Field(None, description="Ignores case")
    label: ShortText | None = None
    limit: int = Field(50, ge=1, le=200)
    offset: Offset = 0


class Entity(ToolOutput):
    """`degree` counts its relations."""

    node_id: int
    label: str
    name: str
    degree: int


class Entities(ToolOutput):
    items: list[Entity]
    total: int
    next_offset: int | None
    message: str | None
    status: Literal["success"] = "success"


class FindPath(ToolInput):
    start_node: Name = Field(description="Name of an entity, or id of a record")
    end_node: Name
    max_depth: int = Field(5, ge=1, le=10)
    relation_types: list[ShortText] | None = Field(None, min_length=1, max_length=100, description="Follow only these")
    max_paths: int = Field(1, ge=1, le=10)
    as_of: AsOf | None = None


class PathStep(ToolOutput):
    node_id: int
    label: str
    name: str
    status: str | None = None  # of decisions and proposals only
    relation_to_next: str | None = None
    direction_to_next: Direction | None = None
    weight_to_next: float | None = None


class FurtherPath(ToolOutput):
    path_weight: float
    path: list[PathStep]


class PathAnswer(ToolOutput):
    """`path` is the best one; `paths` are the next best of the same length, if `max_paths` is above 1."""

    path_found: bool
    path_length: int
    path_weight: float
    path: list[PathStep]
    paths: list[FurtherPath]
    start_node: str
    end_node: str
    search_depth: int  # length of the path, or max_depth if there is none
    status: Literal["success"] = "success"


class RenameEntity(ToolInput):
    name: Name
    new_name: EntityName
    reason: Reason


class MergeEntities(ToolInput):
    keep: Name = Field(description="The entity that stays")
    drop: Name = Field(description="The same thing under another name")
    reason: Reason


class NamesCorrected(ToolOutput):
    """`relations` were moved; `targets` counts decisions and proposals whose target is the new name now."""

    name: str
    former_name: str
    change_id: str
    relations: int
    targets: int
    message: str
    status: Literal["success"] = "success"


class SimilarEntities(ToolInput):
    name: Name | None = Field(None, description="Only pairs with this one")
    limit: int = Field(20, ge=1, le=100)


class SimilarPair(ToolOutput):
    """Two names: whether they are spelt alike, the cosine of their meanings, and the share of common neighbours."""

    name: str
    other: str
    name_similar: bool
    meaning: float
    shared_neighbors: float


class SimilarPairs(ToolOutput):
    pairs: list[SimilarPair]
    total: int
    status: Literal["success"] = "success"
