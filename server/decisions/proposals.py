"""Proposals: drafts of decisions that agents make and an admin accepts or rejects.

Source: DEC-57, DEC-60, DEC-62. Every write is one transaction. A part of the service that makes proposals calls
`ProposalService.propose` with a principal of its own.
"""

from datetime import datetime, timedelta
from typing import Any

from server.core.errors import NotFound
from server.core.principals import Principal
from server.core.types import Row
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
from server.decisions.refusals import format_ids, quote
from server.decisions.times import describe_period, require_period
from server.decisions.writing import (
    DecisionWriter,
    Record,
    add_agent_marker,
    load_decisions_to_replace,
    require_stored,
)
from server.graph.graph import Graph, Transaction
from server.graph.keys import comparison_key, content_key

REVIEW_WINDOW = timedelta(hours=1)
"""From when a proposal was first observed to when it may be accepted. Source: DEC-61."""
_STATUSES = ("draft", "accepted", "rejected", "falsified")


class ProposalService:
    """The use cases of proposals."""

    def __init__(self, graph: Graph, writer: DecisionWriter) -> None:
        self._graph = graph
        self._writer = writer

    async def propose(self, request: ProposeDecision, caller: Principal) -> ProposalResponse:
        """Store a draft with its evidence; it puts nothing in force.

        Raise `RateLimitExceeded`, `InvalidArgument` (too little evidence, another target), `NotFound` (evidence,
        decisions to replace) or `Conflict` (`suggested_supersedes` is not what is in force).
        """
        evidence_ids = list(dict.fromkeys(request.evidence_ids))
        supersedes = list(dict.fromkeys(request.suggested_supersedes))
        if len(evidence_ids) < EVIDENCE_NEEDED:
            raise refusals.build_evidence_count_error(len(evidence_ids), EVIDENCE_NEEDED)
        proposal, _ = await self._writer.prepare_record(
            "proposal", caller, request, rationale=request.rationale, consequences=request.suggested_consequences
        )
        suggestion = {"confidence": float(request.confidence), "supersedes": supersedes}

        async def work(transaction: Transaction) -> int:
            await self._writer.start_cooldown(transaction, caller)
            references = await self._writer.load_references(
                transaction, caller, request.requires, evidence_ids, "evidence_ids"
            )
            found = await load_decisions_to_replace(transaction, supersedes, proposal)
            if error := refusals.find_proposal_error(supersedes, found, request.target):
                raise error
            rejected = await transaction.one(
                "decisions/rejected_before",
                namespace=caller.namespace,
                target_key=proposal["target_key"],
                title=request.title,
                evidence=references["evidence"],
            )
            if rejected is not None:
                raise refusals.build_rejected_before_error(rejected)
            row = await transaction.one("decisions/propose_decision", **proposal, **suggestion, **references)
            competing: int = require_stored(row, references)["competing"]
            return competing

        competing = await self._writer.commit(work)
        searchable = await self._writer.wait_until_searchable(proposal)
        acceptable_from = proposal["at"] + REVIEW_WINDOW
        message = f"Proposed, not decided: an admin may accept it from {refusals.format_utc(acceptable_from)} on."
        if competing:
            message += f" It competes with {competing} more about this target; list_proposals lists them."
        return ProposalResponse(
            status="success",
            message=message,
            proposal_id=proposal["id"],
            acceptable_from=acceptable_from,
            searchable=searchable,
        )

    async def list(self, request: ListProposals, caller: Principal) -> ProposalList:
        """Return one page of proposals, newest first, each with all that a decision about it needs."""
        row = await self._graph.row(
            "decisions/list_proposals",
            namespace=caller.namespace,
            statuses=_STATUSES if request.status == "all" else [request.status],
            target_key=None if request.target is None else comparison_key(request.target),
            limit=request.limit,
            offset=request.offset,
        )
        proposals = [_to_proposal(each) for each in row["proposals"]]
        message = f"{len(proposals)} of {row['total']} proposals." if proposals else "No proposal."
        return ProposalList(status="success", message=message, proposals=proposals, total=row["total"])

    async def accept(self, request: AcceptProposal, caller: Principal) -> DecisionResponse:
        """Put a proposal in force, in place of what it suggests to replace, in one transaction.

        Raise, in this order, `RateLimitExceeded`, `NotFound`, `InvalidArgument` (not a proposal), `Conflict` (closed
        already), `ReviewWindow`, `Conflict` (the proposal does not replace what is in force).
        """
        # The text of the proposal is read within the transaction.
        begun, fresh = await self._writer.begin_record("decision", caller, entities=1)

        async def work(transaction: Transaction) -> tuple[dict[str, Any], list[str]]:
            await self._writer.start_cooldown(transaction, caller)
            proposal = await self._load_draft(transaction, request.proposal_id, caller)
            first, at = datetime.fromisoformat(proposal["first_observed_at"]), begun["at"]
            if at - first < REVIEW_WINDOW:
                raise refusals.build_review_window_error(proposal["id"], first, first + REVIEW_WINDOW, at)
            target_key = comparison_key(proposal["target"])
            about = {"name": proposal["thing"] or proposal["target"], "key": target_key, "link": "ABOUT"}
            decision = {
                **begun,
                "title": proposal["title"],
                "target": proposal["target"],
                "target_key": target_key,
                # PI3: the decision names its proposal.
                "rationale": add_agent_marker(f"Accepted proposal {proposal['id']}. {proposal['rationale']}", caller),
                "consequences": proposal["consequences"],
                "alternatives": proposal["alternatives"],
                "alternatives_why_not": proposal["alternatives_why_not"],
                **_list_period(proposal, at),
                "things": [{**about, "node_id": fresh[0]}],
            }
            # `accept_proposal` copies the references of the proposal to the decision.
            no_references: Record = {"requires": [], "evidence": []}
            decision = await self._writer.add_passages(decision)
            await self._writer.supersede(transaction, decision, proposal["supersedes"], caller, no_references)
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
        superseded = f"; it superseded {format_ids(replaced)}" if replaced else ""
        holds = describe_period(decision["effective_at"], decision["valid_until"])
        return DecisionResponse(
            status="success",
            message=f"Accepted: {decision['id']} is in force {holds} for {quote(decision['target'])}{superseded}.",
            decision_id=decision["id"],
            searchable=await self._writer.wait_until_searchable(decision),
        )

    async def reject(self, request: RejectProposal, caller: Principal) -> BaseResponse:
        """Close a draft with the reason; it stays readable as history.

        Raise `RateLimitExceeded`, `NotFound`, `InvalidArgument` or `Conflict`, as `accept` does.
        """

        async def work(transaction: Transaction) -> None:
            await self._writer.start_cooldown(transaction, caller)
            proposal = await self._load_draft(transaction, request.proposal_id, caller)
            await transaction.run(
                "decisions/reject_proposal",
                namespace=caller.namespace,
                id=proposal["id"],
                reason=request.reason,
                content_key=content_key(proposal["rationale"]),
                by=caller.name,
                at=self._writer.clock(),
            )

        await self._writer.commit(work)
        return BaseResponse(
            status="success", message=f"Rejected: {request.proposal_id}; search_decisions finds it in mode audit."
        )

    async def _load_draft(self, transaction: Transaction, proposal_id: str, caller: Principal) -> Row:
        """Lock and return a proposal that waits; raise `NotFound`, `InvalidArgument` or `Conflict`."""
        key = {"namespace": caller.namespace, "id": proposal_id}
        await transaction.run("decisions/lock_proposal", **key)
        proposal = await transaction.one("decisions/proposal", **key)
        if proposal is None:
            records = await transaction.run("decisions/records", namespace=caller.namespace, ids=[proposal_id])
            if records:
                raise refusals.build_wrong_kind_error(proposal_id, records[0]["kind"])
            raise NotFound(f"No proposal has the id {quote(proposal_id)}; list_proposals lists those that wait.")
        if proposal["status"] != "draft":
            raise refusals.build_closed_error(proposal)
        return proposal


def _list_period(proposal: Row, at: datetime) -> dict[str, datetime | None]:
    """Return the two times that a proposal suggests; raise `InvalidArgument` where it would end before it holds."""
    effective_at, valid_until = _parse_time(proposal["effective_at"]), _parse_time(proposal["valid_until"])
    require_period(effective_at, valid_until, at)
    return {"effective_at": effective_at, "valid_until": valid_until}


def _parse_time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text.partition("[")[0])


def _to_proposal(row: Row) -> Proposal:
    first = datetime.fromisoformat(row["first_observed_at"])
    times = {name: _parse_time(row[name]) for name in ("effective_at", "valid_until")}
    return Proposal(**{**row, **times, "first_observed_at": first}, acceptable_from=first + REVIEW_WINDOW)
