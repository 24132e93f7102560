"""Connects to the graph of the settings: a Neo4j elsewhere, that of the running service, or a Neo4j of this process."""

import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
from pydantic import SecretStr

from server.core.home import LocalPaths
from server.core.settings import Settings
from server.graph.graph import Graph, connect
from server.graph.migrations import migrate, require_current
from server.local.class_data import installation
from server.local.credentials import load_secret
from server.local.jars import require_provisioned
from server.local.neo4j import USER, LocalNeo4j, MemoryLimits
from server.local.owner import find_owner, own
from server.local.ports import Ports, require_distinct, require_free
from server.local.supervisor import Supervisor


def local_paths(settings: Settings) -> LocalPaths:
    """Return the folders of these settings."""
    return LocalPaths.of(settings.home, settings.cache)


def add_secrets(settings: Settings) -> Settings:
    """Return the settings with the secrets of the home: Neo4j's password and AGENT_MEMORY_SECRET."""
    if not settings.local:
        return settings
    home = local_paths(settings).home
    operator_secret = settings.agent_memory_secret or SecretStr(load_secret(home.agent_memory_secret))
    return settings.model_copy(
        update={
            "neo4j_username": USER,
            "neo4j_password": SecretStr(load_secret(home.neo4j_password)),
            "neo4j_database": "neo4j",
            "agent_memory_secret": operator_secret,
        }
    )


def find_service(settings: Settings) -> Settings | None:
    """Return these settings with the address and ports of the service that runs on their home; None where none runs.

    A process that knows only the home thereby finds the service on whatever ports it was started. Source: SVC-85.
    """
    current = find_owner(local_paths(settings).home)
    if current is None or current.command != "serve":
        return None
    fields = {"http": "port", "bolt": "bolt_port", "browser": "browser_port"}
    found: dict[str, object] = {fields[name]: port for name, port in current.ports.items()}
    if current.host is not None:
        found["host"] = current.host
    return settings.model_copy(update=found)


@asynccontextmanager
async def own_home(settings: Settings, command: str) -> AsyncIterator[Supervisor | None]:
    """Own the home in this block and, in the local profile, run its Neo4j.

    Raises `HomeInUse`, `PortTaken`, `SetupError`.
    """
    paths = local_paths(settings)
    ports = {"http": settings.port} if command == "serve" else {}
    if settings.local:
        ports |= {"bolt": settings.bolt_port, "browser": settings.browser_port}
    require_distinct({f"the {name} port": port for name, port in ports.items()})
    with own(paths.home, command, ports, settings.host if command == "serve" else None):
        if command == "serve":
            require_free({"PRECEDENT_PORT": settings.port}, settings.host)
        if not settings.local:
            yield None
            return
        require_provisioned(paths.cache)
        supervisor = Supervisor(
            LocalNeo4j(
                installation(paths.cache),
                paths.home,
                Ports(settings.bolt_port, settings.browser_port),
                MemoryLimits(page_cache=settings.neo4j_page_cache),
                jvm_flags=settings.neo4j_jvm,
            )
        )
        await supervisor.start()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(supervisor.watch)
                try:
                    yield supervisor
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await supervisor.stop()


@asynccontextmanager
async def open_graph(settings: Settings, *, service_runs: bool = False) -> AsyncIterator[Graph]:
    """Connect to the graph of these settings and migrate its schema.

    With a running service (`service_runs`), only the service migrates: raises `SetupError` where the schema is older.
    """
    settings = add_secrets(settings)
    assert settings.neo4j_password is not None
    async with connect(
        settings.bolt_uri,
        settings.neo4j_username,
        settings.neo4j_password.get_secret_value(),
        database=settings.neo4j_database,
        timeout=settings.query_timeout,
        retry_time=settings.retry_time,
        at_once=settings.neo4j_concurrency,
    ) as graph:
        await (require_current if service_runs else migrate)(graph)
        yield graph


@asynccontextmanager
async def open_graph_for_command(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, bool]]:
    """Open the graph for a command: that of the running service, or else own the home.

    The second value is whether this process owns the home, and therefore the vectors.
    """
    if (running := find_service(settings)) is not None:
        async with open_graph(running, service_runs=True) as graph:
            yield graph, False
    else:
        with _handle_sigterm():
            async with own_home(settings, command), open_graph(settings) as graph:
                yield graph, True


@contextmanager
def _handle_sigterm() -> Iterator[None]:
    """Handle SIGTERM, which `precedent stop` sends, like Ctrl-C, so that everything that was started stops."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    interrupt = signal.getsignal(signal.SIGINT)
    # A shell makes background processes ignore SIGINT.
    previous = signal.signal(signal.SIGTERM, interrupt if callable(interrupt) else signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
