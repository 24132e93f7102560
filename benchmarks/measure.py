"""Timing two sides in turn, so that a machine whose speed drifts treats both alike."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median

Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of many calls."""

    milliseconds: Sequence[float]

    @property
    def p50(self) -> float:
        return median(self.milliseconds)

    @property
    def p95(self) -> float:
        return self._below(0.95)

    @property
    def p99(self) -> float:
        return self._below(0.99)

    def _below(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


async def timed(call: Call) -> float:
    """Milliseconds that one call takes."""
    started = time.perf_counter()
    await call()
    return (time.perf_counter() - started) * 1000


async def in_turn(ours: Sequence[Call], bare: Sequence[Call]) -> tuple[Times, Times]:
    """Times two sequences of calls of the same length, A B A B …"""
    both: tuple[list[float], list[float]] = ([], [])
    for one, other in zip(ours, bare, strict=True):
        both[0].append(await timed(one))
        both[1].append(await timed(other))
    return Times(both[0]), Times(both[1])
