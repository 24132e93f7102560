"""Small words for calling tools in tests."""

import json
from typing import Any

from mcp import Client
from mcp_types import TextContent


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
