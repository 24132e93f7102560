"""Writers of one session go one after another, and nobody waits for ever."""

import anyio
import pytest

from server.core.errors import QueryTimeout
from server.retrieval import turns
from server.retrieval.turns import take_turn

pytestmark = pytest.mark.anyio


@pytest.mark.proves("RET-25")
async def test_writers_of_a_session_go_in_the_order_in_which_they_came() -> None:
    went: list[tuple[str, int]] = []
    inside = 0

    async def write(session: str | None, number: int) -> None:
        nonlocal inside
        async with take_turn("n", session):
            inside += session == "talk"
            assert inside <= 1
            await anyio.lowlevel.checkpoint()
            went.append((str(session), number))
            inside -= session == "talk"

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(write, "talk", number)
            tasks.start_soon(write, None, number)
    assert [number for session, number in went if session == "talk"] == list(range(20))
    assert not turns._turns, "nothing is kept of a session that nobody writes to"


@pytest.mark.proves("RET-25")
async def test_a_turn_that_does_not_come_is_given_up_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_LONGEST", 0.05)
    held = anyio.Event()

    async def hold() -> None:
        async with take_turn("n", "talk"):
            held.set()
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold)
        await held.wait()
        with pytest.raises(QueryTimeout, match="nothing was changed"):
            async with take_turn("n", "talk"):
                raise AssertionError
        async with take_turn("n", "another"), take_turn("m", "talk"):
            pass
        tasks.cancel_scope.cancel()
    async with take_turn("n", "talk"):
        pass
