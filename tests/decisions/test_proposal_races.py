"""Several callers who decide about a proposal at once: one succeeds, the others get the outcome."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from server.core.errors import Conflict, PrecedentError
from server.core.principals import Role
from server.decisions.service import DecisionService
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Clock, Make

pytestmark = pytest.mark.anyio


@pytest.fixture
def service(make: Make, clock: Clock) -> DecisionService:
    return make(clock=clock)


Act = Callable[[Caller], Awaitable[object]]


async def _at_once(caller: Callable[..., Caller], *acts: Act) -> list[object]:
    """What came of each act, all started together, each by an admin of its own."""
    outcomes: dict[int, object] = {}

    async def one(number: int, act: Act) -> None:
        try:
            outcomes[number] = await act(caller(f"admin {number}", kind="human", role=Role.ADMIN))
        except PrecedentError as error:
            outcomes[number] = error

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number, act in enumerate(acts):
                group.start_soon(one, number, act)
    return [outcomes[number] for number in range(len(acts))]


@pytest.mark.proves("DEC-64")
async def test_of_eight_admins_who_accept_at_once_one_does_and_the_others_learn_what_it_became(
    agent: Caller, caller: Callable[..., Caller], evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    for _ in range(3):
        id_ = await agent.propose(f"database {_}", *evidence)
        clock.passes(hours=1)
        outcomes = await _at_once(caller, *[lambda admin: admin.accept(id_)] * 8)  # noqa: B023
        [won] = [outcome for outcome in outcomes if isinstance(outcome, str)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
        assert len(lost) == 7
        assert all(f"it became {won}" in error.message for error in lost)
        rows = await cypher("MATCH (p:Proposal {id: $id})-[:BECAME]->(d) RETURN d.id AS id", id=id_)
        assert rows == [{"id": won}]
    assert len(await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN d.id")) == 3


@pytest.mark.proves("DEC-64")
async def test_accepting_against_rejecting_recording_and_a_rival_ends_in_one_of_them(
    agent: Caller, caller: Callable[..., Caller], evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    for round_ in range(3):
        target = f"database {round_}"
        one, other = [await agent.propose(target, *evidence) for _ in range(2)]
        clock.passes(hours=1)
        outcomes = await _at_once(
            caller,
            lambda admin: admin.accept(one),  # noqa: B023
            lambda admin: admin.reject(one),  # noqa: B023
            lambda admin: admin.accept(other),  # noqa: B023
            lambda admin: admin.record(target),  # noqa: B023
        )
        rows = await cypher(
            "MATCH (d:Decision {namespace: $namespace, target: $target}) RETURN d.id AS id, d.status AS status",
            target=target,
        )
        assert [row["status"] for row in rows] == ["active"]
        assert [outcome for outcome in outcomes if isinstance(outcome, str)] == [rows[0]["id"]]
        refused = [outcome for outcome in outcomes if isinstance(outcome, PrecedentError)]
        assert {type(error) for error in refused} == {Conflict}
        assert all(rows[0]["id"] in error.message or "rejected already" in error.message for error in refused)
        ends = await cypher("MATCH (p:Proposal {id: $id}) RETURN p.status AS status", id=one)
        assert [row["status"] for row in ends] in (["accepted"], ["rejected"])


@pytest.mark.proves("DEC-58")
async def test_all_who_propose_at_once_about_one_target_compete_with_each_other(
    caller: Callable[..., Caller], evidence: list[str], cypher: Cypher
) -> None:
    outcomes = await _at_once(caller, *[lambda admin: admin.propose("database", *evidence)] * 8)
    assert len({outcome for outcome in outcomes if isinstance(outcome, str)}) == 8
    rows = await cypher("MATCH (:Proposal {namespace: $namespace})-[c:COMPETES_WITH]->() RETURN count(c) AS pairs")
    assert rows == [{"pairs": 28}]


@pytest.mark.proves("DEC-64")
async def test_proposing_and_deciding_about_one_target_at_once_all_come_through(
    agent: Caller, caller: Callable[..., Caller], evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    """Each of the two locks first what the other one locks last."""
    waiting = [await agent.propose("database", *evidence) for _ in range(6)]
    clock.passes(hours=1)
    outcomes = await _at_once(
        caller,
        *(lambda admin, id_=id_: admin.reject(id_) for id_ in waiting[1:]),
        lambda admin: admin.accept(waiting[0]),
        *[lambda admin: admin.propose("database", *evidence)] * 6,
    )
    rows = await cypher("MATCH (p:Proposal {namespace: $namespace}) RETURN p.status AS status, count(*) AS n")
    counts = {row["status"]: row["n"] for row in rows}
    assert (counts["accepted"], counts["rejected"]) == (1, 5)
    refused = [outcome for outcome in outcomes if isinstance(outcome, PrecedentError)]
    # A proposal after the decision has to name it in `suggested_supersedes`.
    assert {type(error) for error in refused} <= {Conflict}
    assert counts.get("draft", 0) == 6 - len(refused)
