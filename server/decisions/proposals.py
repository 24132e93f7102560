"""Proposals: drafts of decisions that agents make and an admin accepts or rejects.

Source: decisions.md `accept_proposal`, "PI1 Violation"; open-questions.md "Invariants" (PI1 to PI3), "accept_proposal /
reject"; issue 6 section "Proposals". Every write is one transaction. Whoever finds proposals by itself, as reflection
will, calls `ProposalService.propose` with a principal of its own.
"""

from datetime import datetime, timedelta
from typing import Any

from server.decisions import refusals
from server.decisions.models import (
    EVIDENCE_NEEDED,
    AcceptProposal,
    BaseResponse,
    DecisionResponse,
    ListProposals,
    Proposal,
    ProposalList,
    ProposalResponse,
    ProposeDecision,
    RejectProposal,
)
from server.decisions.refusals import listed, quoted
from server.decisions.writing import DecisionWriter, marked
from server.errors import Conflict, NotFound
from server.graph.graph import Graph, Transaction
from server.principals import Principal
from server.types import Row

REVIEW_WINDOW = timedelta(hours=1)
"""PI1: from when it was first observed to when it may be accepted."""
_STATUSES = ("draft", "accepted", "rejected", "falsified")


class ProposalService:
    """The use cases of proposals."""

    def __init__(self, graph: Graph, writer: DecisionWriter) -> None:
        self._graph = graph
        self._writer = writer

    async def propose(self, request: ProposeDecision, caller: Principal) -> ProposalResponse:
        """Stores a draft with its evidence; it decides nothing.

        Raises `RateLimitExceeded`, `InvalidArgument` (too little evidence, another target),
        `NotFound` (evidence, decisions to replace) or `Conflict` (what is in force is not to be replaced).
        """
        evidence_ids = list(dict.fromkeys(request.evidence_ids))
        supersedes = list(dict.fromkeys(request.suggested_supersedes))
        if len(evidence_ids) < EVIDENCE_NEEDED:
            raise refusals.too_little_evidence(len(evidence_ids), EVIDENCE_NEEDED)
        proposal = await self._writer.drafted("proposal", caller, title=request.title, target=request.target)
        said = {
            "rationale": request.rationale,
            "consequences": request.suggested_consequences,
            "confidence": float(request.confidence),
            "supersedes": supersedes,
        }

        async def work(transaction: Transaction) -> int:
            await self._writer.take_turn(transaction, caller)
            records = await transaction.run("decisions/records", namespace=caller.namespace, ids=evidence_ids)
            if unknown := [id_ for id_ in evidence_ids if id_ not in {row["id"] for row in records}]:
                raise refusals.no_evidence(unknown)
            found = await transaction.run(
                "decisions/decisions_to_replace", namespace=caller.namespace, ids=supersedes, target=request.target
            )
            if refusal := refusals.not_proposable(supersedes, found, request.target):
                raise refusal
            stored = await transaction.one(
                "decisions/propose_decision", evidence=[row["element"] for row in records], **proposal, **said
            )
            if stored is None or stored["evidence"] != len(records):
                raise Conflict(
                    "CONFLICT: another caller removed a piece of the evidence at the same moment; call again."
                )
            competing: int = stored["competing"]
            return competing

        competing = await self._writer.commit(work)
        searchable = await self._writer.searchable("proposal", proposal)
        acceptable_from = proposal["at"] + REVIEW_WINDOW
        message = f"Proposed, not decided: an admin may accept it from {refusals.moment(acceptable_from)} on."
        if competing:
            message += f" It competes with {competing} more about this target; list_proposals shows them."
        return ProposalResponse(
            status="success",
            message=message,
            proposal_id=proposal["id"],
            acceptable_from=acceptable_from,
            searchable=searchable,
        )

    async def list(self, request: ListProposals, caller: Principal) -> ProposalList:
        """Proposals with all that it takes to decide about them, the newest first."""
        row = await self._graph.one(
            "decisions/list_proposals",
            namespace=caller.namespace,
            statuses=_STATUSES if request.status == "all" else [request.status],
            target=request.target,
            limit=request.limit,
            offset=request.offset,
        )
        assert row is not None
        proposals = [_listed(each) for each in row["proposals"]]
        message = f"{len(proposals)} of {row['total']} proposals." if proposals else "No proposal."
        return ProposalList(status="success", message=message, proposals=proposals, total=row["total"])

    async def accept(self, request: AcceptProposal, caller: Principal) -> DecisionResponse:
        """Puts what was proposed in force, in the place of what it suggests to replace; all of it or nothing.

        Raises, in this order, `RateLimitExceeded`, `NotFound`, `InvalidArgument` (no proposal),
        `Conflict` (decided about already), `ReviewWindow`, `Conflict` (what is in force is not to be replaced).
        """
        # Its title and target are known only within the transaction: what is drafted here are ids and time.
        drafted = await self._writer.drafted("decision", caller, title="", target="")

        async def work(transaction: Transaction) -> tuple[dict[str, Any], list[str]]:
            await self._writer.take_turn(transaction, caller)
            proposal = await self._waiting(transaction, request.proposal_id, caller)
            first, at = datetime.fromisoformat(proposal["first_observed_at"]), drafted["at"]
            if at - first < REVIEW_WINDOW:
                raise refusals.review_window(proposal["id"], first, first + REVIEW_WINDOW, at)
            decision = {
                **drafted,
                "title": proposal["title"],
                "target": proposal["target"],
                # PI3: it names the proposal that it comes from.
                "rationale": marked(f"Accepted proposal {proposal['id']}. {proposal['rationale']}", caller),
                "consequences": proposal["consequences"],
            }
            await self._writer.replace(transaction, decision, proposal["supersedes"], caller)
            await transaction.run(
                "decisions/accept_proposal",
                namespace=caller.namespace,
                id=proposal["id"],
                decision_id=decision["id"],
                by=caller.name,
                at=at,
            )
            return decision, proposal["supersedes"]

        decision, replaced = await self._writer.commit(work)
        over = f"; it superseded {listed(replaced)}" if replaced else ""
        return DecisionResponse(
            status="success",
            message=f"Accepted: {decision['id']} is in force now for {quoted(decision['target'])}{over}.",
            decision_id=decision["id"],
            searchable=await self._writer.searchable("decision", decision),
        )

    async def reject(self, request: RejectProposal, caller: Principal) -> BaseResponse:
        """Closes a draft with the reason; it stays readable as history.

        Raises `RateLimitExceeded`, `NotFound`, `InvalidArgument` or `Conflict`, as `accept` does.
        """

        async def work(transaction: Transaction) -> None:
            await self._writer.take_turn(transaction, caller)
            proposal = await self._waiting(transaction, request.proposal_id, caller)
            await transaction.run(
                "decisions/reject_proposal",
                namespace=caller.namespace,
                id=proposal["id"],
                reason=request.reason,
                by=caller.name,
                at=self._writer.clock(),
            )

        await self._writer.commit(work)
        return BaseResponse(status="success", message=f"Rejected: {request.proposal_id}; mode audit still finds it.")

    async def _waiting(self, transaction: Transaction, proposal_id: str, caller: Principal) -> Row:
        """The proposal, locked, if it waits for somebody to decide about it; raises why not."""
        named = {"namespace": caller.namespace, "id": proposal_id}
        await transaction.run("decisions/lock_proposal", **named)
        proposal = await transaction.one("decisions/proposal", **named)
        if proposal is None:
            records = await transaction.run("decisions/records", namespace=caller.namespace, ids=[proposal_id])
            if records:
                raise refusals.no_proposal(proposal_id, records[0]["kind"])
            raise NotFound(f"No proposal has the id {quoted(proposal_id)}; list_proposals shows those that wait.")
        if proposal["status"] != "draft":
            raise refusals.closed(proposal)
        return proposal


def _listed(row: Row) -> Proposal:
    first = datetime.fromisoformat(row["first_observed_at"])
    return Proposal(**{**row, "first_observed_at": first}, acceptable_from=first + REVIEW_WINDOW)
