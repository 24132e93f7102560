"""What every tool gets by being declared: strict parsing and a plain schema."""

from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from server.core.errors import InvalidArgument
from server.core.principals import Principal
from server.interface.tools import Tool, ToolInput, ToolOutput


class Request(ToolInput):
    name: Annotated[str, Field(min_length=1)]
    depth: Annotated[int, Field(ge=1, le=5)] = 1
    weight: Annotated[float, Field(ge=0, le=1)] | None = None
    mode: Literal["a", "b"] = "a"
    note: str | None = None
    tags: list[str] = Field(default_factory=list)
    nullable: ClassVar[frozenset[str]] = frozenset({"note"})


class Response(ToolOutput):
    found: str | None


async def _run(service: object, request: ToolInput, caller: Principal) -> Response:
    raise NotImplementedError


TOOL = Tool("t", "Does.", Request, Response, _run, lambda error, tool: {})


def test_the_schema_has_no_titles_and_allows_null_only_where_it_is_meant() -> None:
    assert TOOL.input_schema() == {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "depth": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1},
            "weight": {"type": "number", "minimum": 0, "maximum": 1},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "note": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    }
    assert TOOL.output_schema()["properties"] == {"found": {"type": ["string", "null"]}}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": 7}, "name"),
        ({"name": "x", "depth": "3"}, "depth"),
        ({"name": "x", "depth": True}, "depth"),
        ({"name": "x", "depth": 1.5}, "depth"),
        ({"name": "x", "depth": 6}, "depth"),
        ({"name": "x", "tags": '["a"]'}, "tags"),
        ({"name": "x", "mode": "c"}, "mode"),
        ({"name": "x", "unknown": 1}, "unknown"),
        ({"name": "x", "weight": None}, "weight"),
    ],
)
def test_bad_arguments_are_refused_by_the_name_of_the_field(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        Request.parse(arguments)
    assert field in raised.value.message
    assert raised.value.code == "INVALID_ARGUMENT"


@pytest.mark.proves("SVC-46")
def test_every_field_at_fault_is_named_and_no_value_is_echoed() -> None:
    with pytest.raises(InvalidArgument) as raised:
        Request.parse({"name": ["my secret"], "depth": 99})
    assert {problem["field"] for problem in raised.value.details["fields"]} == {"name", "depth"}
    assert "my secret" not in str(raised.value.details) + raised.value.message


def test_null_is_accepted_only_for_nullable_fields() -> None:
    assert Request.parse({"name": "x", "note": None}).note is None


def test_an_integer_is_accepted_as_a_number() -> None:
    assert Request.parse({"name": "x", "weight": 1}).weight == 1.0


@pytest.mark.proves("SVC-46")
def test_a_refusal_is_bounded_however_much_is_wrong() -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Request.parse({"x" * 10_000 + str(n): n for n in range(500)})
    problems = refusal.value.details["fields"]
    assert len(problems) == 51
    assert {problem["field"] for problem in problems[1:-1]} == {"x" * 100}
    assert problems[-1]["problem"] == "and 451 more problems"
    assert len(refusal.value.message) < 10_000


class Clamped(ToolInput):
    limit: int = 20
    ids: list[Annotated[int, Field(ge=1)]] = Field(default=[])
    value: int | float = 0
    clamped: ClassVar[dict[str, tuple[int, int | None]]] = {"limit": (1, 100)}


@pytest.mark.proves("SVC-47")
@pytest.mark.parametrize("whole", [10, 10.0, 1e1])
def test_an_integer_may_be_written_as_a_float(whole: float) -> None:
    asked = Clamped.parse({"limit": whole, "ids": [whole, 3]})
    assert (asked.limit, asked.ids) == (10, [10, 3])
    assert all(type(number) is int for number in (asked.limit, *asked.ids))


def test_a_number_that_may_be_a_decimal_stays_one() -> None:
    assert type(Clamped.parse({"value": 10.0}).value) is float


@pytest.mark.proves("SVC-47")
@pytest.mark.parametrize("bad", ["10", True, 10.5, float("inf"), float("nan"), [10.0], {}])
def test_a_number_that_is_not_an_integer_is_refused(bad: object) -> None:
    for arguments in ({"limit": bad}, {"ids": [bad]}):
        with pytest.raises(InvalidArgument):
            Clamped.parse(arguments)


@pytest.mark.parametrize(("asked", "taken"), [(0, 1), (-5, 1), (101, 100), (1e300, 100), (7, 7)])
def test_a_limit_is_taken_as_the_nearest_and_stands_in_the_schema(asked: float, taken: int) -> None:
    assert Clamped.parse({"limit": asked}).limit == taken
    schema = Tool("t", "Does.", Clamped, Response, _run, lambda error, tool: {}).input_schema()
    assert schema["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    assert "minimum" not in Clamped.model_json_schema()["properties"]["limit"], "over REST more is taken, too"
