"""The tools of the decisions family and the form of its errors. Source: DEC-72."""

from typing import Any

from server.core.errors import PrecedentError
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
from server.decisions.reading_models import (
    DecisionList,
    FullDecisions,
    GetDecisions,
    GetOverview,
    ListDecisions,
    Overview,
)
from server.decisions.service import DecisionService
from server.interface.tools import Tool

_WRITES = frozenset({"record_decision", "supersede_decision", "accept_proposal"})


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:
    """Return an error in the form of `BaseResponse`, with its code and details for programs."""
    answer: dict[str, Any] = {
        "status": "error",
        "message": error.message,
        "code": error.code,
        "details": error.details,
    }
    return {**answer, "decision_id": None} if tool in _WRITES else answer


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
        description="Replace the decision in force for a target; the old one stays readable as history. Agents cannot "
        "replace what a human decided; use propose_decision.",
        request=SupersedeDecision,
        response=DecisionResponse,
        run=DecisionService.supersede,
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="search_decisions",
        description="Find decisions and proposals. balanced: in force first, one per target; strict: only what is in "
        "force; audit: all history by similarity. The words of a replaced decision find its successor.",
        request=SearchDecisions,
        response=SearchResponse,
        run=DecisionService.search,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="results",
    ),
    Tool(
        name="get_decisions",
        description="Read complete decisions and proposals by id or target (what is in force): rationale, "
        "consequences, alternatives, author, history, evidence, what they are about and require.",
        request=GetDecisions,
        response=FullDecisions,
        run=DecisionService.get,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="decisions",
    ),
    Tool(
        name="list_decisions",
        description="List decisions, by default those in force, page by page; search_decisions finds some by words.",
        request=ListDecisions,
        response=DecisionList,
        run=DecisionService.list_decisions,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="decisions",
    ),
    Tool(
        name="overview",
        description="Start here: what is stored, in force, waiting for a decision, best connected and changed last, "
        "in 8 kB at most.",
        request=GetOverview,
        response=Overview,
        run=DecisionService.overview,
        envelope=envelope,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="propose_decision",
        description="Propose what you may not decide or are unsure of: a draft with evidence that an admin may accept.",
        request=ProposeDecision,
        response=ProposalResponse,
        run=DecisionService.propose,
        envelope=envelope,
    ),
    Tool(
        name="list_proposals",
        description="List proposals with evidence, rivals and outcome, newest first.",
        request=ListProposals,
        response=ProposalList,
        run=DecisionService.list_proposals,
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
        run=DecisionService.accept,
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="reject_proposal",
        description="Admins: close a proposal with a reason.",
        request=RejectProposal,
        response=BaseResponse,
        run=DecisionService.reject,
        envelope=envelope,
        destructive=True,
    ),
)
