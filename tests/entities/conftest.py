"""The family's service on the real Neo4j, and helpers that create a graph without the service."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from server.core.principals import Principal, Role
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    Entities,
    FindPath,
    ListEntities,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
)
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.sequence import IdSequence
from tests.conftest import Cypher


class Caller:
    """The tools of one principal, called with keyword arguments."""

    def __init__(self, service: EntityService, principal: Principal) -> None:
        self.service = service
        self.principal = principal

    def elsewhere(self, namespace: str) -> "Caller":
        return Caller(self.service, replace(self.principal, namespace=namespace))

    async def node(self, name: str, label: str = "Thing", **more: Any) -> NodeAdded:
        return await self.service.add_node(AddNode.parse({"label": label, "name": name, **more}), self.principal)

    async def edge(self, source: str, relation: str, target: str, **more: Any) -> EdgeAdded:
        arguments = {"source_name": source, "relation": relation, "target_name": target, **more}
        return await self.service.add_edge(AddEdge.parse(arguments), self.principal)

    async def neighbors(self, name: str, **more: Any) -> Neighbors:
        return await self.service.query_neighbors(QueryNeighbors.parse({"node_name": name, **more}), self.principal)

    async def listed(self, **more: Any) -> Entities:
        return await self.service.list_entities(ListEntities.parse(more), self.principal)

    async def path(self, start: str, end: str, **more: Any) -> PathAnswer:
        request = FindPath.parse({"start_node": start, "end_node": end, **more})
        return await self.service.find_path(request, self.principal)


@pytest.fixture
def service(graph: Graph) -> EntityService:
    return EntityService(graph, IdSequence(graph))


@pytest.fixture
def caller(service: EntityService, namespace: str) -> Caller:
    return Caller(service, Principal("tester", "agent", Role.AGENT, namespace))


async def wait_for_index(cypher: Cypher) -> None:
    """Wait until full-text indexes contain what was written, in case they are eventually consistent."""
    await cypher("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


Edge = tuple[str, str, str, float]
"""Source, relation, target, weight."""


async def create_graph(cypher: Cypher, edges: Iterable[Edge], others: Iterable[str] = ()) -> None:
    """Create a graph in one step, in the form that the service writes."""
    listed = list(edges)
    names = sorted({name for source, _, target, _ in listed for name in (source, target)} | set(others))
    await cypher(
        "UNWIND range(0, size($names) - 1) AS at "
        "CREATE (:Entity {namespace: $namespace, name: $names[at], name_key: $keys[at], "
        "  node_id: at + 1, label: 'Thing'})",
        names=names,
        keys=[comparison_key(name) for name in names],
    )
    await cypher(
        "UNWIND range(0, size($edges) - 1) AS at WITH at, $edges[at] AS edge "
        "MATCH (source:Entity {namespace: $namespace, name: edge[0]}) "
        "MATCH (target:Entity {namespace: $namespace, name: edge[2]}) "
        "CREATE (source)-[:$(edge[1]) {relation: edge[1], weight: edge[3], edge_id: 1000 + at}]->(target)",
        edges=[list(edge) for edge in listed],
    )
