"""The graph of this home as a source of decisions, for commands that run without a service."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from server.core.errors import NotFound
from server.core.principals import Principal
from server.core.settings import Settings
from server.decisions.models import SearchDecisions
from server.decisions.reading import DecisionReader
from server.decisions.reading_models import GetDecisions, ListDecisions
from server.graph.graph import Graph
from server.history.change_models import ListChanges
from server.history.changes import list_changes

Answer = dict[str, Any]


class GraphSource:
    """Reads with the use cases of the service."""

    def __init__(self, graph: Graph, settings: Settings, caller: Principal) -> None:
        self._graph = graph
        self._reader = DecisionReader(graph)
        self._settings = settings
        self._caller = caller

    async def list(self, asked: Mapping[str, Any]) -> Answer:
        return _to_json(await self._reader.list(ListDecisions.parse(asked), self._caller))

    async def show(self, name: str) -> Answer:
        try:
            return _to_json(await self._reader.get(GetDecisions(ids=[name]), self._caller))
        except NotFound:
            return _to_json(await self._reader.get(GetDecisions(targets=[name]), self._caller))

    async def ask(self, asked: Mapping[str, Any]) -> Answer:
        # Imported here, because the embedding model takes a second to import.
        from server.composition import decision_service

        request = SearchDecisions.parse(asked)
        async with decision_service(self._settings, self._graph) as service:
            return _to_json(await service.search(request, self._caller))

    async def changes(self, asked: Mapping[str, Any]) -> Answer:
        return _to_json(await list_changes(self._graph, ListChanges.parse(asked), self._caller))


def _to_json(answer: BaseModel) -> Answer:
    return answer.model_dump(mode="json")
