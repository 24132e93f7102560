"""Updates the gauges of `/metrics`: the sizes of graph and vectors, and the lag of the vectors."""

import time
from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import structlog

from server.core.errors import PrecedentError, Unavailable
from server.graph.graph import Graph
from server.observability.metrics import Metrics
from server.vectors.projector import Projector
from server.vectors.store import VectorStore

_log = structlog.get_logger(__name__)
_INTERVAL = 5.0
"""Seconds."""
_LOOK_SECONDS = 0.05


async def update_gauges(
    graph: Graph, vectors: VectorStore, projector: Projector, metrics: Metrics, *, interval: float = _INTERVAL
) -> None:
    """Measure every `interval` seconds until cancelled; log what cannot be measured."""
    while True:
        metrics.graph_up.set(await _try(partial(_measure_graph, graph, projector, metrics)))
        await _try(partial(_measure_vectors, vectors, metrics))
        await anyio.sleep(interval)


async def measure_event_loop(metrics: Metrics) -> None:
    """Measure until cancelled how much later than due the event loop comes round."""
    while True:
        due = time.monotonic() + _LOOK_SECONDS
        await anyio.sleep(_LOOK_SECONDS)
        metrics.loop_delay.observe(max(0.0, time.monotonic() - due))


async def _try(measure: Callable[[], Awaitable[None]]) -> bool:
    try:
        await measure()
    except Unavailable:  # the parts that need it log it
        return False
    except PrecedentError as error:
        _log.warning("not_measured", error=type(error).__name__, reason=error.message)
        return False
    return True


async def _measure_graph(graph: Graph, projector: Projector, metrics: Metrics) -> None:
    lag = await projector.lag()
    sizes = await graph.row("metrics/sizes")
    metrics.unprojected.set(lag.records + lag.deletions)
    metrics.unprojected_seconds.set(lag.seconds)
    for kind, count in sizes["records"].items():
        metrics.records.labels(kind).set(count)
    metrics.relationships.set(sizes["relationships"])


async def _measure_vectors(vectors: VectorStore, metrics: Metrics) -> None:
    metrics.vectors.set(await vectors.count())
