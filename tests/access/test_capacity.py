"""A process carries out a limited number of requests at once; others wait for a limited time."""

import anyio
import pytest

from server.access import capacity as waiting
from server.access.capacity import Capacity
from server.core.errors import Overloaded

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-87")
async def test_a_burst_waits_for_its_turn_and_a_turn_ends_once() -> None:
    capacity, done = Capacity(2), 0

    async def work() -> None:
        nonlocal done
        turn = await capacity.take_turn()
        await anyio.lowlevel.checkpoint()
        turn.end()
        turn.end()
        done += 1

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(work)
    assert done == 20


@pytest.mark.proves("SVC-87")
async def test_a_request_that_waited_too_long_is_refused_and_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_WAIT_SECONDS", 0.01)
    capacity = Capacity(1)
    turn = await capacity.take_turn()
    for _ in range(3):
        with pytest.raises(Overloaded, match="nothing was stored") as refused:
            await capacity.take_turn()
        assert refused.value.details["retry_after_seconds"] > 0
    turn.end()
    (await capacity.take_turn()).end()
