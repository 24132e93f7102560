"""Storing memories: how long a caller waits, and which id a memory gets."""

from dataclasses import replace
from datetime import UTC, datetime

import anyio
import pytest

from server.core.principals import Principal
from server.parts import Parts
from server.sessions import memories
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.models import AddMemory
from server.sessions.service import SessionService
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SES-13")
async def test_a_memory_of_more_than_a_hundred_passages_is_not_waited_for(
    parts: Parts, caller: Principal, cypher: Cypher
) -> None:
    """The projector does not run: a caller that waits would wait for an hour."""
    patient = SessionService(replace(parts, searchable_wait=3_600), summariser=ExtractiveSummariser(parts.embedder))
    long = " ".join(f"Sentence {number} is about the weather on day {number} of the journey." for number in range(600))
    with anyio.fail_after(120):
        added = await patient.add_memory(AddMemory(prompt=long, thought="", response="", sessionId="s"), caller)
    assert added.searchable is False
    [row] = await cypher("MATCH (p:Passage {namespace: $namespace}) RETURN count(p) AS passages")
    assert row["passages"] > 100


@pytest.mark.proves("SES-10")
async def test_a_memory_whose_id_is_taken_gets_a_number_behind_it(
    service: SessionService, caller: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = datetime(2026, 1, 15, 12, tzinfo=UTC)
    monkeypatch.setattr(memories, "choose_time_after", lambda _: same)
    ids = [
        (await service.add_memory(AddMemory(prompt="p", thought="", response="", sessionId=name), caller)).id
        for name in "abc"
    ]
    first = "mem_2026-01-15T12:00:00.000Z"
    assert ids == [first, f"{first}-2", f"{first}-3"]
