"""What callers do with decisions: record one, replace one, find them.

Source: decisions.md "Tools", "Error Codes & Status"; design.md sections 3 to 6. Every write is one transaction; that
only one decision is in force for a target is held by the constraint `decision_in_force`, not by a look beforehand.
"""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

from server.decisions import refusals
from server.decisions.models import (
    DecisionResponse,
    RecordDecision,
    SearchDecisions,
    SearchResponse,
    SupersedeDecision,
)
from server.decisions.refusals import listed, quoted
from server.decisions.search import DecisionSearch
from server.embedding.embedder import Embedder
from server.errors import Conflict
from server.graph.graph import Graph, Transaction
from server.graph.sequence import Sequence
from server.graph.words import scope_token
from server.principals import Principal, Role
from server.vectors.projector import Projector
from server.vectors.store import VectorStore

AGENT_MARKER = "[via MCP]"
"""Stands at the start of the rationale of what an agent decided; it is for readers, ranking asks the origin."""


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """Seconds a principal waits between two writes (0: none), and seconds a write waits to be searchable."""

    cooldown: float
    searchable_wait: float


class DecisionService:
    """The use cases of the decisions family."""

    def __init__(
        self,
        graph: Graph,
        sequence: Sequence,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        *,
        settings: DecisionSettings,
    ) -> None:
        self._graph = graph
        self._sequence = sequence
        self._projector = projector
        self._settings = settings
        self._search = DecisionSearch(graph, vectors, embedder)

    async def record(self, request: RecordDecision, caller: Principal) -> DecisionResponse:
        """Puts a decision in force for a target that has none.

        Raises `PermissionDenied`, `RateLimitExceeded`, or `Conflict` naming the decision that is in force.
        """
        caller.require(Role.AGENT)
        decision = await self._drafted(request, caller)

        async def work(transaction: Transaction) -> None:
            await self._take_turn(transaction, caller)
            await transaction.run("decisions/record_decision", **decision)

        try:
            await self._graph.transaction(work)
        except Conflict as conflict:
            in_force = await self._graph.one(
                "decisions/decision_in_force", namespace=caller.namespace, target=request.target
            )
            if in_force is None:
                raise
            raise refusals.conflict(in_force, request.target, caller) from conflict
        return await self._stored(decision, f"Recorded; in force now for {quoted(request.target)}.")

    async def supersede(self, request: SupersedeDecision, caller: Principal) -> DecisionResponse:
        """Puts a decision in force in the place of the one that is; the old one keeps who, when and why.

        Raises `PermissionDenied`, `RateLimitExceeded`, `NotFound`, `InvalidArgument` (another target), `Conflict` (not
        active) or `IsolationViolation` (a human's decision, and the caller is no admin).
        """
        caller.require(Role.AGENT)
        decision = await self._drafted(request, caller)
        old_ids = list(dict.fromkeys(request.old_decision_ids))

        async def work(transaction: Transaction) -> None:
            await self._take_turn(transaction, caller)
            await transaction.run("decisions/lock_decisions", namespace=caller.namespace, ids=old_ids)
            found = await transaction.run(
                "decisions/decisions_to_replace", namespace=caller.namespace, ids=old_ids, target=request.target
            )
            if refusal := refusals.not_replaceable(old_ids, found, request.target, caller):
                raise refusal
            await transaction.run("decisions/supersede_decision", old_ids=old_ids, **decision)

        await self._graph.transaction(work)
        return await self._stored(decision, f"Superseded {listed(old_ids)}; in force now for {quoted(request.target)}.")

    async def search(self, request: SearchDecisions, caller: Principal) -> SearchResponse:
        """Finds decisions by meaning and words, ranked by what the graph says of them.

        Raises `PermissionDenied`, `EmbeddingUnavailable`, `GraphUnavailable`.
        """
        caller.require(Role.VIEWER)
        return await self._search.run(request, caller.namespace)

    async def _drafted(self, request: RecordDecision | SupersedeDecision, caller: Principal) -> dict[str, Any]:
        now = datetime.now(UTC)
        node_id, entity_node_id = await self._sequence.take(caller.namespace, 2)
        unmarked = caller.kind == "agent" and not request.rationale.startswith(AGENT_MARKER)
        return {
            "namespace": caller.namespace,
            "id": f"decision_{now:%Y%m%d_%H%M%S_%f}_{token_hex(4)}",
            "node_id": node_id,
            "title": request.title,
            "target": request.target,
            "rationale": f"{AGENT_MARKER} {request.rationale}" if unmarked else request.rationale,
            "consequences": request.consequences,
            "origin": caller.kind,
            "by": caller.name,
            "at": now,
            "scope": scope_token(caller.namespace),
            "entity_node_id": entity_node_id,
        }

    async def _take_turn(self, transaction: Transaction, caller: Principal) -> None:
        """Holds the cooldown across processes: who fails rolls its turn back with everything else."""
        if self._settings.cooldown == 0:
            return
        who = {"namespace": caller.namespace, "principal": caller.name}
        await transaction.run("decisions/lock_principal", **who)
        turn = await transaction.one("decisions/take_turn", **who, cooldown=math.ceil(self._settings.cooldown * 1000))
        assert turn is not None
        if turn["wait"] > 0:
            raise refusals.rate_limit(turn["wait"])

    async def _stored(self, decision: dict[str, Any], message: str) -> DecisionResponse:
        searchable = await self._projector.wait_until_searchable(
            decision["namespace"], "decision", decision["id"], 1, self._settings.searchable_wait
        )
        if not searchable:
            message += " It is stored and found by its words; search by meaning finds it a little later."
        return DecisionResponse(status="success", message=message, decision_id=decision["id"], searchable=searchable)
