"""The journal tools over MCP, on the real Neo4j and embedding model."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from mcp_types import CallToolResult

from server.core.principals import Principal, Role
from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.journal.service import JournalService
from server.journal.tavily import Tavily
from server.journal.tools import TOOLS
from server.parts import Parts
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from tests import agents
from tests.agents import texts

NOWHERE = "http://127.0.0.1:1"


class Agent(agents.Agent):
    """A principal that uses the journal over MCP; `agent_id` is "ada" where a call does not have another."""

    tools = TOOLS

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        if tool not in {"tavily_web_search", "get_agents"}:
            arguments = {"agent_id": "ada", **arguments}
        return await self.raw(tool, arguments)

    async def ask(self, tool: str, /, **arguments: Any) -> Any:
        """Return the structured answer of a call that must succeed; of a list its items, which are also the text."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, texts(result)
        answer = result.structured_content
        assert answer is not None
        if "items" in answer:
            assert json.loads(texts(result)[0]) == answer["items"]
            return answer["items"]
        return answer


@pytest.fixture(scope="session")
async def vectors(embedder: FastEmbedder, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeStore]:
    """Always empty: search by meaning is tested on the whole application, in tests/interaction."""
    store = EdgeStore(tmp_path_factory.mktemp("vectors"))
    await store.open(embedder.dimension, embedder.fingerprint)
    yield store
    await store.close()


@pytest.fixture(scope="session")
def projector(graph: Graph, vectors: EdgeStore, embedder: FastEmbedder) -> Projector:
    """Never running: the projector of the whole application may work on the same graph."""
    return Projector(graph, vectors, embedder)


Make = Callable[..., JournalService]


@pytest.fixture
async def make(parts: Parts) -> AsyncIterator[Make]:
    """Build a service on the real parts, or on those that a test gives; without a key for Tavily."""
    opened: list[Tavily] = []

    def made(tavily: Tavily | None = None, **others: Any) -> JournalService:
        client = tavily or Tavily(None, NOWHERE)
        opened.append(client)
        return JournalService(replace(parts, **others), tavily=client)

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
    """An agent over MCP, in the current era of the protocol only: for tests that make many calls."""
    async with Agent(service, Principal("tester", "agent", Role.AGENT, namespace), "auto").connected() as connected:
        yield connected
