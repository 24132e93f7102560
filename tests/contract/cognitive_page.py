"""Reads cognitive.md: what each tool takes and answers, what each resource takes and lists."""

import json
import re
from typing import Any

_BLOCK = re.compile(r"```json\n(.*?)\n```", re.DOTALL)
_PARAMETER = re.compile(r"^- `(\w+)` \((\w+), (required|optional)(?:, default: ([^)]+))?\): (.*)$", re.MULTILINE)
_SAYS = frozenset({"type", "minimum", "maximum", "minLength", "minItems", "maxItems", "default", "required"})
_DEFAULT_IN_WORDS = re.compile(r"\(default: ([^)]+)\)")


def read(page: str) -> dict[str, Any]:
    """The page as a table: `tools` by name with `takes` and `answers`, `resources` by address with theirs."""
    sections = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    tools: dict[str, Any] = {}
    resources: dict[str, Any] = {}
    for section in sections:
        name, _, body = section.partition("\n")
        if "**Returns:**" in body:
            signature, answer = (_first_block(part) for part in body.split("**Returns:**"))
            tools[name] = {"takes": _shape(signature["inputSchema"]), "answers": _kinds(answer)}
        elif name.startswith("memory://"):
            example = _first_block(body)
            resources[name] = {
                "takes": {match[1]: _parameter(match) for match in _PARAMETER.finditer(body)},
                "answers": sorted(example),
                "lists": _kinds(example["contents"][0]),
            }
    return {"tools": tools, "resources": resources}


def _first_block(text: str) -> Any:
    return json.loads(_BLOCK.findall(text)[0])


def _shape(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without its prose."""
    said = {key: value for key, value in schema.items() if key in _SAYS}
    if "properties" in schema:
        said["properties"] = {name: _shape(part) for name, part in schema["properties"].items()}
    return {**said, "items": _shape(schema["items"])} if "items" in schema else said


def _parameter(match: re.Match[str]) -> dict[str, Any]:
    default = match[4] or next(iter(_DEFAULT_IN_WORDS.findall(match[5])), None)
    told: dict[str, Any] = {"type": {"float": "number"}.get(match[2], match[2]), "required": match[3] == "required"}
    return told if default is None else {**told, "default": _value(default)}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _kinds(example: dict[str, Any]) -> dict[str, str]:
    return {name: _kind(value) for name, value in example.items()}


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds[type(value)]
