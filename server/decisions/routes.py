"""Decisions and proposals over REST, with the requests, answers and errors of the tools.

Source: DEC-73, DEC-74. `server/access/roles.py` lists the roles; the application gives errors their form.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query

from server.access.caller import Caller
from server.access.idempotency import KeyedRoute
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
from server.decisions.reading_models import (
    DecisionList,
    FullDecision,
    GetDecisions,
    GetOverview,
    ListDecisions,
    Overview,
)
from server.decisions.service import DecisionService
from server.interface.state import StateKey
from server.interface.times import PastQuestion

_DECISION = {
    "title": "Cache carts in Redis",
    "target": "cart cache",
    "rationale": "It is quick, and a lost cart is no loss.",
    "consequences": ["Redis has to be watched"],
}
_OLD = "decision_20261121_101500_123456_0a1b2c3d"
_PROPOSAL = "proposal_20261121_113000_654321_4e5f6a7b"
_NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "A record that the request names does not exist."}}
_WRITE_ERRORS: dict[int | str, dict[str, Any]] = {
    409: {"description": "Another decision is in force, or an old one no longer is; the message names it."},
    429: {"description": "The caller wrote too recently; wait as long as the message says."},
}
_CLOSE_ERRORS: dict[int | str, dict[str, Any]] = {
    **_WRITE_ERRORS,
    409: {"description": "The proposal is closed, or in its review window (PI1), or another decision is in force."},
}
DecisionId = Annotated[str, Path(min_length=1, max_length=1_000, examples=[_OLD])]
ProposalId = Annotated[str, Path(min_length=1, max_length=1_000, examples=[_PROPOSAL])]
SERVICE = StateKey[DecisionService]("decisions")
Service = Annotated[DecisionService, Depends(SERVICE.load)]


class ProposalsQuery(ListProposals, strict=False):
    """The arguments of `list_proposals` in a query string, where every value is text."""


class DecisionsQuery(ListDecisions, strict=False):
    """The arguments of `list_decisions` in a query string."""


class PastQuery(PastQuestion, strict=False):
    """The other time that a question in a query string is about."""


def build_routes() -> APIRouter:
    """Build the routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(route_class=KeyedRoute, tags=["decisions"])
    decisions = APIRouter(route_class=KeyedRoute, prefix="/decisions")
    _add_decisions(decisions)
    _add_proposals(decisions)
    _add_reading(decisions)  # last: its path `/{decision_id}` matches `/proposals` as well
    router.include_router(decisions)

    @router.get("/overview", operation_id="getOverview")
    async def overview(service: Service, caller: Caller) -> Overview:
        """Return counts, what is in force, what waits and what changed last, in 8 kB at most."""
        return await service.overview(GetOverview(), caller)

    return router


def _add_decisions(router: APIRouter) -> None:
    @router.post("", status_code=201, operation_id="recordDecision", responses={**_NOT_FOUND, **_WRITE_ERRORS})
    async def record(
        request: Annotated[RecordDecision, _build_example(_DECISION)], service: Service, caller: Caller
    ) -> DecisionResponse:
        """Put a decision in force for a target that has none."""
        return await service.record(request, caller)

    supersede_example = {**_DECISION, "title": "Cache carts in the graph", "old_decision_ids": [_OLD]}

    @router.post(
        "/supersede", status_code=201, operation_id="supersedeDecision", responses={**_NOT_FOUND, **_WRITE_ERRORS}
    )
    async def supersede(
        request: Annotated[SupersedeDecision, _build_example(supersede_example)], service: Service, caller: Caller
    ) -> DecisionResponse:
        """Replace the decision in force for a target; the old one stays readable as history."""
        return await service.supersede(request, caller)

    @router.post("/query", operation_id="searchDecisions")
    async def search(
        request: Annotated[SearchDecisions, _build_example({"query": "where do carts live?", "mode": "strict"})],
        service: Service,
        caller: Caller,
    ) -> SearchResponse:
        """Find decisions and proposals by meaning and words; what is in force comes first, unless the mode is audit."""
        return await service.search(request, caller)


def _add_reading(router: APIRouter) -> None:
    @router.get("", operation_id="listDecisions")
    async def list_decisions(
        request: Annotated[DecisionsQuery, Query()], service: Service, caller: Caller
    ) -> DecisionList:
        """List the decisions in force, or those of another status, in pages."""
        return await service.list_decisions(request, caller)

    @router.get("/{decision_id}", operation_id="getDecision", responses=_NOT_FOUND)
    async def get(
        decision_id: DecisionId, past: Annotated[PastQuery, Query()], service: Service, caller: Caller
    ) -> FullDecision:
        """Return a complete decision or proposal, with what it replaced, what replaced it, and its links."""
        answer = await service.get(
            GetDecisions.model_construct(ids=[decision_id], as_of=past.as_of, known_at=past.known_at), caller
        )
        return answer.decisions[0]


def _add_proposals(router: APIRouter) -> None:
    example = {
        "title": "Cache carts in the graph",
        "target": "cart cache",
        "rationale": "Redis swaps under load, whatever we give it.",
        "confidence": 0.7,
        "evidence_ids": ["ba22f0c1", "2e01aa47", "77c0e3d9"],
        "suggested_supersedes": [_OLD],
    }

    @router.post(
        "/proposals", status_code=201, operation_id="proposeDecision", responses={**_NOT_FOUND, **_WRITE_ERRORS}
    )
    async def propose(
        request: Annotated[ProposeDecision, _build_example(example)], service: Service, caller: Caller
    ) -> ProposalResponse:
        """Store a draft with its evidence; it puts nothing in force until an admin accepts it."""
        return await service.propose(request, caller)

    @router.get("/proposals", operation_id="listProposals")
    async def list_proposals(
        request: Annotated[ProposalsQuery, Query()], service: Service, caller: Caller
    ) -> ProposalList:
        """List proposals with their evidence and outcome, newest first."""
        return await service.list_proposals(request, caller)

    @router.post(
        "/proposals/{proposal_id}/accept", operation_id="acceptProposal", responses={**_NOT_FOUND, **_CLOSE_ERRORS}
    )
    async def accept(proposal_id: ProposalId, service: Service, caller: Caller) -> DecisionResponse:
        """Put a proposal in force, one hour after it was first observed at the earliest."""
        return await service.accept(AcceptProposal(proposal_id=proposal_id), caller)

    @router.post(
        "/proposals/{proposal_id}/reject", operation_id="rejectProposal", responses={**_NOT_FOUND, **_CLOSE_ERRORS}
    )
    async def reject(
        proposal_id: ProposalId,
        request: Annotated[Rejection, _build_example({"reason": "It was tried in spring."})],
        service: Service,
        caller: Caller,
    ) -> BaseResponse:
        """Close a draft with the reason; it stays readable as history."""
        return await service.reject(RejectProposal(proposal_id=proposal_id, reason=request.reason), caller)


def _build_example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
