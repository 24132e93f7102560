"""Who comes in, as whom."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from neo4j import AsyncDriver
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.access.bearer import CALLER_HEADER
from server.access.capacity import Capacity
from server.access.gate import Gate, caller_of
from server.access.rate import RateLimit
from server.access.tokens import Tokens
from server.core.errors import Conflict, InvalidArgument, NotFound
from server.core.principals import Role
from server.core.settings import Settings
from server.graph.graph import Graph, connect
from server.rest.errors import to_response

pytestmark = pytest.mark.anyio
SECRET = "operator-secret"
PAGE = "http://app.example"


async def _whoami(request: Request) -> JSONResponse:
    caller = caller_of(request.scope)
    return JSONResponse(
        {"name": caller.name, "kind": caller.kind, "role": str(caller.role), "namespace": caller.namespace}
    )


def _client(tokens: Tokens, base: str = "http://127.0.0.1:8001", **env: Any) -> httpx2.AsyncClient:
    settings = Settings(**{"AGENT_MEMORY_SECRET": SECRET, **env})
    routes = Starlette(routes=[Route(path, _whoami) for path in ("/mcp", "/memories", "/healthcheck", "/docs")])
    app = Gate(
        routes,
        settings=settings,
        tokens=tokens,
        rate=RateLimit(settings.rate_limit),
        capacity=Capacity(settings.requests_at_once),
        to_response=to_response,
    )
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=base)


def _bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
async def tokens(graph: Graph, driver: AsyncDriver) -> AsyncIterator[Tokens]:
    remove = "MATCH (token:Token) DETACH DELETE token"
    await driver.execute_query(remove, database_="neo4j")
    yield Tokens(graph)
    await driver.execute_query(remove, database_="neo4j")


@pytest.mark.proves("SVC-19")
async def test_on_loopback_anybody_is_an_agent_over_mcp_and_admin_over_rest(tokens: Tokens) -> None:
    async with _client(tokens) as client:
        assert (await client.get("/mcp")).json()["role"] == "agent"
        assert (await client.get("/mcp")).json()["kind"] == "agent"
        assert (await client.get("/memories")).json()["role"] == "admin"


@pytest.mark.proves("SVC-23")
async def test_without_the_secret_every_caller_is_a_viewer(tokens: Tokens) -> None:
    token = await tokens.create("ada", kind="human", role=Role.ADMIN, namespace="default")
    async with _client(tokens, AGENT_MEMORY_SECRET="") as client:
        answer = await client.get("/mcp", headers=_bearing(token))
        assert answer.json() == {"name": "ada", "kind": "human", "role": "viewer", "namespace": "default"}


@pytest.mark.proves("SVC-20")
async def test_once_a_token_exists_every_request_requires_one(tokens: Tokens) -> None:
    token = await tokens.create("ada", kind="human", role=Role.ADMIN, namespace="team")
    async with _client(tokens) as client:
        for path in ("/mcp", "/memories"):
            refused = await client.get(path)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert refused.json()["code"] == "UNAUTHENTICATED"
            answer = await client.get(path, headers=_bearing(token))
            assert answer.json() == {"name": "ada", "kind": "human", "role": "admin", "namespace": "team"}
        for path in ("/healthcheck", "/docs"):
            assert (await client.get(path)).status_code == 200


@pytest.mark.proves("SVC-21")
@pytest.mark.parametrize("path", ["/mcp", "/memories"])
async def test_a_wrong_token_is_refused_even_where_none_is_needed(tokens: Tokens, path: str) -> None:
    async with _client(tokens) as client:
        assert (await client.get(path, headers=_bearing("guess"))).status_code == 401


@pytest.mark.proves("SVC-20")
async def test_health_answers_every_caller_with_any_token_and_without_a_rate_limit(tokens: Tokens) -> None:
    async with _client(tokens, PRECEDENT_RATE_LIMIT="2/minute") as client:
        for _ in range(5):
            assert (await client.get("/healthcheck", headers=_bearing("long gone"))).status_code == 200
        assert (await client.get("/memories")).status_code == 200, "nobody has asked for anything yet"


@pytest.mark.proves("SVC-20")
async def test_beyond_loopback_a_credential_is_always_needed(tokens: Tokens) -> None:
    async with _client(tokens, base="http://10.0.0.7:8001", PRECEDENT_HOST="10.0.0.7") as client:
        assert (await client.get("/memories")).status_code == 401
        answer = await client.get("/memories", headers=_bearing(SECRET))
        assert answer.json()["role"] == "admin"


@pytest.mark.proves("SVC-24")
async def test_the_holder_of_the_secret_may_speak_for_another(tokens: Tokens) -> None:
    caller = {"name": "bob", "kind": "agent", "role": "viewer", "namespace": "team"}
    async with _client(tokens) as client:
        headers = {**_bearing(SECRET), CALLER_HEADER: json.dumps(caller)}
        assert (await client.get("/mcp", headers=headers)).json() == caller


_NONSENSE = ["", "{}", "[]", "null", '{"role":"king"}', '{"role":"agent","kind":"robot"}']
_WHOLE = {"name": "b", "kind": "agent", "role": "agent", "namespace": "n"}


@pytest.mark.proves("SVC-24")
@pytest.mark.parametrize(
    "named",
    [
        *_NONSENSE,
        *(json.dumps({**_WHOLE, field: value}) for field in _WHOLE for value in ("", 7, None, "x" * 201)),
        json.dumps({**_WHOLE, "admin": True}),
    ],
)
async def test_a_caller_that_makes_no_sense_is_refused(tokens: Tokens, named: str) -> None:
    async with _client(tokens) as client:
        headers = {**_bearing(SECRET), CALLER_HEADER: named}
        assert (await client.get("/mcp", headers=headers)).status_code == 401


@pytest.mark.proves("SVC-24")
async def test_only_the_holder_of_the_secret_may_speak_for_another(tokens: Tokens) -> None:
    named = {CALLER_HEADER: json.dumps({**_WHOLE, "role": "admin", "namespace": "other"})}
    async with _client(tokens) as client:
        answer = (await client.get("/mcp", headers=named)).json()
        assert (answer["role"], answer["namespace"]) == ("agent", "default")
        # A name is no credential: not even the operator's.
        token = await tokens.create("operator", kind="human", role=Role.VIEWER, namespace="default")
        answer = (await client.get("/mcp", headers={**named, **_bearing(token)})).json()
        assert (answer["role"], answer["namespace"]) == ("viewer", "default")


@pytest.mark.proves("SVC-28")
async def test_foreign_hosts_and_origins_are_refused_on_every_route(tokens: Tokens) -> None:
    async with _client(tokens) as client:
        for path in ("/mcp", "/memories", "/healthcheck", "/nowhere"):
            for host in ("evil.example", "127.0.0.1.evil.example:8001"):
                refused = await client.get(path, headers={"Host": host})
                assert (refused.status_code, refused.json()["code"]) == (421, "HOST_NOT_ALLOWED")
                assert refused.json().keys() == {"error", "message", "code"}
            for origin in ("http://evil.example", "null"):
                refused = await client.get(path, headers={"Origin": origin})
                assert (refused.status_code, refused.json()["code"]) == (403, "ORIGIN_NOT_ALLOWED")
            near = await client.get(path, headers={"Origin": "http://localhost:5173"})
            assert near.status_code == (404 if path == "/nowhere" else 200)
            assert "access-control-allow-origin" not in near.headers


_PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.mark.proves("SVC-28")
async def test_a_page_elsewhere_may_ask_only_where_its_origin_is_allowed(tokens: Tokens) -> None:
    asked = {"Origin": PAGE, **_PREFLIGHT}
    async with _client(tokens) as client:
        assert (await client.options("/memories", headers=asked)).status_code == 403
    await tokens.create("ada", kind="human", role=Role.ADMIN, namespace="team")
    async with _client(Tokens(tokens._graph), PRECEDENT_ALLOWED_ORIGINS=f"{PAGE},http://dev.example:*") as client:
        for origin in (PAGE, "http://dev.example:5173"):
            allowed = await client.options("/memories", headers={**asked, "Origin": origin})
            assert allowed.status_code == 200, "the browser asks without a credential"
            assert allowed.headers["access-control-allow-origin"] == origin
            refused = await client.get("/memories", headers={"Origin": origin})
            assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, origin)
        for origin in ("http://appxexample", "http://app.example.evil", "http://dev.example:1.evil"):
            assert (await client.options("/memories", headers={**asked, "Origin": origin})).status_code in {400, 403}
        elsewhere = {**asked, "Host": "evil.example"}
        assert (await client.options("/memories", headers=elsewhere)).status_code == 421


@pytest.mark.proves("SVC-27")
async def test_remembered_tokens_stay_valid_while_the_graph_is_unavailable() -> None:
    async with (
        connect("bolt://127.0.0.1:1", "neo4j", "none", retry_time=0) as nobody,
        _client(Tokens(nobody)) as client,
    ):
        assert (await client.get("/mcp")).status_code == 401, "without knowing whether tokens exist, one is required"
        asked = await client.get("/mcp", headers=_bearing("x"))
        assert (asked.status_code, asked.json()["code"]) == (503, "DB_CONNECTION_ERROR")


@pytest.mark.proves("SVC-27")
async def test_a_token_that_was_looked_up_stays_valid_while_the_graph_is_away(
    tokens: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.access.tokens._REMEMBER_SECONDS", 0.0)
    token = await tokens.create("ada", kind="human", role=Role.AGENT, namespace="team")
    async with connect("bolt://127.0.0.1:1", "neo4j", "none", retry_time=0) as nobody, _client(tokens) as client:
        assert (await client.get("/mcp", headers=_bearing(token))).status_code == 200
        monkeypatch.setattr(tokens, "_graph", nobody)
        assert (await client.get("/mcp", headers=_bearing(token))).json()["name"] == "ada"
        assert (await client.get("/mcp", headers=_bearing("never seen"))).status_code == 503


@pytest.mark.proves("SVC-25")
async def test_a_name_has_one_token_which_is_never_stored(tokens: Tokens, driver: AsyncDriver) -> None:
    token = await tokens.create("ada", kind="human", role=Role.AGENT, namespace="default")
    with pytest.raises(Conflict, match="ada"):
        await tokens.create("ada", kind="agent", role=Role.ADMIN, namespace="default")
    records, _, _ = await driver.execute_query("MATCH (token:Token) RETURN properties(token) AS t", database_="neo4j")
    assert token not in str(records)
    assert token.removeprefix("precedent_") not in str(records)
    assert [row["name"] for row in await tokens.list()] == ["ada"]
    await tokens.revoke("ada")
    with pytest.raises(NotFound):
        await tokens.revoke("ada")


@pytest.mark.proves("SVC-25")
@pytest.mark.parametrize(("name", "namespace"), [("", "n"), (" ", "n"), ("a\nb", "n"), ("x" * 201, "n"), ("a", "")])
async def test_a_name_that_cannot_be_one_gets_no_token(tokens: Tokens, name: str, namespace: str) -> None:
    with pytest.raises(InvalidArgument):
        await tokens.create(name, kind="human", role=Role.AGENT, namespace=namespace)
    assert await tokens.list() == []


@pytest.mark.proves("SVC-21")
async def test_a_token_is_good_until_it_expires_or_is_revoked(tokens: Tokens, graph: Graph) -> None:
    now = datetime.now(UTC)
    spent = await tokens.create("ada", kind="human", role=Role.AGENT, namespace="n", expires=now)
    good = await tokens.create("bob", kind="human", role=Role.AGENT, namespace="n", expires=now + timedelta(hours=1))
    async with _client(tokens) as client:
        assert (await client.get("/mcp", headers=_bearing(spent))).status_code == 401
        assert (await client.get("/mcp", headers=_bearing(good))).json()["name"] == "bob"
    await tokens.revoke("bob")
    async with _client(Tokens(graph)) as elsewhere:
        assert (await elsewhere.get("/mcp", headers=_bearing(good))).status_code == 401
        assert (await elsewhere.get("/mcp")).status_code == 401, "the spent one counts still: a token is required"


@pytest.mark.proves("SVC-29")
async def test_only_the_caller_over_its_limit_has_to_wait_and_learns_how_long(tokens: Tokens) -> None:
    async with _client(tokens, PRECEDENT_RATE_LIMIT="3/minute") as client:
        for _ in range(3):
            assert (await client.get("/memories")).status_code == 200
        refused = await client.get("/memories")
        assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMIT_EXCEEDED")
        assert 1 <= int(refused.headers["retry-after"]) <= 120
        assert (await client.get("/memories", headers=_bearing(SECRET))).status_code == 200
        # Names hold slashes: no two principals are one to the limit.
        for namespace, name, status in (("a", "b/c", 200), ("a", "b/c", 200), ("a/b", "c", 200), ("a", "b/c", 200)):
            caller = {"name": name, "kind": "agent", "role": "viewer", "namespace": namespace}
            headers = {**_bearing(SECRET), CALLER_HEADER: json.dumps(caller)}
            assert (await client.get("/memories", headers=headers)).status_code == status
    async with _client(tokens, PRECEDENT_RATE_LIMIT="none") as client:
        for _ in range(5):
            assert (await client.get("/memories")).status_code == 200
