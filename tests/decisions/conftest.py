"""The decisions family on real parts: Neo4j, the Qdrant engine, the embedding model."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from server.core.principals import Kind, Principal, Role
from server.decisions.models import (
    AcceptProposal,
    DecisionResponse,
    FoundDecision,
    ListProposals,
    ProposalList,
    ProposeDecision,
    RecordDecision,
    RejectProposal,
    SearchDecisions,
    SupersedeDecision,
)
from server.decisions.reindexing import reindex_decisions
from server.decisions.service import DecisionService
from server.graph.graph import Graph
from server.graph.graph import connect as connect_graph
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.graph.sequence import IdSequence
from server.interface.times import Clock as ReadClock
from server.interface.times import now
from server.parts import Parts
from tests.conftest import Cypher

Make = Callable[..., DecisionService]
Store = Callable[..., Awaitable[list[str]]]


class Caller:
    """The calls of one principal to a service."""

    def __init__(self, service: DecisionService, principal: Principal) -> None:
        self.service = service
        self.principal = principal

    async def record(
        self, target: str, title: str = "A title", rationale: str = "For good reasons.", **more: Any
    ) -> str:
        """Record a decision; return its id."""
        answer = await self.recorded(target, title, rationale, **more)
        assert answer.decision_id is not None
        return answer.decision_id

    async def recorded(
        self, target: str, title: str = "A title", rationale: str = "For good reasons.", **more: Any
    ) -> DecisionResponse:
        arguments = {"target": target, "title": title, "rationale": rationale, **more}
        return await self.service.record(RecordDecision.parse(arguments), self.principal)

    async def supersede(
        self, target: str, *old: str, title: str = "A new title", rationale: str = "For better reasons.", **more: Any
    ) -> str:
        """Supersede decisions; return the id of the new one."""
        arguments = {"target": target, "title": title, "rationale": rationale, "old_decision_ids": list(old), **more}
        answer = await self.service.supersede(SupersedeDecision.parse(arguments), self.principal)
        assert answer.decision_id is not None
        return answer.decision_id

    async def propose(
        self, target: str, *evidence: str, title: str = "A proposed title", supersedes: Sequence[str] = (), **more: Any
    ) -> str:
        """Propose a decision; return the id of the proposal."""
        arguments = {
            "target": target,
            "title": title,
            "rationale": "For reasons that were seen.",
            "confidence": 0.6,
            "evidence_ids": list(evidence),
            "suggested_supersedes": list(supersedes),
            **more,
        }
        answer = await self.service.propose(ProposeDecision.parse(arguments), self.principal)
        assert answer.proposal_id is not None
        return answer.proposal_id

    async def accept(self, proposal_id: str) -> str:
        """Accept a proposal; return the id of the decision."""
        answer = await self.service.accept(AcceptProposal(proposal_id=proposal_id), self.principal)
        assert answer.decision_id is not None
        return answer.decision_id

    async def reject(self, proposal_id: str, reason: str = "We have tried it before.") -> None:
        request = RejectProposal(proposal_id=proposal_id, reason=reason)
        await self.service.reject(request, self.principal)

    async def proposals(self, **filters: Any) -> ProposalList:
        return await self.service.list_proposals(ListProposals.parse(filters), self.principal)

    async def search(self, query: str, **more: Any) -> list[FoundDecision]:
        answer = await self.service.search(SearchDecisions.parse({"query": query, **more}), self.principal)
        return answer.results


@pytest.fixture
def make(parts: Parts) -> Make:
    """Makes a service, with another cooldown, clock or other parts where a test says so."""

    def made(cooldown: float = 0, clock: ReadClock = now, **others: Any) -> DecisionService:
        return DecisionService(replace(parts, **others), cooldown=cooldown, clock=clock)

    return made


@pytest.fixture
async def elsewhere(make: Make, neo4j: tuple[str, str, str]) -> AsyncIterator[Make]:
    """A factory of services with their own connection to the graph, as another process has."""
    async with connect_graph(*neo4j) as other:
        yield partial(make, graph=other, sequence=IdSequence(other))


class Clock:
    """The clock of a service, which moves only when a test moves it."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.at

    def passes(self, **time: float) -> None:
        self.at += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(make: Make) -> DecisionService:
    """A service without a cooldown, which answers as soon as a write is stored."""
    return make()


@pytest.fixture
def caller(service: DecisionService, namespace: str) -> Callable[..., Caller]:
    """A factory of callers; by default an agent named ada."""

    def made(
        name: str = "ada",
        kind: Kind = "agent",
        role: Role = Role.AGENT,
        within: str = namespace,
        through: DecisionService = service,
    ) -> Caller:
        return Caller(through, Principal(name, kind, role, within))

    return made


@pytest.fixture
def agent(caller: Callable[..., Caller]) -> Caller:
    return caller()


@pytest.fixture
def human(caller: Callable[..., Caller]) -> Caller:
    return caller("grace", kind="human")


@pytest.fixture
def admin(caller: Callable[..., Caller]) -> Caller:
    return caller("barbara", kind="human", role=Role.ADMIN)


@pytest.fixture
def viewer(caller: Callable[..., Caller]) -> Caller:
    return caller("alan", role=Role.VIEWER)


@pytest.fixture
async def evidence(cypher: Cypher) -> list[str]:
    """Ids of three memories."""
    ids = ["seen one", "seen two", "seen three"]
    await cypher(
        "UNWIND range(0, 2) AS n CREATE (:Entry {namespace: $namespace, id: $ids[n], name: $ids[n], node_id: -n - 1})",
        ids=ids,
    )
    return ids


@pytest.fixture
def store_decisions(cypher: Cypher, graph: Graph, sequence: IdSequence, namespace: str) -> Store:
    """Stores decisions directly in the graph, in the form that ingestion writes, and returns their ids in order.

    Each has a `title`, and `target`, `rationale`, `status`, `origin`, `at` (a day) where it matters; `replaces`
    names the positions of those that it superseded.
    """
    numbers = itertools.count()

    async def store(*decisions: Mapping[str, Any]) -> list[str]:
        rows = []
        for decision in decisions:
            number = next(numbers)
            status = decision.get("status", "active")
            target = decision.get("target", f"target {number}")
            rows.append(
                {
                    "id": f"decision_laid_{number:04}",
                    "node_id": -number - 1,
                    "name": decision["title"],
                    "title": decision["title"],
                    "rationale": decision.get("rationale", "As everybody agreed."),
                    "target": target,
                    "target_key": comparison_key(target),
                    "active_target": comparison_key(target) if status == "active" else None,
                    "status": status,
                    "origin": decision.get("origin", "human"),
                    "created_at": datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=decision.get("at", 0)),
                    "namespace": namespace,
                    "scope": namespace_tag(namespace),
                    "consequences": [],
                    "revision": 1,
                }
            )
        await cypher("UNWIND $rows AS row CREATE (d:Decision:Reindex) SET d = row", rows=rows)
        ids = [row["id"] for row in rows]
        links = [[ids[new], ids[old]] for new, each in enumerate(decisions) for old in each.get("replaces", ())]
        await cypher(
            "UNWIND $links AS link "
            "MATCH (new:Decision {namespace: $namespace, id: link[0]}) "
            "MATCH (old:Decision {namespace: $namespace, id: link[1]}) "
            "CREATE (new)-[:SUPERSEDES {reason: new.rationale, at: new.created_at, by: 'ingest'}]->(old)",
            links=links,
        )
        await reindex_decisions(graph, sequence)
        return ids

    return store
