"""An agent of one family: what a principal does with its tools over MCP."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, ClassVar, Self

from mcp import Client
from mcp_types import CallToolResult, TextContent

from server.core.principals import Principal
from server.interface.tools import AnyTool
from server.mcp.executor import Executor
from server.mcp.server import build_server
from server.observability.metrics import Metrics

_ANSWER_LIMIT = 32_768


def texts(result: CallToolResult) -> list[str]:
    """The text blocks of an answer."""
    return [block.text for block in result.content if isinstance(block, TextContent)]


class Agent:
    """A principal with a client, in one era of the protocol; a family's own agent says which tools there are."""

    tools: ClassVar[Sequence[AnyTool]]

    def __init__(self, service: Any, principal: Principal, mode: str = "auto") -> None:
        self.service = service
        self.principal = principal
        self.mode = mode
        self._client: Client | None = None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Self]:
        bound = [tool.bind(self.service) for tool in self.tools]
        executor = Executor(bound, Metrics(), answer_limit=_ANSWER_LIMIT)
        server = build_server(self.tools, lambda name, arguments, _: executor.call(name, arguments, self.principal))
        async with Client(server, mode=self.mode) as self._client:
            yield self

    def at(self, service: Any = None, **changes: Any) -> Self:
        """The same with another service, namespace, role or name; not connected yet."""
        return type(self)(service or self.service, replace(self.principal, **changes), self.mode)

    async def raw(self, tool: str, arguments: Any) -> CallToolResult:
        """What a call with these arguments, of whatever kind, is answered with."""
        assert self._client is not None
        return await self._client.call_tool(tool, arguments)

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        return await self.raw(tool, arguments)

    async def ask(self, tool: str, /, **arguments: Any) -> Any:
        """The structured answer of a call that succeeds; its text says the same."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, texts(result)
        assert result.structured_content is not None
        assert json.loads(texts(result)[0]) == result.structured_content
        return dict(result.structured_content)

    async def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of a call that fails."""
        return error(await self.call(tool, **arguments))


def error(result: CallToolResult) -> dict[str, Any]:
    """What a call that failed says, in the form `{error: {code, message, details}}`."""
    assert result.is_error, texts(result)
    answer = result.structured_content
    assert answer is not None
    assert json.loads(texts(result)[0]) == answer
    assert set(answer) == {"error"}
    found: dict[str, Any] = answer["error"]
    assert set(found) == {"code", "message", "details"}
    assert found["details"] is None or found["details"]
    return found
