"""Two processes of the service on one Neo4j and one Qdrant server, and clients of them."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import cycle

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from server.access.bearer import CALLER_HEADER
from tests.conftest import Where
from tests.interaction.conftest import SECRET
from tests.interaction.service import Service
from tests.qdrant import Qdrant

COOLDOWN = 3.0


@asynccontextmanager
async def running_replicas(
    neo4j: Where, qdrant: Qdrant, folders: pytest.TempPathFactory
) -> AsyncIterator[Sequence[Service]]:
    """Two processes that serve, until the end of the block."""
    uri, user, password = neo4j
    made = []
    for number in range(2):
        made.append(replica := Service(folders.mktemp(f"replica{number}")))
        replica.environment |= {
            "NEO4J_URI": uri,
            "NEO4J_USERNAME": user,
            "NEO4J_PASSWORD": password,
            "QDRANT_URL": qdrant.url,
            "QDRANT_GRPC_PORT": str(qdrant.grpc_port),
            "QDRANT_COLLECTION": "replicas",
            "AGENT_MEMORY_SECRET": SECRET,
            "PRECEDENT_WRITE_COOLDOWN": str(COOLDOWN),
            # A busy machine takes long: what is tested are answers, not times.
            "PRECEDENT_SEARCHABLE_WAIT": "30",
            "PRECEDENT_QUERY_TIMEOUT": "60",
        }
    try:
        async with anyio.create_task_group() as starting:
            for replica in made:
                starting.start_soon(replica.start)
        yield made
    finally:
        for replica in made:
            if replica.process is not None:
                replica.process.kill()
                replica.process.wait()


class TakingTurns(httpx2.AsyncBaseTransport):
    """A plain proxy: each request goes to the next replica."""

    def __init__(self, replicas: Sequence[Service]) -> None:
        self._ports = cycle([replica.port for replica in replicas])
        self._real = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(port=next(self._ports))
        return await self._real.handle_async_request(request)

    async def aclose(self) -> None:
        await self._real.aclose()


@asynccontextmanager
async def http_to(
    replicas: Sequence[Service], namespace: str, name: str = "tester"
) -> AsyncIterator[httpx2.AsyncClient]:
    caller = {"name": name, "kind": "agent", "role": "admin", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport, url = TakingTurns(replicas), replicas[0].url
    async with httpx2.AsyncClient(transport=transport, base_url=url, headers=headers, timeout=60) as http:
        yield http


@asynccontextmanager
async def connect_to(
    replicas: Sequence[Service], namespace: str, *, name: str = "tester", era: str = "2026-07-28"
) -> AsyncIterator[Client]:
    async with (
        http_to(replicas, namespace, name) as http,
        Client(streamable_http_client(f"{replicas[0].url}/mcp", http_client=http), mode=era) as client,
    ):
        yield client
