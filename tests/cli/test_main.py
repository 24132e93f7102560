"""How arguments of the command line are parsed."""

from datetime import UTC, datetime, timedelta

import pytest
import typer

from cli.main import parse_expiry, parse_namespace


@pytest.mark.proves("SVC-26")
@pytest.mark.parametrize(("text", "duration"), [("30d", timedelta(days=30)), ("12h", timedelta(hours=12))])
def test_a_duration_counts_from_now(text: str, duration: timedelta) -> None:
    before = datetime.now(UTC)
    assert before + duration <= parse_expiry(text) <= datetime.now(UTC) + duration


@pytest.mark.proves("SVC-26")
def test_a_time_without_a_zone_is_utc_and_other_zones_are_converted() -> None:
    assert parse_expiry("2999-01-31") == datetime(2999, 1, 31, tzinfo=UTC)
    assert parse_expiry("2999-01-31T01:00:00+02:00") == datetime(2999, 1, 30, 23, tzinfo=UTC)


@pytest.mark.proves("SVC-26")
@pytest.mark.parametrize("text", ["0d", "0h", "2001-01-01"])
def test_an_expiry_in_the_past_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is in the past"):
        parse_expiry(text)


@pytest.mark.parametrize("text", ["", "soon", "1w", "99999999d", "9999-12-31T23:59:59-12:00"])
def test_an_invalid_expiry_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a valid time"):
        parse_expiry(text)


def test_a_blank_namespace_is_refused() -> None:
    assert parse_namespace("team") == "team"
    with pytest.raises(typer.BadParameter, match="is empty"):
        parse_namespace(" ")
