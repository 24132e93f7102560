"""The MCP server behind `POST /mcp`: each message comes with its HTTP request, whose caller the gate knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server import Server
from mcp_types import CallToolResult, ReadResourceResult
from starlette.types import Scope

from server.access import roles
from server.access.gate import caller_of
from server.access.requests import request_of
from server.core.settings import Settings
from server.interface.resources import AnyResource
from server.mcp.exchange import CallTool
from server.mcp.executor import Executor
from server.mcp.server import Context, add_key, build_server
from server.mcp.toolsets import published, published_resources


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The MCP server, and what calls a tool of it for a plain request (`server/mcp/exchange.py`)."""

    server: Server[Any]
    call_tool: CallTool


def build_endpoint(settings: Settings, executor: Executor) -> Endpoint:
    """Return an MCP server that publishes what the settings say and runs it with the executor."""
    tools = published(settings)
    writing = {tool.name for tool in tools if not tool.read_only}

    async def call_plain(
        name: str, arguments: Mapping[str, Any], meta: Mapping[str, Any], scope: Scope
    ) -> CallToolResult:
        if name in writing:
            arguments = add_key(dict(arguments), meta)
        return await executor.call(name, arguments, caller_of(scope), request_of(scope))

    async def call_tool(name: str, arguments: dict[str, Any], context: Context) -> CallToolResult:
        scope = _scope(context)
        return await executor.call(name, arguments, caller_of(scope), request_of(scope))

    async def read_resource(resource: AnyResource, uri: str, context: Context) -> ReadResourceResult:
        scope = _scope(context)
        return await executor.read(resource, uri, caller_of(scope), request_of(scope))

    def may_call(name: str, context: Context) -> bool:
        return caller_of(_scope(context)).has_role(roles.get_tool_role(name))

    server = build_server(
        tools,
        call_tool,
        may_call=may_call,
        output_schemas=settings.output_schemas,
        resources=published_resources(settings.toolsets),
        read_resource=read_resource,
    )
    return Endpoint(server, call_plain)


def _scope(context: Context) -> Scope:
    assert context.request is not None, "over HTTP every message comes with its request"
    scope: Scope = context.request.scope
    return scope
