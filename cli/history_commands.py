"""The command `changes`. Source: HIS-15."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import anyio
import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from cli.decision_tables import remove_control_characters
from server.core.settings import Settings
from server.observability import logs

out = Console()
err = Console(stderr=True)
_MINUTE = len("2026-11-21T10:15")


def changes(
    *,
    since: Annotated[
        str | None, typer.Option(help="Only changes from this time on: a date or time, yesterday, 24h, 7d, last week.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only changes up to this time.")] = None,
    by: Annotated[str | None, typer.Option(help="Only changes by this principal.")] = None,
    about: Annotated[
        str | None, typer.Option(help="Only changes about this entity, or of the record with this id.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only changes of this kind of record: decision, memory, entity …")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of changes.")] = 20,
    offset: Annotated[int, typer.Option(min=0, max=10_000_000, help="Number of changes to skip.")] = 0,
    namespace: Annotated[str | None, typer.Option(help="Namespace to read. Default: PRECEDENT_NAMESPACE.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what was changed, by whom and when, newest first."""
    from cli.decision_sources import open_source

    logs.configure("error")  # stdout is for the answer
    given = {"since": since, "until": until, "by": by, "about": about, "kind": kind}
    asked: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    asked |= {"limit": limit, "offset": offset}

    async def load() -> dict[str, Any]:
        async with open_source(Settings(), namespace, err) as source:
            return await source.changes(asked)

    answer = anyio.run(load)
    if as_json:
        out.print_json(json.dumps(answer))
        return
    found = answer["changes"]
    if not found:
        out.print(answer["message"], highlight=False, markup=False)
        return
    _print_changes(found)
    if answer["next_offset"] is not None:
        out.print(f"--offset {answer['next_offset']} shows more.", highlight=False)


def _print_changes(found: Sequence[Mapping[str, Any]]) -> None:
    names = ("time (UTC)", "by", "operation", "records", "reason", "id")
    table = Table(*(Column(name, overflow="fold") for name in names))
    for each in found:
        records = [_format_record(record) for record in each["records"]]
        if each["more"]:
            records.append(f"and {each['more']} more")
        at = each["at"][:_MINUTE].replace("T", " ")
        cells = (at, each["by"], each["operation"], "\n".join(records), each["reason"], each["id"])
        table.add_row(*(Text(remove_control_characters(str(cell or ""))) for cell in cells))
    out.print(table)


def _format_record(record: Mapping[str, Any]) -> str:
    return f"{record['kind']} {record['name'] or record['id'] or ''}".rstrip()
