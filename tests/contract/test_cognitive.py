"""The published schemas contain every field, type, limit and default of the specification of the cognitive layers.

`cognitive.json` is that specification as a table.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.mcp.toolsets import RESOURCES, TOOLSETS

_TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("cognitive.json").read_text(encoding="utf-8"))
_TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}
_LAYERS = {resource.uri: resource for resources in RESOURCES.values() for resource in resources}
_DIFFERENCES = {
    # The dimension is that of the configured model; 1536 is that of one provider's model (COG-1).
    "hybrid_search": {"query_embedding.minItems", "query_embedding.maxItems"},
}
_KINDS = {"integer": {"integer", "number"}}


def _missing(theirs: dict[str, Any], ours: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the paths that are in the schema of the page and missing or different in ours."""
    for key, value in theirs.items():
        if key == "properties":
            for name, part in value.items():
                if name in ours.get("properties", {}):
                    yield from _missing(part, ours["properties"][name], f"{path}{name}.")
                else:
                    yield f"{path}{name}"
        elif key == "items":
            yield from _missing(value, ours.get("items", {}), path)
        elif key == "required":
            if sorted(value) != sorted(ours.get("required", [])):
                yield f"{path}required"
        elif ours.get(key) != value:
            yield f"{path}{key}"


@pytest.mark.proves("COG-1")
@pytest.mark.parametrize("name", sorted(_TABLE["tools"]))
def test_a_tool_takes_the_arguments_of_the_page(name: str) -> None:
    ours = _TOOLS[name].input_schema()
    assert set(_missing(_TABLE["tools"][name]["takes"], ours)) == _DIFFERENCES.get(name, set())


@pytest.mark.proves("COG-1")
@pytest.mark.parametrize("name", sorted(_TABLE["tools"]))
def test_a_tool_answers_with_every_field_of_the_page(name: str) -> None:
    _require_fields(_TOOLS[name].output_schema()["properties"], _TABLE["tools"][name]["answers"])


@pytest.mark.proves("COG-1")
@pytest.mark.parametrize("uri", sorted(_TABLE["resources"]))
def test_a_resource_takes_the_parameters_of_the_page(uri: str) -> None:
    theirs = _TABLE["resources"][uri]["takes"]
    ours = _LAYERS[uri].parameter_schema()
    assert list(ours["properties"]) == list(theirs)
    for name, parameter in theirs.items():
        part = ours["properties"][name]
        assert part["type"] == parameter["type"]
        assert part.get("default") == parameter.get("default"), name
        assert (name in ours.get("required", [])) == parameter["required"]


@pytest.mark.proves("COG-1", "COG-52")
@pytest.mark.parametrize("uri", sorted(_TABLE["resources"]))
def test_a_resource_lists_every_field_of_the_page(uri: str) -> None:
    _require_fields(_LAYERS[uri].item_schema()["properties"], _TABLE["resources"][uri]["lists"])
    assert sorted(_LAYERS[uri].answer(uri, [])) == _TABLE["resources"][uri]["answers"]


def test_there_is_no_resource_that_is_not_in_the_page() -> None:
    assert set(_LAYERS) == set(_TABLE["resources"])


def _require_fields(ours: dict[str, Any], theirs: dict[str, str]) -> None:
    assert set(theirs) <= set(ours), "a field of the page is missing"
    for name, kind in theirs.items():
        assert _types(ours[name]) & _KINDS.get(kind, {kind}), f"{name} is a {kind} in the page"


def _types(schema: dict[str, Any]) -> set[str]:
    if "anyOf" in schema:
        return {kind for part in schema["anyOf"] for kind in _types(part)}
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return {"string" if isinstance(value, str) else "null" for value in values}
    kinds = schema["type"]
    return set(kinds) if isinstance(kinds, list) else {kinds}
