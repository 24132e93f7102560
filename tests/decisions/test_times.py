"""When decisions hold: from a time on, until a time, and who holds the target meanwhile."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from server.core.errors import Conflict, InvalidArgument
from server.core.principals import Role
from server.decisions.models import DecisionResponse, RecordDecision
from server.decisions.reading_models import FullDecision, GetDecisions, GetOverview, ListDecisions, ListedDecision
from server.entities.models import QueryNeighbors
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Clock, Make
from tests.decisions.retraction import retract

pytestmark = pytest.mark.anyio
Timed = Callable[..., Caller]


@pytest.fixture
def admin(make: Make, clock: Clock, caller: Callable[..., Caller]) -> Caller:
    """An admin, at a service whose clock a test moves."""
    return caller("barbara", kind="human", role=Role.ADMIN, through=make(clock=clock))


def _text(at: datetime) -> str:
    return at.isoformat()


async def _list(caller: Caller, **more: object) -> list[ListedDecision]:
    return (await caller.service.list_decisions(ListDecisions.parse(more), caller.principal)).decisions


async def _get(caller: Caller, **more: object) -> list[FullDecision]:
    return (await caller.service.get(GetDecisions.parse(more), caller.principal)).decisions


async def _states(caller: Caller, **more: object) -> dict[str, str]:
    return {each.id: each.status for each in await _list(caller, **{"status": "all", "limit": 100, **more})}


@pytest.mark.proves("DEC-77", "DEC-78")
async def test_a_decision_ends_by_itself_and_stays_as_history(admin: Caller, clock: Clock) -> None:
    id_ = await admin.record("cart cache", "Freeze the cart cache", valid_until=_text(clock.at + timedelta(days=1)))
    [hit] = await admin.search("freeze the cart cache", mode="strict")
    assert (hit.id, hit.status, hit.effective_at) == (id_, "active", None)
    assert hit.valid_until == clock.at + timedelta(days=1)
    clock.passes(days=1)
    for mode in ("strict", "balanced"):
        assert await admin.search("freeze the cart cache", mode=mode) == []
    assert [(hit.id, hit.status) for hit in await admin.search("freeze the cart cache", mode="audit")] == [
        (id_, "expired")
    ]
    assert [hit.id for hit in await admin.search("freeze", mode="audit", status="expired")] == [id_]
    assert await admin.search("freeze", mode="audit", status="active") == []
    assert await _list(admin) == []
    assert await _states(admin, status="expired") == {id_: "expired"} == await _states(admin)
    assert [each.status for each in await _get(admin, targets=["cart cache"])] == ["expired"], "the latest"
    seen = await admin.service.overview(GetOverview(), admin.principal)
    assert (seen.decisions, seen.in_force) == ({"expired": 1}, [])


@pytest.mark.proves("DEC-78")
async def test_neighbours_and_paths_say_that_a_decision_has_expired(
    caller: Callable[..., Caller], clock: Clock, make: Make, graph: Graph, sequence: IdSequence
) -> None:
    clock.passes(days=-2)
    admin = caller("barbara", kind="human", role=Role.ADMIN, through=make(clock=clock))
    id_ = await admin.record("freeze", valid_until=_text(clock.at + timedelta(days=1)))
    entities = EntityService(graph, sequence, path_timeout=10)
    near = await entities.query_neighbors(QueryNeighbors.parse({"node_name": "freeze"}), admin.principal)
    assert [(each.properties["id"], each.properties["status"]) for each in near.neighbors] == [(id_, "expired")]


@pytest.mark.proves("DEC-78")
async def test_an_expired_decision_does_not_hold_its_target(admin: Caller, clock: Clock, cypher: Cypher) -> None:
    first = await admin.record("freeze", valid_until=_text(clock.at + timedelta(hours=1)))
    with pytest.raises(Conflict):
        await admin.record("freeze")
    clock.passes(hours=1)
    with pytest.raises(Conflict, match="is expired already") as refused:
        await admin.supersede("freeze", first)
    assert "record_decision" in refused.value.message
    near = await admin.recorded("the freeze")
    assert near.near_targets == []
    second = await admin.record("freeze")
    assert await _states(admin, target="freeze") == {first: "expired", second: "active"}
    held = await cypher("MATCH (d:Decision {namespace: $namespace, active_target: 'freeze'}) RETURN d.id AS id")
    assert held == [{"id": second}]


@pytest.mark.proves("DEC-77")
@pytest.mark.parametrize(
    ("times", "message"),
    [
        ({"valid_until": "2020-01-01"}, "valid_until has to be later"),
        ({"effective_at": "2099-02-01", "valid_until": "2099-01-01"}, "valid_until has to be later"),
        ({"effective_at": "soon"}, "not a valid ISO 8601 time"),
    ],
)
async def test_a_decision_cannot_end_before_it_holds(admin: Caller, times: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        await admin.record("freeze", **times)
    assert await _states(admin) == {}


@pytest.mark.proves("DEC-77", "DEC-79")
async def test_a_decision_that_holds_later_says_so_and_holds_its_target(admin: Caller, clock: Clock) -> None:
    begins = clock.at + timedelta(days=3)
    answer = await admin.recorded("cart cache", "Carts move to the graph", effective_at=_text(begins))
    assert f"in force from {begins:%Y-%m-%d %H:%M} UTC" in answer.message
    with pytest.raises(Conflict):
        await admin.record("cart cache")
    assert await admin.search("carts move to the graph", mode="strict") == []
    [hit] = await admin.search("carts move to the graph")
    assert (hit.id, hit.status, hit.effective_at) == (answer.decision_id, "active", begins)
    [listed] = await _list(admin)
    assert (listed.effective_at, listed.valid_until) == (begins, None)
    clock.passes(days=3)
    assert [hit.id for hit in await admin.search("carts move to the graph", mode="strict")] == [answer.decision_id]


@pytest.mark.proves("DEC-80")
async def test_what_is_replaced_later_holds_until_then(admin: Caller, clock: Clock) -> None:
    old = await admin.record("cart cache", "Carts live in Redis")
    begins = clock.at + timedelta(days=3)
    new = await admin.supersede("cart cache", old, title="Carts live in the graph", effective_at=_text(begins))
    assert await _states(admin) == {old: "active", new: "active"}
    [first] = await admin.search("where do carts live?")
    assert (first.id, first.superseded_by, first.valid_until) == (old, new, begins)
    assert {each.id for each in await _get(admin, targets=["cart cache"])} == {old, new}
    clock.passes(days=3)
    assert await _states(admin) == {old: "superseded", new: "active"}
    [after] = await admin.search("where do carts live?")
    assert after.id == new
    assert any("it superseded" in (part.because or "") for part in after.why)
    assert [each.id for each in await _get(admin, targets=["cart cache"])] == [new]


@pytest.mark.proves("DEC-80")
async def test_what_replaces_a_planned_decision_at_once_also_ends_what_that_was_to_replace(
    admin: Caller, clock: Clock
) -> None:
    old = await admin.record("cart cache")
    planned = await admin.supersede("cart cache", old, effective_at=_text(clock.at + timedelta(days=3)))
    clock.passes(days=1)
    new = await admin.supersede("cart cache", planned)
    assert await _states(admin) == {old: "superseded", planned: "superseded", new: "active"}
    before = clock.at - timedelta(hours=1)
    assert await _states(admin, as_of=_text(before)) == {old: "active"}
    assert await _states(admin, as_of=_text(clock.at + timedelta(days=9))) == {
        old: "superseded",
        planned: "superseded",
        new: "active",
    }


@pytest.mark.proves("DEC-81")
async def test_a_proposal_carries_its_times_to_the_decision(admin: Caller, clock: Clock, evidence: list[str]) -> None:
    begins, ends = clock.at + timedelta(days=1), clock.at + timedelta(days=2)
    id_ = await admin.propose("cart cache", *evidence, effective_at=_text(begins), valid_until=_text(ends))
    [proposal] = (await admin.proposals()).proposals
    assert (proposal.effective_at, proposal.valid_until) == (begins, ends)
    clock.passes(hours=2)
    decision = await admin.accept(id_)
    [read] = await _get(admin, ids=[decision])
    assert (read.effective_at, read.valid_until) == (begins, ends)
    late = await admin.propose("queue", *evidence, valid_until=_text(clock.at + timedelta(hours=1)))
    clock.passes(hours=2)
    with pytest.raises(InvalidArgument, match="valid_until"):
        await admin.accept(late)


@pytest.mark.proves("DEC-82")
async def test_another_time_is_answered_as_it_was(admin: Caller, clock: Clock) -> None:
    old = await admin.record("cart cache", "Carts live in Redis")
    clock.passes(days=1)
    new = await admin.supersede("cart cache", old, title="Carts live in the graph")
    then = _text(clock.at - timedelta(hours=1))
    clock.passes(days=1)
    [found] = await admin.search("where do carts live?", as_of=then)
    assert (found.id, found.status, found.superseded_by) == (old, "active", None)
    [read] = await _get(admin, targets=["cart cache"], as_of=then)
    assert (read.id, read.status, read.replaced_by) == (old, "active", [])
    assert await _states(admin, as_of=then) == {old: "active"}
    assert await _states(admin, as_of=_text(clock.at)) == await _states(admin) == {old: "superseded", new: "active"}
    assert (await _get(admin, ids=[new], as_of=_text(clock.at)))[0].replaced[0].status == "superseded"


@pytest.mark.proves("DEC-83")
async def test_what_was_learnt_later_counts_where_known_at_says_so(admin: Caller, clock: Clock) -> None:
    old = await admin.record("cart cache", "Carts live in Redis")
    clock.passes(days=10)
    since = clock.at - timedelta(days=5)
    new = await admin.supersede("cart cache", old, title="Carts live in the graph", effective_at=_text(since))
    then, now = _text(since + timedelta(days=1)), _text(clock.at)
    assert await _states(admin, as_of=then) == {old: "active"}
    assert await _states(admin, as_of=then, known_at=now) == {old: "superseded", new: "active"}
    [found] = await admin.search("where do carts live?", as_of=then, known_at=now)
    assert found.id == new
    with pytest.raises(InvalidArgument, match="known_at needs as_of"):
        await _list(admin, known_at=now)


@pytest.mark.proves("DEC-84")
async def test_what_was_retracted_counted_before_that(admin: Caller, clock: Clock, cypher: Cypher) -> None:
    wrong = await admin.record("cart cache", "Carts live in Redis", "Redis keeps what it is given.", about=["Redis"])
    then = _text(clock.at)
    clock.passes(days=1)
    await retract(cypher, wrong, clock.at)
    for question in ("where do carts live?", "redis keeps what it is given"):
        assert await admin.search(question) == []
        assert [(hit.id, hit.status) for hit in await admin.search(question, as_of=then)] == [(wrong, "active")]
        assert await admin.search(question, as_of=_text(clock.at)) == []
    assert [hit.id for hit in await admin.search("carts", as_of=then, about="redis")] == [wrong]
    assert [hit.id for hit in await admin.search("carts", as_of=then, target="Cart Cache")] == [wrong]
    assert await _states(admin) == {}
    assert await _states(admin, as_of=then) == await _states(admin, as_of=then, about="Redis") == {wrong: "active"}
    [read] = await _get(admin, targets=["cart cache"], as_of=then)
    assert (read.id, read.status, read.about) == (wrong, "active", ["Redis", "cart cache"])


@pytest.mark.proves("DEC-82", "DEC-84")
async def test_what_a_retracted_decision_ended_stays_ended_at_every_later_time(
    admin: Caller, clock: Clock, cypher: Cypher
) -> None:
    old = await admin.record("cart cache")
    planned = await admin.supersede("cart cache", old, effective_at=_text(clock.at + timedelta(days=3)))
    clock.passes(days=1)
    wrong = await admin.supersede("cart cache", planned)
    clock.passes(days=1)
    await retract(cypher, wrong, clock.at)
    assert (await _states(admin))[old] == (await _states(admin, as_of=_text(clock.at)))[old] == "superseded"


@pytest.mark.proves("DEC-85")
async def test_what_was_retracted_stays_readable(admin: Caller, clock: Clock, cypher: Cypher) -> None:
    wrong = await admin.record("cart cache", "Carts live in Redis")
    await retract(cypher, wrong, clock.at)
    [read] = await _get(admin, ids=[wrong])
    assert read.status == "retracted"
    assert read.retracted is not None
    assert (read.retracted.by, read.retracted.reason) == ("grace", "It was wrong.")
    assert await _states(admin, status="retracted") == {wrong: "retracted"}
    assert [hit.id for hit in await admin.search("carts in redis", mode="audit", status="retracted")] == [wrong]


@pytest.mark.proves("DEC-83")
async def test_a_proposal_was_a_draft_before_it_was_decided(admin: Caller, clock: Clock, evidence: list[str]) -> None:
    id_ = await admin.propose("cart cache", *evidence, title="Carts live in the graph")
    clock.passes(hours=2)
    await admin.reject(id_)
    then = _text(clock.at - timedelta(hours=1))
    [hit] = await admin.search("carts in the graph", as_of=then)
    assert (hit.id, hit.status) == (id_, "draft")
    [read] = await _get(admin, ids=[id_], as_of=then)
    assert (read.status, read.proposal and read.proposal.rejection_reason) == ("draft", None)


@pytest.mark.proves("DEC-77")
async def test_a_past_time_is_from_when_it_holds(admin: Caller, clock: Clock) -> None:
    request = {"title": "t", "target": "x", "rationale": "For good reasons.", "effective_at": "2026-01-15"}
    answer: DecisionResponse = await admin.service.record(RecordDecision.parse(request), admin.principal)
    assert "in force from 2026-01-15 00:00 UTC" in answer.message
    assert await _states(admin, as_of="2026-01-15", known_at=_text(clock.at)) == {answer.decision_id: "active"}
    assert await _states(admin, as_of="2026-01-14", known_at=_text(clock.at)) == {}
