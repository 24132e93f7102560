"""Exports and imports at their limits."""

import json
from io import BytesIO

import pytest

from server.core.errors import Conflict, InvalidArgument
from server.core.principals import Principal
from server.sessions import exporting, importing
from server.sessions.models import AddMemory, ListMemories
from server.sessions.service import SessionService

pytestmark = pytest.mark.anyio


def _line(id_: str, prompt: str) -> bytes:
    said = {"prompt": prompt, "thought": "", "response": ""}
    metadata = {"sessionId": "s", "timestamp": "2025-01-01T00:00:00Z", **said}
    return json.dumps({"id": id_, "metadata": metadata}).encode() + b"\n"


@pytest.mark.proves("SES-42")
async def test_an_export_whose_records_are_replaced_meanwhile_breaks_off(
    service: SessionService, caller: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_PAGE", 1)
    for number in range(2):
        await service.add_memory(AddMemory(prompt=f"{number}", thought="", response="", sessionId="s"), caller)
    lines = service.export(["memories"], caller)
    assert json.loads(await anext(lines))["metadata"]["prompt"] == "0"
    await service.import_file(BytesIO(_line("mem_new", "new")), "replace", caller)
    with pytest.raises(Conflict):
        _ = [line async for line in lines]


@pytest.mark.proves("SES-44")
async def test_of_an_id_that_a_file_has_twice_the_first_counts_and_nothing_is_overwritten(
    service: SessionService, caller: Principal
) -> None:
    file = _line("mem_1", "first") + _line("mem_1", "second")
    imported = await service.import_file(BytesIO(file), "merge", caller)
    assert (imported.imported, imported.skipped) == (1, 1)
    again = await service.import_file(BytesIO(_line("mem_1", "third")), "merge", caller)
    assert (again.imported, again.skipped) == (0, 1)
    stored = await service.memories(ListMemories(sessionId="s"), caller)
    assert [memory.prompt for memory in stored.memories] == ["first"]


@pytest.mark.proves("SES-53")
async def test_a_line_that_is_too_long_is_refused_by_its_number(
    service: SessionService, caller: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "LONGEST_LINE", 1_000)
    with pytest.raises(InvalidArgument, match="Line 2 "):
        await service.import_file(BytesIO(_line("mem_1", "short") + _line("mem_2", "x" * 1_000)), "merge", caller)
    assert (await service.memories(ListMemories(sessionId="s"), caller)).total == 0
