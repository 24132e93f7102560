"""How far provisioning is, told to whoever shows it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Step(Protocol):
    """One step under way. Called from several threads."""

    def advance(self, amount: int) -> None:
        """`amount` bytes more are done."""


class Progress(Protocol):
    """Shows steps; a step ends, well or not, with its `with` block. Called from several threads."""

    def step(self, label: str, total: int | None = None) -> AbstractContextManager[Step]:
        """Begins a step of `total` bytes, or of unknown length."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def step(self, label: str, total: int | None = None) -> Iterator[Step]:  # noqa: ARG002 - the protocol's
        yield self

    def advance(self, amount: int) -> None:
        """Nothing to show."""
