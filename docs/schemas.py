"""JSON schemas in words, for the tables of the reference."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
_HUGE = 2**53


@dataclass(frozen=True, slots=True)
class Field:
    """One property of an object: its name (`path[].name` inside lists), what it holds, its default, its meaning."""

    name: str
    holds: str
    required: bool
    default: Any
    meaning: str


def fields(schema: Schema, *, nested: bool = False) -> Iterator[Field]:
    """Yields the properties of an object's schema, or of each of its forms; `nested` also those in its lists."""
    for form in schema.get("anyOf", [schema]):
        yield from _fields(_resolved(form, schema), schema, nested, "")


def _fields(schema: Schema, root: Schema, nested: bool, prefix: str) -> Iterator[Field]:
    for name, part in schema.get("properties", {}).items():
        kind = _resolved(part, root)
        items = _resolved(kind.get("items", {}), root)
        yield Field(
            name=prefix + name,
            holds=holds(kind, root),
            required=name in schema.get("required", ()),
            default=part.get("default"),
            meaning=str(part.get("description") or (items.get("description", "") if nested else "")),
        )
        if nested and items.get("properties"):
            yield from _fields(items, root, nested, f"{prefix}{name}[].")


def holds(schema: Schema, root: Schema) -> str:
    """What a value of this schema is, in words: "integer, 1 to 20", "one of `strict`, `balanced`"."""
    schema = _resolved(schema, root)
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(_code(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(holds(part, root) for part in schema["anyOf"]))
    kinds = schema.get("type", "any JSON")
    kind = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if kind.startswith("array"):
        inner = holds(schema.get("items", {}), root)
        return _limited(f"list of ({inner})" if "," in inner else f"list of {inner}", schema, "Items", "items")
    if kind.startswith("string"):
        return _limited(_FORMATS.get(schema.get("format", ""), kind), schema, "Length", "characters")
    return _range(kind, schema)


_FORMATS = {"date-time": "time (ISO 8601)", "path": "path", "password": "secret"}


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema that a `$ref` points to, or the schema itself."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Schema = root["$defs"][reference.rpartition("/")[2]]
    return found


def _limited(kind: str, schema: Schema, what: str, unit: str) -> str:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    if least and most:
        return f"{kind}, {least:,} to {most:,} {unit}"
    if most:
        return f"{kind}, at most {most:,} {unit}"
    return f"{kind}, at least {least:,} {unit}" if least else kind


def _range(kind: str, schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if most is not None and abs(most) < _HUGE and least is not None:
        return f"{kind}, {least:,} to {most:,}"
    if least is not None:
        return f"{kind}, at least {least:,}"
    return f"{kind}, above {above:,}" if above is not None else kind


def _code(value: object) -> str:
    return f"`{value}`"
