"""`precedent ingest …`: files into the graph, beside the running service or without one."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import anyio
import typer
from rich.markup import escape
from rich.table import Table

from ingest.console import Bars, bars, err, out
from ingest.pipeline import Kind, Progress, Summary
from server.settings import Settings

if TYPE_CHECKING:  # the driver is loaded by the command that needs it
    from server.graph.graph import Graph

app = typer.Typer(
    help="Bring files into the graph: decision records, documents, triples, queries to measure search with.",
    no_args_is_help=True,
)
_TOLD = 20
"""Lines of each kind that are printed; the table has the counts."""
_NOT_COUNTED: dict[Kind, set[str]] = {
    # They replace nothing but what they were, and link to entities one by one.
    "documents": {"others affected", "new entities"},
    "golden": {"others affected", "files passed over", "new entities"},
    "ground-truth": {"others affected", "files passed over", "new entities"},
}

Namespace = Annotated[str | None, typer.Option(help="Namespace to write to; the settings' by default.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would change.")]
Again = Annotated[bool, typer.Option("--again", help="Write everything, also what the ledger knows as written.")]
Work = Callable[["Graph", str, Progress], Awaitable[Summary]]


@app.command()
def decisions(
    paths: Annotated[
        list[Path], typer.Argument(help="Markdown decision records, PEPs, folders of them, tar archives.", exists=True)
    ],
    project: Annotated[
        str | None, typer.Option(help="Name that the records carry, as in 'shop ADR 12'; else their folder's.")
    ] = None,
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
) -> None:
    """Ingest decision records: which is in force, what replaced what, who decided. Exits with 1 if any is set aside."""

    async def work(graph: "Graph", to: str, progress: Progress) -> Summary:
        from ingest.decisions import ingest_decisions

        return await ingest_decisions(
            graph, to, paths, project=project, dry_run=dry_run, again=again, progress=progress
        )

    _ingest(work, namespace)


@app.command()
def docs(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help=".md, .markdown, .txt and .rst files, and folders of them; hidden ones are left out.", exists=True
        ),
    ],
    *,
    project: Annotated[str | None, typer.Option(help="Project of the entries; the settings' by default.")] = None,
    entry_type: Annotated[str, typer.Option("--type", help="Type of the entries.")] = "ingestion",
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
) -> None:
    """Ingest documents as entries: each file once, found by its parts. Exits with 1 if any is set aside.

    A file that has changed supersedes its earlier entry. Nothing is removed for a file that is gone. Below a folder,
    links that lead out of it are not followed.
    """

    async def work(graph: "Graph", to: str, progress: Progress) -> Summary:
        from ingest.docs import ingest_docs

        return await ingest_docs(
            graph,
            to,
            paths,
            project=project or Settings().project,
            entry_type=entry_type,
            dry_run=dry_run,
            again=again,
            progress=progress,
        )

    _ingest(work, namespace)


@app.command()
def triples(
    file: Annotated[
        Path, typer.Argument(help="A .tsv, .csv or .jsonl file, with .gz or without.", dir_okay=False, exists=True)
    ],
    form: Annotated[
        Literal["tsv", "csv", "jsonl"] | None, typer.Option("--format", help="If its name does not tell.")
    ] = None,
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
) -> None:
    """Ingest relations between entities: head, relation, tail. Exits with 1 if any is set aside."""

    async def work(graph: "Graph", to: str, progress: Progress) -> Summary:
        from ingest.triples import ingest_triples

        return await ingest_triples(graph, to, file, form=form, dry_run=dry_run, again=again, progress=progress)

    _ingest(work, namespace)


File = Annotated[Path, typer.Argument(help="A .jsonl file, with .gz or without.", dir_okay=False, exists=True)]


@app.command()
def golden(file: File, namespace: Namespace = None, dry_run: DryRun = False, again: Again = False) -> None:
    """Ingest golden queries: query, expected (ids or contents of insights), type. Exits with 1 if any is set aside.

    `get_golden_test_results` measures search by them.
    """
    _ingest_queries("golden", file, namespace, dry_run=dry_run, again=again)


@app.command("ground-truth")
def ground_truth(file: File, namespace: Namespace = None, dry_run: DryRun = False, again: Again = False) -> None:
    """Ingest ground-truth queries: query, expected (ids or contents of insights). Exits with 1 if any is set aside.

    `store_dual_judge_scores` has documents judged for them, by the query_id that is told for each new one.
    """
    _ingest_queries("ground-truth", file, namespace, dry_run=dry_run, again=again)


def _ingest_queries(
    kind: Literal["golden", "ground-truth"], file: Path, namespace: str | None, *, dry_run: bool, again: bool
) -> None:
    async def work(graph: "Graph", to: str, progress: Progress) -> Summary:
        from ingest.queries import ingest_queries

        return await ingest_queries(graph, to, file, kind, dry_run=dry_run, again=again, progress=progress)

    _ingest(work, namespace)


def _ingest(work: Work, namespace: str | None) -> None:
    settings = Settings()
    summary = anyio.run(_run, work, settings, namespace or settings.namespace)
    _tell(summary)
    if summary.bad:
        raise typer.Exit(1)


async def _run(work: Work, settings: Settings, namespace: str) -> Summary:
    from ingest.stack import connected, project

    async with connected(settings, "ingest") as (graph, unprojected):
        with bars() as display:
            summary = await work(graph, namespace, Bars(display))
        if unprojected and not summary.dry_run:
            await project(graph, settings)
    return summary


def _printable(path: str) -> str:
    """A path as it can be told, also where its name is no text."""
    return path.encode(errors="backslashreplace").decode()


def _tell(summary: Summary) -> None:
    for record in summary.bad_records[:_TOLD]:
        place = f"{record.file}:{record.line}" if record.line else record.file
        err.print(
            f"[red]set aside[/] {escape(_printable(place))}: {escape(record.reason)}",
            soft_wrap=True,
            highlight=False,
        )
    for remark in summary.remarks[:_TOLD]:
        err.print(f"[yellow]note[/] {escape(remark.about)}: {escape(remark.told)}", soft_wrap=True, highlight=False)
    for name, count in (("set aside", summary.bad), ("notes", len(summary.remarks))):
        if count > _TOLD:
            err.print(f"… and {count - _TOLD} more {name}", highlight=False)
    table = Table(title=summary.kind, show_header=False)
    rows = (
        ("read", summary.read),
        ("new", summary.created),
        ("updated", summary.updated),
        ("unchanged", summary.unchanged),
        ("set aside", summary.bad),
        ("others affected", summary.affected),
        ("files passed over", len(summary.passed_over)),
        ("new entities", summary.entities_created),
    )
    for name, count in rows:
        if name not in _NOT_COUNTED.get(summary.kind, set()):
            table.add_row(name, f"{count:,}")
    table.add_row("seconds", f"{summary.seconds:.1f}")
    out.print(table)
    if summary.dry_run:
        out.print("A dry run: nothing was written.")
