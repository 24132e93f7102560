import time

import anyio
import pytest

from server.graph.sequence import IdSequence
from server.journal.records import Recorder
from server.principals import Principal, Role

pytestmark = pytest.mark.anyio


async def test_records_are_in_the_order_they_were_asked_for(sequence: IdSequence, namespace: str) -> None:
    recorder = Recorder(sequence)
    caller = Principal("tester", "agent", Role.AGENT, namespace)
    given: list[tuple[int, int]] = []

    async def one() -> None:
        record = await recorder.record(caller, "ada", "x")
        given.append((record["at"], record["node_id"]))

    async with anyio.create_task_group() as tasks:
        for _ in range(300):
            tasks.start_soon(one)
    assert given == sorted(given)
    assert len({node_id for _, node_id in given}) == 300


def test_a_clock_that_is_set_back_does_not_turn_the_order_round(
    sequence: IdSequence, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(sequence)
    before = recorder.now()
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    assert recorder.now() == before
