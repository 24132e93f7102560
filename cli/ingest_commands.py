"""`precedent ingest …`: files and commits into the graph, beside the running service or without one."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import anyio
import typer
from rich.markup import escape
from rich.table import Table

from cli.terminal import EmbedOn, ProgressBars, err, out, show_bars
from ingest.pipeline import IngestSummary, Progress
from server.core.settings import Settings
from server.core.types import BulkPlace

if TYPE_CHECKING:  # the driver is loaded by the command that needs it
    from server.graph.graph import Graph

app = typer.Typer(
    help="Write files to the graph: decision records, documents, commits, triples, queries that measure search.",
    no_args_is_help=True,
)
_SHOWN = 20
"""Lines of each kind that are printed; the table counts all."""
_NOT_COUNTED: dict[str, set[str]] = {
    "documents": {"others affected", "new entities"},
    "decisions": {"retired"},
    "triples": {"retired"},
    "commits": {"others affected", "retired", "updated", "files passed over", "new entities"},
    "golden": {"others affected", "retired", "files passed over", "new entities"},
    "ground-truth": {"others affected", "retired", "files passed over", "new entities"},
}

Namespace = Annotated[str | None, typer.Option(help="Namespace to write to; by default that of the settings.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Write nothing; show what would change.")]
Again = Annotated[bool, typer.Option("--again", help="Write every record, also those that are already written.")]
Work = Callable[["Graph", str, Progress], Awaitable[IngestSummary]]


@app.command()
def decisions(
    paths: Annotated[
        list[Path], typer.Argument(help="Markdown decision records, PEPs, folders, tar files.", exists=True)
    ],
    project: Annotated[
        str | None,
        typer.Option(help="Project in the ids of records, as in 'shop ADR 12'; by default that of their folder."),
    ] = None,
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
) -> None:
    """Ingest decision records: which is in force, what it supersedes, who decided. Exit code 1 if any is set aside."""

    async def work(graph: "Graph", to: str, progress: Progress) -> IngestSummary:
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
            help=".md, .markdown, .txt and .rst files, and folders of them; hidden files are left out.", exists=True
        ),
    ],
    *,
    project: Annotated[
        str | None, typer.Option(help="Project of the entries; by default that of the settings.")
    ] = None,
    entry_type: Annotated[str, typer.Option("--type", help="Type of the entries.")] = "ingestion",
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
    on: EmbedOn = "here",
) -> None:
    """Ingest documents as entries: each file once, found by its parts. Exit code 1 if any is set aside.

    A changed file supersedes its earlier entry; the entry of a file that is gone from a folder retires. Links that lead
    out of a folder are not followed.
    """

    async def work(graph: "Graph", to: str, progress: Progress) -> IngestSummary:
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

    _ingest(work, namespace, on)


@app.command()
def triples(
    file: Annotated[
        Path, typer.Argument(help="A .tsv, .csv or .jsonl file, compressed (.gz) or not.", dir_okay=False, exists=True)
    ],
    form: Annotated[
        Literal["tsv", "csv", "jsonl"] | None,
        typer.Option("--format", help="Format of the file, if its name does not show it."),
    ] = None,
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
) -> None:
    """Ingest relations between entities: head, relation, tail. Exit code 1 if any is set aside."""

    async def work(graph: "Graph", to: str, progress: Progress) -> IngestSummary:
        from ingest.triples import ingest_triples

        return await ingest_triples(graph, to, file, form=form, dry_run=dry_run, again=again, progress=progress)

    _ingest(work, namespace)


@app.command()
def commits(
    repository: Annotated[
        Path, typer.Argument(help="Folder of a git repository, or a folder in one.", file_okay=False, exists=True)
    ],
    *,
    project: Annotated[
        str | None, typer.Option(help="Project of the memories; by default that of the settings.")
    ] = None,
    namespace: Namespace = None,
    dry_run: DryRun = False,
    again: Again = False,
) -> None:
    """Ingest commit messages as memories, oldest first, from where the last run ended. Exit code 1 if any is set aside.

    A memory has the commit's hash, author and time, and is connected to entities and decisions that its message names.
    Fixes and reverts count as evidence in `precedent reflect`.
    """

    async def work(graph: "Graph", to: str, progress: Progress) -> IngestSummary:
        from ingest.commits import ingest_commits

        return await ingest_commits(
            graph, to, repository, project=project or Settings().project, dry_run=dry_run, again=again,
            progress=progress,
        )  # fmt: skip

    _ingest(work, namespace)


File = Annotated[Path, typer.Argument(help="A .jsonl file, compressed (.gz) or not.", dir_okay=False, exists=True)]


@app.command()
def golden(file: File, namespace: Namespace = None, dry_run: DryRun = False, again: Again = False) -> None:
    """Ingest golden queries: query, expected (ids or contents of insights), type. Exit code 1 if any is set aside.

    `get_golden_test_results` measures search with them.
    """
    _ingest_queries("golden", file, namespace, dry_run=dry_run, again=again)


@app.command("ground-truth")
def ground_truth(file: File, namespace: Namespace = None, dry_run: DryRun = False, again: Again = False) -> None:
    """Ingest ground-truth queries: query, expected (ids or contents of insights). Exit code 1 if any is set aside.

    `store_dual_judge_scores` takes the query_id that is printed for each new query.
    """
    _ingest_queries("ground-truth", file, namespace, dry_run=dry_run, again=again)


def _ingest_queries(
    kind: Literal["golden", "ground-truth"], file: Path, namespace: str | None, *, dry_run: bool, again: bool
) -> None:
    async def work(graph: "Graph", to: str, progress: Progress) -> IngestSummary:
        from ingest.queries import ingest_queries

        return await ingest_queries(graph, to, file, kind, dry_run=dry_run, again=again, progress=progress)

    _ingest(work, namespace)


def _ingest(work: Work, namespace: str | None, on: BulkPlace = "here") -> None:
    settings = Settings()
    summary = anyio.run(_run, work, settings, namespace or settings.namespace, on)
    _print_summary(summary)
    if summary.bad:
        raise typer.Exit(1)


async def _run(work: Work, settings: Settings, namespace: str, on: BulkPlace) -> IngestSummary:
    from cli.bulk import connect_graph, project_pending

    async with connect_graph(settings, "ingest") as (graph, has_no_projector):
        with show_bars() as display:
            summary = await work(graph, namespace, ProgressBars(display))
        if has_no_projector and not summary.dry_run:
            await project_pending(graph, settings, on)
    return summary


def _to_printable(path: str) -> str:
    """A path that can be printed, also if its name is not text."""
    return path.encode(errors="backslashreplace").decode()


def _print_summary(summary: IngestSummary) -> None:
    for record in summary.bad_records[:_SHOWN]:
        location = f"{record.file}:{record.line}" if record.line else record.file
        err.print(
            f"[red]set aside[/] {escape(_to_printable(location))}: {escape(record.reason)}",
            soft_wrap=True,
            highlight=False,
        )
    for remark in summary.remarks[:_SHOWN]:
        err.print(f"[yellow]note[/] {escape(remark.about)}: {escape(remark.text)}", soft_wrap=True, highlight=False)
    for name, count in (("set aside", summary.bad), ("notes", len(summary.remarks))):
        if count > _SHOWN:
            err.print(f"… and {count - _SHOWN} more {name}", highlight=False)
    table = Table(title=summary.kind, show_header=False)
    rows = (
        ("read", summary.read),
        ("new", summary.created),
        ("updated", summary.updated),
        ("unchanged", summary.unchanged),
        ("set aside", summary.bad),
        ("others affected", summary.affected),
        ("retired", summary.retired),
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
