"""`precedent export` and `precedent import`: the backup."""

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, TypeVar

import anyio
import typer
from rich.table import Table

from cli.terminal import ProgressBars, err, out, show_bars
from server.core.settings import Settings

T = TypeVar("T")
_LABELS = 8
"""How many of the most frequent labels are printed with their counts."""


def export(
    file: Annotated[Path, typer.Argument(help="File to write, compressed if its name ends in .gz.", dir_okay=False)],
    namespace: Annotated[str | None, typer.Option(help="Namespace to export; by default that of the settings.")] = None,
) -> None:
    """Write everything that a namespace stores to one backup file. Exit code 1 if the namespace is empty.

    The file contains no tokens and no vectors; an import computes vectors again. An earlier file of the name is
    replaced once the new one is complete. Works with the running service and without it.
    """
    # The commands import what they need themselves, so that other commands start at once.
    from cli.bulk import connect_graph
    from ingest.backup.exporting import ExportResult, export_backup

    settings = Settings()

    async def work() -> ExportResult:
        async with connect_graph(settings, "export") as (graph, _):
            with show_bars() as display:
                return await export_backup(graph, namespace or settings.namespace, file, ProgressBars(display))

    done = _run(work)
    table = _build_table("export", done.manifest.namespace, done.manifest.nodes, done.manifest.relations)
    for label, count in sorted(done.manifest.labels.items(), key=lambda item: -item[1])[:_LABELS]:
        table.add_row(f"  {label}", f"{count:,}")
    table.add_row("bytes", f"{done.size:,}")
    table.add_row("seconds", f"{done.seconds:.1f}")
    _print_result(table, done.manifest.content)
    if done.left_out:
        err.print(f"[yellow]note[/] {done.left_out:,} relationships lead out of the namespace and were left out.")


def import_(
    file: Annotated[Path, typer.Argument(help="File that `precedent export` wrote.", dir_okay=False, exists=True)],
    namespace: Annotated[
        str | None, typer.Option(help="Empty namespace to fill; by default that of the backup.")
    ] = None,
) -> None:
    """Import a backup into an empty namespace, complete or not at all. Exit code 1 if that is not possible.

    The file is read to its end and checked first. If an import is killed, the same import, run again, completes it.
    This command or the running service computes the vectors for search by meaning again.
    """
    from cli.bulk import connect_graph, project_pending
    from ingest.backup.importing import ImportResult, import_backup

    settings = Settings()

    async def work() -> ImportResult:
        async with connect_graph(settings, "import") as (graph, has_no_projector):
            with show_bars() as display:
                done = await import_backup(graph, file, namespace, ProgressBars(display))
            if has_no_projector:
                await project_pending(graph, settings)
            return done

    done = _run(work)
    table = _build_table("import", done.namespace, done.manifest.nodes, done.manifest.relations)
    table.add_row("waiting for their vectors", f"{done.queued:,}")
    table.add_row("seconds", f"{done.seconds:.1f}")
    _print_result(table, done.manifest.content)
    if done.resumed:
        err.print("An earlier import had stored everything; this import completed it.", highlight=False)


def _run(work: Callable[[], Awaitable[T]]) -> T:
    # The driver needs several turns of the event loop for each record, so the faster loop is used if it is installed.
    return anyio.run(work, backend_options={"use_uvloop": find_spec("uvloop") is not None})


def _print_result(table: Table, content: str) -> None:
    out.print(table)
    # On one line, however narrow the terminal is: people compare it.
    out.print(f"content {content}", soft_wrap=True, highlight=False)


def _build_table(title: str, namespace: str, nodes: int, relations: int) -> Table:
    table = Table(title=title, show_header=False)
    table.add_row("namespace", namespace)
    table.add_row("nodes", f"{nodes:,}")
    table.add_row("relationships", f"{relations:,}")
    return table
