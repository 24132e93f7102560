"""At most one decision is in force for a target, whoever writes at the same moment."""

from collections.abc import Awaitable, Callable, Sequence

import anyio
import pytest

from server.core.errors import Conflict, PrecedentError
from tests.conftest import Cypher
from tests.decisions.conftest import Caller

pytestmark = pytest.mark.anyio

Act = Callable[[Caller], Awaitable[str]]


async def _at_once(caller: Callable[..., Caller], acts: Sequence[Act]) -> list[str | PrecedentError]:
    """What came of each act, all of them started together, each by a principal of its own."""
    outcomes: dict[int, str | PrecedentError] = {}

    async def one(number: int, act: Act) -> None:
        try:
            outcomes[number] = await act(caller(f"agent {number}"))
        except PrecedentError as error:
            outcomes[number] = error

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number, act in enumerate(acts):
                group.start_soon(one, number, act)
    return [outcomes[number] for number in range(len(acts))]


def _won(outcomes: Sequence[str | PrecedentError]) -> list[str]:
    return [outcome for outcome in outcomes if isinstance(outcome, str)]


def _refused(outcomes: Sequence[str | PrecedentError]) -> list[PrecedentError]:
    return [outcome for outcome in outcomes if not isinstance(outcome, str)]


async def _chain(cypher: Cypher, target: str) -> list[str]:
    """Ids from the first decision to the one in force, having checked that this is all there is of the target."""
    rows = await cypher(
        "MATCH (d:Decision {namespace: $namespace, target: $target}) "
        "RETURN d.id AS id, d.status AS status, d.active_target AS active_target, "
        "COLLECT {MATCH (d)-[:SUPERSEDES]->(old) RETURN old.id} AS replaced",
        target=target,
    )
    by_id = {row["id"]: row for row in rows}
    [last] = [row for row in rows if row["status"] == "active"]
    assert [row["id"] for row in rows if row["active_target"] == target] == [last["id"]]
    chain = [last["id"]]
    while replaced := by_id[chain[-1]]["replaced"]:
        [before] = replaced
        chain.append(before)
    assert sorted(chain) == sorted(by_id)
    return chain[::-1]


@pytest.mark.parametrize("round_", range(5))
@pytest.mark.proves("DEC-6")
async def test_of_sixteen_who_record_at_once_one_wins_and_the_others_learn_who(
    caller: Callable[..., Caller], cypher: Cypher, round_: int
) -> None:
    outcomes = await _at_once(caller, [lambda who: who.record("database")] * 16)
    [winner] = _won(outcomes)
    refused = _refused(outcomes)
    assert {type(error) for error in refused} == {Conflict}
    assert all(winner in error.message for error in refused)
    assert await _chain(cypher, "database") == [winner]
    assert await cypher("MATCH (e:Entity {namespace: $namespace}) RETURN count(e) AS n") == [{"n": 1}]


@pytest.mark.parametrize("round_", range(5))
@pytest.mark.proves("DEC-6", "DEC-15")
async def test_of_sixteen_who_supersede_the_same_decision_one_wins_and_the_others_learn_who(
    agent: Caller, caller: Callable[..., Caller], cypher: Cypher, round_: int
) -> None:
    old = await agent.record("database")
    outcomes = await _at_once(caller, [lambda who: who.supersede("database", old)] * 16)
    [winner] = _won(outcomes)
    refused = _refused(outcomes)
    assert {type(error) for error in refused} == {Conflict}
    assert all(error.details["active_decision_id"] == winner for error in refused)
    assert await _chain(cypher, "database") == [old, winner]


@pytest.mark.parametrize("round_", range(3))
@pytest.mark.proves("DEC-6")
async def test_recording_against_superseding_leaves_one_in_force(
    agent: Caller, caller: Callable[..., Caller], cypher: Cypher, round_: int
) -> None:
    old = await agent.record("database")
    acts: list[Act] = [lambda who: who.supersede("database", old), lambda who: who.record("database")] * 6
    outcomes = await _at_once(caller, acts)
    [winner] = _won(outcomes)
    assert await _chain(cypher, "database") == [old, winner]
    assert {type(error) for error in _refused(outcomes)} == {Conflict}


@pytest.mark.proves("DEC-6")
async def test_racers_who_always_try_again_build_one_chain(
    agent: Caller, caller: Callable[..., Caller], cypher: Cypher
) -> None:
    first = await agent.record("database")

    async def persist(who: Caller) -> str:
        current = first
        while True:
            try:
                return await who.supersede("database", current)
            except Conflict as conflict:
                current = conflict.details["active_decision_id"]

    outcomes = await _at_once(caller, [persist] * 8)
    assert len(_won(outcomes)) == 8
    chain = await _chain(cypher, "database")
    assert chain[0] == first
    assert sorted(chain[1:]) == sorted(_won(outcomes))


@pytest.mark.proves("DEC-6")
async def test_who_comes_too_late_is_told_what_is_in_force_while_it_is_replaced(
    agent: Caller, caller: Callable[..., Caller]
) -> None:
    first = await agent.record("database")
    second = await agent.supersede("database", first)
    done = anyio.Event()

    async def replace(who: Caller) -> str:
        current = second
        for _ in range(40):
            current = await who.supersede("database", current)
        done.set()
        return current

    async def come_too_late(who: Caller) -> str:
        refused = 0
        while not done.is_set():
            for act in (who.supersede("database", first), who.record("database")):
                try:
                    raise AssertionError(f"{await act} was put in force beside another")
                except Conflict as conflict:
                    assert conflict.details["active_decision_id"], conflict
                    refused += 1
        return str(refused)

    outcomes = await _at_once(caller, [replace, *[come_too_late] * 6])
    assert len(_won(outcomes)) == 7, _refused(outcomes)


async def test_different_targets_do_not_hinder_one_another(caller: Callable[..., Caller]) -> None:
    acts: list[Act] = [lambda who, target=f"target {number}": who.record(target) for number in range(16)]  # type: ignore[misc]
    assert len(_won(await _at_once(caller, acts))) == 16
