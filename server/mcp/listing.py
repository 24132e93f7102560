"""The listing of a tool: what a model needs to call it, in as few bytes as possible (docs/decisions/0019).

Every agent reads every listed tool before it does anything. The listing therefore leaves out limits that callers rarely
reach, and the argument `idempotency_key`, which every tool that writes accepts: the server's instructions name it. The
reference has all limits, and an error names the one that a request exceeds. Output schemas are listed on demand, for
programs. They also allow errors, because clients validate those, too.

Source: SVC-35, SVC-37.
"""

from typing import Any

from mcp_types import Tool as WireTool
from mcp_types import ToolAnnotations

from server.interface.tools import AnyTool

_LONG = 100
"""Characters or items: a limit of at least this is not listed."""
_LARGE = 1_000_000
"""An integer limit of at least this is not listed."""


def listed(tool: AnyTool, *, output_schemas: bool = False) -> WireTool:
    """Returns the tool as `tools/list` tells it."""
    return WireTool(
        name=tool.name,
        description=tool.description,
        input_schema=shorten_schema(tool.input_schema()),
        output_schema=for_any_answer(tool.output_schema()) if output_schemas else None,
        annotations=_hints(tool),
    )


def shorten_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a request's schema without what no caller needs: large limits, and what follows from the rest."""
    kept = {key: value for key, value in schema.items() if not _is_idle(key, value)}
    if "properties" in kept:
        kept["properties"] = {name: shorten_schema(field) for name, field in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = shorten_schema(kept["items"])
    return kept


def _is_idle(key: str, value: Any) -> bool:
    match key:
        case "maxLength" | "maxItems":
            return bool(value >= _LONG)
        case "minLength" | "minItems":
            # Nobody sends an empty text where one is asked for.
            return bool(value == 1)
        case "maximum" | "minimum":
            return bool(abs(value) >= _LARGE)
        case "additionalProperties":
            return value is False
        case "default":
            return value is False or value in ("", [], {})
        case _:
            return False


def for_any_answer(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an answer's schema that also allows errors: no field is required, and no value is fixed."""
    forms = schema.get("anyOf", [schema])
    properties = {
        name: {key: value for key, value in field.items() if key not in {"enum", "const"}}
        for form in forms
        for name, field in form.get("properties", {}).items()
    }
    return {"type": "object", "properties": properties}


def _hints(tool: AnyTool) -> ToolAnnotations:
    """What differs from what MCP assumes of a tool that says nothing, and whether it destroys something."""
    if tool.read_only:
        return ToolAnnotations(read_only_hint=True, open_world_hint=tool.open_world)
    return ToolAnnotations(
        destructive_hint=tool.destructive,
        idempotent_hint=True if tool.idempotent else None,
        open_world_hint=tool.open_world,
    )
