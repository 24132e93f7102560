import time

import anyio
import pytest

from server.core.principals import Principal, Role
from server.graph.sequence import IdSequence
from server.journal.records import Recorder

pytestmark = pytest.mark.anyio


@pytest.mark.proves("JRN-17")
async def test_records_keep_the_order_in_which_they_were_built(sequence: IdSequence, namespace: str) -> None:
    recorder = Recorder(sequence)
    caller = Principal("tester", "agent", Role.AGENT, namespace)
    given: list[tuple[int, int]] = []

    async def one() -> None:
        record = await recorder.build_record(caller, "ada", "x")
        given.append((record["at"], record["node_id"]))

    async with anyio.create_task_group() as tasks:
        for _ in range(300):
            tasks.start_soon(one)
    assert given == sorted(given)
    assert len({node_id for _, node_id in given}) == 300


@pytest.mark.proves("JRN-17")
def test_the_order_holds_when_the_clock_is_set_back(sequence: IdSequence, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(sequence)
    before = recorder.now()
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    assert recorder.now() == before
