"""Neo4j gets few quick statements at once, and slow ones keep no others waiting."""

import anyio
import pytest

from server.graph import concurrency
from server.graph.concurrency import ConcurrencyLimit
from server.graph.graph import Transaction, connect
from tests.conftest import Where

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-102")
async def test_only_so_many_blocks_run_at_once_and_the_first_to_come_is_the_first_to_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency, "_QUICK", 3_600)
    limit, began, running, most = ConcurrencyLimit(3), [], 0, 0

    async def work(number: int) -> None:
        nonlocal running, most
        async with limit.enter():
            began.append(number)
            running += 1
            most = max(most, running)
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
            running -= 1

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(work, number)
    assert (most, began) == (3, list(range(20)))


@pytest.mark.proves("SVC-102")
async def test_a_slow_block_gives_its_place_to_another_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "_QUICK", 0.01)
    limit, may_end = ConcurrencyLimit(1), anyio.Event()

    async def work_slowly() -> None:
        async with limit.enter():
            await may_end.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work_slowly)
        await anyio.lowlevel.checkpoint()
        with anyio.fail_after(60):
            async with limit.enter():
                may_end.set()
    monkeypatch.setattr(concurrency, "_QUICK", 3_600)
    async with limit.enter():
        with anyio.move_on_after(0.05) as waiting:
            async with limit.enter():
                pass
        assert waiting.cancelled_caught, "the slow block gave its place back twice"


async def test_a_place_is_free_again_after_an_error() -> None:
    limit = ConcurrencyLimit(1)
    for _ in range(3):
        with pytest.raises(ValueError, match="wrong"), anyio.fail_after(60):
            async with limit.enter():
                raise ValueError("wrong")


async def test_a_statement_beside_an_open_transaction_is_not_blocked_by_it(neo4j: Where) -> None:
    async with connect(*neo4j, timeout=30, retry_time=1, at_once=1) as graph:

        async def work(transaction: Transaction) -> int:
            await transaction.run("projection/lag")
            return int((await graph.row("projection/lag"))["records"])

        with anyio.fail_after(60):
            assert await graph.transaction(work, access="read") >= 0
