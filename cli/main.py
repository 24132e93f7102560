"""The command `precedent`: the application, its commands and how it reports errors."""

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

from cli import correction_commands, decision_commands, history_commands
from cli.backup_commands import export, import_
from cli.ingest_commands import app as ingest
from cli.reflect_command import reflect
from cli.review_command import review
from cli.terminal import EmbedOn
from server.core.errors import PrecedentError
from server.core.principals import Role
from server.core.settings import Settings
from server.core.types import Precision
from server.observability import logs

app = typer.Typer(
    name="precedent",
    help="A knowledge service for AI agents: decisions, what replaced them and why, and what they are about.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
tokens = typer.Typer(
    help="Bearer tokens of callers. Once one exists, every request needs a token.", no_args_is_help=True
)
app.add_typer(tokens, name="token")
app.add_typer(ingest, name="ingest")

out = Console()
err = Console(stderr=True)


def parse_expiry(text: str) -> datetime:
    """Parse an expiry: a number of days or hours from now, or a date or time in UTC."""
    now = datetime.now(UTC)
    try:
        if duration := re.fullmatch(r"(\d{1,5})([dh])", text):
            at = now + timedelta(**{"days" if duration[2] == "d" else "hours": int(duration[1])})
        else:
            parsed = datetime.fromisoformat(text)
            at = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is not a valid time; use 30d, 12h or 2027-01-31.") from error
    if at <= now:
        raise typer.BadParameter(f"{text!r} is in the past.")
    return at


def parse_namespace(text: str) -> str:
    """Parse a namespace: any text that is not blank."""
    if not text.strip():
        raise typer.BadParameter("the namespace is empty.")
    return text


def load_settings(**overrides: Any) -> Settings:
    """Load the settings of this process, with the overrides of the command line."""
    return Settings(**{name: value for name, value in overrides.items() if value is not None})


@app.command()
def setup(
    cache_only: Annotated[bool, typer.Option(help="Fill only the cache that all homes share; create no home.")] = False,
) -> None:
    """Install the local stack: Java, Neo4j, the embedding model, the home. A second run changes nothing."""
    from cli.provisioning import ConsoleProgress
    from server.embedding.choice import ModelChoice
    from server.local.connection import local_paths
    from server.local.setup import provision

    settings = load_settings()
    choice = ModelChoice.of(settings)
    if not settings.local:
        err.print("NEO4J_URI is set: only the embedding model is installed.", highlight=False)
    with ConsoleProgress(err) as progress:
        anyio.run(
            partial(
                provision, local_paths(settings), progress, cache_only=cache_only, neo4j=settings.local, choice=choice
            )
        )


@app.command()
def serve(
    sample: Annotated[
        Path | None, typer.Option(help="Decision records to load when the graph is empty.", exists=True)
    ] = None,
    toolsets: Annotated[
        str | None, typer.Option(help="Families of tools to publish, comma-separated; or core.")
    ] = None,
) -> None:
    """Run the service until interrupted: MCP, REST, the projector, and the local Neo4j."""
    from cli.serve import run

    settings = load_settings(PRECEDENT_TOOLSETS=toolsets)
    _run(lambda: run(settings, sample, out))


@app.command()
def stdio(
    toolsets: Annotated[
        str | None, typer.Option(help="Families of tools to publish, comma-separated; or core.")
    ] = None,
) -> None:
    """Connect an MCP client on stdin and stdout to the service; start the service when none runs."""
    from server.mcp.bridge import Bridge

    settings = load_settings(PRECEDENT_TOOLSETS=toolsets)
    logs.configure(settings.log_level)
    _run(lambda: Bridge(settings).serve())


@app.command()
def status(
    check: Annotated[bool, typer.Option(help="Print nothing; exit with 1 unless the service is healthy.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what runs, where, and how many records wait to be indexed."""
    from cli.status import build_status

    found = build_status(load_settings())
    if check:
        raise typer.Exit(0 if found["healthy"] else 1)
    if as_json:
        out.print_json(json.dumps(found))
        return
    width = max(map(len, found))
    for name, value in found.items():
        # Not as a table: a table cuts values that are wider than the terminal, and addresses must stay complete.
        out.print(f"{name.replace('_', ' '):<{width}}  {value}", soft_wrap=True, highlight=False, markup=False)


@app.command()
def stop() -> None:
    """Stop the service of this home, and its Neo4j."""
    from server.local.connection import local_paths
    from server.local.status import stop as stop_service

    async def work() -> None:
        stopped = await stop_service(local_paths(load_settings()).home)
        out.print("Stopped." if stopped else "Nothing was running.")

    _run(work)


@app.command()
def verify() -> None:
    """Compare the vectors in Qdrant with the graph; exit with 1 when they differ."""
    from cli import maintenance

    report, collisions = anyio.run(maintenance.verify, load_settings())
    out.print(_build_report_table(report))
    for collision in collisions:
        listed = ", ".join(f"{id_} ({target!r})" for id_, target in collision.decisions)
        out.print(
            f"Namespace {collision.namespace}: {listed} are all in force, but their targets differ only in case, width "
            "or spacing. Replace them by one decision with supersede_decision.",
            markup=False,
            highlight=False,
        )
    raise typer.Exit(0 if report.consistent else 1)


@app.command()
def repair() -> None:
    """Repair what `verify` finds: index missing, stale and dead records, remove vectors without a record."""
    from cli import maintenance

    with Progress(console=err) as progress:
        task = progress.add_task("Indexing", total=None)
        report = anyio.run(maintenance.repair, load_settings(), lambda done: progress.advance(task, done))
    out.print(_build_report_table(report))


@app.command()
def rebuild(
    *,
    on: EmbedOn = "here",
    model: Annotated[
        str | None, typer.Option(help="Another embedding model: a name that fastembed knows, or a folder.")
    ] = None,
    precision: Annotated[Precision | None, typer.Option(help="The weights of the embedding model.")] = None,
) -> None:
    """Index the whole graph again, also with another embedding model; the service may run meanwhile in that case."""
    from cli import maintenance
    from server.embedding.choice import ModelChoice

    settings = load_settings()
    done = anyio.run(maintenance.rebuild, settings, err, on, model, precision)
    out.print(f"Indexed {done.records} records.")
    if done.is_changed:
        out.print(f"The embedding model is now {done.model.model} ({done.model.precision}).", highlight=False)
    if done.is_awaited:
        out.print("A running service uses it within seconds, and any other from its next start.")
    if done.is_changed and ModelChoice.of(settings) not in {None, done.model}:
        out.print("The settings name another one: change or remove PRECEDENT_EMBEDDING_MODEL and the like.")


app.command()(decision_commands.decisions)
app.command()(decision_commands.show)
app.command()(decision_commands.ask)
app.command()(reflect)
app.command()(review)
app.command()(history_commands.changes)
app.command()(correction_commands.retract)
app.command()(correction_commands.undo)
app.command()(correction_commands.erase)
app.command()(decision_commands.why)
app.command()(export)
app.command("import")(import_)


@tokens.command("create")
def create_token(
    name: Annotated[str, typer.Option(help="The principal's name.")],
    role: Annotated[Literal["viewer", "agent", "admin"], typer.Option(help="What it may do.")] = "agent",
    namespace: Annotated[
        str | None, typer.Option(help="Its namespace; by default that of the settings.", parser=parse_namespace)
    ] = None,
    kind: Annotated[Literal["human", "agent"], typer.Option(help="The origin of its decisions.")] = "agent",
    expires: Annotated[
        datetime | None,
        typer.Option(help="When it expires: `30d`, `12h`, or a date or time in UTC.", parser=parse_expiry),
    ] = None,
) -> None:
    """Create a token for a caller and print it. It cannot be shown again."""

    async def work(graph: Any, settings: Settings) -> None:
        from server.access.tokens import Tokens

        token = await Tokens(graph).create(
            name, kind=kind, role=Role.parse(role), namespace=namespace or settings.namespace, expires=expires
        )
        out.print(token, soft_wrap=True, highlight=False)

    _on_graph(work)


@tokens.command("list")
def list_tokens() -> None:
    """List the callers that have a token. The tokens themselves are never shown."""

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
    """Revoke a caller's token; a running service rejects it after at most 5 seconds."""

    async def work(graph: Any, _settings: Settings) -> None:
        from server.access.tokens import Tokens

        await Tokens(graph).revoke(name)

    _on_graph(work)


def main() -> None:
    """Run the command line; print an error as one sentence on stderr and exit with 1."""
    try:
        app()
    except PrecedentError as error:
        _fail(error)
    except BaseExceptionGroup as group:  # the error of one of several tasks
        known = next(iter(_leaves(group)), None)
        if known is None:
            raise
        _fail(known)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_input=False):
            err.print(f"[bold red]INVALID_SETTING[/] {item['loc'][0]}: {item['msg']}", highlight=False)
        sys.exit(1)


def _fail(error: PrecedentError) -> NoReturn:
    message = error.message.removeprefix(f"{error.code}: ")
    err.print(f"[bold red]{error.code}[/] {escape(message)}", soft_wrap=True, highlight=False)
    sys.exit(1)


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[PrecedentError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        elif isinstance(error, PrecedentError):
            yield error


def _run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    # Threads that embed and search hand the interpreter back and forth with the event loop's thread. By default each
    # switch may take 5 ms.
    sys.setswitchinterval(0.0005)
    # uvloop is the faster event loop; the extra `fast` installs it.
    anyio.run(work, backend_options={"use_uvloop": find_spec("uvloop") is not None})


def _on_graph(work: Callable[[Any, Settings], Coroutine[Any, Any, None]]) -> None:
    """Run `work` on the graph of the running service or of NEO4J_URI; otherwise start the local Neo4j meanwhile."""
    from server.local.connection import open_graph_for_command

    async def on_graph() -> None:
        settings = load_settings()
        async with open_graph_for_command(settings, "token") as (graph, _):
            await work(graph, settings)

    anyio.run(on_graph)


def _build_report_table(report: Any) -> Table:
    table = Table(show_header=False, box=None)
    for name, value in asdict(report).items():
        table.add_row(name, str(value))
    return table
