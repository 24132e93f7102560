"""The graph tools as agents see them. Source: ENT-60, ENT-62."""

from server.entities.merging import NameCorrections
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    Entities,
    FindPath,
    ListEntities,
    MergeEntities,
    NamesCorrected,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
    RenameEntity,
    SimilarEntities,
    SimilarPairs,
)
from server.entities.service import EntityService
from server.interface.envelopes import cognitive as envelope
from server.interface.tools import Tool

TOOLS = (
    Tool(
        name="graph_add_node",
        description="Store an entity (project, person, problem …) by its unique name, or add properties.",
        request=AddNode,
        response=NodeAdded,
        run=EntityService.add_node,
        envelope=envelope,
        idempotent=True,
    ),
    Tool(
        name="graph_add_edge",
        description="Relate two entities; missing ones are created. Repeat to update weight and properties.",
        request=AddEdge,
        response=EdgeAdded,
        run=EntityService.add_edge,
        envelope=envelope,
        idempotent=True,
    ),
    Tool(
        name="graph_query_neighbors",
        description="List an entity's relations and the decisions about it, nearest, then strongest first.",
        request=QueryNeighbors,
        response=Neighbors,
        run=EntityService.query_neighbors,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="neighbors",
        total="total_rows",
    ),
    Tool(
        name="graph_list_entities",
        description="List or look up known entities by name.",
        request=ListEntities,
        response=Entities,
        run=EntityService.list_entities,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="graph_find_path",
        description="Find how two entities are connected: the shortest path, either direction, also through decisions.",
        request=FindPath,
        response=PathAnswer,
        run=EntityService.find_path,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="paths",
    ),
)

CORRECTIONS = (
    Tool(
        name="rename_entity",
        description="Correct an entity's name; the old one still finds it.",
        request=RenameEntity,
        response=NamesCorrected,
        run=NameCorrections.rename,
        envelope=envelope,
    ),
    Tool(
        name="merge_entities",
        description="Make two entities that are one thing one; the dropped name still finds it.",
        request=MergeEntities,
        response=NamesCorrected,
        run=NameCorrections.merge,
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="similar_entities",
        description="List pairs of entities that may be one thing.",
        request=SimilarEntities,
        response=SimilarPairs,
        run=NameCorrections.list_similar,
        envelope=envelope,
        read_only=True,
        idempotent=True,
    ),
)
"""Published with the toolset `curation`."""
