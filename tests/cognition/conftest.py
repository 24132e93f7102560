"""Parts of the cognitive layers on a real Neo4j."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from server.cognition.dialogues import Dialogues
from server.cognition.hybrid import InsightSearch
from server.cognition.insights import Insights
from server.cognition.models import CompressToL2Insight, FoundInsights, HybridSearch, InsightStored, StoreRawDialogue
from server.core.principals import Principal, Role
from server.parts import Parts


@pytest.fixture
def caller(namespace: str) -> Principal:
    return Principal("tester", "agent", Role.AGENT, namespace)


@dataclass(frozen=True)
class Mind:
    """One principal that stores dialogues and insights and searches them."""

    caller: Principal
    dialogues: Dialogues
    insights: Insights
    insight_search: InsightSearch

    def of(self, **changes: Any) -> "Mind":
        """Return the same for another principal."""
        return replace(self, caller=replace(self.caller, **changes))

    async def say(self, content: str, session: str = "s", speaker: str = "Ada", **more: Any) -> int:
        arguments = {"session_id": session, "speaker": speaker, "content": content, **more}
        return (await self.dialogues.store(StoreRawDialogue.parse(arguments), self.caller)).id

    async def distil(self, content: str, *source_ids: int) -> InsightStored:
        arguments = {"content": content, "source_ids": list(source_ids)}
        return await self.insights.store(CompressToL2Insight.parse(arguments), self.caller)

    async def search(self, query: str, **more: Any) -> FoundInsights:
        request = HybridSearch.parse({"query_text": query, **more})
        return await self.insight_search.run(request, self.caller.namespace)

    async def found(self, query: str, **more: Any) -> list[int]:
        """Return the ids of the results, best first."""
        return [hit.id for hit in (await self.search(query, top_k=100, **more)).results]


@pytest.fixture
def mind(parts: Parts, caller: Principal) -> Mind:
    return Mind(
        caller,
        Dialogues(parts.graph, parts.sequence),
        Insights(parts, fidelity_threshold=0.5),
        InsightSearch(parts.graph, parts.vectors, parts.embedder),
    )
