"""Proposals in search: drafts with a penalty and never in strict, closed ones in audit alone."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from server.decisions.models import FoundDecision, SearchDecisions
from server.decisions.service import DecisionService
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Clock, Make, Store

pytestmark = pytest.mark.anyio
_QUESTION = "where do uploaded documents live?"
_SAME = {"title": "Keep all files in object buckets", "rationale": "Disks of servers fill up."}


@pytest.fixture
def service(make: Make, clock: Clock) -> DecisionService:
    return make(clock=clock)


@pytest.fixture
async def evidence(store_decisions: Store) -> list[str]:
    return await store_decisions(*({"title": f"Parrots are green, part {n}", "status": "deprecated"} for n in range(3)))


def _found(hits: Sequence[FoundDecision]) -> list[tuple[str, str, str]]:
    return [(hit.id, hit.kind, hit.status) for hit in hits if "Parrots" not in hit.title]


@pytest.mark.proves("DEC-32", "DEC-37")
async def test_a_draft_keeps_two_fifths_of_its_similarity_and_strict_leaves_it_out(
    agent: Caller, evidence: list[str], projector: Projector
) -> None:
    draft = await agent.propose("storage", *evidence, **_SAME)
    await projector.drain()
    balanced = await agent.search(_QUESTION, limit=20)
    assert _found(balanced) == [(draft, "proposal", "draft")]
    hit = balanced[0]
    similarity = next(Decimal(repr(part.amount)) for part in hit.why if part.part == "similarity")
    assert Decimal(repr(hit.score)) == similarity * Decimal("0.4")
    assert (hit.preview, hit.target) == (f"{_SAME['title']}: {_SAME['rationale']}", "storage")
    assert await agent.search(_QUESTION, mode="strict") == []
    [audit] = [hit for hit in await agent.search(_QUESTION, mode="audit") if hit.kind == "proposal"]
    assert Decimal(repr(audit.score)) == similarity
    answer = await agent.service.search(SearchDecisions(query=_QUESTION), agent.principal)
    assert "A proposal is not decided." in answer.message


@pytest.mark.proves("DEC-37", "DEC-44")
async def test_words_find_a_draft_at_once_and_while_vectors_are_down(
    agent: Caller, evidence: list[str], make: Make, no_vectors: RemoteStore
) -> None:
    draft = await agent.propose("naming", *evidence, title="Prefix every queue with kx7731")
    assert _found(await agent.search("kx7731")) == [(draft, "proposal", "draft")]
    blind = Caller(make(vectors=no_vectors), agent.principal)
    assert _found(await blind.search("kx7731")) == [(draft, "proposal", "draft")]


@pytest.mark.proves("DEC-35")
async def test_the_decision_in_force_is_returned_instead_of_drafts_about_its_target(
    agent: Caller, evidence: list[str], projector: Projector
) -> None:
    decision = await agent.record("storage", "Keep files on the disks of servers", "Buckets cost money.")
    draft = await agent.propose("storage", *evidence, supersedes=[decision], **_SAME)
    await projector.drain()
    assert _found(await agent.search(_QUESTION)) == [(decision, "decision", "active")]
    audit = _found(await agent.search(_QUESTION, mode="audit"))
    assert sorted(audit) == sorted([(draft, "proposal", "draft"), (decision, "decision", "active")])


@pytest.mark.proves("DEC-37")
async def test_an_accepted_proposal_is_found_in_audit_alone_and_its_decision_in_every_mode(
    agent: Caller, admin: Caller, evidence: list[str], projector: Projector, clock: Clock
) -> None:
    accepted = await agent.propose("storage", *evidence, **_SAME)
    rejected = await agent.propose("backups", *evidence, **_SAME)
    clock.passes(hours=1)
    decision = await admin.accept(accepted)
    await admin.reject(rejected)
    await projector.drain()
    for mode in ("balanced", "strict"):
        assert _found(await agent.search(_QUESTION, mode=mode)) == [(decision, "decision", "active")]
    audit = _found(await agent.search(_QUESTION, mode="audit"))
    assert sorted(audit) == sorted(
        [(decision, "decision", "active"), (accepted, "proposal", "accepted"), (rejected, "proposal", "rejected")]
    )


@pytest.mark.proves("DEC-37")
async def test_many_closed_proposals_do_not_crowd_out_a_decision(
    agent: Caller, cypher: Cypher, projector: Projector, namespace: str
) -> None:
    decision = await agent.record("parrots", "Parrots live in cages", "Documents are no birds.")
    await cypher(
        "MATCH (d:Decision {namespace: $namespace}) UNWIND range(1, 80) AS n "
        "CREATE (:Proposal:Unprojected {namespace: $namespace, id: 'p' + n, node_id: -n, status: 'rejected', "
        "title: $title, rationale: $rationale, target: 't' + n, scope: d.scope, revision: 1})",
        **_SAME,
    )
    await projector.drain()
    [hit] = await agent.search(_QUESTION)
    assert hit.id == decision
