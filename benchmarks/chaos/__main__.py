"""`make chaos`: faults injected into a running service, each among concurrent clients, and what was lost.

Prints the tables of `docs/reliability.md`. About a minute a round on two cores; every round has a seed.

`python -m benchmarks.chaos [--rounds N] [--seed N] [--seconds N] [--writes N] [--only TEXT] [--qdrant] [--damage]`
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from benchmarks.bench import console
from benchmarks.chaos.damage import measure_damage
from benchmarks.chaos.faults import CLOCK_FAULTS, FAULTS, QDRANT_FAULTS
from benchmarks.chaos.rounds import Round, play
from tests.interaction.service import service
from tests.qdrant import serving

_PATIENCE = 300.0
"""Seconds that a start may take: on a busy machine that is no defect, and the table shows it."""


async def run(options: argparse.Namespace) -> list[Round]:
    """Play each fault as often as the options say, on one home."""
    played: list[Round] = []
    faults = dict(QDRANT_FAULTS if options.qdrant else FAULTS)
    if "FAKETIME_LIBRARY" in os.environ:
        faults |= CLOCK_FAULTS
    chosen = [(name, fault) for name, fault in faults.items() if options.only in name]
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="precedent-chaos-")))
        made = stack.enter_context(service(folder))
        made.patience = _PATIENCE
        qdrant = await stack.enter_async_context(serving(folder / "qdrant")) if options.qdrant else None
        if qdrant is not None:
            made.environment |= {"QDRANT_URL": qdrant.url, "QDRANT_GRPC_PORT": str(qdrant.grpc_port)}
        for turn in range(options.rounds):
            for place, (name, fault) in enumerate(chosen):
                # A comparison starts Neo4j once more: after faults of the vectors, and once for all others.
                verify = place == len(chosen) - 1 or any(word in name for word in ("vectors", "rebuild", "collection"))
                number = options.seed + turn * len(chosen) + place
                done = await play(
                    made,
                    name,
                    fault,
                    number,
                    seconds=options.seconds,
                    writes=options.writes,
                    verify=verify,
                    qdrant=qdrant,
                )
                played.append(done)
                _print_round(done)
    return played


def _print_round(done: Round) -> None:
    recovery = "-" if done.recovery is None else f"{done.recovery:.1f} s"
    console.print(
        f"{done.seed} {done.fault}: {done.acknowledged} writes acknowledged in {done.calls} calls, "
        f"lost/doubled/half/wrong {done.verdict}, recovered after {recovery}",
        highlight=False,
        soft_wrap=True,
    )
    for kind in ("lost", "doubled", "half", "wrong"):
        for what in getattr(done.verdict, kind)[:10]:
            console.print(f"  {kind}: {what}", style="red", highlight=False, markup=False)


def format_table(played: Sequence[Round]) -> str:
    """Return the rounds as a Markdown table, one row a fault."""
    rows = [
        "| fault | rounds | acknowledged writes | lost / doubled / half / wrong | seconds to recover: median, most |",
        "| --- | --: | --: | :-: | :-: |",
    ]
    for name in dict.fromkeys(each.fault for each in played):
        own = [each for each in played if each.fault == name]
        counts = [
            sum(len(getattr(each.verdict, kind)) for each in own) for kind in ("lost", "doubled", "half", "wrong")
        ]
        times = sorted(each.recovery for each in own if each.recovery is not None)
        shown = f"{times[len(times) // 2]:.1f}, {times[-1]:.1f}" if times else "-"
        acknowledged = sum(each.acknowledged for each in own)
        rows.append(f"| {name} | {len(own)} | {acknowledged:,} | {' / '.join(map(str, counts))} | {shown} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of faults and of the time before them")
    parser.add_argument("--writes", type=int, default=40, help="acknowledged writes before and after each fault")
    parser.add_argument("--only", default="", help="faults whose name has this text")
    parser.add_argument("--qdrant", action="store_true", help="use a Qdrant server (QDRANT_BINARY), and break that")
    parser.add_argument("--damage", action="store_true", help="damage each kind of file of the vectors instead")
    options = parser.parse_args()
    if options.damage:
        print(measure_damage())  # noqa: T201 - the table is the answer
        return
    played = anyio.run(run, options)
    print(format_table(played))  # noqa: T201
    sys.exit(0 if all(each.verdict.holds for each in played) else 1)


if __name__ == "__main__":
    main()
