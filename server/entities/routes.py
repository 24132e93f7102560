"""The graph tools over HTTP, with the same requests and answers. Roles are in `server/access/roles.py`.

Source: ENT-65.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Response
from pydantic import BaseModel, Field

from server.access.caller import Caller
from server.access.idempotency import KeyedRoute
from server.entities.merging import NameCorrections
from server.entities.models import (
    AddEdge,
    AddNode,
    EdgeAdded,
    Entities,
    FindPath,
    ListEntities,
    MergeEntities,
    Name,
    NamesCorrected,
    Neighbors,
    NodeAdded,
    PathAnswer,
    QueryNeighbors,
    RenameEntity,
    ShortText,
    SimilarEntities,
    SimilarPairs,
)
from server.entities.service import EntityService
from server.interface.state import StateKey

_MISSING: dict[int | str, dict[str, Any]] = {
    404: {"description": "No entity has this name and no record has this id; the message lists similar names."}
}
SERVICE = StateKey[EntityService]("entities")
Service = Annotated[EntityService, Depends(SERVICE.load)]
NAMES = StateKey[NameCorrections]("names")
Names = Annotated[NameCorrections, Depends(NAMES.load)]
_REFUSED: dict[int | str, dict[str, Any]] = {
    **_MISSING,
    409: {"description": "The new name is taken, or a decision is in force for each of the two."},
}


class NeighborsQuery(QueryNeighbors, strict=False):
    """The request as a query string, whose values arrive as text."""

    node_name: Name = Field(description="Name of an entity, or id of a record", examples=["Neo4j"])


class EntitiesQuery(ListEntities, strict=False):
    """The request as a query string."""


class SimilarQuery(SimilarEntities, strict=False):
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
    _add_corrections(router)

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


def _add_corrections(router: APIRouter) -> None:
    renamed = {"name": "Checkuot", "new_name": "Checkout", "reason": "A typo."}
    merged = {"keep": "PostgreSQL", "drop": "Postgres", "reason": "They are one."}

    @router.post("/entities/rename", operation_id="renameEntity", responses=_REFUSED)
    async def rename(
        request: Annotated[RenameEntity, _example(renamed)], names: Names, caller: Caller
    ) -> NamesCorrected:
        """Correct the name of an entity; the old one still finds it."""
        return await names.rename(request, caller)

    @router.post("/entities/merge", operation_id="mergeEntities", responses=_REFUSED)
    async def merge(
        request: Annotated[MergeEntities, _example(merged)], names: Names, caller: Caller
    ) -> NamesCorrected:
        """Make two entities that are one thing one; the dropped name still finds it."""
        return await names.merge(request, caller)

    @router.get("/entities/similar", operation_id="listSimilarEntities", responses=_MISSING)
    async def similar(request: Annotated[SimilarQuery, Query()], names: Names, caller: Caller) -> SimilarPairs:
        """List pairs of entities that may be one thing; nothing is changed."""
        return await names.list_similar(request, caller)


def _describe_update(answer: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": answer, "description": "It existed, and now has the values of the request."}}


def _status_code(created: bool) -> int:
    return 201 if created else 200


def _example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
