"""`precedent reflect`: proposals from the evidence in the graph, beside the running service or without one."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import anyio
import typer
from rich.table import Table

from cli.decision_tables import remove_control_characters
from cli.terminal import out
from server.core.settings import Settings

if TYPE_CHECKING:
    from server.reflection.models import ReflectionReport

_SHOWN = 20
"""Drafts that are printed; the table counts all, and `--json` lists a hundred."""


def reflect(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; show what would be proposed.")] = False,
    namespace: Annotated[
        str | None, typer.Option(help="Namespace to reflect on; by default that of the settings.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Propose decisions from evidence: corrections, episodes, success metrics, memories of errors and results.

    It decides nothing: `precedent review` accepts and rejects.
    """
    report = anyio.run(_run, Settings(), namespace, dry_run)
    if as_json:
        out.print_json(json.dumps(asdict(report)))
        return
    for change in report.changes[:_SHOWN]:
        ready = ", ready for a review" if change.ready else ""
        reason = f": {change.reason}" if change.reason else ""
        line = (
            f"{change.action}  {change.title} (confidence {change.confidence:.2f}, {change.hits} for, "
            f"{change.misses} against{ready}){reason}"
        )
        out.print(remove_control_characters(line), markup=False, highlight=False, soft_wrap=True)
    _print_table(report)
    if dry_run:
        out.print("A dry run: nothing was written.")


async def _run(settings: Settings, namespace: str | None, dry_run: bool) -> "ReflectionReport":
    from cli.bulk import connect_graph, project_pending
    from server.decisions.reindexing import reindex_decisions
    from server.graph.sequence import IdSequence
    from server.reflection.service import ReflectionService

    async with connect_graph(settings, "reflect") as (graph, has_no_projector):
        sequence = IdSequence(graph)
        report = await ReflectionService(graph, sequence).reflect(namespace or settings.namespace, dry_run=dry_run)
        if not dry_run:
            await reindex_decisions(graph, sequence)
            if has_no_projector:
                await project_pending(graph, settings)
    return report


def _print_table(report: "ReflectionReport") -> None:
    table = Table(title=f"reflection on {remove_control_characters(report.namespace)}", show_header=False)
    rows = (
        ("entities", report.targets),
        ("links to what corrections and metrics name", report.linked),
        ("drafts created", report.created),
        ("drafts updated", report.updated),
        ("drafts falsified", report.falsified),
        ("drafts unchanged", report.unchanged),
    )
    for name, count in rows:
        table.add_row(name, f"{count:,}")
    table.add_row("seconds", f"{report.seconds:.1f}")
    out.print(table)
