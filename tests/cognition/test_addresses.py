"""Parameters in the address of a resource, and the errors for bad ones."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cognition.fields import days_ago, end_of_day, start_of_day
from server.cognition.resources import RESOURCES, format_resource_error
from server.core.errors import GraphUnavailable, InternalError, InvalidArgument
from server.interface.resources import AnyResource, find

_BY_NAME: dict[str, AnyResource] = {resource.name: resource for resource in RESOURCES}
_RAW, _EPISODES = _BY_NAME["l0-raw"], _BY_NAME["episode-memory"]


def _refusal(uri: str) -> str:
    resource = find(RESOURCES, uri)
    assert resource is not None
    with pytest.raises(InvalidArgument) as error:
        resource.parse(uri)
    return error.value.message


@pytest.mark.proves("COG-48")
def test_every_parameter_is_optional_but_for_the_query_of_episodes() -> None:
    for resource in _BY_NAME.values():
        if resource is not _EPISODES:
            assert resource.parse(resource.uri) == resource.request()
    assert "query" in _refusal("memory://episode-memory")
    assert "query" in _refusal("memory://episode-memory?query=")
    assert "query" in _refusal("memory://episode-memory?query=%20%20")


@pytest.mark.proves("COG-54")
def test_parameters_are_decoded_and_typed() -> None:
    request = _EPISODES.parse(
        "memory://episode-memory?query=memory+consistency%3F&top_k=3&min_similarity=0.25&reward_min=-1&days_back=7"
    )
    assert (request.query, request.top_k, request.min_similarity) == ("memory consistency?", 3, 0.25)
    assert (request.reward_min, request.days_back) == (-1.0, 7)
    raw = _RAW.parse("memory://l0-raw?date_range=2026-01-10%2C2026-01-15&order=asc&speaker=Zo%C3%AB%20%26%20Co")
    assert raw.date_range == (date(2026, 1, 10), date(2026, 1, 15))
    assert (raw.order, raw.speaker, raw.limit) == ("asc", "Zoë & Co", 100)
    assert _RAW.parse("memory://l0-raw/?session_id=a") == _RAW.parse("memory://l0-raw?session_id=a")


@given(st.text(min_size=1, max_size=200).filter(lambda text: text.strip() != "" and text.isprintable()))
def test_any_text_comes_through_an_address(text: str) -> None:
    assert _EPISODES.parse("memory://episode-memory?" + urlencode({"query": text})).query == text


@pytest.mark.proves("COG-24", "COG-44", "COG-54")
@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("memory://l0-raw?sesion_id=a", "session_id, date_range, speaker, limit, order"),
        ("memory://working-memory?limit=3", "has no parameters"),
        ("memory://l0-raw?limit=0", "limit"),
        ("memory://l0-raw?limit=1001", "limit"),
        ("memory://l0-raw?limit=ten", "integer"),
        ("memory://l0-raw?limit=1e2", "integer"),
        ("memory://l0-raw?limit=1_0", "integer"),
        ("memory://l0-raw?limit=", "integer"),
        ("memory://l0-raw?limit=1&limit=2", "more than once"),
        ("memory://l0-raw?order=random", "asc"),
        ("memory://l0-raw?speaker=", "speaker"),
        ("memory://l0-raw?speaker=" + "x" * 51, "50"),
        ("memory://l0-raw?session_id=" + "x" * 256, "255"),
        ("memory://l0-raw?date_range=2026-01-10", "comma"),
        ("memory://l0-raw?date_range=2026-01-10:2026-01-15", "comma"),
        ("memory://l0-raw?date_range=2026-01-10,2026-02-30", "valid date"),
        ("memory://l0-raw?date_range=2026-01-15,2026-01-10", "ends before"),
        ("memory://l0-raw#part", "#"),
        ("memory://l0-raw?limit", "name=value"),
        ("memory://l0-raw?speaker=%ff", "name=value"),
        ("memory://l2-insights?fidelity_min=1.1", "fidelity_min"),
        ("memory://l2-insights?fidelity_min=nan", "number"),
        ("memory://l2-insights?created_after=15.01.2026", "2026-01-15"),
        ("memory://l2-insights?top_k=0", "top_k"),
        ("memory://l2-insights?created_after=2026-01-15&created_before=2026-01-14", "later"),
        ("memory://episode-memory?query=a&top_k=101", "100"),
        ("memory://episode-memory?query=a&min_similarity=-0.1", "min_similarity"),
        ("memory://episode-memory?query=a&reward_min=1.5", "reward_min"),
        ("memory://episode-memory?query=a&days_back=0", "days_back"),
        ("memory://episode-memory?query=a&days_back=99999", "36500"),
        ("memory://stale-memory?reason=FORGOTTEN", "LRU_EVICTION"),
        ("memory://stale-memory?importance_min=inf", "number"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(uri: str, problem: str) -> None:
    assert problem in _refusal(uri)


@pytest.mark.parametrize("uri", ["memory://", "memory://l0", "memory://l0-raw-2", "file:///l0-raw", "", "l0-raw"])
def test_no_other_address_is_a_resource(uri: str) -> None:
    assert find(RESOURCES, uri) is None


@pytest.mark.proves("COG-51")
def test_templates_name_every_parameter() -> None:
    assert [resource.template for resource in RESOURCES] == [
        "memory://l2-insights{?query,top_k,fidelity_min,created_after,created_before}",
        "memory://working-memory",
        "memory://episode-memory{?query,top_k,min_similarity,reward_min,days_back}",
        "memory://l0-raw{?session_id,date_range,speaker,limit,order}",
        "memory://stale-memory{?reason,days_back,importance_min,limit}",
    ]


@pytest.mark.proves("COG-5", "COG-53")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InvalidArgument("limit: too large."), "Parameter validation failed"),
        (GraphUnavailable("Neo4j does not answer."), "Database operation failed"),
        (InternalError("Something went wrong."), "Tool execution failed"),
    ],
)
def test_an_error_names_the_resource_in_place_of_a_tool(error: Any, kind: str) -> None:
    answer = format_resource_error(error, "memory://l0-raw?limit=0")
    assert (answer["error"], answer["details"], answer["resource"]) == (kind, error.message, "memory://l0-raw?limit=0")
    assert "tool" not in answer


@pytest.mark.proves("COG-14", "COG-24")
@given(st.dates(date(1970, 1, 1), date(9999, 12, 30)))
def test_a_day_is_whole_and_in_utc(day: date) -> None:
    assert start_of_day(day) == datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert start_of_day(day + timedelta(days=1)) - end_of_day(day) == timedelta(milliseconds=1)


def test_days_back_end_where_the_calendar_does() -> None:
    now = datetime(2026, 1, 15, 12, tzinfo=UTC)
    assert days_ago(1, now) == datetime(2026, 1, 14, 12, tzinfo=UTC)
    assert days_ago(36_500 * 100, now) == datetime.min.replace(tzinfo=UTC)
