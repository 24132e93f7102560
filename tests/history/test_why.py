"""Why something is decided as it is, in one answer."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from server.core.errors import NotFound
from server.core.principals import Principal, Role
from server.decisions.models import AcceptProposal, ProposeDecision, RecordDecision, RejectProposal, SupersedeDecision
from server.decisions.service import DecisionService
from server.history.service import HistoryService
from server.history.why import SIZE_LIMIT
from server.history.why_models import Explanation, Why
from server.parts import Parts
from tests.conftest import Cypher
from tests.decisions.retraction import retract

pytestmark = pytest.mark.anyio


class _Asker:
    """An admin who decides and asks, at a clock that a test moves."""

    def __init__(self, parts: Parts, namespace: str) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.who = Principal("barbara", "human", Role.ADMIN, namespace)
        self.decisions = DecisionService(parts, cooldown=0, clock=lambda: self.at)
        self.history = HistoryService(parts, clock=lambda: self.at)

    async def record(self, target: str, **more: object) -> str:
        request = {"title": f"About {target}", "target": target, "rationale": "For good reasons.", **more}
        return str((await self.decisions.record(RecordDecision.parse(request), self.who)).decision_id)

    async def supersede(self, target: str, old: str, **more: object) -> str:
        request = {"title": f"Anew about {target}", "target": target, "rationale": "For better reasons.", **more}
        parsed = SupersedeDecision.parse({**request, "old_decision_ids": [old]})
        return str((await self.decisions.supersede(parsed, self.who)).decision_id)

    async def propose(self, target: str, *evidence: str, **more: object) -> str:
        request = {"title": f"Perhaps {target}", "target": target, "rationale": "It was seen.", "confidence": 0.5}
        parsed = ProposeDecision.parse({**request, "evidence_ids": list(evidence), **more})
        return str((await self.decisions.propose(parsed, self.who)).proposal_id)

    async def why(self, of: str, **more: object) -> Explanation:
        return await self.history.why(Why.parse({"of": of, **more}), self.who)


@pytest.fixture
def asker(parts: Parts, namespace: str) -> _Asker:
    return _Asker(parts, namespace)


@pytest.fixture
def passes(asker: _Asker) -> Callable[..., str]:
    """Moves the clock; returns the time before."""

    def passed(**time: float) -> str:
        before = asker.at.isoformat()
        asker.at += timedelta(**time)
        return before

    return passed


def _ids(answer: Explanation, name: str) -> list[str]:
    return [each.id for each in getattr(answer, name)]


@pytest.mark.proves("HIS-1", "HIS-2", "HIS-5")
async def test_one_answer_has_what_is_in_force_and_all_that_led_to_it(
    asker: _Asker, passes: Callable[..., str], cypher: Cypher
) -> None:
    names = ["one", "two", "three"]
    await cypher("UNWIND $ids AS id CREATE (:Entry {namespace: $namespace, id: id, name: 'seen ' + id})", ids=names)
    engine = await asker.record("engine")
    first = await asker.record("cart cache", rationale="Redis is quick and we know it.")
    passes(days=1)
    await asker.decisions.reject(
        RejectProposal(
            proposal_id=await asker.propose(
                "cart cache", *names, title="The same in spring", suggested_supersedes=[first]
            ),
            reason="It was tried in spring.",
        ),
        asker.who,
    )
    options = [{"option": "Memcached", "why_not": "Nobody runs it."}]
    accepted = await asker.propose(
        "cart cache", *names, suggested_supersedes=[first], alternatives=options, requires=[engine]
    )
    passes(hours=2)
    second = str((await asker.decisions.accept(AcceptProposal(proposal_id=accepted), asker.who)).decision_id)
    answer = await asker.why("Cart  CACHE")
    [held] = answer.in_force
    assert (held.id, held.status, held.by, held.origin) == (second, "active", "barbara", "human")
    assert [(each.option, each.why_not) for each in held.alternatives] == [("Memcached", "Nobody runs it.")]
    assert sorted(each.id for each in held.evidence) == sorted(names)
    assert [each.id for each in held.requires] == [engine]
    [before] = answer.earlier
    assert (before.id, before.status, before.why) == (first, "superseded", "Redis is quick and we know it.")
    assert before.replaced_by is not None
    assert (before.replaced_by.id, before.replaced_by.by) == (second, "barbara")
    assert {each.status: each.rejected or each.became for each in answer.proposals} == {
        "rejected": "It was tried in spring.",
        "accepted": second,
    }
    assert "replaced_by" not in answer.model_dump(mode="json")["in_force"][0], "empty fields are left out"
    for id_ in (first, second, accepted):
        assert (await asker.why(id_)).model_dump() == answer.model_dump(), "an id leads to the same answer"


@pytest.mark.proves("HIS-4")
async def test_why_can_be_asked_about_another_time(asker: _Asker, passes: Callable[..., str], cypher: Cypher) -> None:
    first = await asker.record("cart cache", valid_until=(asker.at + timedelta(days=2)).isoformat())
    then = passes(days=3)
    second = await asker.record("cart cache")
    later = (asker.at + timedelta(days=9)).isoformat()
    planned = await asker.supersede("cart cache", second, effective_at=later)
    answer = await asker.why("cart cache")
    assert (_ids(answer, "in_force"), _ids(answer, "planned"), _ids(answer, "earlier")) == (
        [second],
        [planned],
        [first],
    )
    assert answer.earlier[0].status == "expired"
    assert answer.planned[0].effective_at == datetime.fromisoformat(later)
    answer = await asker.why("cart cache", as_of=then)
    assert (_ids(answer, "in_force"), answer.planned, answer.earlier) == ([first], [], [])
    known = passes(hours=1)
    await retract(cypher, first, asker.at)
    assert _ids(await asker.why("cart cache"), "earlier") == []
    assert _ids(await asker.why("cart cache", as_of=then, known_at=known), "in_force") == [first]
    with pytest.raises(NotFound):
        await asker.why("cart cache", as_of="2020-01-01")


@pytest.mark.proves("HIS-3")
@pytest.mark.parametrize("length", [3_000, 20_000])
async def test_an_explanation_has_at_most_12_kilobytes(asker: _Asker, length: int) -> None:
    text = "Ünïcode 漢字, because. " * (length // 20)
    last = await asker.record("cart cache", rationale=text, consequences=[text[:2_000]] * 5)
    for number in range(6 if length > 3_000 else 3):
        options = [{"option": f"Option {n} " + "x" * 900, "why_not": text[:2_000]} for n in range(20)]
        more = {"alternatives": options} if length > 3_000 else {}
        asker.at += timedelta(minutes=1)
        last = await asker.supersede("cart cache", last, rationale=f"{number} {text}", title="t" * 900, **more)
    answer = await asker.why("cart cache")
    size = len(json.dumps(answer.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= SIZE_LIMIT
    assert answer.cut_at is not None
    assert _ids(answer, "in_force") == [last]
    assert answer.in_force[0].why.endswith("…")
    assert "get_decisions returns decisions in full" in answer.message


@pytest.mark.proves("HIS-5")
async def test_an_unknown_target_says_how_to_find_one(asker: _Asker) -> None:
    with pytest.raises(NotFound, match="search_decisions"):
        await asker.why("nothing")
