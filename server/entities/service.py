"""The use cases of entities and relations: store, list, query neighbors, find paths. Source: ENT-1, ENT-31, ENT-49."""

from typing import Any

from server.core.errors import NotFound, PrecedentError
from server.core.principals import Principal
from server.core.types import Json, Row
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    Entities,
    Entity,
    FindPath,
    ListEntities,
    NearName,
    Neighbor,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
    StartNode,
)
from server.entities.names import NameLookup, format_similar_names
from server.entities.paths import PathFinder
from server.entities.properties import decode, encode
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.graph.sequence import IdSequence
from server.graph.vocabulary import BOOKKEEPING, ENTITY_KEYS, RELATION_KEYS, native_label, native_type

_NOT_FOLLOWED = sorted(BOOKKEEPING)
_MOST_LABELS = 20
_HUB, _PART = 5_000, 2_000
"""Relations above which a node's neighbors are read and ordered in parts, and rows of a part."""


class EntityService:
    """The use cases of the graph tools, each limited to the namespace of the caller."""

    def __init__(self, graph: Graph, sequence: IdSequence, *, path_timeout: float = 10.0) -> None:
        self._graph = graph
        self._sequence = sequence
        self._names = NameLookup(graph)
        self._paths = PathFinder(graph, self._names, path_timeout)

    async def add_node(self, request: AddNode, caller: Principal) -> NodeAdded:
        """Create the entity, or merge the properties into the entity of that name.

        The answer lists names similar to a new name. Raises `InvalidArgument`, or `NotFound` if `vector_id` is not the
        id of an insight; then nothing is written.
        """
        properties = encode(request.properties, ENTITY_KEYS)
        [node_id] = await self._sequence.take(caller.namespace)
        row = await self._graph.one(
            "entities/add_node",
            namespace=caller.namespace,
            name=request.name,
            name_key=comparison_key(request.name),
            node_id=node_id,
            label=request.label,
            labels=native_label(request.label),
            scope=namespace_tag(caller.namespace),
            properties=properties,
            vector_id=request.vector_id,
        )
        if row is None:
            raise NotFound(
                f"vector_id: no insight has the id {request.vector_id}; nothing was written. "
                "Omit vector_id, or use the id of an insight.",
                {"field": "vector_id"},
            )
        near = await self._find_similar([request.name] if row["created"] else [], caller)
        kept = [] if row["created"] else _describe_kept_label(row["name"], row["label"], request.label)
        kept = [*_describe_alias(request.name, row["name"]), *kept]
        return NodeAdded(**row, **_format_near(near, kept))

    async def add_edge(self, request: AddEdge, caller: Principal) -> EdgeAdded:
        """Create the relation and its missing entities, or update its weight and properties.

        Without a weight an existing relation keeps its own. The answer lists names similar to new names. Raises
        `InvalidArgument`, or `NotFound` if an entity is missing and must not be created.
        """
        properties = encode(request.properties, RELATION_KEYS)
        source_id, target_id, edge_id = await self._sequence.take(caller.namespace, 3)
        row = await self._graph.one(
            "entities/add_edge",
            namespace=caller.namespace,
            source=request.source_name,
            source_key=comparison_key(request.source_name),
            source_id=source_id,
            source_label=request.source_label,
            source_labels=native_label(request.source_label),
            target=request.target_name,
            target_key=comparison_key(request.target_name),
            target_id=source_id if request.source_name == request.target_name else target_id,
            target_label=request.target_label,
            target_labels=native_label(request.target_label),
            scope=namespace_tag(caller.namespace),
            create_missing=request.create_missing,
            relation=request.relation,
            type=native_type(request.relation),
            edge_id=edge_id,
            weight=request.weight,
            properties=properties,
        )
        if row is None:
            names = {"source_name": request.source_name, "target_name": request.target_name}
            raise await self._names.build_missing(names, caller)
        created: list[str] = []
        kept: list[str] = []
        for name, label, is_new, stored in (
            (request.source_name, request.source_label, row["source_created"], row.pop("source_label")),
            (request.target_name, request.target_label, row["target_created"], row.pop("target_label")),
        ):
            if is_new:
                created.append(name)
            elif label != "Entity":
                kept += _describe_kept_label(name, stored, label)
        for name, found in ((request.source_name, "source_name"), (request.target_name, "target_name")):
            kept += _describe_alias(name, row.pop(found))
        near = await self._find_similar(created, caller)
        return EdgeAdded(relation=request.relation, **row, **_format_near(near, kept))

    async def query_neighbors(self, request: QueryNeighbors, caller: Principal) -> Neighbors:
        """List the neighbors of a node: nearest first, then active, then strongest, then by name.

        A node appears at its shortest distance, and each row is on one page. Raises `NotFound` with similar names, or
        `QueryTimeout`.
        """
        parameters: dict[str, Any] = {
            "name": request.node_name,
            "depth": request.depth,
            "bookkeeping": _NOT_FOLLOWED,
            "relation": request.relation_type,
            "direction": request.direction,
            "offset": request.offset,
            "limit": request.limit,
        }
        row = await self._load_neighbors(request, caller, parameters)
        if row is None:  # deleted meanwhile
            raise await self._names.build_not_found("node_name", request.node_name, caller)
        next_offset = _next_offset(request.offset, len(row["neighbors"]), row["total"])
        return Neighbors(
            neighbors=[_to_neighbor(each) for each in row["neighbors"]],
            start_node=row["start_node"],
            start=_to_start_node(row["start"]) if row["start"] else None,
            depth=request.depth,
            total_neighbors=row["nodes"],
            total_rows=row["total"],
            by_relation=dict(row["relations"]),
            truncated=next_offset is not None,
            next_offset=next_offset,
        )

    async def _load_neighbors(
        self, request: QueryNeighbors, caller: Principal, parameters: dict[str, Any]
    ) -> Row | None:
        if request.as_of is not None:
            node = await self._names.load_node_as_of("node_name", request.node_name, caller, request.as_of)
            return await self._graph.one(
                "entities/query_neighbors_as_of", **parameters, element=node["element"], as_of=request.as_of
            )
        parameters["namespace"] = caller.namespace
        row = await self._load_neighbors_now(request, parameters, None)
        if row is None:
            node = await self._names.load_node("node_name", request.node_name, caller)
            row = await self._load_neighbors_now(request, parameters, node["element"])
        return row

    async def _load_neighbors_now(
        self, request: QueryNeighbors, parameters: dict[str, Any], element: str | None
    ) -> Row | None:
        """Return a page of neighbors of an entity or of the node `element`; None if there is no such node."""
        row = await self._graph.one("entities/query_neighbors", **parameters, element=element, hub=_HUB)
        if row is not None or request.depth > 1:
            return row
        given = {name: value for name, value in parameters.items() if name != "depth"}
        first = request.offset // _PART * _PART
        return await self._graph.one("entities/query_hub", **given, element=element, first=first, part=_PART)

    async def list_entities(self, request: ListEntities, caller: Principal) -> Entities:
        """List entities by name, without regard to case: all, or those with a part of the name or with a label."""
        row = await self._graph.row(
            "entities/list_entities",
            namespace=caller.namespace,
            part=comparison_key(request.name_contains or ""),
            label=request.label,
            bookkeeping=_NOT_FOLLOWED,
            offset=request.offset,
            limit=request.limit,
        )
        return Entities(
            items=[Entity(**item) for item in row["items"]],
            total=row["total"],
            next_offset=_next_offset(request.offset, len(row["items"]), row["total"]),
            message=None if row["total"] else await self._advise_empty(request, caller),
        )

    async def find_path(self, request: FindPath, caller: Principal) -> PathAnswer:
        """Find the path with the fewest hops, then the greatest summed weight, then the first by its names.

        Relations are followed in both directions. "First by its names" compares name, node id and relation of each
        step, and outgoing before incoming. Raises `NotFound` with similar names, `QueryTimeout` after
        PRECEDENT_QUERY_TIMEOUT, and `Conflict` if another caller cut the path during the search.
        """
        return await self._paths.find(request, caller)

    async def _find_similar(self, created: list[str], caller: Principal) -> list[Row]:
        """Return what is similar to new names; nothing on an error, because the write is already stored."""
        try:
            return await self._names.find_similar(created, caller) if created else []
        except PrecedentError:
            return []

    async def _advise_empty(self, request: ListEntities, caller: Principal) -> str:
        """Return a message that says what to try after an empty list."""
        rows = await self._graph.run("entities/labels", namespace=caller.namespace, limit=_MOST_LABELS)
        if not rows:
            return "There are no entities yet; graph_add_node and graph_add_edge store them."
        if request.label is None:
            return "No name contains this text; try a shorter one."
        labels = ", ".join(f"{row['label'][:100]!r} ({row['count']})" for row in rows)
        filters = "this label and this text in its name" if request.name_contains else "this label"
        return f"No entity has {filters}; labels: {labels}."


def _next_offset(offset: int, count: int, total: int) -> int | None:
    """Return the offset of the next page, or None after the last one."""
    return offset + count if count and offset + count < total else None


def _describe_kept_label(name: str, stored: str, requested: str) -> list[str]:
    return (
        [f"{name!r} already has the label {stored!r} and keeps it instead of {requested!r}."]
        if stored != requested
        else []
    )


def _describe_alias(requested: str, name: str) -> list[str]:
    return [f"{requested!r} is a former name of {name!r}, which was used."] if requested != name else []


def _format_near(near: list[Row], kept: list[str]) -> dict[str, Any]:
    sentences = [*kept, format_similar_names(near)] if near else kept
    names = {
        (row["name"], row["kind"]): NearName(name=row["name"], label=row["label"], kind=row["kind"]) for row in near
    }
    return {"near": list(names.values()), "message": " ".join(sentences) or None}


def _take_properties(row: Row) -> dict[str, Json]:
    """Remove and return the properties of a row: an entity's own ones, or the selected ones of a record."""
    entity, record = row.pop("entity"), row.pop("record")
    if record is None:
        return decode({key: value for key, value in entity.items() if value is not None}, ENTITY_KEYS)
    return {key: value for key, value in record.items() if value is not None}


def _to_start_node(row: Row) -> StartNode:
    return StartNode(properties=_take_properties(row), **row)


def _to_neighbor(row: Row) -> Neighbor:
    # The statement sets removed keys to null; Neo4j stores no null.
    edge = {key: value for key, value in row.pop("edge").items() if value is not None}
    return Neighbor(properties=_take_properties(row), edge_properties=decode(edge, RELATION_KEYS), **row)
