"""The gauges follow the service, and nothing that they meet ends it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import pytest

from server.core.errors import PrecedentError, QueryTimeout, SetupError, VectorsUnavailable
from server.graph.graph import Graph
from server.observability.gauges import update_gauges
from server.observability.metrics import Metrics
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


def _late(real: Callable[[], Awaitable[Any]], *errors: PrecedentError) -> Callable[[], Awaitable[Any]]:
    """The same call, after it has failed once with each of these."""
    left = [*errors]

    async def call() -> Any:
        if left:
            raise left.pop()
        return await real()

    return call


@pytest.mark.proves("SVC-75")
async def test_what_cannot_be_measured_now_is_measured_later(
    graph: Graph, vectors: EdgeStore, projector: Projector, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cypher("CREATE (:Entry {namespace: $namespace, id: 'x', node_id: 1})")
    errors = QueryTimeout("It took long."), SetupError("The password changed."), VectorsUnavailable("It is away.")
    monkeypatch.setattr(projector, "lag", _late(projector.lag, *errors))
    monkeypatch.setattr(vectors, "count", _late(vectors.count, *errors))
    metrics = Metrics()
    metrics.vectors.set(-1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(update_gauges, graph, vectors, projector, metrics, interval=0.01))
        with anyio.fail_after(120):
            while b"precedent_graph_up 1.0" not in metrics.text() or b"precedent_vectors -1.0" in metrics.text():
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    assert b'precedent_records{kind="Entry"}' in metrics.text()
