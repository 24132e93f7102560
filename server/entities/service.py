"""Entities and the relations between them: adding, looking around, finding the way.

Source: cognitive.md "Graph Tools"; issue "A body" section 6.
"""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from time import monotonic
from typing import Any

from server.entities.levels import best_path
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    FindPath,
    Neighbor,
    Neighbors,
    NodeAdded,
    PathAnswer,
    PathStep,
    QueryNeighbors,
)
from server.entities.properties import decode, encode
from server.errors import NotFound, QueryTimeout
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.graph.vocabulary import BOOKKEEPING, ENTITY_KEYS, RELATION_KEYS, native_label, native_type
from server.graph.words import near, scope_token, within
from server.principals import Principal
from server.types import Row

_UNTRAVELLED = sorted(BOOKKEEPING)
_SCALE = 1e15
"""Weights are compared to fifteen decimal places, as integers: ties are ties, in whatever order they are summed."""
_CAP = 10_000
"""So many equally short paths are compared one by one; more, level by level."""
_SUGGESTED = 5
_NUMBER = re.compile(r"[1-9][0-9]{0,15}")


class EntityService:
    """The four use cases of the graph tools. Every method sees the caller's namespace and nothing else."""

    def __init__(self, graph: Graph, sequence: IdSequence, *, path_timeout: float = 10.0) -> None:
        self._graph = graph
        self._sequence = sequence
        self._path_timeout = path_timeout

    async def add_node(self, request: AddNode, caller: Principal) -> NodeAdded:
        """Creates the entity, or merges the properties into the one of that name.

        Raises `InvalidArgument`, or `NotFound` where `vector_id` is no insight; then nothing is written.
        """
        properties = encode(request.properties, ENTITY_KEYS)
        [node_id] = await self._sequence.take(caller.namespace)
        row = await self._graph.one(
            "entities/add_node",
            namespace=caller.namespace,
            name=request.name,
            node_id=node_id,
            label=request.label,
            labels=native_label(request.label),
            scope=scope_token(caller.namespace),
            properties=properties,
            vector_id=request.vector_id,
        )
        if row is None:
            raise NotFound(
                f"vector_id: there is no insight {request.vector_id}; nothing was written. "
                "Leave vector_id out, or give the id of an insight.",
                {"field": "vector_id"},
            )
        return NodeAdded(name=request.name, **row)

    async def add_edge(self, request: AddEdge, caller: Principal) -> EdgeAdded:
        """Creates the relation and what it lacks of its two entities, or gives it the new weight and properties.

        A weight that is left out leaves an existing relation's weight alone. Raises `InvalidArgument`.
        """
        properties = encode(request.properties, RELATION_KEYS)
        source_id, target_id, edge_id = await self._sequence.take(caller.namespace, 3)
        row = await self._graph.one(
            "entities/add_edge",
            namespace=caller.namespace,
            source=request.source_name,
            source_id=source_id,
            source_label=request.source_label,
            source_labels=native_label(request.source_label),
            target=request.target_name,
            target_id=source_id if request.source_name == request.target_name else target_id,
            target_label=request.target_label,
            target_labels=native_label(request.target_label),
            scope=scope_token(caller.namespace),
            relation=request.relation,
            type=native_type(request.relation),
            edge_id=edge_id,
            weight=request.weight,
            properties=properties,
        )
        assert row is not None
        return EdgeAdded(relation=request.relation, **row)

    async def query_neighbors(self, request: QueryNeighbors, caller: Principal) -> Neighbors:
        """Lists what is around a node, nearest first, then strongest, then by name; each node at its distance.

        Raises `NotFound` with near names, `QueryTimeout`.
        """
        asked: dict[str, Any] = {
            "namespace": caller.namespace,
            "name": request.node_name,
            "depth": request.depth,
            "bookkeeping": _UNTRAVELLED,
            "relation": request.relation_type,
            "direction": request.direction,
            "limit": request.limit,
        }
        row = await self._graph.one("entities/query_neighbors", **asked, element=None)
        if row is None:
            node = await self._node("node_name", request.node_name, caller)
            row = await self._graph.one("entities/query_neighbors", **asked, element=node["element"])
        if row is None:  # deleted in between
            raise await self._unknown("node_name", request.node_name, caller)
        return Neighbors(
            neighbors=[_neighbor(each) for each in row["neighbors"]],
            start_node=request.node_name,
            depth=request.depth,
            total_neighbors=row["total"],
            truncated=row["total"] > request.limit,
        )

    async def find_path(self, request: FindPath, caller: Principal) -> PathAnswer:
        """Finds the path of fewest hops, among those of greatest summed weight, among those the first by its names.

        Relations count in both directions. "First by its names" compares step by step: name, node id, relation,
        outgoing before incoming. Raises `NotFound` with near names, `QueryTimeout` after PRECEDENT_QUERY_TIMEOUT, and
        `Conflict` where another caller cut the path while very many were compared.
        """
        started = monotonic()
        try:
            found = await self._best_path(request, caller, started)
        except QueryTimeout as slow:
            raise QueryTimeout(
                f"The search for a path took longer than {self._path_timeout:g} seconds and was ended; "
                "use a smaller max_depth, or relation_types."
            ) from slow
        length = len(found["edges"]) if found else 0
        return PathAnswer(
            path_found=found is not None,
            path_length=length,
            path_weight=found["weight"] / _SCALE if found else 0.0,
            path=_steps(found) if found else [],
            start_node=request.start_node,
            end_node=request.end_node,
            search_depth=length if found else request.max_depth,
        )

    async def _best_path(self, request: FindPath, caller: Principal, started: float) -> Row | None:
        """Weight, nodes and edges of the path, or None where there is none."""
        if request.start_node == request.end_node:
            node = await self._node("start_node", request.start_node, caller)
            del node["element"]
            return {"weight": 0, "nodes": [node], "edges": []}
        search: dict[str, Any] = {
            "bookkeeping": _UNTRAVELLED,
            "relations": request.relation_types,
            "scale": _SCALE,
        }
        ends = {"start": request.start_node, "end": request.end_node}
        asked = {**ends, "max_depth": request.max_depth, "cap": _CAP, "timeout": self._path_timeout, **search}
        row = await self._path(asked, caller)
        if nameless := [end for end in ends if row[end] is None]:
            found = {end: await self._node(f"{end}_node", ends[end], caller) for end in nameless}
            row = await self._path({**asked, **{f"{end}_element": found[end]["element"] for end in nameless}}, caller)
        if not row["capped"]:
            best: Row | None = row["path"]
            return best
        return await self._graph.transaction(
            lambda transaction: best_path(transaction, row["start"], row["end"], row["length"], search),
            access="read",
            timeout=max(0.001, started + self._path_timeout - monotonic()),
        )

    async def _path(self, asked: Mapping[str, Any], caller: Principal) -> Row:
        elements = {"start_element": None, "end_element": None}
        row = await self._graph.one("entities/find_path", namespace=caller.namespace, **{**elements, **asked})
        assert row is not None
        return row

    async def _node(self, field: str, name: str, caller: Principal) -> Row:
        """What has this name or id, or `NotFound`.

        Asked where no thing has the name: looking up each kind of record for each path would cost a tenth.
        """
        node = await self._graph.one("entities/node", namespace=caller.namespace, name=name, number=_number(name))
        if node is None:
            raise await self._unknown(field, name, caller)
        return node

    async def _unknown(self, field: str, name: str, caller: Principal) -> NotFound:
        """The error for a name that nothing has, with the likeliest names that something has."""
        query = within(caller.namespace, near(name))
        rows = await self._graph.run("entities/near_names", namespace=caller.namespace, query=query) if query else []
        likeness = SequenceMatcher(b=name.casefold())

        def alike(candidate: str) -> float:
            likeness.set_seq1(candidate.casefold())
            return likeness.ratio()

        names = sorted((row["name"] for row in rows), key=alike, reverse=True)[:_SUGGESTED]
        advice = "Near names: " + ", ".join(f"{each!r}" for each in names) if names else "No name is near to it"
        return NotFound(
            f"{_FOUND_NOT[field]} not found: nothing is called {name!r}. {advice}.",
            {"field": field, "near_names": names},
        )


_FOUND_NOT = {"node_name": "Start node", "start_node": "Start node", "end_node": "End node"}


def _number(name: str) -> int | None:
    """What a name is as the integer id of an insight or a dialogue."""
    return int(name) if _NUMBER.fullmatch(name) else None


def _neighbor(row: Row) -> Neighbor:
    entity, ours = row.pop("entity"), row.pop("ours")
    properties = (
        {key: value for key, value in ours.items() if value is not None}
        if entity is None
        else decode(entity, ENTITY_KEYS)
    )
    return Neighbor(properties=properties, **row)


def _steps(path: Row) -> list[PathStep]:
    hops = [
        {
            "relation_to_next": edge["relation"],
            "direction_to_next": "outgoing" if edge["outgoing"] else "incoming",
            "weight_to_next": edge["weight"],
        }
        for edge in path["edges"]
    ]
    return [PathStep(**node, **hop) for node, hop in zip(path["nodes"], [*hops, {}], strict=True)]
