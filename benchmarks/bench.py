"""What every benchmark has: a running service, clients of it, the bare driver beside it, and a table to print."""

import os
import platform
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import psutil
from mcp import Client
from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationMinimumSeverity
from rich.console import Console
from rich.table import Table

from server.graph.graph import Graph, connect
from server.local.neo4j import USER
from tests.interaction.service import Service

DATA = Path("../shared/data")
console = Console()


@dataclass(frozen=True, slots=True)
class Bench:
    """One running service, a client of it, and the bare driver on the same Neo4j."""

    service: Service
    client: Client
    driver: AsyncDriver
    graph: Graph
    data: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Result:
    """A row of the table: what, the measured figure, its aim, and the two sides."""

    what: str
    figure: str
    aim: str
    sides: str


@asynccontextmanager
async def opened(made: Service, folder: Path) -> AsyncIterator[Bench]:
    """The service started, and everything connected to it."""
    await made.start()
    uri = f"bolt://127.0.0.1:{made.environment['PRECEDENT_BOLT_PORT']}"
    password = made.home.neo4j_password.read_text().strip()
    async with AsyncExitStack() as stack:
        driver = await stack.enter_async_context(
            AsyncGraphDatabase.driver(
                uri, auth=(USER, password), notifications_min_severity=NotificationMinimumSeverity.OFF
            )
        )
        graph = await stack.enter_async_context(connect(uri, USER, password, timeout=300))
        client = await stack.enter_async_context(made.client())
        yield Bench(made, client, driver, graph, DATA, folder)


def in_a_throw_away_folder(run: Callable[[Path], Awaitable[Iterable[Result]]]) -> None:
    """Runs a benchmark in a folder that is gone afterwards, and prints its table."""
    folder = Path(tempfile.mkdtemp(prefix="precedent-bench-"))
    try:
        results = anyio.run(run, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print_table(results)


def print_table(results: Iterable[Result]) -> None:
    """Prints the rows under the name of the machine."""
    memory = psutil.virtual_memory().total / 2**30
    table = Table(
        title=f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}"
    )
    for column in ("what", "measured", "aim", "both sides"):
        table.add_column(column)
    for result in results:
        table.add_row(result.what, result.figure, result.aim, result.sides)
    console.print(table)
