"""`precedent serve`: everything in one process, until it is interrupted."""

import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import structlog
import uvicorn
from fastapi import FastAPI
from rich.console import Console

from ingest.sample import load_sample
from server.app import open_app
from server.core.settings import Settings
from server.local.connection import local_paths, own_home
from server.observability import logs
from server.rest.protocol import HttpProtocol

_log = structlog.get_logger(__name__)
_DRAIN_SECONDS = 5
"""How long calls under way may still take when the service is asked to stop."""
_IDLE_SECONDS = 75
"""How long an idle connection stays open: longer than clients reuse theirs, which is 5 to 60 s for common ones.

Where the server closes first, a client may send a request into a connection that is just being closed.
"""


class _HttpServer(uvicorn.Server):
    """uvicorn under our own signal handling: Neo4j has to be stopped after it, so a signal may not end the process."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started:
            self._on_started()


class _Stopping:
    """Ends everything on SIGINT or SIGTERM: calls under way may finish first, unless it is still starting."""

    def __init__(self, everything: anyio.CancelScope) -> None:
        self._everything = everything
        self.server: _HttpServer | None = None

    async def watch(self) -> None:
        """Wait for a signal, and for a second one, which ends the calls under way as well."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                if self.server is None or self.server.should_exit:
                    self._everything.cancel()
                    return
                self.server.should_exit = True


async def run(settings: Settings, sample: Path | None, console: Console) -> None:
    """Starts the stack and serves until SIGINT or SIGTERM, then stops everything, cleanly.

    `sample` is a folder of decision records to load into a graph that holds nothing yet. Raises `SetupError`s.
    """
    home = local_paths(settings).home
    home.create()
    # A person at a terminal reads where to go, not JSON; everybody else gets the log on stderr too.
    logs.configure(settings.log_level, home.log, stderr=not sys.stderr.isatty())
    async with anyio.create_task_group() as tasks:
        stopping = _Stopping(tasks.cancel_scope)
        tasks.start_soon(stopping.watch)
        with console.status("Starting Precedent …") as waiting:
            async with own_home(settings, "serve"), open_app(settings, plan_ahead=True) as app:
                if sample is not None:
                    await load_sample(app.parts.graph, sample, settings.namespace)

                def ready() -> None:
                    waiting.stop()
                    _announce(settings, console)

                stopping.server = server = _HttpServer(build_http_config(app.http, settings), ready)
                await server.serve()
        tasks.cancel_scope.cancel()


def build_http_config(http: FastAPI, settings: Settings) -> uvicorn.Config:
    """Return the configuration of the HTTP server. Source: SVC-86."""
    return uvicorn.Config(
        http,
        host=settings.host,
        port=settings.port,
        http=HttpProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        timeout_keep_alive=_IDLE_SECONDS,
    )


def _announce(settings: Settings, console: Console) -> None:
    home = local_paths(settings).home
    url = settings.service_url
    _log.info("ready", url=url)
    places = {"MCP": f"{url}/mcp", "REST docs": f"{url}/docs"}
    if settings.local:
        places |= {"Neo4j Browser": settings.browser_url, "": f"user neo4j, password in {home.neo4j_password}"}
    places["Log"] = str(home.log)
    console.rule("Precedent is ready")
    for name, place in places.items():
        console.print(f"[bold]{name:<14}[/] {place}", soft_wrap=True, highlight=False)
    console.print("\nFor an MCP client's configuration:")
    console.print_json(json.dumps({"mcpServers": {"precedent": {"type": "http", "url": f"{url}/mcp"}}}))
    console.print("Ctrl-C stops everything.")
