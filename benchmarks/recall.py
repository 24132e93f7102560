"""Recall of evidence by the four ways to search, on short turns (LoCoMo) and on long messages (BEAM).

The ways are `search` (entries), `search_conversations` (messages), `hybrid_search` (insights) and `POST
/memories/query`. What is chosen for one kind of data can lose on the other: one command shows both.

`python -m benchmarks.recall [--data LoCoMo BEAM] [--ways search insights …] [--conversations N]`.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks import insights, memories, messages, retrieval
from benchmarks.bench import Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import BEAM, LOCOMO
from tests.interaction.service import service

_DATA = {corpus.name: corpus for corpus in (LOCOMO, BEAM)}
_WAYS = {
    "search": retrieval.recall,
    "messages": messages.measure,
    "insights": insights.measure,
    "memories": memories.measure,
}


async def _run(folder: Path, *, data: Sequence[str], ways: Sequence[str], most: int | None) -> list[Result]:
    results: list[Result] = []
    with service(folder) as made:
        async with opened(made, folder) as bench:
            for name in data:
                for way in ways:
                    console.print(f"{name}, {way} …", style="dim")
                    for row in await _WAYS[way](bench, most, _DATA[name]):
                        results.append(Result(*row))
                        console.print("  ", *row, style="dim")
    return results


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--data", nargs="+", choices=_DATA, default=list(_DATA))
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=list(_WAYS))
    parser.add_argument("--conversations", type=int, help="only the first so many of each, for a quick look")
    options = parser.parse_args()
    in_a_throw_away_folder(partial(_run, data=options.data, ways=options.ways, most=options.conversations))


if __name__ == "__main__":
    main()
