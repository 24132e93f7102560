"""`make bench`: what the service costs beside the bare parts, each pair measured in the same run.

Prints one table. Needs `../shared/data`; says so and stops where it is absent. About ten minutes on 2 cores.
"""

import sys
from pathlib import Path

from benchmarks import (
    contention,
    decision_search,
    decisions,
    entities,
    history,
    ingestion,
    insights,
    memories,
    memory,
    process,
    rest,
    retrieval,
)
from benchmarks.bench import DATA, Result, console, in_a_throw_away_folder, opened
from tests.interaction.service import service


async def run(folder: Path) -> list[Result]:
    """Measures everything, one after the other."""
    results: list[Result] = []
    with service(folder) as made:
        async with opened(made, folder) as bench:
            for measure in (
                ingestion.measure,
                entities.measure,
                contention.measure,
                decisions.measure,
                history.measure,
                decision_search.measure,
                retrieval.measure,
                insights.measure,
                memories.measure,
                memory.measure,
                process.memory,
                rest.measure,
            ):
                console.print(f"{measure.__module__.rpartition('.')[2]} …", style="dim")
                for row in await measure(bench):
                    results.append(Result(*row))
                    console.print("  ", *row[:3], style="dim")
        results += [Result(*row) for row in await process.second_start(made)]
    return results


def main() -> None:
    if not DATA.is_dir():
        console.print(f"{DATA} is not here: the benchmarks need its real data.")
        sys.exit(1)
    in_a_throw_away_folder(run)


if __name__ == "__main__":
    main()
