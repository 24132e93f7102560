"""The use cases of decisions and proposals: record, supersede, search, read, list; propose, accept, reject.

Source: DEC-1, DEC-6, DEC-15. Every write is one transaction. The constraint `decision_in_force` allows one decision in
force for a target; no check before the write does.
"""

from collections.abc import Sequence

from server.core.errors import Conflict
from server.core.principals import Principal
from server.core.types import Row
from server.decisions import refusals
from server.decisions.models import (
    AcceptProposal,
    BaseResponse,
    DecisionResponse,
    ListProposals,
    NearTarget,
    ProposalList,
    ProposalResponse,
    ProposeDecision,
    RecordDecision,
    RejectProposal,
    SearchDecisions,
    SearchResponse,
    SupersedeDecision,
)
from server.decisions.overview import Overviews
from server.decisions.proposals import ProposalService
from server.decisions.reading import DecisionReader
from server.decisions.reading_models import (
    DecisionList,
    FullDecisions,
    GetDecisions,
    GetOverview,
    ListDecisions,
    Overview,
)
from server.decisions.refusals import format_ids, quote
from server.decisions.search import DecisionSearch
from server.decisions.times import describe_period
from server.decisions.writing import (
    DecisionWriter,
    Record,
    add_agent_marker,
    load_decisions_to_replace,
    require_stored,
)
from server.graph.graph import Transaction
from server.interface.times import Clock, now
from server.parts import Parts


class DecisionService:
    """The use cases of the decisions family."""

    def __init__(self, parts: Parts, *, cooldown: float, clock: Clock = now) -> None:
        """`cooldown` is the time in seconds that a principal waits between two writes, 0 for none.

        Tests pass a `clock`, so that no test waits for a review window to end.
        """
        self._graph = parts.graph
        self._writer = DecisionWriter(parts, cooldown=cooldown, clock=clock)
        self._search = DecisionSearch(parts.graph, parts.vectors, parts.embedder, clock)
        self._proposals = ProposalService(parts.graph, self._writer)
        self._reader = DecisionReader(parts.graph, clock)
        self._overviews = Overviews(parts.graph, self._reader, clock)

    async def record(self, request: RecordDecision, caller: Principal) -> DecisionResponse:
        """Put a decision in force for a target that has none.

        Raise `RateLimitExceeded`, or `Conflict` that names the decision in force.
        """
        decision, near = await self._prepare(request, caller, near=True)

        async def work(transaction: Transaction) -> None:
            await self._writer.start_cooldown(transaction, caller)
            references = await self._load_references(transaction, request, caller)
            row = await transaction.one("decisions/record_decision", **decision, **references)
            require_stored(row, references)

        try:
            await self._graph.transaction(work)
        except Conflict as conflict:

            async def load_in_force(transaction: Transaction) -> list[Row]:
                return await load_decisions_to_replace(transaction, [], decision)

            in_force = await self._graph.transaction(load_in_force)
            if not in_force:
                raise
            raise refusals.build_conflict(in_force, request.target, caller) from conflict
        message = f"Recorded; in force {_describe(request)} for {quote(request.target)}."
        if near:
            others = ", ".join(f"{quote(other.target)} ({other.decision_id})" for other in near)
            message += f" In force for an almost equal target: {others}. If they are one question, use one target."
        return await self._to_response(decision, message, near)

    async def supersede(self, request: SupersedeDecision, caller: Principal) -> DecisionResponse:
        """Put a decision in force in place of others, which keep who replaced them, when and why.

        Raise `RateLimitExceeded`, `NotFound`, `InvalidArgument` (another target), `Conflict` (not active) or
        `IsolationViolation` (a human's decision, and the caller is not an admin).
        """
        decision, _ = await self._prepare(request, caller)
        old_ids = list(dict.fromkeys(request.old_decision_ids))

        async def work(transaction: Transaction) -> None:
            await self._writer.start_cooldown(transaction, caller)
            references = await self._load_references(transaction, request, caller)
            await self._writer.supersede(transaction, decision, old_ids, caller, references)

        await self._writer.commit(work)
        message = f"Superseded {format_ids(old_ids)}; in force {_describe(request)} for {quote(request.target)}."
        return await self._to_response(decision, message)

    async def search(self, request: SearchDecisions, caller: Principal) -> SearchResponse:
        """Find decisions and proposals by meaning and words, ranked by the policy.

        Raise `EmbeddingUnavailable`, `GraphUnavailable`.
        """
        return await self._search.run(request, caller.namespace)

    async def get(self, request: GetDecisions, caller: Principal) -> FullDecisions:
        """Return complete decisions and proposals, by id or target."""
        return await self._reader.get(request, caller)

    async def list_decisions(self, request: ListDecisions, caller: Principal) -> DecisionList:
        """Return one page of the decisions in force, or of those with another status."""
        return await self._reader.list(request, caller)

    async def overview(self, request: GetOverview, caller: Principal) -> Overview:
        """Return an overview of the caller's namespace, in at most 8 kB."""
        return await self._overviews.get(request, caller)

    async def propose(self, request: ProposeDecision, caller: Principal) -> ProposalResponse:
        """Store a draft with its evidence; it puts nothing in force."""
        return await self._proposals.propose(request, caller)

    async def list_proposals(self, request: ListProposals, caller: Principal) -> ProposalList:
        """Return one page of proposals, newest first."""
        return await self._proposals.list(request, caller)

    async def accept(self, request: AcceptProposal, caller: Principal) -> DecisionResponse:
        """Put a proposal in force, in place of what it suggests to replace."""
        return await self._proposals.accept(request, caller)

    async def reject(self, request: RejectProposal, caller: Principal) -> BaseResponse:
        """Close a proposal with the reason; it stays readable as history."""
        return await self._proposals.reject(request, caller)

    async def _prepare(
        self, request: RecordDecision | SupersedeDecision, caller: Principal, *, near: bool = False
    ) -> tuple[Record, list[NearTarget]]:
        rationale = add_agent_marker(request.rationale, caller)
        return await self._writer.prepare_record(
            "decision", caller, request, rationale=rationale, consequences=request.consequences, near=near
        )

    async def _load_references(
        self, transaction: Transaction, request: RecordDecision | SupersedeDecision, caller: Principal
    ) -> Record:
        return await self._writer.load_references(transaction, caller, request.requires, request.evidence, "evidence")

    async def _to_response(self, decision: Record, message: str, near: Sequence[NearTarget] = ()) -> DecisionResponse:
        searchable = await self._writer.wait_until_searchable(decision)
        if not searchable:
            message += " It is stored and found by its words; search by meaning finds it a little later."
        return DecisionResponse(
            status="success",
            message=message,
            decision_id=decision["id"],
            searchable=searchable,
            near_targets=list(near),
        )


def _describe(request: RecordDecision | SupersedeDecision) -> str:
    return describe_period(request.effective_at, request.valid_until)
