"""What callers do with decisions: record one, replace one, find them; `proposals` is what they do with drafts.

Source: decisions.md "Tools", "Error Codes & Status"; design.md sections 3 to 6. Every write is one transaction; that
only one decision is in force for a target is held by the constraint `decision_in_force`, not by a look beforehand.
"""

from server.decisions import refusals
from server.decisions.models import (
    DecisionResponse,
    RecordDecision,
    SearchDecisions,
    SearchResponse,
    SupersedeDecision,
)
from server.decisions.proposals import ProposalService
from server.decisions.refusals import listed, quoted
from server.decisions.search import DecisionSearch
from server.decisions.writing import Clock, DecisionSettings, DecisionWriter, Record, marked, now
from server.embedding.embedder import Embedder
from server.errors import Conflict
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.vectors.projector import Projector
from server.vectors.store import VectorStore


class DecisionService:
    """The use cases of the decisions family."""

    def __init__(
        self,
        graph: Graph,
        sequence: IdSequence,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        *,
        settings: DecisionSettings,
        clock: Clock = now,
    ) -> None:
        """`clock` is for tests, that do not wait for a review window to pass; no setting reaches it."""
        self._graph = graph
        self._writer = DecisionWriter(graph, sequence, projector, settings=settings, clock=clock)
        self._search = DecisionSearch(graph, vectors, embedder)
        self.proposals = ProposalService(graph, self._writer)

    async def record(self, request: RecordDecision, caller: Principal) -> DecisionResponse:
        """Puts a decision in force for a target that has none.

        Raises `RateLimitExceeded`, or `Conflict` naming the decision that is in force.
        """
        decision = await self._drafted(request, caller)

        async def work(transaction: Transaction) -> None:
            await self._writer.take_turn(transaction, caller)
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

        Raises `RateLimitExceeded`, `NotFound`, `InvalidArgument` (another target), `Conflict` (not
        active) or `IsolationViolation` (a human's decision, and the caller is no admin).
        """
        decision = await self._drafted(request, caller)
        old_ids = list(dict.fromkeys(request.old_decision_ids))

        async def work(transaction: Transaction) -> None:
            await self._writer.take_turn(transaction, caller)
            await self._writer.replace(transaction, decision, old_ids, caller)

        await self._writer.commit(work)
        return await self._stored(decision, f"Superseded {listed(old_ids)}; in force now for {quoted(request.target)}.")

    async def search(self, request: SearchDecisions, caller: Principal) -> SearchResponse:
        """Finds decisions and drafts by meaning and words, ranked by what the graph says of them.

        Raises `EmbeddingUnavailable`, `GraphUnavailable`.
        """
        return await self._search.run(request, caller.namespace)

    async def _drafted(self, request: RecordDecision | SupersedeDecision, caller: Principal) -> Record:
        drafted = await self._writer.drafted("decision", caller, title=request.title, target=request.target)
        return {
            **drafted,
            "rationale": marked(request.rationale, caller),
            "consequences": request.consequences,
        }

    async def _stored(self, decision: Record, message: str) -> DecisionResponse:
        searchable = await self._writer.searchable("decision", decision)
        if not searchable:
            message += " It is stored and found by its words; search by meaning finds it a little later."
        return DecisionResponse(status="success", message=message, decision_id=decision["id"], searchable=searchable)
