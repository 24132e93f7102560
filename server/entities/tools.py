"""The graph tools as agents see them.

Source: cognitive.md "Graph Tools" and "Error Handling".
"""

from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    FindPath,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
)
from server.entities.service import EntityService
from server.envelopes import cognitive as envelope
from server.tools import Tool

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="graph_add_node",
        description="Store a thing (a project, person, problem …) by its unique name, or add properties to it.",
        request=AddNode,
        response=NodeAdded,
        run=EntityService.add_node,
        envelope=envelope,
        idempotent=True,
    ),
    Tool(
        name="graph_add_edge",
        description="Relate two things; missing ones are created. Repeating updates weight and properties.",
        request=AddEdge,
        response=EdgeAdded,
        run=EntityService.add_edge,
        envelope=envelope,
        idempotent=True,
    ),
    Tool(
        name="graph_query_neighbors",
        description="What is around a thing? Lists its relations and the decisions about it, nearest, strongest first.",
        request=QueryNeighbors,
        response=Neighbors,
        run=EntityService.query_neighbors,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="neighbors",
    ),
    Tool(
        name="graph_find_path",
        description="How are two things connected? The shortest path, either direction, also through decisions.",
        request=FindPath,
        response=PathAnswer,
        run=EntityService.find_path,
        envelope=envelope,
        read_only=True,
        idempotent=True,
    ),
)
