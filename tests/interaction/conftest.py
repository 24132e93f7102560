"""The real application, in process, and official clients of it in both protocol eras."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from neo4j import AsyncDriver

from server.access.bearer import CALLER_HEADER
from server.app import App, open_app
from server.core.settings import Settings
from tests.conftest import empty

SECRET = "the-operators-secret"
Connect = Callable[..., AbstractAsyncContextManager[Client]]


def settings_for(neo4j: tuple[str, str, str], home: Path, **env: Any) -> Settings:
    uri, user, password = neo4j
    return Settings(
        **{
            "NEO4J_URI": uri,
            "NEO4J_USERNAME": user,
            "NEO4J_PASSWORD": password,
            "PRECEDENT_HOME": home,
            "AGENT_MEMORY_SECRET": SECRET,
            "PRECEDENT_WRITE_COOLDOWN": 0,
            # A busy machine takes long: what is tested are answers, not times.
            "PRECEDENT_SEARCHABLE_WAIT": 30,
            "PRECEDENT_QUERY_TIMEOUT": 60,
            # Whoever runs the tests may have keys: no test spends on them.
            "OPENAI_API_KEY": None,
            "ANTHROPIC_API_KEY": None,
            **env,
        }
    )


@pytest.fixture(scope="package")
async def app(
    neo4j: tuple[str, str, str], graph: object, driver: AsyncDriver, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[App]:
    """The application on the run's Neo4j, Qdrant Edge and the real embedding model."""
    # What other tests left would be embedded first: thousands of records that nobody here asks for.
    await empty(driver)
    docs = tmp_path_factory.mktemp("docs")
    # The home is in the folder, as it is where a service is started in a person's own.
    settings = settings_for(neo4j, docs / "home", PRECEDENT_DOCS_ROOTS=(docs,))
    async with open_app(settings) as opened, opened.http.router.lifespan_context(opened.http):
        yield opened


@pytest.fixture(params=["2026-07-28", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """The protocol era of a client: stateless, or with a handshake."""
    return str(request.param)


@pytest.fixture
def connect(app: App, namespace: str, era: str) -> Connect:
    """Opens a client in the test's namespace: `connect(role="viewer")`."""

    @asynccontextmanager
    async def opened(
        role: str = "agent",
        kind: str = "agent",
        name: str = "tester",
        elsewhere: str = "",
        to: App | None = None,
    ) -> AsyncIterator[Client]:
        caller = {"name": name, "kind": kind, "role": role, "namespace": namespace + elsewhere}
        headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
        transport = httpx2.ASGITransport(app=(to or app).http)
        async with (
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60) as http,
            Client(streamable_http_client("http://127.0.0.1/mcp", http_client=http), mode=era) as client,
        ):
            yield client

    return opened


@pytest.fixture
async def client(connect: Connect) -> AsyncIterator[Client]:
    """An agent in the test's own namespace."""
    async with connect() as opened:
        yield opened
