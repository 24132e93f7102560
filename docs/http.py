"""The page of the HTTP routes: each with its parameters, its body, its answers and who may ask."""

from collections.abc import Callable, Iterator, Mapping
from inspect import cleandoc
from typing import Any

from docs.schemas import Field, fields
from server.access.roles import ENDPOINTS
from server.rest.errors import HTTP_CODES, MALFORMED_JSON, MALFORMED_REQUEST

Table = Callable[[list[str], list[list[str]]], str]
_JSON = "application/json"
_FORM = "multipart/form-data"


def overview(description: Mapping[str, Any]) -> list[list[str]]:
    """A row for each route: how it is asked, and what it does."""
    return [
        [f"[`{method} {path}`](#{_anchor(method, path)})", _describe(operation)]
        for method, path, operation in _operations(description)
    ]


def details(description: Mapping[str, Any], table: Table) -> list[str]:
    """A section for each route."""
    return [
        _section(method, path, operation, description, table) for method, path, operation in _operations(description)
    ]


def codes() -> list[list[str]]:
    """A row for each code that no kind of error of ours has."""
    rows = [[f"`{code}`", str(int(status)), sentence] for status, (code, sentence) in HTTP_CODES.items()]
    malformed, sentence = MALFORMED_REQUEST
    json = [f"`{MALFORMED_JSON}`", "400", "The body is no JSON; the message says from which character on."]
    return [[f"`{malformed}`", "400", sentence], json, *rows]


def _operations(description: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            yield method.upper(), path, operation


def _anchor(method: str, path: str) -> str:
    return f"{method} {path}".lower().translate(str.maketrans(" ", "-", "/{}"))


def _describe(operation: Mapping[str, Any]) -> str:
    return " ".join(cleandoc(operation.get("description", "")).split())


def _section(method: str, path: str, operation: Mapping[str, Any], description: Mapping[str, Any], table: Table) -> str:
    role = ENDPOINTS.get(f"{method} {path}")
    parts = [f"## {method} {path}", _describe(operation), f"Role: {role}." if role else "Open to everyone."]
    if asked := [*_parameters(operation), *_body(operation, description)]:
        parts.append(table(["field", "in", "type", "default", "meaning"], asked))
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            told = _answer(answer, description)
            parts.append(
                table([f"answer {status}", "type", "meaning"], told) if told else f"{status}: {answer['description']}"
            )
    failures = [status for status in operation["responses"] if not status.startswith("2")]
    parts.append(f"Otherwise: {', '.join(failures)}.")
    return "\n\n".join(parts)


def _parameters(operation: Mapping[str, Any]) -> Iterator[list[str]]:
    for parameter in operation.get("parameters", ()):
        schema = {"type": "object", "properties": {parameter["name"]: parameter["schema"]}}
        schema["required"] = [parameter["name"]] if parameter.get("required") else []
        for field in fields(schema):
            yield _row(field, parameter["in"], parameter.get("description", ""))


def _body(operation: Mapping[str, Any], description: Mapping[str, Any]) -> Iterator[list[str]]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        where = "form" if kind == _FORM else "body"
        for field in fields(_shape(content["schema"], description)):
            yield _row(field, where, field.meaning)


def _answer(answer: Mapping[str, Any], description: Mapping[str, Any]) -> list[list[str]]:
    content = answer.get("content", {}).get(_JSON)
    if content is None:
        return []
    shape = _shape(content["schema"], description)
    return [[f"`{field.name}`", field.holds, field.meaning] for field in fields(shape, nested=True)]


def _row(field: Field, where: str, meaning: str) -> list[str]:
    default = "**required**" if field.required else "" if field.default is None else f"`{field.default}`"
    return [f"`{field.name}`", where, field.holds, default, meaning]


def _shape(schema: Mapping[str, Any], description: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with every shape put where it is meant."""
    return _inlined(schema, description["components"]["schemas"])  # type: ignore[no-any-return]


def _inlined(schema: Any, shapes: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(part, shapes) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    if "anyOf" in schema and len(kept := [part for part in schema["anyOf"] if part != {"type": "null"}]) == 1:
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        return {**_inlined(kept[0], shapes), **rest}
    return {key: _inlined(value, shapes) for key, value in schema.items()}
