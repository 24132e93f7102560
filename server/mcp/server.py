"""The MCP server: its tools and resources. The caller passes what runs them, so service and bridge publish the same."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib.metadata import version
from typing import Any

from mcp import MCPError
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
)
from mcp_types import Resource as WireResource

from server.graph.idempotency import KEY
from server.interface.resources import JSON_TYPE, AnyResource, find
from server.interface.tools import AnyTool
from server.mcp.instructions import instructions
from server.mcp.listing import listed

Context = ServerRequestContext[Any, Any]
CallTool = Callable[[str, dict[str, Any], Context], Awaitable[CallToolResult]]
ReadResource = Callable[[AnyResource, str, Context], Awaitable[ReadResourceResult]]
MayCall = Callable[[str, Context], bool]
"""Returns whether the caller may call the tool of this name."""


def build_server(
    tools: Iterable[AnyTool],
    call_tool: CallTool,
    *,
    may_call: MayCall = lambda _name, _context: True,
    output_schemas: bool = False,
    resources: Iterable[AnyResource] = (),
    read_resource: ReadResource | None = None,
) -> Server[Any]:
    """Return an MCP server that lists `tools` and passes each call to `call_tool`; likewise resources and reads.

    The list contains only the tools that the caller may call.
    """
    tools = tuple(tools)
    wire = [listed(tool, output_schemas=output_schemas) for tool in tools]
    writing = {tool.name for tool in tools if not tool.read_only}
    schemas = {tool.name: tool.input_schema for tool in wire}

    async def on_list_tools(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        shown = [tool for tool in wire if may_call(tool.name, context)]
        # The list depends on the caller's role, which may change: clients must not cache or share it.
        return ListToolsResult(tools=shown, ttl_ms=0, cache_scope="private")

    async def on_call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        arguments = params.arguments or {}
        if params.name in writing:
            arguments = add_key(arguments, dict(params.meta or {}))
        return await call_tool(params.name, arguments, context)

    reading = {} if read_resource is None else _resource_handlers(tuple(resources), read_resource)
    return Server(
        "precedent",
        title="Precedent",
        version=version("precedent"),
        instructions=instructions(schemas),
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        # The SDK compares the headers that a schema declares with the arguments. Ours declare none; without this, it
        # would build the whole list at each call, and walk through a schema.
        get_tool_input_schema=lambda _name: None,
        **reading,
    )


def add_key(arguments: dict[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a tool that writes, with the idempotency key of the request's `_meta`.

    A client that repeats calls by itself has no part in the arguments, which the model writes.
    """
    return {KEY: meta[KEY], **arguments} if KEY in meta else arguments


def _resource_handlers(resources: tuple[AnyResource, ...], read_resource: ReadResource) -> dict[str, Any]:
    """What lists and reads these resources; without any, none are declared.

    Changes are not announced: stateless HTTP has no channel for that.
    """
    if not resources:
        return {}
    fixed = ListResourcesResult(resources=[_wire_resource(each) for each in resources])
    templates = ListResourceTemplatesResult(
        resource_templates=[_wire_template(each) for each in resources if each.parameters]
    )

    async def on_list(_context: Context, _params: PaginatedRequestParams | None) -> ListResourcesResult:
        return fixed

    async def on_list_templates(
        _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return templates

    async def on_read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        resource = find(resources, params.uri)
        if resource is None:
            # The error of MCP, with the form of the cognition family as its data.
            message = (
                f"No resource has the address {params.uri[:200]!r}; use {', '.join(each.uri for each in resources)}."
            )
            error = {"error": "Resource not found", "details": message, "resource": params.uri}
            raise MCPError(INVALID_PARAMS, message, error)
        return await read_resource(resource, params.uri, context)

    return {
        "on_list_resources": on_list,
        "on_list_resource_templates": on_list_templates,
        "on_read_resource": on_read,
    }


def _wire_resource(resource: AnyResource) -> WireResource:
    return WireResource(uri=resource.uri, name=resource.name, description=resource.description, mime_type=JSON_TYPE)


def _wire_template(resource: AnyResource) -> ResourceTemplate:
    return ResourceTemplate(
        uri_template=resource.template, name=resource.name, description=resource.description, mime_type=JSON_TYPE
    )
