"""Keeps the gauges of `/metrics` up to date: what graph and vectors hold, and how far the vectors are behind."""

from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import structlog

from server.errors import PrecedentError, Unavailable
from server.graph.graph import Graph
from server.metrics import Metrics
from server.vectors.projector import Projector
from server.vectors.store import VectorStore

_log = structlog.get_logger(__name__)
_EVERY = 5.0


async def follow(
    graph: Graph, vectors: VectorStore, projector: Projector, metrics: Metrics, *, every: float = _EVERY
) -> None:
    """Measures every `every` seconds until cancelled. What cannot be measured is told, and ends nothing."""
    while True:
        metrics.graph_up.set(await _measured(partial(_graph, graph, projector, metrics)))
        await _measured(partial(_vectors, vectors, metrics))
        await anyio.sleep(every)


async def _measured(measure: Callable[[], Awaitable[None]]) -> bool:
    try:
        await measure()
    except Unavailable:  # whoever needs it says so
        return False
    except PrecedentError as error:
        _log.warning("not_measured", error=type(error).__name__, reason=error.message)
        return False
    return True


async def _graph(graph: Graph, projector: Projector, metrics: Metrics) -> None:
    lag = await projector.lag()
    sizes = await graph.one("metrics/sizes")
    assert sizes is not None
    metrics.unprojected.set(lag.records + lag.deletions)
    metrics.unprojected_seconds.set(lag.seconds)
    for kind, count in sizes["records"].items():
        metrics.records.labels(kind).set(count)
    metrics.relationships.set(sizes["relationships"])


async def _vectors(vectors: VectorStore, metrics: Metrics) -> None:
    metrics.vectors.set(await vectors.count())
