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
from server.history.why import explain
from server.history.why_models import Why
from server.interface.times import now

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

    async def show(self, name: str, times: Mapping[str, str]) -> Answer:
        try:
            return _to_json(await self._reader.get(GetDecisions.parse({"ids": [name], **times}), self._caller))
        except NotFound:
            return _to_json(await self._reader.get(GetDecisions.parse({"targets": [name], **times}), self._caller))

    async def why(self, asked: Mapping[str, Any]) -> Answer:
        return _to_json(await explain(self._graph, Why.parse(asked), self._caller.namespace, now()))

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
