"""The seam for summarisers of sessions, and the values that pass through it.

There are two summarisers: rules over the session's own sentences (`extractive.py`, the default, which needs only the
embedding model), and a language model (`model_summariser.py`, where one is set).

Source: SES-26.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from anyio import to_thread

from server.ranking.terms import is_common
from server.sessions.models import Category, Method

LONGEST_TITLE = 10
"""Words."""
MOST_TECHNOLOGIES = 12


@dataclass(frozen=True, slots=True)
class Turn:
    """One memory of a session: what was asked, thought and answered."""

    prompt: str
    thought: str
    response: str


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity that the session's memories mention: its name and label, and in how many of them."""

    name: str
    label: str
    memories: int


@dataclass(frozen=True, slots=True)
class Digest:
    """The summary of a session. Scores are 0 to 100; `signals` are the numbers that they were computed from."""

    title: str
    summary: str
    category: Category
    quality: int
    productivity: int
    impact: int
    complexity: int
    technologies: list[str]
    method: Method
    signals: Mapping[str, float] = field(default_factory=dict)


class Summariser(Protocol):
    """Summarises sessions. Raises an error of `server/core/errors.py` where it cannot summarise one."""

    async def summarise(self, turns: Sequence[Turn], mentions: Sequence[Mention]) -> Digest:
        """Return the summary of a session with these turns, oldest first."""


class LazySummariser:
    """A `Summariser` that is created for the first summary."""

    def __init__(self, create: Callable[[], Summariser]) -> None:
        """`create` may be slow; it runs in a worker thread and may raise the errors of a summariser."""
        self._create = create
        self._summariser: Summariser | None = None

    async def summarise(self, turns: Sequence[Turn], mentions: Sequence[Mention]) -> Digest:
        if self._summariser is None:
            self._summariser = await to_thread.run_sync(self._create)
        return await self._summariser.summarise(turns, mentions)


def shorten_title(text: str) -> str:
    """Return at most ten words of a text, up to the end of a clause where that leaves enough words."""
    words = text.split()
    if len(words) > LONGEST_TITLE:
        words = words[:LONGEST_TITLE]
        ends = [
            index for index, word in enumerate(words) if word[-1] in ",;:-\u2013\u2014" and index >= LONGEST_TITLE // 2
        ]
        words = words[: ends[-1] + 1] if ends else words
        while len(words) > 1 and is_common(words[-1]):
            words.pop()  # "… gone through the same things as"
    title = " ".join(words).strip(" \"'\u201c\u201d.,;:!?-\u2013\u2014\u2026*_#`")
    return title[:1].upper() + title[1:]
