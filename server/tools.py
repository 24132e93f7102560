"""What a tool is: a name, a request, a response, and how its family tells errors.

The families declare their tools with this; `server/mcp` publishes them.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from server.errors import InvalidArgument, PrecedentError

T = TypeVar("T", bound="ToolInput")
_MOST_PROBLEMS = 50
_LONGEST_NAME = 100
"""A caller's own names and mistakes are told back to it, within bounds."""


class ToolInput(BaseModel):
    """Arguments of a tool: strict in types, no unknown names, null only for the names in `nullable`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    nullable: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _no_null(cls, values: object) -> object:
        if isinstance(values, Mapping):
            for name, value in values.items():
                if value is None and name in cls.model_fields and name not in cls.nullable:
                    raise ValueError(f"{name} is null; leave it out instead")
        return values

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Wherever a request is described, null is allowed where it is allowed, and nowhere else."""
        described = handler(schema)
        for name, field in handler.resolve_ref_schema(described).get("properties", {}).items():
            if name not in cls.nullable:
                without_null(field)
        return described

    @classmethod
    def parse(cls: type[T], arguments: Mapping[str, Any]) -> T:
        """Returns the request; raises `InvalidArgument` that names every field at fault, and no value."""
        try:
            return cls.model_validate(dict(arguments))
        except ValidationError as error:
            problems = [
                {
                    "field": ".".join(str(part)[:_LONGEST_NAME] for part in item["loc"]),
                    "problem": str(item["msg"]).removeprefix("Value error, "),
                }
                for item in error.errors(include_url=False, include_input=False, include_context=False)
            ]
            if len(problems) > _MOST_PROBLEMS:
                rest = len(problems) - _MOST_PROBLEMS
                problems = [*problems[:_MOST_PROBLEMS], {"field": "", "problem": f"and {rest} more problems"}]
            told = "; ".join(f"{p['field']}: {p['problem']}" if p["field"] else p["problem"] for p in problems)
            raise InvalidArgument(f"Invalid arguments. {told}.", {"fields": problems}) from None


def without_null(schema: JsonSchemaValue) -> None:
    """Takes null out of what a schema allows."""
    kinds = [kind for kind in schema.pop("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        schema.update(kinds[0])
    elif kinds:
        schema["anyOf"] = kinds


class ToolOutput(BaseModel):
    """What a tool answers with when it succeeded."""

    model_config = ConfigDict(frozen=True)


Texts = Callable[[Mapping[str, Any]], tuple[Any, ...]]
"""Turns a structured answer into its text blocks: a string stays as it is, anything else becomes its JSON."""

Envelope = Callable[[PrecedentError, str], dict[str, Any]]
"""Turns an error and the tool's name into the form of the family's specification."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a family.

    `run` is called with the family's service, the parsed request and the calling `Principal`; the role is checked
    before, by the table of `server/access/roles.py`. `many` names the list of the response that is cut when the answer
    grows too large. `texts` is for a family whose specification has a text of its own; without it the text is the
    structured answer's JSON. `open_world` says that the tool reaches out of the memory, to the web.
    """

    name: str
    description: str
    request: type[ToolInput]
    response: type[BaseModel]
    run: Callable[[Any, Any, Any], Awaitable[BaseModel]]
    envelope: Envelope
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    many: str | None = None
    texts: Texts | None = None

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without titles, and null only where it is allowed."""
        schema = self.request.model_json_schema(schema_generator=_InputSchema)
        shapes = schema.pop("$defs", {})
        inlined: dict[str, Any] = _untitled(_inlined(schema, shapes))
        for name in self.request.nullable:
            field = inlined["properties"][name]
            field["type"] = [field["type"], "null"]
        return inlined

    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured answer."""
        schema = self.response.model_json_schema(mode="serialization", schema_generator=_OutputSchema)
        shapes = schema.pop("$defs", {})
        inlined: dict[str, Any] = _untitled(_inlined(schema, shapes))
        return inlined


class _InputSchema(GenerateJsonSchema):
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


class _OutputSchema(GenerateJsonSchema):
    """Says the same in fewer bytes: every agent reads every schema."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if "enum" in inner:
            return {"enum": [*inner["enum"], None]}
        if isinstance(inner.get("type"), str):
            return {**inner, "type": [inner["type"], "null"]}
        return super().nullable_schema(schema)

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        return {key: value for key, value in super().literal_schema(schema).items() if key != "type"}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        # An answer has every field: what it would be if it were left out says nothing.
        return self.generate_inner(schema["schema"])


def _inlined(schema: Any, shapes: Mapping[str, Any]) -> Any:
    """Puts each shape where it is meant: nothing of ours is recursive, and hardly one uses a shape twice."""
    if isinstance(schema, list):
        return [_inlined(item, shapes) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        meant = shapes[schema["$ref"].removeprefix("#/$defs/")]
        return _inlined({**meant, **{key: value for key, value in schema.items() if key != "$ref"}}, shapes)
    return {key: _inlined(value, shapes) for key, value in schema.items()}


def _untitled(schema: Any) -> Any:
    """Drops what says nothing: titles that pydantic derives from names, and that an object may hold anything."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _untitled(part) for name, part in value.items()} if key == "properties" else _untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "additionalProperties" and value is True)
    }
