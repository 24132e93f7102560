"""The metrics of the service, in Prometheus' format."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
"""Seconds."""
_DELAYS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
"""Seconds."""


class Metrics:
    """The metrics of the service, in a registry of their own."""

    def __init__(self) -> None:
        self._last_request_at = time.monotonic()
        self._running = 0
        self.registry = CollectorRegistry()
        self._calls = Counter(
            "precedent_tool_calls",
            "Tool calls and resource reads, by outcome.",
            ["tool", "outcome"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "precedent_tool_seconds",
            "Time of a call or a read inside the service.",
            ["tool"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._requests = Counter(
            "precedent_requests", "HTTP requests by route and status.", ["route", "status"], registry=self.registry
        )
        self._request_seconds = Histogram(
            "precedent_request_seconds",
            "Time of an HTTP request inside the service; all of MCP is one route.",
            ["route"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.graph_up = Gauge("precedent_graph_up", "Whether Neo4j answered last time.", registry=self.registry)
        self.unprojected = Gauge(
            "precedent_unprojected", "Records and deletions that wait to be indexed in Qdrant.", registry=self.registry
        )
        self.unprojected_seconds = Gauge(
            "precedent_unprojected_oldest_seconds", "Seconds since Qdrant was last in sync.", registry=self.registry
        )
        self.records = Gauge("precedent_records", "Records in the graph by kind.", ["kind"], registry=self.registry)
        self.relationships = Gauge("precedent_relationships", "Relationships in the graph.", registry=self.registry)
        self.loop_delay = Histogram(
            "precedent_event_loop_delay_seconds",
            "How much later than due the event loop came round: all calls wait for that long.",
            buckets=_DELAYS,
            registry=self.registry,
        )
        self.vectors = Gauge("precedent_vectors", "Vectors in Qdrant.", registry=self.registry)

    def tool_called(self, tool: str, outcome: str, seconds: float) -> None:
        """Count a call; `outcome` is `success` or the error's code."""
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)

    def get_quiet_seconds(self) -> float:
        """How long no HTTP request has been under way, since this process started."""
        return 0.0 if self._running else time.monotonic() - self._last_request_at

    def request_started(self) -> None:
        """Count a request that is under way; `request_answered` ends it."""
        self._running += 1

    def request_answered(self, route: str, status: int, seconds: float) -> None:
        """Count an HTTP request; `route` is a template such as `GET /memories`."""
        self._last_request_at = time.monotonic()
        self._running -= 1
        self._requests.labels(route, status).inc()
        self._request_seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self.registry)
