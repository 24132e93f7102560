"""Logs are JSON lines that hold no body and no secret."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from server.observability import logs


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    logs.configure("info", tmp_path / "log", stderr=False)
    yield tmp_path / "log"
    for handler in root.handlers:
        handler.close()
    root.handlers[:], root.level = before, level
    structlog.reset_defaults()


def _lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.proves("SVC-74")
def test_our_lines_and_those_of_libraries_have_one_form(log: Path) -> None:
    structlog.get_logger("server.x").info("tool_called", tool="t", ms=1.5)
    logging.getLogger("uvicorn.error").warning("slow %s", "client")
    ours, theirs = _lines(log)
    assert (ours["event"], ours["tool"], ours["level"], ours["logger"]) == ("tool_called", "t", "info", "server.x")
    assert (theirs["event"], theirs["level"]) == ("slow client", "warning")


@pytest.mark.proves("SVC-74")
def test_a_traceback_shows_where_and_no_values(log: Path) -> None:
    def fails(body: str) -> None:
        raise ValueError("nothing of it")

    try:
        fails("the whole body of a memory")
    except ValueError:
        structlog.get_logger("server.x").exception("tool_crashed")
    assert "ValueError" in log.read_text()
    assert "the whole body of a memory" not in log.read_text()


def test_the_level_is_kept(log: Path) -> None:
    structlog.get_logger("server.x").debug("detail")
    logging.getLogger("httpx").info("request")
    assert _lines(log) == []
