"""`make chaos`: faults injected into a running service, each among concurrent clients, and what was lost.

Prints the tables of `docs/reliability.md`. About a minute a round on two cores; every round has a seed.

`python -m benchmarks.chaos [--rounds N] [--seed N] [--seconds N] [--only TEXT] [--damage]`
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from benchmarks.bench import console
from benchmarks.chaos.damage import measure_damage
from benchmarks.chaos.faults import FAULTS
from benchmarks.chaos.rounds import Round, play
from tests.interaction.service import service


async def run(rounds: int, seed: int, seconds: float, only: str) -> list[Round]:
    """Play each fault as often as `rounds` says, on one home."""
    played: list[Round] = []
    chosen = [(name, fault) for name, fault in FAULTS.items() if only in name]
    with tempfile.TemporaryDirectory(prefix="precedent-chaos-") as folder, service(Path(folder)) as made:
        for turn in range(rounds):
            for place, (name, fault) in enumerate(chosen):
                # A comparison starts Neo4j once more: after faults of the vectors, and once for all others.
                verify = place == len(chosen) - 1 or any(word in name for word in ("vectors", "rebuild"))
                number = seed + turn * len(chosen) + place
                done = await play(made, name, fault, number, seconds=seconds, verify=verify)
                played.append(done)
                _print_round(done)
    return played


def _print_round(done: Round) -> None:
    recovery = "-" if done.recovery is None else f"{done.recovery:.1f} s"
    console.print(
        f"{done.seed} {done.fault}: {done.acknowledged} writes acknowledged in {done.calls} calls, "
        f"lost/doubled/half/wrong {done.verdict}, recovered after {recovery}",
        highlight=False,
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
    parser.add_argument("--only", default="", help="faults whose name has this text")
    parser.add_argument("--damage", action="store_true", help="damage each kind of file of the vectors instead")
    options = parser.parse_args()
    if options.damage:
        print(measure_damage())  # noqa: T201 - the table is the answer
        return
    played = anyio.run(run, options.rounds, options.seed, options.seconds, options.only)
    print(format_table(played))  # noqa: T201
    sys.exit(0 if all(each.verdict.holds for each in played) else 1)


if __name__ == "__main__":
    main()
