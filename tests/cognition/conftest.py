"""The rooms of the cognitive layers, on the real Neo4j."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from server.cognition.dialogues import Dialogues
from server.cognition.hybrid import InsightSearch
from server.cognition.insights import Insights
from server.cognition.models import CompressToL2Insight, FoundInsights, HybridSearch, InsightStored, StoreRawDialogue
from server.cognition.settings import CognitionSettings
from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.principals import Principal, Role
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector


@pytest.fixture
def caller(namespace: str) -> Principal:
    return Principal("tester", "agent", Role.AGENT, namespace)


@dataclass(frozen=True)
class Mind:
    """What one principal says, distils and looks for."""

    caller: Principal
    dialogues: Dialogues
    insights: Insights
    insight_search: InsightSearch

    def of(self, **changes: Any) -> "Mind":
        """The same of another principal."""
        return replace(self, caller=replace(self.caller, **changes))

    async def say(self, content: str, session: str = "s", speaker: str = "Ada", **more: Any) -> int:
        said = {"session_id": session, "speaker": speaker, "content": content, **more}
        return (await self.dialogues.store(StoreRawDialogue.parse(said), self.caller)).id

    async def distil(self, content: str, *source_ids: int) -> InsightStored:
        told = {"content": content, "source_ids": list(source_ids)}
        return await self.insights.store(CompressToL2Insight.parse(told), self.caller)

    async def search(self, query: str, **more: Any) -> FoundInsights:
        request = HybridSearch.parse({"query_text": query, **more})
        return await self.insight_search.run(request, self.caller.namespace)

    async def found(self, query: str, **more: Any) -> list[int]:
        """Ids of what a search finds, best first."""
        return [hit.id for hit in (await self.search(query, top_k=100, **more)).results]


@pytest.fixture
def mind(  # noqa: PLR0917 - pytest hands fixtures by name
    graph: Graph,
    sequence: IdSequence,
    vectors: EdgeStore,
    embedder: FastEmbedder,
    projector: Projector,
    caller: Principal,
) -> Mind:
    settings = CognitionSettings(searchable_wait=0, fidelity_threshold=0.5)
    return Mind(
        caller,
        Dialogues(graph, sequence),
        Insights(graph, sequence, projector, settings),
        InsightSearch(graph, vectors, embedder),
    )
