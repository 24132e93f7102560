"""The graph tools over HTTP, with the same requests and answers. Roles are in `server/access/roles.py`.

Source: ENT-65.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Response
from pydantic import BaseModel, Field

from server.access.caller import Caller
from server.access.idempotency import KeyedRoute
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    Entities,
    FindPath,
    ListEntities,
    Name,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
    ShortText,
)
from server.entities.service import EntityService
from server.interface.state import StateKey

_MISSING: dict[int | str, dict[str, Any]] = {
    404: {"description": "No entity has this name and no record has this id; the message lists similar names."}
}
SERVICE = StateKey[EntityService]("entities")
Service = Annotated[EntityService, Depends(SERVICE.load)]


class NeighborsQuery(QueryNeighbors, strict=False):
    """The request as a query string, whose values arrive as text."""

    node_name: Name = Field(description="Name of an entity, or id of a record", examples=["Neo4j"])


class EntitiesQuery(ListEntities, strict=False):
    """The request as a query string."""


class PathQuery(FindPath, strict=False):
    """The request as a query string; `relation_types` may be repeated."""

    start_node: Name = Field(description="Name of an entity, or id of a record", examples=["Precedent"])
    end_node: Name = Field(examples=["Neo4j"])
    # A URL has at most 64 KiB; the server refuses longer ones before it reads this.
    relation_types: list[ShortText] | None = Field(None, min_length=1, max_length=20, description="Follow only these")


def build_routes() -> APIRouter:
    """The routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(route_class=KeyedRoute, prefix="/graph", tags=["graph"])
    _add_writes(router)

    @router.get("/entities", operation_id="listEntities")
    async def entities(request: Annotated[EntitiesQuery, Query()], service: Service, caller: Caller) -> Entities:
        """List entities by name: all, or those with a part of the name or a label."""
        return await service.list_entities(request, caller)

    @router.get("/neighbors", operation_id="queryNeighbors", responses=_MISSING)
    async def neighbors(request: Annotated[NeighborsQuery, Query()], service: Service, caller: Caller) -> Neighbors:
        """List the neighbors of an entity: nearest first, then active, then strongest, then by name."""
        return await service.query_neighbors(request, caller)

    @router.get("/paths", operation_id="findPath", responses=_MISSING)
    async def paths(request: Annotated[PathQuery, Query()], service: Service, caller: Caller) -> PathAnswer:
        """Find the shortest path between two entities, the one with the greatest weight among equals."""
        return await service.find_path(request, caller)

    return router


def _add_writes(router: APIRouter) -> None:
    entity = {"label": "Technology", "name": "Neo4j", "properties": {"since": 2007}}
    relation = {"source_name": "Precedent", "target_name": "Neo4j", "relation": "STORES_IN", "weight": 0.9}

    @router.post(
        "/entities", status_code=201, operation_id="addEntity", responses={**_describe_update(NodeAdded), **_MISSING}
    )
    async def add_entity(
        request: Annotated[AddNode, _example(entity)], service: Service, caller: Caller, response: Response
    ) -> NodeAdded:
        """Store an entity, or merge properties into the entity of that name."""
        added = await service.add_node(request, caller)
        response.status_code = _status_code(added.created)
        return added

    @router.post(
        "/relations", status_code=201, operation_id="addRelation", responses={**_describe_update(EdgeAdded), **_MISSING}
    )
    async def add_relation(
        request: Annotated[AddEdge, _example(relation)], service: Service, caller: Caller, response: Response
    ) -> EdgeAdded:
        """Store a relation and its missing entities, or update the relation.

        `near` lists names that are similar to a new name. `create_missing: false` refuses new names.
        """
        added = await service.add_edge(request, caller)
        response.status_code = _status_code(added.created)
        return added


def _describe_update(answer: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": answer, "description": "It existed, and now has the values of the request."}}


def _status_code(created: bool) -> int:
    return 201 if created else 200


def _example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
