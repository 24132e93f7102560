"""Requests and responses of the graph tools.

Source: cognitive.md "Graph Tools". Beyond it: `created` of an edge, `direction`, `edge_id`, `truncated`, `path_weight`,
a step's `status`, `direction_to_next` and `weight_to_next`, and the options `direction`, `limit`, `relation_types`.
Docstrings and descriptions are part of the published schemas, where agents read every character: hence few.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from server.fields import Whole
from server.tools import ToolInput, ToolOutput

_RECORD_ID = re.compile(r"(decision|proposal)_\d{8}_\d{6}_\d{6}_[0-9a-f]{8}")


def _no_record(name: str) -> str:
    if found := _RECORD_ID.fullmatch(name):
        raise ValueError(f"is the id of a {found[1]}, and no name of a thing; relate the target that it is about")
    return name


Name = Annotated[str, Field(min_length=1, max_length=1000), Whole]
"""What an index covers is short (design.md section 3, "Indexed strings are short")."""
ThingName = Annotated[Name, AfterValidator(_no_record)]
"""A thing of a decision's name would stand before the decision wherever its id is asked for."""
Word = Annotated[str, Field(max_length=1000), Whole]
Weight = Annotated[float, Field(ge=0.0, le=1.0)]
Properties = Annotated[dict[str, Any], Field(default_factory=dict)]
"""Any JSON object; `properties.py` checks and encodes it."""


class AddNode(ToolInput):
    label: Word = Field(description="Kind of thing, e.g. Project, Technology, Client, Error, Solution")
    name: ThingName
    properties: Properties
    vector_id: int | None = Field(None, ge=1, le=2**63 - 1, description="Id of the insight that describes it")


class NodeAdded(ToolOutput):
    """`label` and `vector_id` are what the node has."""

    node_id: int
    label: str
    name: str
    created: bool
    vector_id: int | None
    status: Literal["success"] = "success"


class AddEdge(ToolInput):
    source_name: ThingName
    target_name: ThingName
    relation: Word = Field(description="E.g. USES, SOLVES, CREATED_BY, RELATED_TO, DEPENDS_ON")
    source_label: Word = Field("Entity", description="If it is created")
    target_label: Word = Field("Entity", description="If it is created")
    weight: Weight | None = Field(None, description="Relevance; if absent 1.0, or what the edge has")
    properties: Properties


class EdgeAdded(ToolOutput):
    edge_id: int
    source_node_id: int
    target_node_id: int
    relation: str
    weight: float
    created: bool
    source_created: bool
    target_created: bool
    status: Literal["success"] = "success"


class QueryNeighbors(ToolInput):
    node_name: Name = Field(description="Exact name of a thing, or id of a decision or record")
    relation_type: Word | None = Field(None, description="Follow only this relation, on every hop")
    depth: int = Field(1, ge=1, le=5)
    direction: Literal["both", "outgoing", "incoming"] = "both"
    limit: int = Field(200, ge=1, le=1000)


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
    edge_id: int | None  # null on relations of ours


class Neighbors(ToolOutput):
    """`total_neighbors` counts those beyond `limit` too."""

    neighbors: list[Neighbor]
    start_node: str
    depth: int
    total_neighbors: int
    truncated: bool
    status: Literal["success"] = "success"


class FindPath(ToolInput):
    start_node: Name = Field(description="Exact name of a thing, or id of a decision or record")
    end_node: Name
    max_depth: int = Field(5, ge=1, le=10)
    relation_types: list[Word] | None = Field(None, min_length=1, max_length=100, description="Follow only these")


class PathStep(ToolOutput):
    node_id: int
    label: str
    name: str
    status: str | None = None  # of decisions and proposals alone
    relation_to_next: str | None = None
    direction_to_next: Direction | None = None
    weight_to_next: float | None = None


class PathAnswer(ToolOutput):
    path_found: bool
    path_length: int
    path_weight: float
    path: list[PathStep]
    start_node: str
    end_node: str
    search_depth: int  # the depth that was searched: the path's length, or max_depth where there is none
    status: Literal["success"] = "success"
