"""What the clients of a round did, and what they were answered: the input of the oracle."""

import itertools
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import anyio

Outcome = Literal["ok", "refused", "unknown"]
_REFUSED = {
    "CONFLICT",
    "NOT_FOUND",
    "INVALID_ARGUMENT",
    "RATE_LIMIT_EXCEEDED",
    "ISOLATION_VIOLATION",
    "ENTRY_NOT_FOUND",
}
_WORDS = ("graph", "decision", "vector", "answer", "replica", "passage", "session", "record", "proof", "index", "owner")


@dataclass(slots=True)
class Call:
    """One call: `kind` of record or read, the token in its text, what it is about, and its times in seconds.

    A call without an answer, or with an error of the service, is `unknown`: its write may be there or not.
    """

    kind: str
    token: str
    about: str
    started: float
    ended: float = 0.0
    outcome: Outcome = "unknown"
    answer: Mapping[str, Any] = field(default_factory=dict)
    replaces: str | None = None

    def settle(self, *, is_error: bool, answer: Mapping[str, Any]) -> None:
        """Note the answer."""
        self.ended, self.answer = time.monotonic(), answer
        code = str(answer.get("code"))
        self.outcome = "ok" if not is_error else "refused" if code in _REFUSED else "unknown"


@dataclass(slots=True)
class History:
    """All calls of one round in one namespace."""

    namespace: str
    calls: list[Call] = field(default_factory=list)
    in_force: dict[str, str] = field(default_factory=dict)
    """What the clients believe to be in force, by target."""
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    @contextmanager
    def note(self, kind: str, about: str = "", token: str = "") -> Iterator[Call]:
        """Note one call; whatever ends the block without `settle` leaves it unknown."""
        call = Call(kind, token, about, time.monotonic())
        self.calls.append(call)
        try:
            yield call
        finally:
            call.ended = call.ended or time.monotonic()

    def make_token(self) -> str:
        """Return a word that no other call of any round has."""
        return f"{self.namespace}x{next(self._numbers)}x"

    async def wait_for_writes(self, count: int, since: float, patience: float) -> None:
        """Wait until so many writes that began after a time are acknowledged, at most `patience` seconds."""
        with anyio.move_on_after(patience):
            while (
                sum(bool(call.token) and call.outcome == "ok" for call in self.calls if call.started >= since) < count
            ):
                await anyio.sleep(0.05)

    def of(self, *kinds: str) -> list[Call]:
        """Return the calls of these kinds."""
        return [call for call in self.calls if call.kind in kinds]

    @property
    def acknowledged(self) -> int:
        """How many writes were acknowledged."""
        return sum(bool(call.token) and call.outcome == "ok" for call in self.calls)

    def find_recovery(self, broken: float) -> float | None:
        """Return the longest time in seconds without an acknowledged write since a fault; None if none followed."""
        ends = sorted(call.ended for call in self.calls if call.token and call.outcome == "ok" and call.ended >= broken)
        return max(end - before for before, end in pairwise([broken, *ends])) if ends else None


def build_text(token: str) -> str:
    """Return the text of a write: from its token alone, so that a changed or cut one is recognised."""
    chosen = random.Random(token)
    return f"{token} " + " ".join(chosen.choices(_WORDS, k=40))
