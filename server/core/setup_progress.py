"""Progress of `precedent setup`: the seam between what fetches files and what shows it to a person."""

from contextlib import AbstractContextManager
from typing import Protocol


class SetupStep(Protocol):
    """One running step. Called from several threads."""

    def advance(self, amount: int) -> None:
        """Report `amount` more bytes as done."""


class SetupProgress(Protocol):
    """Shows steps; a step ends with its `with` block, after an error too. Called from several threads."""

    def step(self, label: str, total: int | None = None) -> AbstractContextManager[SetupStep]:
        """Begin a step of `total` bytes, or of unknown length."""
