"""The tools of the decisions family and the form of its errors.

Source: decisions.md "Tools", "BaseResponse", "Error Codes & Status".
"""

from typing import Any

from server.decisions.models import (
    AcceptProposal,
    BaseResponse,
    DecisionResponse,
    ListProposals,
    ProposalList,
    ProposalResponse,
    ProposeDecision,
    RecordDecision,
    RejectProposal,
    SearchDecisions,
    SearchResponse,
    SupersedeDecision,
)
from server.decisions.service import DecisionService
from server.errors import PrecedentError
from server.tools import Tool

_WRITES = frozenset({"record_decision", "supersede_decision", "accept_proposal"})


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:
    """Returns a failure in the form of `BaseResponse`, with the error's code and what a program can act on."""
    told: dict[str, Any] = {
        "status": "error",
        "message": error.message,
        "code": error.code,
        "details": error.details,
    }
    return {**told, "decision_id": None} if tool in _WRITES else told


TOOLS = (
    Tool(
        name="record_decision",
        description="Record a decision: in force for its target from now on. CONFLICT names the one that already is.",
        request=RecordDecision,
        response=DecisionResponse,
        run=DecisionService.record,
        envelope=envelope,
    ),
    Tool(
        name="supersede_decision",
        description="Replace the decision in force for a target by a new one; the old stays readable as history. "
        "Agents cannot replace what a human decided.",
        request=SupersedeDecision,
        response=DecisionResponse,
        run=DecisionService.supersede,
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="search_decisions",
        description="Find decisions, and proposals. balanced: in force first, one per target; strict: only what is in "
        "force; audit: all history, by similarity. What is in force also answers for what it replaced.",
        request=SearchDecisions,
        response=SearchResponse,
        run=DecisionService.search,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="results",
    ),
    Tool(
        name="propose_decision",
        description="Propose what you may not decide or are unsure of: a draft with evidence that an admin may accept.",
        request=ProposeDecision,
        response=ProposalResponse,
        run=lambda service, request, caller: service.proposals.propose(request, caller),
        envelope=envelope,
    ),
    Tool(
        name="list_proposals",
        description="Proposals with evidence, rivals and what became of them, newest first.",
        request=ListProposals,
        response=ProposalList,
        run=lambda service, request, caller: service.proposals.list(request, caller),
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="proposals",
    ),
    Tool(
        name="accept_proposal",
        description="Admins: put a proposal in force, an hour after it was made at the earliest.",
        request=AcceptProposal,
        response=DecisionResponse,
        run=lambda service, request, caller: service.proposals.accept(request, caller),
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="reject_proposal",
        description="Admins: close a proposal, and say why.",
        request=RejectProposal,
        response=BaseResponse,
        run=lambda service, request, caller: service.proposals.reject(request, caller),
        envelope=envelope,
        destructive=True,
    ),
)
