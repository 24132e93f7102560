"""The words of a draft: plain sentences of what was counted, the same for the same evidence. Source: REF-5."""

import re
from collections.abc import Sequence

from server.reflection.rules import Stance, Weight

_SHOWN = 3
"""Pieces of evidence that a rationale quotes."""
_LONGEST = 160
_BRACKETS = re.compile(r"\[+")


def build_title(stance: Stance, target: str, decision: str | None) -> str:
    """Return the title of a draft; `decision` is the title of what is in force for the target."""
    if stance == "keep":
        return f"Keep what works for {_cut(target)}"
    if decision is not None:
        return f"Reconsider “{_cut(decision)}”"
    return f"Change what keeps failing about {_cut(target)}"


def build_rationale(stance: Stance, target: str, weight: Weight, latest: Sequence[str], decision: str | None) -> str:
    """Return the rationale of a draft: its counts, their time, and the latest evidence for it."""
    for_it, against = ("successes", "failures") if stance == "keep" else ("failures", "successes")
    counted = f"{weight.hits:,} {for_it} and {weight.misses:,} {against}"
    since = f" since “{_cut(decision)}” was decided" if decision is not None else ""
    between = ""
    if weight.first is not None and weight.last is not None:
        between = f", from {weight.first:%Y-%m-%d} to {weight.last:%Y-%m-%d}"
    quoted = "; ".join(f"“{_cut(name)}”" for name in latest[:_SHOWN] if name)
    text = f"Reflection counted {counted} about {_cut(target)}{since}{between}."
    return f"{text} Latest: {quoted}." if quoted else text


def _cut(text: str) -> str:
    # A rationale quotes records: what is a link in them is not one here.
    line = " ".join(_BRACKETS.sub("[", text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
