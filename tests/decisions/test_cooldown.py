"""The cooldown between two writes: per principal, started by success alone, across processes."""

from collections.abc import Callable

import anyio
import pytest

from server.core.errors import Conflict, PrecedentError, RateLimitExceeded
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Make

pytestmark = pytest.mark.anyio

_LONG = 3600.0


@pytest.fixture
def slow(make: Make, agent: Caller) -> Caller:
    """An agent of a service with a long cooldown."""
    return Caller(make(cooldown=_LONG), agent.principal)


@pytest.mark.proves("DEC-70")
async def test_a_second_write_is_refused_with_the_seconds_to_wait(slow: Caller, cypher: Cypher) -> None:
    await slow.record("database")
    with pytest.raises(RateLimitExceeded, match=r"^Rate limit exceeded: please wait [\d.]+ s") as refused:
        await slow.record("queue")
    seconds = refused.value.details["retry_after_seconds"]
    assert 0 < seconds <= _LONG
    assert f"wait {seconds} s" in refused.value.message
    assert await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN d.target AS target") == [
        {"target": "database"}
    ]


@pytest.mark.proves("DEC-70")
async def test_superseding_is_refused_after_recording(slow: Caller) -> None:
    old = await slow.record("database")
    with pytest.raises(RateLimitExceeded):
        await slow.supersede("database", old)


@pytest.mark.proves("DEC-70")
async def test_superseding_starts_the_cooldown(slow: Caller, agent: Caller) -> None:
    await slow.supersede("database", await agent.record("database"))
    with pytest.raises(RateLimitExceeded):
        await slow.record("queue")


@pytest.mark.proves("DEC-71")
async def test_a_failed_write_does_not_start_the_cooldown(slow: Caller, agent: Caller) -> None:
    await agent.record("database")
    with pytest.raises(Conflict):
        await slow.record("database")
    with pytest.raises(PrecedentError):
        await slow.supersede("database", "decision_nowhere")
    await slow.record("queue")


@pytest.mark.proves("DEC-71")
async def test_a_refused_write_does_not_prolong_the_cooldown(slow: Caller, cypher: Cypher) -> None:
    await slow.record("database")
    stamp = "MATCH (p:Principal {namespace: $namespace}) RETURN p.name AS name, p.last_write_at AS at"
    before = await cypher(stamp)
    with pytest.raises(RateLimitExceeded):
        await slow.record("queue")
    assert await cypher(stamp) == before
    assert [row["name"] for row in before] == ["ada"]


@pytest.mark.proves("DEC-70")
async def test_the_cooldown_ends_after_the_seconds_in_the_error(make: Make, agent: Caller) -> None:
    quick = Caller(make(cooldown=1.5), agent.principal)
    await quick.record("database")
    with pytest.raises(RateLimitExceeded) as refused:
        await quick.record("queue")
    await anyio.sleep(refused.value.details["retry_after_seconds"])
    await quick.record("queue")


@pytest.mark.proves("DEC-71")
async def test_a_clock_that_was_set_back_locks_nobody_out(slow: Caller, cypher: Cypher) -> None:
    await slow.record("database")
    await cypher("MATCH (p:Principal {namespace: $namespace}) SET p.last_write_at = p.last_write_at + duration('P1D')")
    await slow.record("queue")


@pytest.mark.proves("DEC-71")
async def test_the_cooldown_is_separate_for_each_principal_and_namespace(
    slow: Caller, caller: Callable[..., Caller]
) -> None:
    await slow.record("database")
    await caller("linus", through=slow.service).record("queue")
    await caller("ada", within=f"{slow.principal.namespace}-b", through=slow.service).record("queue")


@pytest.mark.proves("DEC-70")
async def test_zero_turns_the_cooldown_off_and_stores_nothing(agent: Caller, cypher: Cypher) -> None:
    await agent.record("database")
    await agent.record("queue")
    turns = await cypher("MATCH (p:Principal {namespace: $namespace}) RETURN p.last_write_at AS at")
    assert turns == [{"at": None}]


@pytest.mark.proves("DEC-71")
async def test_searching_needs_no_wait(slow: Caller) -> None:
    await slow.record("database")
    assert len(await slow.search("database")) == 1


@pytest.mark.parametrize("round_", range(5))
@pytest.mark.proves("DEC-71")
async def test_of_many_writes_of_one_principal_at_once_from_two_processes_one_succeeds(
    make: Make, elsewhere: Make, agent: Caller, cypher: Cypher, round_: int
) -> None:
    outcomes: list[str] = []
    await Caller(make(cooldown=_LONG), agent.principal).record("long ago")
    await cypher("MATCH (p:Principal {namespace: $namespace}) SET p.last_write_at = datetime({epochSeconds: 0})")

    async def one(who: Caller, number: int) -> None:
        try:
            await who.record(f"target {number}")
            outcomes.append("stored")
        except RateLimitExceeded:
            outcomes.append("refused")

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(12):
                service = (elsewhere if number % 2 else make)(cooldown=_LONG)
                group.start_soon(one, Caller(service, agent.principal), number)
    assert sorted(outcomes) == ["refused"] * 11 + ["stored"]
