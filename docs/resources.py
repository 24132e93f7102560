"""The page of the reference about resources."""

import json
from collections.abc import Callable, Iterable, Iterator

from docs.schemas import fields
from server.access.roles import RESOURCES as ROLES
from server.interface.resources import AnyResource
from server.mcp.toolsets import RESOURCES

Table = Callable[[Iterable[str], Iterable[Iterable[str]]], str]
_INTRO = (
    "What agents read over MCP, by an address with parameters. A family's resources are published with its "
    '[tools](tools.md). The answer is JSON: `{"resource", "uri", "mimeType", "contents"}`, the list under `contents`; '
    'a longer one is cut, and `left_out` says so. A failure is `{"error", "details", "resource"}` instead; an address '
    "that is not a resource is an error of the protocol. Reading changes nothing. Days are whole days in UTC, the last "
    "one included; an unknown parameter, and one out of its range, is an error."
)


def page(table: Table) -> str:
    """Every resource, by family: what it takes and what it lists."""
    return "\n\n".join(["# Resources", _INTRO, *_families(table)])


def _families(table: Table) -> Iterator[str]:
    for family, members in RESOURCES.items():
        yield f"## {family}"
        for resource in members:
            yield _resource(resource, table)


def _resource(resource: AnyResource, table: Table) -> str:
    takes = [
        [
            f"`{field.name}`",
            field.holds,
            "**required**" if field.required else "" if field.default is None else f"`{json.dumps(field.default)}`",
            field.meaning,
        ]
        for field in fields(resource.parameter_schema())
    ]
    lists = [[f"`{field.name}`", field.holds, field.meaning] for field in fields(resource.item_schema())]
    return "\n\n".join(
        [
            f"### {resource.uri}",
            resource.description,
            f"Role: {ROLES[resource.uri]}.",
            *([f"```text\n{resource.template}\n```"] if takes else []),
            *([table(["parameter", "type", "default", "meaning"], takes)] if takes else []),
            table(["it lists", "type", "meaning"], lists),
            resource.item_schema().get("description", ""),
        ]
    ).rstrip()
