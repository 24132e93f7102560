"""The graph as resources, for scripts that speak no MCP: the tools' own requests, answers and errors.

Source: issue 6, "The graph itself over REST too". Roles stand in `server/access/roles.py`; errors get their form where
the application is put together.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Response
from pydantic import BaseModel, Field

from server.access.caller import Caller
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    FindPath,
    Name,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
    Word,
)
from server.entities.service import EntityService

_MISSING: dict[int | str, dict[str, Any]] = {
    404: {"description": "Nothing is called that, or has that id; the message has names that are near."}
}


class Around(QueryNeighbors, strict=False):
    """The same in a query string, whose values are all text to begin with."""

    node_name: Name = Field(description="Name of an entity, or id of a decision or record", examples=["Neo4j"])


class Between(FindPath, strict=False):
    """The same in a query string; `relation_types` once for each."""

    start_node: Name = Field(description="Name of an entity, or id of a decision or record", examples=["Precedent"])
    end_node: Name = Field(examples=["Neo4j"])
    # A URL is 64 KiB at most: longer ones are refused before any of this is read.
    relation_types: list[Word] | None = Field(None, min_length=1, max_length=20, description="Follow only these")


def build_routes(service: EntityService) -> APIRouter:
    """The routes over a service."""
    router = APIRouter(prefix="/graph", tags=["graph"])
    _add_writes(router, service)

    @router.get("/neighbors", operation_id="queryNeighbors", responses=_MISSING)
    async def neighbors(request: Annotated[Around, Query()], caller: Caller) -> Neighbors:
        """Lists what is around a thing, nearest first, then strongest, then by name."""
        return await service.query_neighbors(request, caller)

    @router.get("/paths", operation_id="findPath", responses=_MISSING)
    async def paths(request: Annotated[Between, Query()], caller: Caller) -> PathAnswer:
        """Finds the path of fewest hops between two things, among those the one of greatest weight."""
        return await service.find_path(request, caller)

    return router


def _add_writes(router: APIRouter, service: EntityService) -> None:
    entity = {"label": "Technology", "name": "Neo4j", "properties": {"since": 2007}}
    relation = {"source_name": "Precedent", "target_name": "Neo4j", "relation": "STORES_IN", "weight": 0.9}

    @router.post("/entities", status_code=201, operation_id="addEntity", responses={**_known(NodeAdded), **_MISSING})
    async def add_entity(
        request: Annotated[AddNode, _example(entity)], caller: Caller, response: Response
    ) -> NodeAdded:
        """Stores a thing by its name, or merges properties into the one of that name."""
        added = await service.add_node(request, caller)
        response.status_code = _created(added.created)
        return added

    @router.post("/relations", status_code=201, operation_id="addRelation", responses=_known(EdgeAdded))
    async def add_relation(
        request: Annotated[AddEdge, _example(relation)], caller: Caller, response: Response
    ) -> EdgeAdded:
        """Relates two things, which are created where they are missing, or gives the relation a new weight."""
        added = await service.add_edge(request, caller)
        response.status_code = _created(added.created)
        return added


def _known(answer: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": answer, "description": "It was there, and has what the request says now."}}


def _created(created: bool) -> int:
    return 201 if created else 200


def _example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
