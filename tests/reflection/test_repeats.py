"""What a human rejected or retracted is recognised where it comes back."""

from typing import Any

import pytest

from server.core.errors import Conflict
from server.core.principals import Principal, Role
from server.decisions.models import ProposeDecision, RejectProposal
from server.decisions.service import DecisionService
from server.entries.models import SaveMemory
from server.entries.service import EntryService, EntrySettings
from server.graph.keys import content_key
from server.parts import Parts
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


@pytest.fixture
def caller(namespace: str) -> Principal:
    return Principal("ada", "agent", Role.AGENT, namespace)


async def _save(parts: Parts, caller: Principal, text: str) -> dict[str, Any]:
    service = EntryService(parts, settings=EntrySettings("default", []))
    answer: dict[str, Any] = (await service.save_memory(SaveMemory(text=text), caller)).model_dump()
    return answer


async def _propose_and_reject(parts: Parts, caller: Principal, rationale: str) -> str:
    service = DecisionService(parts, cooldown=0)
    evidence = [(await _save(parts, caller, f"Seen {number} times."))["id"] for number in range(3)]
    request = ProposeDecision(
        title="A title", target="cache", rationale=rationale, confidence=0.5, evidence_ids=evidence
    )
    answer = await service.propose(request, caller)
    assert answer.proposal_id
    await service.reject(RejectProposal(proposal_id=answer.proposal_id, reason="We have tried it."), caller)
    return answer.proposal_id


@pytest.mark.proves("REF-16")
async def test_a_memory_that_repeats_a_rejected_proposal_is_stored_and_marked(
    parts: Parts, caller: Principal, cypher: Cypher
) -> None:
    rejected = await _propose_and_reject(parts, caller, "Redis loses keys, so use files.")
    saved = await _save(parts, caller, "redis loses keys,  so use FILES.")
    assert saved["repeats"] == {"id": rejected, "how": "rejected", "reason": "We have tried it."}
    [row] = await cypher("MATCH (e:Entry {namespace: $namespace, id: $id}) RETURN e.repeats AS id", id=saved["id"])
    assert row["id"] == rejected
    other = Principal("ada", "agent", Role.AGENT, f"{caller.namespace}-other")
    for who, text in ((caller, "Redis loses keys."), (other, "Redis loses keys, so use files.")):
        assert "repeats" not in await _save(parts, who, text)


@pytest.mark.proves("REF-16")
async def test_a_memory_that_repeats_a_retracted_one_is_marked(parts: Parts, caller: Principal, cypher: Cypher) -> None:
    first = await _save(parts, caller, "The moon is made of cheese.")
    assert "repeats" not in await _save(parts, caller, "The moon is made of cheese.")
    await cypher(
        "MATCH (e:Entry {namespace: $namespace, id: $id}) REMOVE e:Entry:Passage:Unprojected "
        "SET e:Retracted, e.retracted_reason = 'It is rock.'",
        id=first["id"],
    )
    saved = await _save(parts, caller, "The moon is made of cheese.")
    assert saved["repeats"] == {"id": first["id"], "how": "retracted", "reason": "It is rock."}


@pytest.mark.proves("REF-16")
def test_the_key_of_a_text_ignores_case_and_spacing_and_nothing_else() -> None:
    assert content_key(" A  b\nC ") == content_key("a B c")
    assert content_key("a b c") != content_key("a b d")
    assert len(content_key("x" * 100_000)) == 32


@pytest.mark.proves("REF-20")
@pytest.mark.parametrize("how", ["rejected", "retracted"])
async def test_a_rejected_proposal_needs_new_evidence(
    how: str, parts: Parts, caller: Principal, cypher: Cypher
) -> None:
    service = DecisionService(parts, cooldown=0)
    rejected = await _propose_and_reject(parts, caller, "Redis loses keys, so use files.")
    rows = await cypher("MATCH (e:Entry {namespace: $namespace}) RETURN e.id AS id ORDER BY e.node_id")
    evidence = [row["id"] for row in rows]
    if how == "retracted":
        await cypher(
            "MATCH (p:Proposal {namespace: $namespace})-[e:EVIDENCED_BY]->(n) CREATE (p)-[f:FORMER]->(n) "
            "SET f.former_type = 'EVIDENCED_BY', p.retracted_from = ['Proposal'], p:Retracted "
            "REMOVE p:Proposal DELETE e"
        )

    async def propose(title: str, ids: list[str]) -> str | None:
        request = ProposeDecision(
            title=title, target="Cache", rationale="Once again, with feeling.", confidence=0.5, evidence_ids=ids
        )
        return (await service.propose(request, caller)).proposal_id

    with pytest.raises(Conflict, match=f"{rejected} proposed the same from this evidence and was {how}"):
        await propose("a title ", evidence)
    assert await propose("Another title", evidence)
    fresh = (await _save(parts, caller, "It happened again."))["id"]
    assert await propose("A title", [*evidence, fresh])
