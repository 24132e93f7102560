"""Entries as an agent meets them: their tools over MCP, on the real Neo4j, Qdrant engine and embedding model."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from server.core.principals import Principal, Role
from server.entries.service import EntryService, EntrySettings
from server.entries.tools import TOOLS
from server.interface.tools import AnyTool
from server.parts import Parts
from tests import agents
from tests.conftest import Rows

Make = Callable[..., EntryService]
ERAS = ("auto", "legacy")


class Agent(agents.Agent):
    """What one principal does with entries over MCP."""

    tools: ClassVar[Sequence[AnyTool]] = TOOLS

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that documents may be read from."""
    made = tmp_path / "docs root"
    made.mkdir()
    return made


@pytest.fixture
def make(parts: Parts, folder: Path) -> Make:
    """Makes a service on the real parts, or on others where a test says so."""

    def made(
        wait: float = 0, roots: tuple[Path, ...] = (folder,), closed: tuple[Path, ...] = (), **others: Any
    ) -> EntryService:
        settings = EntrySettings(project="home", docs_roots=roots, closed=closed)
        return EntryService(replace(parts, searchable_wait=wait, **others), settings=settings)

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
