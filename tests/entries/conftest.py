"""Entries as an agent meets them: their tools over MCP, on the real Neo4j, Qdrant engine and embedding model."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent
from neo4j import AsyncDriver

from server.embedding.embedder import FastEmbedder
from server.entries.service import EntryService, EntrySettings
from server.entries.tools import TOOLS
from server.graph.graph import Graph
from server.graph.sequence import Sequence
from server.mcp.executor import Executor
from server.mcp.server import build_server
from server.metrics import Metrics
from server.principals import Principal, Role
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant

Rows = list[dict[str, Any]]
Cypher = Callable[..., Awaitable[Rows]]
Make = Callable[..., EntryService]
ERAS = ("auto", "legacy")


def texts(result: CallToolResult) -> list[str]:
    """The text blocks of an answer."""
    return [block.text for block in result.content if isinstance(block, TextContent)]


class Agent:
    """What one principal does with entries over MCP."""

    def __init__(self, service: EntryService, principal: Principal, mode: str = "auto") -> None:
        self.service = service
        self.principal = principal
        self.mode = mode
        self._client: Client | None = None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator["Agent"]:
        executor = Executor(TOOLS, {tool.name: self.service for tool in TOOLS}, Metrics(), answer_limit=32_768)
        server = build_server(TOOLS, lambda name, arguments, _: executor.call(name, arguments, self.principal))
        async with Client(server, mode=self.mode) as self._client:
            yield self

    def at(self, service: EntryService | None = None, **changes: Any) -> "Agent":
        """The same with another service, namespace, role or name; not connected yet."""
        return Agent(service or self.service, replace(self.principal, **changes), self.mode)

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        assert self._client is not None
        return await self._client.call_tool(tool, arguments)

    async def ask(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that succeeds; its text says the same."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, texts(result)
        answer = result.structured_content
        assert answer is not None
        assert json.loads(texts(result)[0]) == answer
        return dict(answer)

    async def save(self, text: str, /, **more: Any) -> str:
        """The id of a new entry."""
        saved = await self.ask("save_memory", text=text, **more)
        assert saved["status"] == "saved"
        return str(saved["id"])

    async def items(self, tool: str, /, **arguments: Any) -> Rows:
        answer = await self.ask(tool, **arguments)
        return list(answer["items"])

    async def found(self, query: str, /, **more: Any) -> list[str]:
        """Ids of what a search finds, best first."""
        return [item["id"] for item in await self.items("search", query=query, **more)]

    async def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of a call that fails, in the form of entries.md."""
        result = await self.call(tool, **arguments)
        assert result.is_error, texts(result)
        answer = result.structured_content
        assert answer is not None
        assert json.loads(texts(result)[0]) == answer
        assert set(answer) == {"error"}
        error: dict[str, Any] = answer["error"]
        assert set(error) == {"code", "message", "details"}
        assert error["details"] is None or error["details"]
        return error


@pytest.fixture(scope="session")
async def vectors(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(tmp_path_factory.mktemp("vectors"))
    yield store
    await store.close()


@pytest.fixture
async def no_vectors(anyio_backend: str) -> AsyncIterator[RemoteStore]:
    """A Qdrant server that is down."""
    store = RemoteStore(connect_qdrant("http://127.0.0.1:1"), "precedent")
    yield store
    await store.close()


@pytest.fixture(scope="session")
async def projector(graph: Graph, vectors: EdgeStore, embedder: FastEmbedder) -> Projector:
    """Not running: a test projects when it says so, by `drain`, or runs it itself."""
    prepared = Projector(graph, vectors, embedder, poll=0.05)
    await prepared.drain()
    return prepared


@pytest.fixture(scope="session")
def sequence(graph: Graph) -> Sequence:
    return Sequence(graph)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that documents may be read from."""
    made = tmp_path / "docs root"
    made.mkdir()
    return made


@pytest.fixture
def make(  # noqa: PLR0917 - pytest hands fixtures by name
    graph: Graph, sequence: Sequence, vectors: EdgeStore, projector: Projector, embedder: FastEmbedder, folder: Path
) -> Make:
    """Makes a service on the real parts, or on others where a test says so."""

    def made(wait: float = 0, roots: tuple[Path, ...] = (folder,), **parts: Any) -> EntryService:
        real = {"graph": graph, "sequence": sequence, "vectors": vectors, "embedder": embedder, "projector": projector}
        settings = EntrySettings(project="home", searchable_wait=wait, docs_roots=roots)
        return EntryService(**{**real, **parts}, settings=settings)

    return made


@pytest.fixture
def principal(namespace: str) -> Principal:
    return Principal("ada", "agent", Role.AGENT, namespace)


@pytest.fixture(params=ERAS)
async def agent(request: pytest.FixtureRequest, make: Make, principal: Principal) -> AsyncIterator[Agent]:
    """An agent over MCP, in both eras of the protocol."""
    async with Agent(make(), principal, request.param).connected() as connected:
        yield connected


@pytest.fixture
async def modern(make: Make, principal: Principal) -> AsyncIterator[Agent]:
    """An agent over MCP, in today's era alone: for tests of what lies behind the protocol."""
    async with Agent(make(), principal).connected() as connected:
        yield connected


@pytest.fixture
def cypher(driver: AsyncDriver, namespace: str) -> Cypher:
    """Runs Cypher with `$namespace`, as a person in Neo4j Browser would."""

    async def run(text: Any, **parameters: Any) -> Rows:
        answer = await driver.execute_query(text, {"namespace": namespace, **parameters}, database_="neo4j")
        return [record.data() for record in answer.records]

    return run
