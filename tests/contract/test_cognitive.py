"""What is published is what cognitive.md says: every field, type, limit and default of its tables and JSON blocks.

`cognitive.json` is the page's table, kept here so that a checkout without the specification is tested against it as
well; where the page stands beside the checkout, the table is compared with it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.mcp.toolsets import RESOURCES, TOOLSETS
from tests.contract.cognitive_page import read

_PAGE = Path("../shared/specs/cognitive.md")
_TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("cognitive.json").read_text(encoding="utf-8"))
_TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}
_LAYERS = {resource.uri: resource for resources in RESOURCES.values() for resource in resources}
_OTHERWISE = {
    # The dimension is that of the configured model (issue 5); the page's 1536 is that of one provider's.
    "hybrid_search": {"query_embedding.minItems", "query_embedding.maxItems"},
}
_KINDS = {"integer": {"integer", "number"}}


@pytest.mark.skipif(not _PAGE.is_file(), reason="the specification does not stand beside this checkout")
def test_the_table_says_what_the_page_says() -> None:
    assert read(_PAGE.read_text(encoding="utf-8")) == _TABLE


def _missing(theirs: dict[str, Any], ours: dict[str, Any], path: str = "") -> Iterator[str]:
    """Everything that the page says of a schema and ours does not."""
    for key, said in theirs.items():
        if key == "properties":
            for name, part in said.items():
                if name in ours.get("properties", {}):
                    yield from _missing(part, ours["properties"][name], f"{path}{name}.")
                else:
                    yield f"{path}{name}"
        elif key == "items":
            yield from _missing(said, ours.get("items", {}), path)
        elif key == "required":
            if sorted(said) != sorted(ours.get("required", [])):
                yield f"{path}required"
        elif ours.get(key) != said:
            yield f"{path}{key}"


@pytest.mark.proves("cognition:schemas")
@pytest.mark.parametrize("name", sorted(_TABLE["tools"]))
def test_a_tool_takes_what_the_page_says(name: str) -> None:
    ours = _TOOLS[name].input_schema()
    assert set(_missing(_TABLE["tools"][name]["takes"], ours)) == _OTHERWISE.get(name, set())


@pytest.mark.parametrize("name", sorted(_TABLE["tools"]))
def test_a_tool_answers_with_every_field_of_the_page(name: str) -> None:
    _holds(_TOOLS[name].output_schema()["properties"], _TABLE["tools"][name]["answers"])


@pytest.mark.proves("cognition:schemas")
@pytest.mark.parametrize("uri", sorted(_TABLE["resources"]))
def test_a_resource_takes_what_the_page_says(uri: str) -> None:
    theirs = _TABLE["resources"][uri]["takes"]
    ours = _LAYERS[uri].parameter_schema()
    assert list(ours["properties"]) == list(theirs)
    for name, said in theirs.items():
        part = ours["properties"][name]
        assert part["type"] == said["type"]
        assert part.get("default") == said.get("default"), name
        assert (name in ours.get("required", [])) == said["required"]


@pytest.mark.parametrize("uri", sorted(_TABLE["resources"]))
def test_a_resource_lists_every_field_of_the_page(uri: str) -> None:
    _holds(_LAYERS[uri].item_schema()["properties"], _TABLE["resources"][uri]["lists"])
    assert sorted(_LAYERS[uri].answer(uri, [])) == _TABLE["resources"][uri]["answers"]


def test_there_is_no_resource_that_the_page_does_not_know() -> None:
    assert set(_LAYERS) == set(_TABLE["resources"])


def _holds(ours: dict[str, Any], theirs: dict[str, str]) -> None:
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
