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
from rich.console import Console

from ingest.sample import load_sample
from server import logs
from server.app import App, open_app
from server.rest.protocol import HttpProtocol
from server.settings import Settings
from server.stack import own_stack, paths_of

_log = structlog.get_logger(__name__)
_DRAIN_SECONDS = 5
"""How long calls under way may still take when the service is asked to stop."""


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


async def run(settings: Settings, sample: Path | None, console: Console) -> None:
    """Starts the stack and serves until SIGINT or SIGTERM, then stops everything, cleanly.

    `sample` is a folder of decision records to load into a graph that holds nothing yet. Raises `SetupError`s.
    """
    home = paths_of(settings).home
    home.create()
    # A person at a terminal reads where to go, not JSON; everybody else gets the log on stderr too.
    logs.configure(settings.log_level, home.log, stderr=not sys.stderr.isatty())
    async with anyio.create_task_group() as tasks:
        server: list[_HttpServer] = []

        async def until_signal() -> None:
            with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
                async for _ in signals:
                    if not server or server[0].should_exit:
                        tasks.cancel_scope.cancel()  # still starting, or asked twice
                        return
                    server[0].should_exit = True

        tasks.start_soon(until_signal)
        with console.status("Starting Precedent …") as waiting:
            async with own_stack(settings, "serve"), open_app(settings) as app:
                if sample is not None:
                    await load_sample(app.graph, sample, settings.namespace)

                def ready() -> None:
                    waiting.stop()
                    _announce(settings, console)

                server.append(_http_server(app, ready))
                await server[0].serve()
        tasks.cancel_scope.cancel()


def _http_server(app: App, on_started: Callable[[], None]) -> _HttpServer:
    config = uvicorn.Config(
        app.http,
        host=app.settings.host,
        port=app.settings.port,
        http=HttpProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    return _HttpServer(config, on_started)


def _announce(settings: Settings, console: Console) -> None:
    home = paths_of(settings).home
    url = settings.service_url
    _log.info("ready", url=url)
    browser = f"http://127.0.0.1:{settings.browser_port}/browser/?connectURL=bolt://127.0.0.1:{settings.bolt_port}"
    places = {"MCP": f"{url}/mcp", "REST docs": f"{url}/docs"}
    if settings.local:
        places |= {"Neo4j Browser": browser, "": f"user neo4j, password in {home.neo4j_password}"}
    places["Log"] = str(home.log)
    console.rule("Precedent is ready")
    for name, place in places.items():
        console.print(f"[bold]{name:<14}[/] {place}", soft_wrap=True, highlight=False)
    console.print("\nFor an MCP client's configuration:")
    console.print_json(json.dumps({"mcpServers": {"precedent": {"type": "http", "url": f"{url}/mcp"}}}))
    console.print("Ctrl-C stops everything.")
