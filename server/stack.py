"""The graph of these settings, whoever runs it: a Neo4j elsewhere, the running service's, or one of our own."""

import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
from pydantic import SecretStr

from server.graph.graph import Graph, connect
from server.graph.migrations import migrate, require_current
from server.home import LocalPaths
from server.local.archive import installation
from server.local.credentials import secret
from server.local.jars import require_provisioned
from server.local.neo4j import USER, LocalNeo4j
from server.local.owner import hold, owner
from server.local.ports import Ports, require_distinct, require_free
from server.local.supervisor import Supervisor
from server.settings import Settings


def paths_of(settings: Settings) -> LocalPaths:
    """The folders of these settings."""
    return LocalPaths.of(settings.home, settings.cache)


def with_secrets(settings: Settings) -> Settings:
    """Fills in what the home of the local profile keeps: Neo4j's password, AGENT_MEMORY_SECRET."""
    if not settings.local:
        return settings
    home = paths_of(settings).home
    found = settings.agent_memory_secret or SecretStr(secret(home.agent_memory_secret))
    return settings.model_copy(
        update={
            "neo4j_username": USER,
            "neo4j_password": SecretStr(secret(home.neo4j_password)),
            "neo4j_database": "neo4j",
            "agent_memory_secret": found,
        }
    )


@asynccontextmanager
async def own_stack(settings: Settings, command: str) -> AsyncIterator[Supervisor | None]:
    """Owns the home and, in the local profile, runs its Neo4j for the length of the block.

    Raises `HomeInUse`, `PortTaken`, `SetupError`.
    """
    paths = paths_of(settings)
    ports = {"http": settings.port} if command == "serve" else {}
    if settings.local:
        ports |= {"bolt": settings.bolt_port, "browser": settings.browser_port}
    require_distinct({f"the {name} port": port for name, port in ports.items()})
    with hold(paths.home, command, ports):
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
async def open_graph(settings: Settings, *, beside: bool = False) -> AsyncIterator[Graph]:
    """Connects to the graph of these settings and brings its schema up to date.

    `beside` a running service the schema is the service's to keep: raises `SetupError` where it is older than ours.
    """
    settings = with_secrets(settings)
    assert settings.neo4j_password is not None
    async with connect(
        settings.bolt_uri,
        settings.neo4j_username,
        settings.neo4j_password.get_secret_value(),
        database=settings.neo4j_database,
        timeout=settings.query_timeout,
        retry_time=settings.retry_time,
    ) as graph:
        await (require_current if beside else migrate)(graph)
        yield graph


@asynccontextmanager
async def graph_beside(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, bool]]:
    """The graph for a command of its own: beside the running service, or with the home for itself.

    The second value says whether this process owns the home now, and so the vectors.
    """
    held = owner(paths_of(settings).home)
    if held is not None and held.command == "serve":
        there = {"bolt_port": held.ports["bolt"]} if settings.local else {}
        async with open_graph(settings.model_copy(update=there), beside=True) as graph:
            yield graph, False
    else:
        with _terminated_like_interrupted():
            async with own_stack(settings, command), open_graph(settings) as graph:
                yield graph, True


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM, which `precedent stop` sends, does what Ctrl-C does: what was started is stopped again."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    interrupt = signal.getsignal(signal.SIGINT)
    # A shell has what it runs in the background ignore SIGINT.
    before = signal.signal(signal.SIGTERM, interrupt if callable(interrupt) else signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
