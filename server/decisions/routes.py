"""Decisions and proposals as resources, for scripts that speak no MCP: the tools' own requests, answers and errors.

Source: issue 6, "The graph itself over REST too". Roles stand in `server/access/roles.py`; errors get their form where
the application is put together.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query

from server.access.caller import Caller
from server.decisions.models import (
    AcceptProposal,
    BaseResponse,
    DecisionResponse,
    ListProposals,
    ProposalList,
    ProposalResponse,
    ProposeDecision,
    RecordDecision,
    Rejection,
    RejectProposal,
    SearchDecisions,
    SearchResponse,
    SupersedeDecision,
)
from server.decisions.service import DecisionService

_DECISION = {
    "title": "Cache carts in Redis",
    "target": "cart cache",
    "rationale": "It is quick, and a lost cart is no loss.",
    "consequences": ["Redis has to be watched"],
}
_OLD = "decision_20261121_101500_123456_0a1b2c3d"
_PROPOSAL = "proposal_20261121_113000_654321_4e5f6a7b"
_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "Something that the request names does not exist."}}
_TAKEN: dict[int | str, dict[str, Any]] = {
    409: {"description": "Another decision is in force, or was it: the message names it."},
    429: {"description": "The caller's last write was a moment ago; wait as long as the message says."},
}
_DECIDED: dict[int | str, dict[str, Any]] = {
    **_TAKEN,
    409: {"description": "Decided about already, within its review window (PI1), or another decision is in force."},
}
ProposalId = Annotated[str, Path(min_length=1, max_length=1_000, examples=[_PROPOSAL])]


class ProposalsAsked(ListProposals, strict=False):
    """The same in a query string, whose values are all text to begin with."""


def build_routes(service: DecisionService) -> APIRouter:
    """The routes over a service."""
    router = APIRouter(prefix="/decisions", tags=["decisions"])
    _add_decisions(router, service)
    _add_proposals(router, service)
    return router


def _add_decisions(router: APIRouter, service: DecisionService) -> None:
    @router.post("", status_code=201, operation_id="recordDecision", responses=_TAKEN)
    async def record(request: Annotated[RecordDecision, _example(_DECISION)], caller: Caller) -> DecisionResponse:
        """Puts a decision in force for a target that has none."""
        return await service.record(request, caller)

    supersede_example = {**_DECISION, "title": "Cache carts in the graph", "old_decision_ids": [_OLD]}

    @router.post("/supersede", status_code=201, operation_id="supersedeDecision", responses={**_MISSING, **_TAKEN})
    async def supersede(
        request: Annotated[SupersedeDecision, _example(supersede_example)], caller: Caller
    ) -> DecisionResponse:
        """Puts a decision in force in the place of the one that is; the old one stays readable as history."""
        return await service.supersede(request, caller)

    @router.post("/query", operation_id="searchDecisions")
    async def search(
        request: Annotated[SearchDecisions, _example({"query": "where do carts live?", "mode": "strict"})],
        caller: Caller,
    ) -> SearchResponse:
        """Finds decisions and drafts by meaning and words; what is in force comes first, unless the mode is audit."""
        return await service.search(request, caller)


def _add_proposals(router: APIRouter, service: DecisionService) -> None:
    example = {
        "title": "Cache carts in the graph",
        "target": "cart cache",
        "rationale": "Redis swaps under load, whatever we give it.",
        "confidence": 0.7,
        "evidence_ids": ["ba22f0c1", "2e01aa47", "77c0e3d9"],
        "suggested_supersedes": [_OLD],
    }

    @router.post("/proposals", status_code=201, operation_id="proposeDecision", responses={**_MISSING, **_TAKEN})
    async def propose(request: Annotated[ProposeDecision, _example(example)], caller: Caller) -> ProposalResponse:
        """Stores a draft with its evidence; it decides nothing until an admin accepts it."""
        return await service.proposals.propose(request, caller)

    @router.get("/proposals", operation_id="listProposals")
    async def list_proposals(request: Annotated[ProposalsAsked, Query()], caller: Caller) -> ProposalList:
        """Lists proposals with their evidence and what became of them, newest first."""
        return await service.proposals.list(request, caller)

    @router.post("/proposals/{proposal_id}/accept", operation_id="acceptProposal", responses={**_MISSING, **_DECIDED})
    async def accept(proposal_id: ProposalId, caller: Caller) -> DecisionResponse:
        """Puts what was proposed in force, one hour after it was first observed at the earliest."""
        return await service.proposals.accept(AcceptProposal(proposal_id=proposal_id), caller)

    @router.post("/proposals/{proposal_id}/reject", operation_id="rejectProposal", responses={**_MISSING, **_DECIDED})
    async def reject(
        proposal_id: ProposalId,
        request: Annotated[Rejection, _example({"reason": "It was tried in spring."})],
        caller: Caller,
    ) -> BaseResponse:
        """Closes a draft with the reason; it stays readable as history."""
        return await service.proposals.reject(RejectProposal(proposal_id=proposal_id, reason=request.reason), caller)


def _example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
