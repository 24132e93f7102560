"""Small words for calling tools in tests."""

import json
from typing import Any

from mcp import Client
from mcp_types import TextContent, TextResourceContents

from server.mcp.toolsets import TOOLSETS

ANSWERS = {tool.name: tool.output_schema() for family in TOOLSETS.values() for tool in family}
"""The schema of each tool's answer."""


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that must succeed; its text says the same."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is not None
    assert json.loads(block.text) == result.structured_content
    return dict(result.structured_content)


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured error of a call that must fail."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    assert result.structured_content is not None
    return dict(result.structured_content)


async def read(client: Client, uri: str) -> dict[str, Any]:
    """What a resource answers: one text, which is JSON."""
    (contents,) = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "application/json")
    answer: dict[str, Any] = json.loads(contents.text)
    return answer


async def listed(client: Client, uri: str) -> list[dict[str, Any]]:
    """What a resource lists, in the documented envelope."""
    answer = await read(client, uri)
    assert set(answer) == {"resource", "uri", "mimeType", "contents"}, answer
    assert (answer["resource"], answer["uri"]) == (uri.partition("?")[0], uri)
    contents: list[dict[str, Any]] = answer["contents"]
    return contents


async def pages(client: Client, tool: str, many: str, **arguments: Any) -> list[dict[str, Any]]:
    """The answers of a client that goes on where each answer says, until one says nothing."""
    answers = [await ask(client, tool, **arguments)]
    while (following := answers[-1].get("next_offset")) is not None:
        assert answers[-1][many], "each page brings something"
        answers.append(await ask(client, tool, **{**arguments, "offset": following}))
    return answers
