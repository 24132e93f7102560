"""What makes a summary of a session: the seam, and what passes through it.

Two things do: rules over the session's own sentences (`extractive.py`, the default, which needs nothing but the
embedding model), and a language model (`model_summariser.py`, where one is set).

Source: open-questions.md "memory-core-rest.md", Summaries and sessions; issue 6, REST.
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
    """What a session came to. Scores are 0 to 100; `signals` are the numbers that they were computed from."""

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
    """Makes summaries. Raises an error of `server/errors.py` where it cannot make one of this session."""

    async def summarise(self, turns: Sequence[Turn], mentions: Sequence[Mention]) -> Digest:
        """The summary of a session with these turns, oldest first."""


class LazySummariser:
    """A `Summariser` that is made when the first summary is asked for."""

    def __init__(self, make: Callable[[], Summariser]) -> None:
        """`make` may take a while; it runs in a worker thread, and raises what a summariser may raise."""
        self._make = make
        self._made: Summariser | None = None

    async def summarise(self, turns: Sequence[Turn], mentions: Sequence[Mention]) -> Digest:
        if self._made is None:
            self._made = await to_thread.run_sync(self._make)
        return await self._made.summarise(turns, mentions)


def short_title(text: str) -> str:
    """At most ten words of a text, ending where a clause does if that leaves enough."""
    words = text.split()
    if len(words) > LONGEST_TITLE:
        words = words[:LONGEST_TITLE]
        ends = [
            place for place, word in enumerate(words) if word[-1] in ",;:-\u2013\u2014" and place >= LONGEST_TITLE // 2
        ]
        words = words[: ends[-1] + 1] if ends else words
        while len(words) > 1 and is_common(words[-1]):
            words.pop()  # "… gone through the same things as"
    title = " ".join(words).strip(" \"'\u201c\u201d.,;:!?-\u2013\u2014\u2026*_#`")
    return title[:1].upper() + title[1:]
