"""What the commands for many records show on a terminal."""

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Display

from server.core.types import BulkPlace

EmbedOn = Annotated[
    BulkPlace,
    typer.Option("--on", help="Where texts are embedded: here, or on a Ray cluster (RAY_ADDRESS; extra `ray`)."),
]
out = Console()
err = Console(stderr=True)


class ProgressBars:
    """One bar for each stage, with records, rate and estimate."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._tasks: dict[str, tuple[TaskID, float]] = {}

    def report(self, stage: str, records: int, share: float) -> None:
        now = time.monotonic()
        if stage not in self._tasks:
            self._tasks[stage] = (self._display.add_task(stage, total=1.0, records=0, rate=""), now)
        task, started = self._tasks[stage]
        rate = f"{records / (now - started):,.0f}/s" if now > started else ""
        self._display.update(task, completed=share, records=records, rate=rate)


def show_bars() -> Display:
    """The context in which `ProgressBars` are shown."""
    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
        TextColumn("{task.fields[records]:,}"), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
    )  # fmt: skip
    return Display(*columns, console=err)
