"""The MCP server: what it publishes. Who carries a call out is handed in, so service and bridge publish the same."""

from collections.abc import Awaitable, Callable, Iterable
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
    ToolAnnotations,
)
from mcp_types import Resource as WireResource
from mcp_types import Tool as WireTool

from server.resources import JSON_TYPE, Resource, find
from server.tools import Tool

INSTRUCTIONS = """\
Precedent is a shared memory: of decisions, of things and how they relate, and of what was said and found out.
Before you decide, call search_decisions: what is in force binds you. balanced mode answers with what is in force
first, strict with nothing else, audit with the whole history.
When you have decided, call record_decision, with one stable target per question. CONFLICT means one is in force
already: read it, then keep to it, or replace it with supersede_decision, naming its id and why. What you may not
decide, propose_decision with evidence: an admin accepts or rejects it.
graph_add_node and graph_add_edge remember things and how they relate. graph_query_neighbors tells what is around a
thing, decisions included; graph_find_path how two things connect.
Before you ask or start anew, call search: it finds memories, whoever saved them, also by what was said around them;
get_entries reads them whole, timeline tells what came before and after. When you learn something that a later session
needs, call save_memory: who, what, when, [[Name]] for the things it is about, one session_id for what belongs together.
What binds others is a decision; a fact, a wish, an outcome is a memory. ingest_docs remembers project documents.
The journal is one agent's own record, word by word: store_conversation_message what was said (search_conversations
finds it again), store_context the state of an agent, version by version, log_correction what was wrong.
The layers: store_raw_dialogue what was said, compress_to_l2_insight what you distilled from it, naming its dialogues;
hybrid_search finds insights. update_working_memory keeps ten things in mind while you work. When something went well or
badly, store_episode it with its lesson; before you try, read memory://episode-memory?query=….
A score orders the results of one answer and says no more: there is a nearest one even where nothing fits.
An error says what to do; nothing was written when you get one."""

Context = ServerRequestContext[Any, Any]
CallTool = Callable[[str, dict[str, Any], Context], Awaitable[CallToolResult]]
ReadResource = Callable[[Resource, str, Context], Awaitable[ReadResourceResult]]


def build_server(
    tools: Iterable[Tool],
    call_tool: CallTool,
    *,
    resources: Iterable[Resource] = (),
    read_resource: ReadResource | None = None,
) -> Server[Any]:
    """Returns an MCP server that lists `tools` and hands each call to `call_tool`; resources and reads likewise."""
    listed = ListToolsResult(tools=[_wire(tool) for tool in tools])
    schemas = {tool.name: tool.input_schema for tool in listed.tools}

    async def on_list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return listed

    async def on_call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        return await call_tool(params.name, params.arguments or {}, context)

    reading = {} if read_resource is None else _resource_handlers(tuple(resources), read_resource)
    return Server(
        "precedent",
        title="Precedent",
        version=version("precedent"),
        instructions=INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        # Or the SDK would go through the whole list at each call: a quarter of the time that a call took.
        get_tool_input_schema=schemas.get,
        **reading,
    )


def _resource_handlers(resources: tuple[Resource, ...], read_resource: ReadResource) -> dict[str, Any]:
    """What lists and reads these resources; without any, none are declared.

    Nobody is told of changes: over stateless HTTP nothing is there to tell it through.
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
            # MCP "Resources", Error Handling; the same in the form of cognitive.md "Standard Error Response" beside it.
            told = f"No resource is at {params.uri[:200]!r}; there are {', '.join(each.uri for each in resources)}."
            error = {"error": "Resource not found", "details": told, "resource": params.uri}
            raise MCPError(INVALID_PARAMS, told, error)
        return await read_resource(resource, params.uri, context)

    return {
        "on_list_resources": on_list,
        "on_list_resource_templates": on_list_templates,
        "on_read_resource": on_read,
    }


def _wire(tool: Tool) -> WireTool:
    return WireTool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema(),
        annotations=_hints(tool),
    )


def _wire_resource(resource: Resource) -> WireResource:
    return WireResource(uri=resource.uri, name=resource.name, description=resource.description, mime_type=JSON_TYPE)


def _wire_template(resource: Resource) -> ResourceTemplate:
    return ResourceTemplate(
        uri_template=resource.template, name=resource.name, description=resource.description, mime_type=JSON_TYPE
    )


def _hints(tool: Tool) -> ToolAnnotations:
    """Only what says something: to a tool that reads, the other two hints mean nothing (MCP, ToolAnnotations)."""
    if tool.read_only:
        return ToolAnnotations(read_only_hint=True, open_world_hint=tool.open_world)
    return ToolAnnotations(
        read_only_hint=False,
        destructive_hint=tool.destructive,
        idempotent_hint=tool.idempotent,
        open_world_hint=tool.open_world,
    )
