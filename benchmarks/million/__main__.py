"""`make scale`: a million entities, five million relations, and what agents do among them.

Three homes are built, of full size, of a tenth of it and an empty one, and measured in turn. `--keep FOLDER` leaves
them there: what is built is not built again. It takes hours on 2 cores, and was not run at its full size so far.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio

from benchmarks.bench import DATA, Result, console, opened, print_table
from benchmarks.million import calls, commands
from benchmarks.million.building import build
from benchmarks.million.homes import BuiltHome, Sizes

STAGES = ("build", "reads", "others", "writes", "restart", "memory", "verify", "export", "rebuild")
_NOTHING = Sizes(0, 0, 0, 0)


async def run(options: argparse.Namespace, folder: Path) -> list[Result]:
    sizes = Sizes(options.entities, options.relations, options.decisions, options.passages).divide(options.divide)
    full, tenth, empty = homes = [
        BuiltHome(folder / name, each, options.jvm, options.page_cache)
        for name, each in (("full", sizes), ("tenth", sizes.divide(10)), ("empty", _NOTHING))
    ]
    try:
        if "build" in options.stages:
            for home in reversed(homes):
                await build(home)
        rows = _list_rates(full)
        for stage, measure, beside in (
            ("reads", calls.measure_reads, tenth),
            ("others", calls.measure_others, tenth),
            ("writes", calls.measure_writes, empty),
        ):
            if stage in options.stages:
                async with _callers(full, beside) as (one, other):
                    rows += await measure(one, other)
        for stage, command in commands.COMMANDS.items():
            if stage in options.stages:
                rows += await command(full, tenth)
        return rows
    finally:
        for home in homes:
            home.service.kill()


@asynccontextmanager
async def _callers(*homes: BuiltHome) -> AsyncIterator[list[calls.Caller]]:
    """Clients of running services, which end afterwards."""
    async with AsyncExitStack() as stack:
        callers = []
        for home in homes:
            bench = await stack.enter_async_context(opened(home.service, home.folder))
            apart = home.done.get("relations", {}).get("apart", [])
            callers.append(await stack.enter_async_context(calls.Caller.connect(bench, apart, home.sizes.entities)))
        yield callers
    for home in homes:
        await home.service.end(signal.SIGTERM)


def _list_rates(full: BuiltHome) -> list[Result]:
    if (found := full.done.get("relations")) is None:
        return []
    slowest = min(found["rates"][1:])
    sides = f"{found['a_second']:,} over all {found['read']:,}; the last twentieth {found['rates'][-1]:,}"
    return [Result("triples a second, slowest twentieth", f"{slowest:,}", "≥ 10,000", sides)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--relations", type=int, default=5_000_000)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--passages", type=int, default=1_000_000, help="of decisions and memories")
    parser.add_argument("--divide", type=int, default=1, help="divide all four by this")
    parser.add_argument("--keep", type=Path, help="a folder for the homes, which stays")
    parser.add_argument("--jvm", default="-Xmx4g", help="options of Neo4j's Java")
    parser.add_argument("--page-cache", type=int, default=4096, help="Neo4j's page cache in MiB")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES, help="by default all")
    options = parser.parse_args()
    if not DATA.is_dir():
        console.print(f"{DATA} is not here: the benchmarks need its real data.")
        sys.exit(1)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="precedent-scale-"))
    try:
        print_table(anyio.run(run, options, folder))
    finally:
        if options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
