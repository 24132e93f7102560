"""The journal as an agent meets it: its tools over MCP, on the real Neo4j and embedding model."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent
from neo4j import AsyncDriver

from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.graph.sequence import Sequence
from server.journal.service import JournalService
from server.journal.tavily import Tavily
from server.journal.tools import TOOLS
from server.mcp.executor import Executor
from server.mcp.server import build_server
from server.metrics import Metrics
from server.principals import Principal, Role
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector

Rows = list[dict[str, Any]]
Cypher = Callable[..., Awaitable[Rows]]
NOWHERE = "http://127.0.0.1:1"


def texts(result: CallToolResult) -> list[str]:
    """The text blocks of an answer."""
    return [block.text for block in result.content if isinstance(block, TextContent)]


class Agent:
    """What one principal does with the journal over MCP; `agent_id` is added where a call does not say another."""

    def __init__(self, service: JournalService, principal: Principal, mode: str) -> None:
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

    def at(self, **changes: Any) -> "Agent":
        """The same with another namespace, role or name; not connected yet."""
        return Agent(self.service, replace(self.principal, **changes), self.mode)

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        assert self._client is not None
        if tool != "tavily_web_search":
            arguments = {"agent_id": "ada", **arguments}
        return await self._client.call_tool(tool, arguments)

    async def raw(self, tool: str, arguments: Any) -> CallToolResult:
        assert self._client is not None
        return await self._client.call_tool(tool, arguments)

    async def ask(self, tool: str, /, **arguments: Any) -> Any:
        """The structured answer of a call that succeeds; of a list, its items, which its text says as well."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, texts(result)
        answer = result.structured_content
        assert answer is not None
        if "items" in answer:
            assert json.loads(texts(result)[0]) == answer["items"]
            return answer["items"]
        return answer

    async def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of a call that fails."""
        return error(await self.call(tool, **arguments))


def error(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error, texts(result)
    answer = result.structured_content
    assert answer is not None
    found: dict[str, Any] = answer["error"]
    assert json.loads(texts(result)[0]) == answer
    assert set(found) == {"code", "message", "details"}
    return found


@pytest.fixture(scope="session")
async def vectors(embedder: FastEmbedder, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeStore]:
    """Empty for good: what is searched by meaning is tested on the whole application, in tests/interaction."""
    store = EdgeStore(tmp_path_factory.mktemp("vectors"))
    await store.open(embedder.dimension, embedder.fingerprint)
    yield store
    await store.close()


@pytest.fixture(scope="session")
def projector(graph: Graph, vectors: EdgeStore, embedder: FastEmbedder) -> Projector:
    """Never running: another one, of the whole application, may be at work on the same graph."""
    return Projector(graph, vectors, embedder)


@pytest.fixture(scope="session")
def sequence(graph: Graph) -> Sequence:
    return Sequence(graph)


Make = Callable[..., JournalService]


@pytest.fixture
async def make(
    graph: Graph, sequence: Sequence, vectors: EdgeStore, embedder: FastEmbedder, projector: Projector
) -> AsyncIterator[Make]:
    """Makes a service on the real parts, or on others where a test says so; without a key for Tavily."""
    opened: list[Tavily] = []

    def made(**parts: Any) -> JournalService:
        tavily = parts.pop("tavily", None) or Tavily(None, NOWHERE)
        opened.append(tavily)
        real = {
            "graph": graph,
            "sequence": sequence,
            "vectors": vectors,
            "embedder": embedder,
            "projector": projector,
            "searchable_wait": 0.0,
        }
        return JournalService(**{**real, **parts}, tavily=tavily)

    yield made
    for client in opened:
        await client.close()


@pytest.fixture
def service(make: Make) -> JournalService:
    return make()


@pytest.fixture(params=["auto", "legacy"])
async def agent(request: pytest.FixtureRequest, service: JournalService, namespace: str) -> AsyncIterator[Agent]:
    """An agent over MCP, in both eras of the protocol."""
    principal = Principal("tester", "agent", Role.AGENT, namespace)
    async with Agent(service, principal, request.param).connected() as connected:
        yield connected


@pytest.fixture
async def modern(service: JournalService, namespace: str) -> AsyncIterator[Agent]:
    """An agent over MCP, in today's era alone: for tests that make many calls."""
    async with Agent(service, Principal("tester", "agent", Role.AGENT, namespace), "auto").connected() as connected:
        yield connected


@pytest.fixture
def cypher(driver: AsyncDriver, namespace: str) -> Cypher:
    """Runs Cypher with `$namespace`, as a person in Neo4j Browser would."""

    async def run(text: Any, **parameters: Any) -> Rows:
        answer = await driver.execute_query(text, {"namespace": namespace, **parameters}, database_="neo4j")
        return [record.data() for record in answer.records]

    return run
