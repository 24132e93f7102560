"""`precedent …`: one command for each thing a person does with the service."""

import json
import re
import sys
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import anyio
import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Column, Table

from ingest.archive.cli import export, import_
from ingest.cli import app as ingest
from server import logs
from server.errors import PrecedentError
from server.principals import Role
from server.settings import Settings

app = typer.Typer(
    name="precedent",
    help="A knowledge service for AI agents: decisions, what replaced them and why, and what they are about.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
tokens = typer.Typer(
    help="Bearer tokens of callers. From the first one on, nobody comes in without.", no_args_is_help=True
)
app.add_typer(tokens, name="token")
app.add_typer(ingest, name="ingest")

out = Console()
err = Console(stderr=True)


def moment(text: str) -> datetime:
    """The moment that a person means: so many days or hours from now, or a day or time in UTC."""
    now = datetime.now(UTC)
    try:
        if span := re.fullmatch(r"(\d{1,5})([dh])", text):
            at = now + timedelta(**{"days" if span[2] == "d" else "hours": int(span[1])})
        else:
            told = datetime.fromisoformat(text)
            at = (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is no time; 30d, 12h and 2027-01-31 are.") from error
    if at <= now:
        raise typer.BadParameter(f"{text!r} is over already.")
    return at


def named(text: str) -> str:
    """A name that says something."""
    if not text.strip():
        raise typer.BadParameter("it has to be a name.")
    return text


def settings_of(**overrides: Any) -> Settings:
    """The settings of this process, with what the command line overrides."""
    return Settings(**{name: value for name, value in overrides.items() if value is not None})


@app.command()
def setup(
    cache_only: Annotated[bool, typer.Option(help="Fetch what all homes share, make no home.")] = False,
) -> None:
    """Provision the local stack: Java, Neo4j, the embedding model, the home. Run again, it does nothing."""
    from server.local.console import ConsoleProgress
    from server.local.setup import provision
    from server.stack import paths_of

    settings = settings_of()
    if not settings.local:
        err.print("NEO4J_URI is set: only the embedding model is provisioned.", highlight=False)
    with ConsoleProgress(err) as progress:
        anyio.run(partial(provision, paths_of(settings), progress, cache_only=cache_only, neo4j=settings.local))


@app.command()
def serve(
    sample: Annotated[
        Path | None, typer.Option(help="Decision records to load when the graph is empty.", exists=True)
    ] = None,
    toolsets: Annotated[str | None, typer.Option(help="Families of tools to publish, comma-separated.")] = None,
) -> None:
    """Run the service until interrupted: MCP, REST, the projector, and the local Neo4j."""
    from server.serve import run

    settings = settings_of(PRECEDENT_TOOLSETS=toolsets)
    _run(lambda: run(settings, sample, out))


@app.command()
def stdio(
    toolsets: Annotated[str | None, typer.Option(help="Families of tools to publish, comma-separated.")] = None,
) -> None:
    """Speak MCP on stdin and stdout: a bridge to the service, which it starts when none runs."""
    from server.mcp.bridge import Bridge

    settings = settings_of(PRECEDENT_TOOLSETS=toolsets)
    logs.configure(settings.log_level)
    _run(lambda: Bridge(settings).serve())


@app.command()
def status(
    check: Annotated[bool, typer.Option(help="Say nothing; exit with 1 unless the service is healthy.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what runs, where, and how far the projection lags."""
    from server.status import report

    found = report(settings_of())
    if check:
        raise typer.Exit(0 if found["healthy"] else 1)
    if as_json:
        out.print_json(json.dumps(found))
        return
    table = Table(show_header=False, box=None)
    for name, value in found.items():
        table.add_row(name.replace("_", " "), str(value))
    out.print(table)


@app.command()
def stop() -> None:
    """Stop the service of this home, cleanly."""
    from server.local.status import stop as stop_service
    from server.stack import paths_of

    async def work() -> None:
        stopped = await stop_service(paths_of(settings_of()).home)
        out.print("Stopped." if stopped else "Nothing was running.")

    _run(work)


@app.command()
def verify() -> None:
    """Compare Qdrant with the graph; exit with 1 when they differ."""
    from server import upkeep

    report = anyio.run(upkeep.verify, settings_of())
    out.print(_told(report))
    raise typer.Exit(0 if report.consistent else 1)


@app.command()
def repair() -> None:
    """Mend what `verify` finds: project what is missing or stale, remove what is orphaned."""
    from server import upkeep

    with Progress(console=err) as progress:
        task = progress.add_task("Projecting", total=None)
        report = anyio.run(upkeep.repair, settings_of(), lambda done: progress.advance(task, done))
    out.print(_told(report))


@app.command()
def rebuild() -> None:
    """Drop every vector and project the whole graph anew, also for another embedding model."""
    from server import upkeep

    with Progress(console=err) as progress:
        task = progress.add_task("Projecting", total=None)
        records = anyio.run(upkeep.rebuild, settings_of(), lambda done: progress.advance(task, done))
    out.print(f"Projected {records} records anew.")


app.command()(export)
app.command("import")(import_)


@tokens.command("create")
def create_token(
    name: Annotated[str, typer.Option(help="The principal's name.")],
    role: Annotated[Literal["viewer", "agent", "admin"], typer.Option(help="What it may do.")] = "agent",
    namespace: Annotated[
        str | None, typer.Option(help="Namespace it sees; the settings' by default.", parser=named)
    ] = None,
    kind: Annotated[Literal["human", "agent"], typer.Option(help="Origin of the decisions it makes.")] = "agent",
    expires: Annotated[
        datetime | None,
        typer.Option(
            help="The first moment at which it is good no more: `30d`, `12h`, or a day or time in UTC.", parser=moment
        ),
    ] = None,
) -> None:
    """Make a token for a caller and print it, once."""

    async def work(graph: Any, settings: Settings) -> None:
        from server.access.tokens import Tokens

        token = await Tokens(graph).create(
            name, kind=kind, role=Role.named(role), namespace=namespace or settings.namespace, expires=expires
        )
        out.print(token, soft_wrap=True, highlight=False)

    _on_graph(work)


@tokens.command("list")
def list_tokens() -> None:
    """List who has a token; never the token."""

    async def work(graph: Any, _settings: Settings) -> None:
        from server.access.tokens import Tokens

        table = Table(
            *(Column(name, overflow="fold") for name in ("name", "kind", "role", "namespace", "since", "until"))
        )
        for row in await Tokens(graph).list():
            keys = ("name", "kind", "role", "namespace", "created_at", "expires_at")
            table.add_row(*(escape(str(row[key] or "")) for key in keys))
        out.print(table)

    _on_graph(work)


@tokens.command("revoke")
def revoke_token(name: Annotated[str, typer.Argument(help="The principal's name.")]) -> None:
    """Take a caller's token away; a running service forgets it within 5 seconds."""

    async def work(graph: Any, _settings: Settings) -> None:
        from server.access.tokens import Tokens

        await Tokens(graph).revoke(name)

    _on_graph(work)


def main() -> None:
    """Runs the command line; an error is one sentence on stderr and exit code 1."""
    try:
        app()
    except PrecedentError as error:
        _fail(error)
    except BaseExceptionGroup as group:  # what ends one task of several comes in a group
        ours = next(iter(_leaves(group)), None)
        if ours is None:
            raise
        _fail(ours)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_input=False):
            err.print(f"[bold red]INVALID_SETTING[/] {item['loc'][0]}: {item['msg']}", highlight=False)
        sys.exit(1)


def _fail(error: PrecedentError) -> NoReturn:
    said = error.message.removeprefix(f"{error.code}: ")
    err.print(f"[bold red]{error.code}[/] {escape(said)}", soft_wrap=True, highlight=False)
    sys.exit(1)


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[PrecedentError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        elif isinstance(error, PrecedentError):
            yield error


def _run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    # Threads that embed and search wait for the event loop's thread, and it for them: for 5 ms each time by default.
    # Measured: a tenth more searches a second.
    sys.setswitchinterval(0.0005)
    # The faster event loop where it is installed (the extra `fast`): all of a call's waiting goes through it.
    anyio.run(work, backend_options={"use_uvloop": find_spec("uvloop") is not None})


def _on_graph(work: Callable[[Any, Settings], Coroutine[Any, Any, None]]) -> None:
    """Runs `work` on the graph of the running service, or of NEO4J_URI; starts the local one for its length else."""
    from server.stack import graph_beside

    async def on_graph() -> None:
        settings = settings_of()
        async with graph_beside(settings, "token") as (graph, _):
            await work(graph, settings)

    anyio.run(on_graph)


def _told(report: Any) -> Table:
    table = Table(show_header=False, box=None)
    for name, value in asdict(report).items():
        table.add_row(name, str(value))
    return table
