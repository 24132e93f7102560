"""How long a write waits until what it stored is found by meaning."""

import anyio
import pytest

from server.graph import changes
from server.graph.changes import audit_context
from server.retrieval.writing import wait_for_passages
from server.vectors.projector import Projector

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-67")
async def test_a_write_that_took_long_to_store_does_not_wait_to_be_searchable(projector: Projector) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(projector.run)
        with audit_context("agent", "save_memory"), anyio.fail_after(60):
            while not projector.following:
                await anyio.sleep(0.01)
            operation = changes._current.get()
            assert operation is not None
            operation.began -= 1_000
            assert not await wait_for_passages(projector, "n", ["never stored"], 999)
        tasks.cancel_scope.cancel()
