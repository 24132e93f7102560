"""Progress of `precedent setup` for tests: it shows nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from server.core.setup_progress import SetupStep


class SilentSetup:
    """Shows nothing."""

    @contextmanager
    def step(self, label: str, total: int | None = None) -> Iterator[SetupStep]:
        yield self

    def advance(self, amount: int) -> None:
        """Show nothing."""
