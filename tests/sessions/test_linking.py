"""Imported records are linked in the background; an import that cannot be linked delays no other."""

from collections.abc import AsyncIterator
from functools import partial
from io import BytesIO

import anyio
import pytest

from server.core.errors import PrecedentError
from server.core.principals import Principal
from server.sessions.models import AddMemory, QueryMemories
from server.sessions.service import SessionService
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_BROKEN = """
CREATE (:MemoryCollection {
    namespace: $namespace + '-broken', id: 'broken', of: 'memories', state: 'live', unlinked: true}),
  (:Collected:Interaction:Unlinked {namespace: $namespace + '-broken', collection: 'broken', id: 'mem_1', prompt: 'p',
    thought: 't', response: 'r', created_at: datetime()})
"""


@pytest.fixture
async def broken(cypher: Cypher) -> AsyncIterator[None]:
    """A memory without a session, which cannot be linked."""
    await cypher(_BROKEN)
    yield
    await cypher("MATCH (n {namespace: $namespace + '-broken'}) DETACH DELETE n")


@pytest.mark.proves("SES-20", "SES-49")
@pytest.mark.usefixtures("broken")
async def test_an_import_that_cannot_be_linked_is_reported_and_delays_no_other(
    service: SessionService, caller: Principal
) -> None:
    await service.add_memory(
        AddMemory(prompt="Where is the parrot?", thought="", response="In Lisbon.", sessionId="s"), caller
    )
    lines = b"".join([line async for line in service.export(["memories"], caller)])
    await service.import_file(BytesIO(lines.replace(b"mem_", b"again_")), "merge", caller)
    with pytest.raises(PrecedentError):
        await service.linker.drain(silent=0)
    found = await service.query_memories(QueryMemories(query="parrot Lisbon", nResults=5), caller)
    assert len(found.results) == 2


@pytest.mark.proves("SES-44")
async def test_a_merge_of_known_records_leaves_nothing_behind(
    service: SessionService, caller: Principal, cypher: Cypher
) -> None:
    collections = "MATCH (c:MemoryCollection {namespace: $namespace}) RETURN c.id AS id, c.state AS state ORDER BY id"
    await service.add_memory(AddMemory(prompt="p", thought="", response="r", sessionId="s"), caller)
    before = await cypher(collections)
    lines = b"".join([line async for line in service.export(["memories"], caller)])
    imported = await service.import_file(BytesIO(lines), "merge", caller)
    assert (imported.imported, imported.skipped) == (0, 1)
    await service.linker.drain(silent=0)
    assert await cypher(collections) == before


@pytest.mark.proves("SVC-93")
async def test_an_import_is_linked_once_by_replicas_that_link_at_the_same_moment(
    service: SessionService, caller: Principal, cypher: Cypher
) -> None:
    for number in range(4):
        request = AddMemory(prompt=f"Question {number}?", thought="", response=f"Answer {number}.", sessionId="s")
        await service.add_memory(request, caller)
    lines = b"".join([line async for line in service.export(["memories"], caller)])
    await service.import_file(BytesIO(lines.replace(b"mem_", b"again_")), "merge", caller)
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(partial(service.linker.drain, silent=0))
    places = "MATCH (n:Passage {namespace: $namespace}) RETURN n.place AS place, count(n.record) AS records"
    rows = await cypher(places)
    assert [row["records"] for row in rows] == [1] * 8
