"""A write that is repeated with its idempotency key is carried out once: for every tool and every route that writes."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from neo4j import AsyncDriver

from server.access.bearer import CALLER_HEADER
from server.app import App
from server.mcp.toolsets import TOOLSETS
from tests.interaction.calls import UNTRIED, tour
from tests.interaction.conftest import SECRET

pytestmark = pytest.mark.anyio
_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}
_WRITING = sorted({name for name, tool in _TOOLS.items() if not tool.read_only} - set(UNTRIED))
KEY = "idempotency_key"


@pytest.fixture
def era() -> str:
    """What is shown here does not differ between the eras."""
    return "2026-07-28"


def _headers(namespace: str, **more: str) -> dict[str, str]:
    caller = {"name": "grace", "kind": "human", "role": "admin", "namespace": namespace, **more}
    return {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}


@pytest.fixture
async def http(app: App, namespace: str) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=_headers(namespace), timeout=60
    ) as client:
        yield client


async def _count(driver: AsyncDriver, namespace: str) -> int:
    """How many nodes a namespace has, its changes included; but not what only waits for Qdrant."""
    records, _, _ = await driver.execute_query(
        "MATCH (n {namespace: $namespace}) WHERE NOT n:Tombstone AND NOT n:Sequence RETURN count(n) AS nodes",
        namespace=namespace,
        database_="neo4j",
    )
    return int(records[0]["nodes"])


@dataclass
class Repeated:
    """What a call with a key was answered: at first, when it was repeated, and after its answer was lost."""

    first: dict[str, Any]
    again: dict[str, Any]
    lost: dict[str, Any]
    texts: tuple[list[str], list[str]]
    stored: bool
    nodes: list[int] = field(default_factory=list)


@pytest.fixture(scope="module")
async def repeated(
    app: App, driver: AsyncDriver, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Repeated]]:
    """Every call of the tour, made three times with one key."""
    namespace = f"repeated-{token_hex(4)}"
    seen: dict[str, list[Repeated]] = {}
    numbers = iter(range(1_000))

    async def three_times(client: Client, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        if _TOOLS[tool].read_only:
            return await client.call_tool(tool, arguments)
        key = f"{tool} {next(numbers)}"
        keyed = {**arguments, KEY: key}
        results, nodes = [], []
        for _ in range(2):
            results.append(await client.call_tool(tool, keyed))
            nodes.append(await _count(driver, namespace))
        records, _, _ = await driver.execute_query(
            "MATCH (change:Change {namespace: $namespace, idempotency_key: $key}) "
            "REMOVE change.answer SET change.at = change.at - duration('PT1M') RETURN change.name AS name",
            namespace=namespace,
            key=key,
            database_="neo4j",
        )
        results.append(await client.call_tool(tool, keyed))
        nodes.append(await _count(driver, namespace))
        first, again, lost = [dict(result.structured_content or {}) for result in results]
        texts = [[str(getattr(block, "text", "")) for block in result.content] for result in results[:2]]
        seen.setdefault(tool, []).append(
            Repeated(first, again, lost, (texts[0], texts[1]), [record["name"] for record in records] == [tool], nodes)
        )
        return results[0]

    async with (
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app.http),
            base_url="http://127.0.0.1",
            headers=_headers(namespace),
            timeout=60,
        ) as web,
        Client(streamable_http_client("http://127.0.0.1/mcp", http_client=web), mode="2026-07-28") as client,
    ):
        folder = tmp_path_factory.mktemp("repeated")
        await tour(client, app, driver, namespace=namespace, folder=folder, ask=partial(three_times, client))
    return seen


@pytest.mark.proves("SVC-79", "SVC-80")
@pytest.mark.parametrize("tool", _WRITING)
def test_a_repeated_write_is_answered_as_the_first_time_and_stores_nothing(
    repeated: dict[str, list[Repeated]], tool: str
) -> None:
    for call in repeated[tool]:
        assert call.stored, "the key is in the transaction of the write"
        assert call.again == {**call.first, "replayed": True}
        assert "replayed" not in call.first
        assert call.nodes[1] == call.nodes[0]


@pytest.mark.proves("SVC-81")
@pytest.mark.parametrize("tool", _WRITING)
def test_a_repeated_write_whose_answer_was_lost_stores_nothing_and_names_what_is_stored(
    repeated: dict[str, list[Repeated]], tool: str
) -> None:
    for call in repeated[tool]:
        assert call.nodes[2] == call.nodes[0]
        if _TOOLS[tool].resumable:
            assert call.lost.keys() == call.first.keys(), "it is carried out again, which has no effect"
            continue
        assert call.lost["replayed"] is True
        assert call.lost["stored"], "the records are named"
        assert all(set(record) == {"label", "id"} for record in call.lost["stored"])
