"""What a person writes on the command line, and what it is taken for."""

from datetime import UTC, datetime, timedelta

import pytest
import typer

from server.cli import moment, named


@pytest.mark.parametrize(("text", "span"), [("30d", timedelta(days=30)), ("12h", timedelta(hours=12))])
def test_a_span_is_counted_from_now(text: str, span: timedelta) -> None:
    before = datetime.now(UTC)
    assert before + span <= moment(text) <= datetime.now(UTC) + span


def test_a_time_without_a_zone_is_utc_and_another_zone_is_turned_into_it() -> None:
    assert moment("2999-01-31") == datetime(2999, 1, 31, tzinfo=UTC)
    assert moment("2999-01-31T01:00:00+02:00") == datetime(2999, 1, 30, 23, tzinfo=UTC)


@pytest.mark.parametrize("text", ["0d", "0h", "2001-01-01"])
def test_what_is_over_already_is_no_end(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="over already"):
        moment(text)


@pytest.mark.parametrize("text", ["", "soon", "1w", "99999999d", "9999-12-31T23:59:59-12:00"])
def test_what_is_no_time_is_said_in_one_sentence(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no time"):
        moment(text)


def test_a_name_says_something() -> None:
    assert named("team") == "team"
    with pytest.raises(typer.BadParameter, match="has to be a name"):
        named(" ")
