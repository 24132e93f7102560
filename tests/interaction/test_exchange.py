"""Plain requests are answered without the SDK's transport: with the same bytes, and everything else goes to the SDK."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from server.access.bearer import CALLER_HEADER
from server.app import App
from server.mcp import exchange
from server.mcp.exchange import PlainRequest, parse_plain
from tests.interaction.conftest import SECRET

pytestmark = pytest.mark.anyio
_MODERN = "2026-07-28"
_JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_META = {
    PROTOCOL_VERSION_META_KEY: _MODERN,
    CLIENT_CAPABILITIES_META_KEY: {},
    CLIENT_INFO_META_KEY: {"name": "test", "version": "1"},
}


@dataclass(frozen=True)
class Asked:
    """A request, and whether it is plain."""

    what: str
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    plain: bool = True

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body, ensure_ascii=False).encode()


def _call(
    version: str | None, name: Any, arguments: Any = None, /, what: str = "", plain: bool = True, **envelope: Any
) -> Asked:
    meta = envelope.pop("meta", {})
    parameters = {"name": name, "arguments": {} if arguments is None else arguments, **envelope.pop("params", {})}
    headers = dict(envelope.pop("headers", {}))
    if version == _MODERN:
        meta = {**_META, **meta}
        headers = {"MCP-Method": "tools/call", "MCP-Name": str(name)} | headers
    if version is not None:
        headers = {"MCP-Protocol-Version": version} | headers
    if meta:
        parameters["_meta"] = meta
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters, **envelope}
    return Asked(f"{what or name} {version}", body, {**_JSON, **headers}, plain)


def _ping(version: str | None, *, plain: bool = True, **envelope: Any) -> Asked:
    headers = _JSON if version is None else {**_JSON, "MCP-Protocol-Version": version}
    return Asked(f"ping {version}", {"jsonrpc": "2.0", "id": 1, "method": "ping", **envelope}, headers, plain)


def _requests() -> Iterator[Asked]:
    for version in (None, *HANDSHAKE_PROTOCOL_VERSIONS):
        yield _ping(version)
        yield _ping(version, params={}, id="pïng")
    for version in (None, *HANDSHAKE_PROTOCOL_VERSIONS, _MODERN):
        yield _call(version, "overview", what="success")
        yield _call(version, "search", {"query": "Größe 数 \u2028 \x7f"}, what="other letters", id="ä/1")
        yield _call(version, "list_entities", {"limit": 3}, what="numbers", meta={"progressToken": 7})
        yield _call(version, "get_conversation_history", {"conversation_id": "none"}, what="texts of its own")
        yield _call(version, "graph_query_neighbors", {"node_name": "Zoë ☃"}, what="an error")
        yield _call(version, "graph_query_neighbors", {"node_name": 3}, what="invalid arguments", id=-5)
        yield _call(version, "no_such_tool", what="an unknown tool")
        yield _call(version, "overview", what="a wildcard", headers={"Accept": "text/html, */*"})
        unusual: Any = {"what": "unusual", "plain": False}
        yield _call(version, "overview", **unusual, headers={"Accept": "text/html"})
        yield _call(version, "overview", **unusual, headers={"Content-Type": "text/plain"})
        yield _call(version, 7, **unusual)
        yield _call(version, "overview", [], **unusual)
        yield _call(version, "overview", **unusual, id=None)
        yield _call(version, "overview", **unusual, id=1.5)
        yield _call(version, "overview", **unusual, id=True)
        yield _call(version, "overview", **unusual, jsonrpc="1.0")
        yield _call(version, "overview", **unusual, method="tools/list")
        yield _call(version, "overview", **unusual, method="tools/none")
        yield _call(version, "overview", **unusual, extra=1)
        yield _call(version, "overview", **unusual, params={"task": {"ttl": 1}})
        yield _call(version, "overview", **unusual, meta={"progressToken": []})
        for broken in (b"", b"{", b"[]", b"3", b"[" * 5000, b'{"jsonrpc":"2.0","method":"ping"}'):
            yield Asked(f"broken {version}", broken, _call(version, "overview").headers, plain=False)
    yield _ping(_MODERN, plain=False)
    yield _call("2031-01-01", "overview", plain=False)
    for wrong in ({"MCP-Method": "ping"}, {"MCP-Name": "search"}, {"MCP-Param-Limit": "3"}):
        yield _call(_MODERN, "overview", what="headers that disagree", plain=False, headers=wrong)
    yield _call(_MODERN, "overview", what="no agreement", plain=False, meta={PROTOCOL_VERSION_META_KEY: "2025-11-25"})


_REQUESTS = list(_requests())


def _http(app: App, namespace: str) -> httpx2.AsyncClient:
    caller = {"name": "tester", "kind": "agent", "role": "agent", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app.http, raise_app_exceptions=False),
        base_url="http://127.0.0.1",
        headers=headers,
        timeout=60,
    )


@pytest.mark.proves("SVC-94")
async def test_a_plain_request_has_the_bytes_of_the_sdk_and_any_other_goes_there(
    app: App, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short: list[PlainRequest | None] = []

    def parse(headers: Any, body: bytes) -> PlainRequest | None:
        short.append(parse_plain(headers, body))
        return short[-1]

    async with _http(app, namespace) as http:
        assert not (
            await http.post(
                "/graph/entities", json={"label": "Tool", "name": "Größenmaß", "properties": {"share": 0.25}}
            )
        ).is_error
        for asked in _REQUESTS:
            answers = []
            for parsing in (parse, lambda *_: None):
                monkeypatch.setattr(exchange, "parse_plain", parsing)
                answers.append(await http.post("/mcp", content=asked.content, headers=asked.headers))
            here, sdk = answers
            assert (short.pop() is not None) == asked.plain, asked.what
            assert here.status_code == sdk.status_code, asked.what
            assert here.content == sdk.content, asked.what
            kept = [[(n, v) for n, v in each.headers.raw if n.lower() != b"x-request-id"] for each in answers]
            assert kept[0] == kept[1], asked.what


@pytest.mark.proves("SVC-94")
async def test_a_body_that_arrives_in_pieces_or_not_at_all_is_read_once(app: App, namespace: str) -> None:
    asked = _call("2025-11-25", "overview")

    async def pieces() -> Any:
        for start in range(0, len(asked.content), 9):
            yield asked.content[start : start + 9]

    async with _http(app, namespace) as http:
        whole = await http.post("/mcp", content=asked.content, headers=asked.headers)
        assert (await http.post("/mcp", content=pieces(), headers=asked.headers)).content == whole.content
        listed = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()

        async def other_pieces() -> Any:
            yield listed[:5]
            yield listed[5:]

        answer = await http.post("/mcp", content=other_pieces(), headers=asked.headers)
        assert answer.json()["result"]["tools"]
