"""Provisioning's progress in a terminal, and where there is none."""

import io

import pytest
from rich.console import Console

from cli.provisioning import ConsoleProgress


def shown(*, terminal: bool) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=terminal, width=120, color_system=None), out


def test_a_terminal_sees_label_size_and_end() -> None:
    console, out = shown(terminal=True)
    with ConsoleProgress(console) as progress:
        with progress.step("Neo4j, 219 files", 143_000_000) as step:
            step.advance(43_000_000)
        with progress.step("Neo4j, first start"):
            pass
    text = out.getvalue()
    assert "Neo4j, 219 files" in text
    assert "143.0/143.0 MB" in text
    assert text.count("✓") >= 2


def test_a_log_gets_one_line_a_step() -> None:
    console, out = shown(terminal=False)
    with ConsoleProgress(console) as progress, progress.step("Embedding model", 10) as step:
        step.advance(10)
    assert out.getvalue() == "Embedding model: done\n"


def test_a_step_that_fails_is_not_ticked_off() -> None:
    console, out = shown(terminal=False)
    with pytest.raises(OSError, match="no"), ConsoleProgress(console) as progress, progress.step("Neo4j"):
        raise OSError("no")
    assert "done" not in out.getvalue()
