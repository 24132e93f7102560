"""The progress of `precedent setup` in a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bars


class ConsoleStep:
    """One line of the display."""

    def __init__(self, bars: Bars, task: TaskID) -> None:
        self._bars = bars
        self._task = task

    def advance(self, amount: int) -> None:
        """Advance the bar by `amount` bytes."""
        self._bars.advance(self._task, amount)


class ConsoleProgress:
    """Shows one line per step: a bar with size, rate and time on a terminal, else one line when the step is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Bars(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> "ConsoleProgress":
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    @contextmanager
    def step(self, label: str, total: int | None = None) -> Iterator[ConsoleStep]:
        """Begin a line; it gets its tick when the block ends without an error."""
        task = self._bars.add_task(label, total=total)
        yield ConsoleStep(self._bars, task)
        size = self._bars.tasks[task].total or 1  # a step of unknown length ends with a full bar
        self._bars.update(task, total=size, completed=size)
        if not self._console.is_terminal:
            self._console.print(f"{label}: done", highlight=False)
