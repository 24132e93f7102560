"""`precedent export` and `precedent import`: the backup."""

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, TypeVar

import anyio
import typer
from rich.table import Table

from ingest.console import Bars, bars, err, out
from server.settings import Settings

T = TypeVar("T")
_LABELS = 8
"""Labels that are told with their numbers, the most frequent ones."""


def export(
    file: Annotated[Path, typer.Argument(help="File to write, gzipped where it ends in .gz.", dir_okay=False)],
    namespace: Annotated[str | None, typer.Option(help="Namespace to export; the settings' by default.")] = None,
) -> None:
    """Write everything that a namespace holds into one file: the backup. Exits with 1 where there is nothing.

    Tokens stay where they are, and so do vectors: they are made anew. An earlier file of the name is replaced once the
    new one is whole. Works beside the running service, or without.
    """
    # What they need is loaded by the commands themselves: `status` answers at once.
    from ingest.archive.writing import Exported, export_archive  # noqa: PLC0415
    from ingest.stack import connected  # noqa: PLC0415

    settings = Settings()

    async def work() -> Exported:
        async with connected(settings, "export") as (graph, _):
            with bars() as display:
                return await export_archive(graph, namespace or settings.namespace, file, Bars(display))

    done = _run(work)
    table = _table("export", done.manifest.namespace, done.manifest.nodes, done.manifest.relations)
    for label, count in sorted(done.manifest.labels.items(), key=lambda item: -item[1])[:_LABELS]:
        table.add_row(f"  {label}", f"{count:,}")
    table.add_row("bytes", f"{done.size:,}")
    table.add_row("seconds", f"{done.seconds:.1f}")
    _tell(table, done.manifest.content)
    if done.left_out:
        err.print(f"[yellow]note[/] {done.left_out:,} relationships lead out of the namespace, and were left out.")


def import_(
    file: Annotated[Path, typer.Argument(help="File that `precedent export` wrote.", dir_okay=False, exists=True)],
    namespace: Annotated[
        str | None, typer.Option(help="Empty namespace to fill; the archive's own by default.")
    ] = None,
) -> None:
    """Bring what `precedent export` wrote into an empty namespace, whole or not at all. Exits with 1 where it cannot.

    The file is read to its end and checked first. Where an import was killed, the same one run again puts it right.
    What is searched by meaning is embedded anew: here, or by the running service.
    """
    from ingest.archive.loading import Imported, import_archive  # noqa: PLC0415
    from ingest.stack import connected, project  # noqa: PLC0415

    settings = Settings()

    async def work() -> Imported:
        async with connected(settings, "import") as (graph, unprojected):
            with bars() as display:
                done = await import_archive(graph, file, namespace, Bars(display))
            if unprojected:
                await project(graph, settings)
            return done

    done = _run(work)
    table = _table("import", done.namespace, done.manifest.nodes, done.manifest.relations)
    table.add_row("to be searchable by meaning", f"{done.queued:,}")
    table.add_row("seconds", f"{done.seconds:.1f}")
    _tell(table, done.manifest.content)
    if done.resumed:
        err.print("An earlier import had brought everything; this one ended it.", highlight=False)


def _run(work: Callable[[], Awaitable[T]]) -> T:
    # The driver takes several turns of the event loop for each record: the faster loop, where installed, is worth it.
    return anyio.run(work, backend_options={"use_uvloop": find_spec("uvloop") is not None})


def _tell(table: Table, content: str) -> None:
    out.print(table)
    # Whole in one line, however narrow the terminal: people compare it.
    out.print(f"content {content}", soft_wrap=True, highlight=False)


def _table(title: str, namespace: str, nodes: int, relations: int) -> Table:
    table = Table(title=title, show_header=False)
    table.add_row("namespace", namespace)
    table.add_row("nodes", f"{nodes:,}")
    table.add_row("relationships", f"{relations:,}")
    return table
