"""A real `precedent serve` in a process and a home of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import httpx2
import psutil
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from neo4j import AsyncDriver, AsyncGraphDatabase

from server.access.bearer import CALLER_HEADER
from server.core.home import Home
from server.local.neo4j import find_processes
from server.local.ports import free_ports

START_SECONDS = 180.0
_WAITING = "RETURN COUNT { (:Unprojected) } + COUNT { (:Tombstone) }"


class Service:
    """Starts, kills and looks at one service; the environment names its home and ports."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.port, bolt, browser = free_ports(3)
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ,
            "PRECEDENT_HOME": str(self.home.root),
            "PRECEDENT_PORT": str(self.port),
            "PRECEDENT_BOLT_PORT": str(bolt),
            "PRECEDENT_BROWSER_PORT": str(browser),
            "PRECEDENT_WRITE_COOLDOWN": "0",
            # Whoever runs the tests may have keys: no test spends on them.
            "OPENAI_API_KEY": "",
            "ANTHROPIC_API_KEY": "",
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.output = folder / "output"
        self.patience = START_SECONDS

    async def start(self, *arguments: str) -> None:
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cli", "serve", *arguments],
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        await self.healthy()

    async def healthy(self) -> None:
        async with httpx2.AsyncClient() as http:
            with anyio.fail_after(self.patience):
                while True:
                    assert self.process is None or self.process.poll() is None, self.output.read_text()
                    try:
                        if (await http.get(f"{self.url}/healthcheck")).status_code == 200:
                            return
                    except httpx2.HTTPError:
                        pass
                    await anyio.sleep(0.1)

    async def end(self, sent: signal.Signals) -> int:
        """Sends a signal and waits until the process is gone."""
        assert self.process is not None
        self.process.send_signal(sent)
        return await anyio.to_thread.run_sync(lambda: self.process.wait(timeout=60))  # type: ignore[union-attr]

    def kill(self) -> None:
        """Ends whatever of it runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for process in find_processes(self.home):
            process.kill()
            process.wait()

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs another `precedent …` as a second terminal would."""
        return subprocess.run(
            [sys.executable, "-m", "cli", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    @property
    def neo4j(self) -> psutil.Process:
        (process,) = find_processes(self.home)
        return process

    @asynccontextmanager
    async def client(self, namespace: str | None = None, role: str = "agent") -> AsyncIterator[Client]:
        """A client, as anybody on this machine or, for a namespace of its own, as whom the operator names."""
        headers = {}
        if namespace is not None:
            caller = {"name": "tester", "kind": "agent", "role": role, "namespace": namespace}
            secret = self.home.agent_memory_secret.read_text().strip()
            headers = {"Authorization": f"Bearer {secret}", CALLER_HEADER: json.dumps(caller)}
        async with (
            httpx2.AsyncClient(timeout=60, headers=headers) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http), mode="2026-07-28") as client,
        ):
            yield client

    @asynccontextmanager
    async def graph(self) -> AsyncIterator[AsyncDriver]:
        """The bare driver of its local Neo4j, for what a test arranges or looks at behind the product's back."""
        uri = f"bolt://127.0.0.1:{self.environment['PRECEDENT_BOLT_PORT']}"
        password = self.home.neo4j_password.read_text().strip()
        async with AsyncGraphDatabase.driver(uri, auth=("neo4j", password)) as driver:
            yield driver

    async def projected(self) -> None:
        """Wait until no record waits for its projection."""
        async with self.graph() as driver:
            with anyio.fail_after(120):
                while (await driver.execute_query(_WAITING, database_="neo4j")).records[0][0]:
                    await anyio.sleep(0.1)

    def status(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.command("status", "--json").stdout)
        return found


@contextmanager
def service(folder: Path) -> Iterator[Service]:
    """A service that is not running yet; whatever of it runs at the end is ended."""
    made = Service(folder)
    try:
        yield made
    finally:
        made.kill()
