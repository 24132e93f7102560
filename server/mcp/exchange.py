"""One MCP request over HTTP, answered in few steps: a plain call of a tool, or a ping.

The SDK's transport opens streams and tasks for each request and validates and copies each answer several times, which
costs more processor time than most of our tools. A request that has nothing unusual is therefore carried out here, and
the bytes of its answer are those of the SDK. Everything else goes to the SDK: other methods, notifications, sessions,
and all requests that it would refuse (docs/decisions/0032).

Source: SVC-94.
"""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    DEFAULT_NEGOTIATED_VERSION,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
    CallToolResult,
    TextContent,
)
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import from_json, to_json
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.mcp.answers import JsonResult

_JSON = "application/json"
_CALL, _PING = "tools/call", "ping"
_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMETERS = frozenset({"name", "arguments", "_meta"})
_GREATEST_ID = 2**53
_SAME_SESSION = b"mcp-session-id"
_PARAMETER_HEADER = b"mcp-param-"

Headers = Sequence[tuple[bytes, bytes]]
CallTool = Callable[[str, Mapping[str, Any], Mapping[str, Any], Scope], Awaitable[CallToolResult]]
"""Calls a tool by its name, its arguments, the `_meta` of the request, and the HTTP request."""


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """A request that needs nothing of the SDK; `modern` says that it belongs to the version without handshake."""

    id: int | str
    method: str
    parameters: Mapping[str, Any]
    modern: bool


class Exchange:
    """ASGI application: answers plain requests with `call_tool`, and passes all others to `sdk`."""

    def __init__(self, sdk: ASGIApp, call_tool: CallTool, server_info: Mapping[str, Any]) -> None:
        self._sdk = sdk
        self._call_tool = call_tool
        meta = {SERVER_INFO_META_KEY: server_info}
        self._modern_end = f',"_meta":{_to_ascii(meta)}}}}}'.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._sdk(scope, receive, send)
            return
        messages = [message := await receive()]
        while message.get("more_body"):
            messages.append(message := await receive())
        plain = None
        if message["type"] == "http.request":
            plain = parse_plain(scope["headers"], b"".join(each.get("body", b"") for each in messages))
        if plain is None:
            await self._sdk(scope, _replay(messages, receive), send)
            return
        await (await self._answer(plain, scope))(scope, receive, send)

    async def _answer(self, plain: PlainRequest, scope: Scope) -> Response:
        if plain.method == _PING:
            return _to_response(b'{"jsonrpc":"2.0","id":%b,"result":{}}' % to_json(plain.id), plain)
        given = plain.parameters
        result = await self._call_tool(given["name"], given.get("arguments") or {}, given.get("_meta") or {}, scope)
        dump = _to_ascii_bytes if plain.modern else _to_utf8
        texts = [dump(block.text) for block in result.content if isinstance(block, TextContent)]
        body = b'{"jsonrpc":"2.0","id":%b,"result":{"content":[%b],"isError":%b,%b"structuredContent":%b%b' % (
            dump(plain.id),
            b",".join(b'{"text":%b,"type":"text"}' % text for text in texts),
            b"true" if result.is_error else b"false",
            b'"resultType":"complete",' if plain.modern else b"",
            _dump_content(result, modern=plain.modern),
            self._modern_end if plain.modern else b"}}",
        )
        return _to_response(body, plain)


def parse_plain(headers: Headers, body: bytes) -> PlainRequest | None:
    """Return the request if it is plain; None for each that the SDK has to look at."""
    given = dict(headers)
    if len(given) != len(headers) or _SAME_SESSION in given or not _accepts_json(given):
        return None
    version = given.get(b"mcp-protocol-version", DEFAULT_NEGOTIATED_VERSION.encode()).decode("latin-1")
    modern = version in MODERN_PROTOCOL_VERSIONS
    if not modern and version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    try:
        # The SDK's own parsers, which differ in what they accept.
        message = json.loads(body) if modern else from_json(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not message.keys() <= _ENVELOPE or message.get("jsonrpc") != "2.0":
        return None
    id_, method, parameters = message.get("id"), message.get("method"), message.get("params")
    if not _is_plain_id(id_):
        return None
    if method == _PING and not modern and parameters in (None, {}):
        return PlainRequest(id_, _PING, {}, modern=False)
    if method != _CALL or not isinstance(parameters, dict) or not parameters.keys() <= _PARAMETERS:
        return None
    try:
        validate_client_request(_CALL, version, parameters)
    except (KeyError, ValueError, ValidationError):
        return None
    if modern and not _agree(given, version, parameters):
        return None
    return PlainRequest(id_, _CALL, parameters, modern)


def _is_plain_id(value: object) -> TypeGuard[int | str]:
    return isinstance(value, str) or (type(value) is int and abs(value) <= _GREATEST_ID)


def _accepts_json(headers: Mapping[bytes, bytes]) -> bool:
    if headers.get(b"content-type", b"").partition(b";")[0].strip() != _JSON.encode():
        return False
    return any(kind.strip() in {b"application/json", b"*/*"} for kind in headers.get(b"accept", b"").split(b","))


def _agree(headers: Mapping[bytes, bytes], version: str, parameters: Mapping[str, Any]) -> bool:
    """Return whether the headers state what the body of a modern request states."""
    meta = parameters.get("_meta")
    return (
        isinstance(meta, dict)
        and meta.get(PROTOCOL_VERSION_META_KEY) == version
        and CLIENT_CAPABILITIES_META_KEY in meta
        and headers.get(b"mcp-method") == _CALL.encode()
        and headers.get(b"mcp-name", b"").decode("latin-1") == parameters["name"]
        and not any(name.startswith(_PARAMETER_HEADER) for name in headers)
    )


def _replay(messages: Sequence[Message], receive: Receive) -> Receive:
    """Return a `receive` that first returns the messages that were received already."""
    left: Iterator[Message] = iter(messages)

    async def receive_again() -> Message:
        return next(left, None) or await receive()

    return receive_again


def _to_response(body: bytes, plain: PlainRequest) -> Response:
    # The order of the headers is that of the SDK, too.
    return Response(body, media_type=_JSON) if plain.modern else Response(body, headers={"Content-Type": _JSON})


def _dump_content(result: CallToolResult, *, modern: bool) -> bytes:
    if not modern:
        return _to_utf8(result.structured_content)
    if isinstance(result, JsonResult):
        [block] = result.content
        assert isinstance(block, TextContent)
        if block.text.isascii():
            return block.text.encode()
    return _to_ascii_bytes(result.structured_content)


def _to_ascii(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _to_ascii_bytes(value: object) -> bytes:
    return _to_ascii(value).encode()


def _to_utf8(value: object) -> bytes:
    return to_json(value, inf_nan_mode="null")
