"""All families on the real Neo4j, called as the transports call them: each call is one operation of the audit trail."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from server.cognition.models import StoreEpisode
from server.cognition.service import CognitionService
from server.core.principals import Kind, Principal, Role
from server.curation.models import Erase, Erased, Retract, Undo, Undone
from server.curation.models import Retracted as RetractedAnswer
from server.curation.service import CurationService
from server.decisions.models import RecordDecision, SearchDecisions, SupersedeDecision
from server.decisions.service import DecisionService
from server.entities.merging import NameCorrections
from server.entities.models import (
    AddEdge,
    AddNode,
    FindPath,
    MergeEntities,
    NamesCorrected,
    QueryNeighbors,
    RenameEntity,
    SimilarEntities,
)
from server.entities.service import EntityService
from server.entries.models import GetEntries, SaveMemory, SearchEntries, UpdateMemory
from server.entries.service import EntryService, EntrySettings
from server.graph.changes import audit_context
from server.interface.tools import ToolInput
from server.parts import Parts
from tests.conftest import Cypher


@dataclass
class Caller:
    """The calls of one principal, each in a context of its own."""

    decisions: DecisionService
    entities: EntityService
    entries: EntryService
    cognition: CognitionService
    curation: CurationService
    names: NameCorrections
    principal: Principal
    cypher: Cypher

    def as_(self, name: str, kind: Kind, role: Role) -> "Caller":
        return replace(self, principal=replace(self.principal, name=name, kind=kind, role=role))

    async def call(self, use_case: Callable[..., Awaitable[Any]], request: type[ToolInput], **arguments: Any) -> Any:
        with audit_context(self.principal.name, use_case.__name__, kind=self.principal.kind):
            return await use_case(request.parse(arguments), self.principal)

    async def record(self, target: str, title: str = "A title", **more: Any) -> str:
        arguments = {"target": target, "title": title, "rationale": "For good reasons.", **more}
        answer = await self.call(self.decisions.record, RecordDecision, **arguments)
        return str(answer.decision_id)

    async def supersede(self, target: str, *old: str, title: str = "A new title", **more: Any) -> str:
        arguments = {"target": target, "title": title, "rationale": "For better reasons.", **more}
        answer = await self.call(self.decisions.supersede, SupersedeDecision, old_decision_ids=list(old), **arguments)
        return str(answer.decision_id)

    async def found(self, query: str, **more: Any) -> list[str]:
        answer = await self.call(self.decisions.search, SearchDecisions, query=query, **more)
        return [hit.id for hit in answer.results]

    async def node(self, name: str, label: str = "Thing", **more: Any) -> Any:
        return await self.call(self.entities.add_node, AddNode, name=name, label=label, **more)

    async def edge(self, source: str, relation: str, target: str, **more: Any) -> Any:
        arguments = {"source_name": source, "relation": relation, "target_name": target, **more}
        return await self.call(self.entities.add_edge, AddEdge, **arguments)

    async def neighbors(self, name: str, **more: Any) -> list[tuple[str, str]]:
        answer = await self.call(self.entities.query_neighbors, QueryNeighbors, node_name=name, **more)
        return [(each.relation, each.name) for each in answer.neighbors]

    async def has_path(self, start: str, end: str) -> bool:
        answer = await self.call(self.entities.find_path, FindPath, start_node=start, end_node=end)
        return bool(answer.path_found)

    async def save(self, text: str, **more: Any) -> str:
        answer = await self.call(self.entries.save_memory, SaveMemory, text=text, **more)
        return str(answer.root.id)

    async def update(self, id_: str, body: str) -> None:
        await self.call(self.entries.update_memory, UpdateMemory, id=id_, body=body, reason="It was wrong.")

    async def searched(self, query: str) -> list[str]:
        answer = await self.call(self.entries.search, SearchEntries, query=query)
        return [hit.id for hit in answer.items]

    async def read(self, *ids: str) -> list[str]:
        """The texts of entries."""
        answer = await self.call(self.entries.get_entries, GetEntries, ids=list(ids))
        return [item.text for item in answer.items]

    async def episode(self, query: str, **more: Any) -> Any:
        arguments = {"query": query, "reward": 0.5, "reflection": "Problem: x. Lesson: y.", **more}
        return await self.call(self.cognition.store_episode, StoreEpisode, **arguments)

    async def retract(self, *ids: str | int, reason: str = "It was wrong.") -> RetractedAnswer:
        answer: RetractedAnswer = await self.call(self.curation.retract, Retract, ids=list(ids), reason=reason)
        return answer

    async def rename(self, name: str, new_name: str) -> NamesCorrected:
        arguments = {"name": name, "new_name": new_name, "reason": "A typo."}
        answer: NamesCorrected = await self.call(self.names.rename, RenameEntity, **arguments)
        return answer

    async def merge(self, keep: str, drop: str) -> NamesCorrected:
        arguments = {"keep": keep, "drop": drop, "reason": "They are one."}
        answer: NamesCorrected = await self.call(self.names.merge, MergeEntities, **arguments)
        return answer

    async def similar(self, **more: Any) -> list[tuple[str, str]]:
        answer = await self.call(self.names.list_similar, SimilarEntities, **more)
        return [(pair.name, pair.other) for pair in answer.pairs]

    async def erase(self, *ids: str | int) -> Erased:
        answer: Erased = await self.call(self.curation.erase, Erase, ids=list(ids), reason="A secret.")
        return answer

    async def undo(self, change_id: str) -> Undone:
        answer: Undone = await self.call(self.curation.undo, Undo, change_id=change_id)
        return answer

    async def last_change(self) -> str:
        """The id of the latest change."""
        [row] = await self.cypher(
            "MATCH (c:Change {namespace: $namespace}) RETURN c.id AS id ORDER BY c.at DESC LIMIT 1"
        )
        return str(row["id"])


@pytest.fixture
def agent(parts: Parts, namespace: str, cypher: Cypher) -> Caller:
    """An agent."""
    settings = EntrySettings(project="default", docs_roots=(), closed=())
    return Caller(
        DecisionService(parts, cooldown=0),
        EntityService(parts.graph, parts.sequence),
        EntryService(parts, settings=settings),
        CognitionService(parts, fidelity_threshold=0.5),
        CurationService(parts.graph, parts.projector.wake),
        NameCorrections(parts),
        Principal("ada", "agent", Role.AGENT, namespace),
        cypher,
    )


@pytest.fixture
def human(agent: Caller) -> Caller:
    """A person with the role admin."""
    return agent.as_("grace", "human", Role.ADMIN)
