"""What a tool is: a name, a request, a response, and the form of its family's errors.

The families declare their tools with this; `server/mcp` publishes them.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from server.core.errors import InvalidArgument, PrecedentError
from server.core.principals import Principal
from server.core.settings import Settings

ServiceT = TypeVar("ServiceT")
RequestT = TypeVar("RequestT", bound="ToolInput")
AnswerT = TypeVar("AnswerT", bound=BaseModel)
_MOST_PROBLEMS = 50
_LONGEST_NAME = 100
"""Characters of a caller's own name that a message repeats."""


class ToolInput(BaseModel):
    """Arguments of a tool: strict types, no unknown names, null only for the names in `nullable`.

    An integer may be written as 10.0, as in JSON Schema. A number outside the limits in `clamped` (least, and greatest
    or None) becomes the nearest limit.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    nullable: ClassVar[frozenset[str]] = frozenset()
    clamped: ClassVar[Mapping[str, tuple[int, int | None]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, values: object) -> object:
        if not isinstance(values, Mapping):
            return values
        for name, value in values.items():
            if value is None and name in cls.model_fields and name not in cls.nullable:
                raise ValueError(f"{name} is null; leave it out instead")
        integers = _integer_fields(cls)
        prepared = {name: _integral(value) if name in integers else value for name, value in values.items()}
        for name, (least, greatest) in cls.clamped.items():
            number = prepared.get(name)
            if type(number) is int:
                prepared[name] = max(least, number if greatest is None else min(number, greatest))
        return prepared

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe a request with null only for the fields in `nullable`."""
        described = handler(schema)
        for name, field in handler.resolve_ref_schema(described).get("properties", {}).items():
            if name not in cls.nullable:
                without_null(field)
        return described

    @classmethod
    def parse(cls: type[RequestT], arguments: Mapping[str, Any]) -> RequestT:
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
            described = "; ".join(f"{p['field']}: {p['problem']}" if p["field"] else p["problem"] for p in problems)
            raise InvalidArgument(f"Invalid arguments. {described}.", {"fields": problems}) from None


@cache
def _integer_fields(request: type[BaseModel]) -> frozenset[str]:
    """The fields with an integer, or a list of integers."""
    fields = request.model_json_schema().get("properties", {})
    return frozenset(name for name, field in fields.items() if _holds_integers(field))


def _holds_integers(schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return all(_holds_integers(part) or part == {"type": "null"} for part in schema["anyOf"])
    return (
        _holds_integers(schema.get("items", {})) if schema.get("type") == "array" else schema.get("type") == "integer"
    )


def _integral(value: object) -> object:
    """Return a float such as 10.0 as an integer, also in a list; anything else unchanged."""
    if isinstance(value, list):
        return [_integral(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def without_null(schema: JsonSchemaValue) -> None:
    """Remove null from the types of a schema."""
    kinds = [kind for kind in schema.pop("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        schema.update(kinds[0])
    elif kinds:
        schema["anyOf"] = kinds


class ToolOutput(BaseModel):
    """The answer of a tool that succeeded."""

    model_config = ConfigDict(frozen=True)


Texts = Callable[[Mapping[str, Any]], tuple[Any, ...]]
"""Returns the text blocks of a structured answer: a string stays a string, anything else becomes JSON."""

Envelope = Callable[[PrecedentError, str], dict[str, Any]]
"""Returns an error in the form of its family; the second argument is the tool's name."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[ServiceT, RequestT, AnswerT]):
    """One tool of a family: a method of the family's service, its request and its answer.

    `run` is called with the service, the parsed request and the caller; the role is checked before, by the table of
    `server/access/roles.py`. `many` names the list of the answer that is cut when the answer grows too large; where the
    request has an `offset`, the answer then says where the list goes on. `total` names the number of items that all
    pages hold together. `resume` is for a list whose offset does not count its items: it returns the offset that
    follows these items. `texts` is for a family whose specification has a text of its own; without it the text is the
    structured answer's JSON. `open_world` says that the tool reaches out of the memory, to the web. `missing_keys`
    returns the names of settings that the tool needs and that are not set. `resumable` says that its work is several
    transactions and repeats without effect, so that a retry with an idempotency key continues it.
    """

    name: str
    description: str
    request: type[RequestT]
    response: type[AnswerT]
    run: Callable[[ServiceT, RequestT, Principal], Awaitable[AnswerT]]
    envelope: Envelope
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    resumable: bool = False
    many: str | None = None
    total: str = "total"
    resume: Callable[[RequestT, Sequence[Mapping[str, Any]]], int] | None = None
    texts: Texts | None = None
    missing_keys: Callable[[Settings], list[str]] | None = None

    def bind(self, service: ServiceT) -> "BoundTool[RequestT, AnswerT]":
        """Return the tool with the service that runs it."""
        return BoundTool(self, partial(self.run, service))

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without titles, and null only where it is allowed."""
        return input_schema(self.request)

    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured answer."""
        return output_schema(self.response)


@dataclass(frozen=True, slots=True)
class BoundTool(Generic[RequestT, AnswerT]):
    """A tool with the service that runs it."""

    tool: Tool[Any, RequestT, AnswerT]
    run: Callable[[RequestT, Principal], Awaitable[AnswerT]]


AnyTool = Tool[Any, Any, Any]
"""One of several tools. A family's own tuple has no annotation, so that mypy checks each tool with its own types."""
AnyBoundTool = BoundTool[Any, Any]


def input_schema(request: type[ToolInput]) -> dict[str, Any]:
    """The JSON schema of a request, without titles, and null only where it is allowed."""
    schema = request.model_json_schema(schema_generator=_InputSchema)
    shapes = schema.pop("$defs", {})
    inlined: dict[str, Any] = _untitled(_inlined(schema, shapes))
    for name in request.nullable:
        field = inlined["properties"][name]
        field["type"] = [field["type"], "null"]
    for name, (least, greatest) in request.clamped.items():
        inlined["properties"][name] |= {"minimum": least} | ({} if greatest is None else {"maximum": greatest})
    return inlined


def output_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer."""
    schema = answer.model_json_schema(mode="serialization", schema_generator=_OutputSchema)
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
    """Writes schemas in fewer bytes, because every agent reads every schema."""

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
        # An answer has every field, so a default means nothing.
        return self.generate_inner(schema["schema"])


def _inlined(schema: Any, shapes: Mapping[str, Any]) -> Any:
    """Replace each reference by its definition: no schema here is recursive, and few use a definition twice."""
    if isinstance(schema, list):
        return [_inlined(item, shapes) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        definition = shapes[schema["$ref"].removeprefix("#/$defs/")]
        return _inlined({**definition, **{key: value for key, value in schema.items() if key != "$ref"}}, shapes)
    return {key: _inlined(value, shapes) for key, value in schema.items()}


def _untitled(schema: Any) -> Any:
    """Leave out titles that pydantic derives from names, and `additionalProperties: true`."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _untitled(part) for name, part in value.items()} if key == "properties" else _untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "additionalProperties" and value is True)
    }
