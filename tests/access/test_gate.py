"""Who comes in, as whom."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from neo4j import AsyncDriver
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.access.gate import CALLER_HEADER, Gate, caller_of
from server.access.tokens import Tokens
from server.errors import Conflict, NotFound
from server.graph.graph import Graph, connect
from server.principals import Role
from server.settings import Settings

pytestmark = pytest.mark.anyio
SECRET = "operator-secret"


async def _whoami(request: Request) -> JSONResponse:
    caller = caller_of(request.scope)
    return JSONResponse(
        {"name": caller.name, "kind": caller.kind, "role": str(caller.role), "namespace": caller.namespace}
    )


def _client(tokens: Tokens, base: str = "http://127.0.0.1:8001", **env: Any) -> httpx2.AsyncClient:
    settings = Settings(**{"AGENT_MEMORY_SECRET": SECRET, **env})
    paths = ("/mcp", "/memories", "/healthcheck")
    app = Gate(Starlette(routes=[Route(path, _whoami) for path in paths]), settings=settings, tokens=tokens)
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=base)


@pytest.fixture
async def tokens(graph: Graph, driver: AsyncDriver) -> AsyncIterator[Tokens]:
    yield Tokens(graph)
    await driver.execute_query("MATCH (token:Token) DELETE token", database_="neo4j")


async def test_on_loopback_anybody_is_an_agent_over_mcp_and_admin_over_rest(tokens: Tokens) -> None:
    async with _client(tokens) as client:
        assert (await client.get("/mcp")).json()["role"] == "agent"
        assert (await client.get("/mcp")).json()["kind"] == "agent"
        assert (await client.get("/memories")).json()["role"] == "admin"


async def test_without_the_secret_nobody_is_more_than_a_viewer(tokens: Tokens) -> None:
    token = await tokens.create("ada", kind="human", role=Role.ADMIN, namespace="default")
    async with _client(tokens, AGENT_MEMORY_SECRET="") as client:
        answer = await client.get("/mcp", headers={"Authorization": f"Bearer {token}"})
        assert answer.json() == {"name": "ada", "kind": "human", "role": "viewer", "namespace": "default"}


async def test_from_the_first_token_on_nobody_comes_in_without_one(tokens: Tokens) -> None:
    token = await tokens.create("ada", kind="human", role=Role.ADMIN, namespace="team")
    async with _client(tokens) as client:
        refused = await client.get("/mcp")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.json()["code"] == "UNAUTHENTICATED"
        answer = await client.get("/mcp", headers={"Authorization": f"Bearer {token}"})
        assert answer.json() == {"name": "ada", "kind": "human", "role": "admin", "namespace": "team"}
        assert (await client.get("/healthcheck")).status_code == 200


async def test_a_wrong_token_is_refused_even_where_none_is_needed(tokens: Tokens) -> None:
    async with _client(tokens) as client:
        assert (await client.get("/mcp", headers={"Authorization": "Bearer guess"})).status_code == 401


async def test_beyond_loopback_a_credential_is_always_needed(tokens: Tokens) -> None:
    async with _client(tokens, base="http://10.0.0.7:8001", PRECEDENT_HOST="10.0.0.7") as client:
        assert (await client.get("/memories")).status_code == 401
        answer = await client.get("/memories", headers={"Authorization": f"Bearer {SECRET}"})
        assert answer.json()["role"] == "admin"


async def test_the_holder_of_the_secret_may_speak_for_another(tokens: Tokens) -> None:
    caller = {"name": "bob", "kind": "agent", "role": "viewer", "namespace": "team"}
    async with _client(tokens) as client:
        headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
        assert (await client.get("/mcp", headers=headers)).json() == caller


@pytest.mark.parametrize("named", ["", "{}", "[]", "null", '{"role":"king"}', '{"role":"agent","kind":"robot"}'])
async def test_a_caller_that_makes_no_sense_is_refused(tokens: Tokens, named: str) -> None:
    async with _client(tokens) as client:
        headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: named}
        assert (await client.get("/mcp", headers=headers)).status_code == 401


async def test_the_header_alone_means_nothing(tokens: Tokens) -> None:
    async with _client(tokens) as client:
        headers = {CALLER_HEADER: json.dumps({"name": "x", "kind": "human", "role": "admin", "namespace": "other"})}
        answer = (await client.get("/mcp", headers=headers)).json()
        assert (answer["role"], answer["namespace"]) == ("agent", "default")


async def test_foreign_hosts_and_origins_are_refused_on_every_route(tokens: Tokens) -> None:
    async with _client(tokens) as client:
        for path in ("/mcp", "/memories", "/healthcheck"):
            assert (await client.get(path, headers={"Host": "evil.example"})).status_code == 421
            assert (await client.get(path, headers={"Origin": "http://evil.example"})).status_code == 403
            assert (await client.get(path, headers={"Origin": "http://localhost:5173"})).status_code == 200


async def test_what_was_known_of_tokens_holds_on_while_the_graph_is_away() -> None:
    async with (
        connect("bolt://127.0.0.1:1", "neo4j", "none", retry_time=0) as nobody,
        _client(Tokens(nobody)) as client,
    ):
        assert (await client.get("/mcp")).status_code == 401, "not knowing whether tokens exist, nobody comes in"
        asked = await client.get("/mcp", headers={"Authorization": "Bearer x"})
        assert (asked.status_code, asked.json()["code"]) == (503, "GRAPH_UNAVAILABLE")


async def test_a_name_has_one_token_which_is_never_stored(tokens: Tokens, driver: AsyncDriver) -> None:
    token = await tokens.create("ada", kind="human", role=Role.AGENT, namespace="default")
    with pytest.raises(Conflict, match="ada"):
        await tokens.create("ada", kind="agent", role=Role.ADMIN, namespace="default")
    records, _, _ = await driver.execute_query("MATCH (token:Token) RETURN properties(token) AS t", database_="neo4j")
    assert token not in str(records)
    assert [row["name"] for row in await tokens.list()] == ["ada"]
    await tokens.remove("ada")
    with pytest.raises(NotFound):
        await tokens.remove("ada")
