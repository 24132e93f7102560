"""Generated arguments of any tool: a valid call, changed in up to three places."""

import copy
from typing import Any

from hypothesis import strategies as st

from server.mcp.toolsets import TOOLSETS
from tests.interaction.calls import CALLS, UNTRIED, Ids

_SCHEMAS = {tool.name: tool.input_schema() for family in TOOLSETS.values() for tool in family}
_WORDS = (
    *("", " ", "\n", "\x00", "\u200b", "\u202e", "é", "e\u0301", "ﬁ", "İ", "👩‍👩‍👧", "null", "NaN"),
    *('a" OR "b', "title:*", "(", "a AND", "*", "~", "\\", "/.*/", "[[", "[[Neo4j]]", "]] [["),
    *("' RETURN 1 //", "}) DETACH DELETE n //", "$namespace", "`", "../../etc/passwd", "%00", "<script>"),
    *("2027-02-30", "yesterday", "0001-01-01", "9999-12-31T23:59:59+14:00", "30d", "-1d", "1e309"),
)
_NUMBERS = (-(2**63) - 1, -(2**31), -1, 0, 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**30)
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_any_text = st.one_of(
    st.sampled_from(_WORDS), _text, st.builds(lambda text, times: text * times, _text, st.sampled_from([300, 20_000]))
)
_any_number = st.one_of(
    st.sampled_from(_NUMBERS), st.integers(-5, 200), st.floats(allow_nan=False, allow_infinity=False)
)
_scalar = st.one_of(st.none(), st.booleans(), _any_number, _any_text)
_any_value = st.recursive(
    _scalar,
    lambda parts: st.one_of(st.lists(parts, max_size=4), st.dictionaries(_any_text, parts, max_size=3)),
    max_leaves=8,
)


def _repeat(value: Any, times: int) -> list[Any]:
    # A body of more than 4 MiB is refused before any tool sees it.
    return [value] * (times if len(str(value)) < 5_000 else 2)


def _values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values near those that a property allows: of its type, and just out of its range."""
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if "enum" in schema:
        return st.sampled_from([*schema["enum"], "other"])
    if kind == "string":
        most = schema.get("maxLength", 0)
        return st.one_of(_any_text, st.just("x" * (most + 1)), st.just("é" * most))
    if kind in {"integer", "number"}:
        bounds = [schema[name] for name in ("minimum", "maximum", "exclusiveMinimum") if name in schema]
        return st.one_of(_any_number, st.sampled_from([n + step for n in [*bounds, 0] for step in (-1, 0, 1)]))
    if kind == "array":
        part = _values(schema.get("items", {}))
        return st.one_of(st.lists(part, max_size=3), st.builds(_repeat, part, st.sampled_from([2, 500])))
    if kind == "boolean":
        return st.booleans()
    return _any_value


_ID = "id of the {}"
_NAMES = sorted({name for _, _, kept in CALLS for name in kept})
_PLACEHOLDERS: Ids = {name: _ID.format(name) for name in _NAMES}


@st.composite
def generated_calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool and its arguments, in which placeholders stand for ids of records that exist."""
    tool, arguments, _ = draw(st.sampled_from([call for call in CALLS if call[0] not in UNTRIED]))
    made = copy.deepcopy(arguments(_PLACEHOLDERS))
    properties = _SCHEMAS[tool].get("properties", {})
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([*properties, "unknown"]))
        match draw(st.sampled_from(["near", "near", "any", "drop", "another id"])):
            case "near":
                made[name] = draw(_values(properties.get(name, {})))
            case "any":
                made[name] = draw(_any_value)
            case "drop":
                made.pop(name, None)
            case _:
                made[name] = draw(st.sampled_from(list(_PLACEHOLDERS.values())))
    return tool, made


def fill_ids(value: Any, ids: Ids) -> Any:
    """The arguments with the ids of records in place of placeholders."""
    if isinstance(value, dict):
        return {key: fill_ids(part, ids) for key, part in value.items()}
    if isinstance(value, list):
        return [fill_ids(part, ids) for part in value]
    return next((ids[name] for name in _NAMES if value == _ID.format(name)), value)
