"""The commands `decisions`, `show`, `ask` and `why`. Source: DEC-75, HIS-10."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio
import typer
from rich.console import Console

from cli.decision_tables import print_decision, print_list, print_results, print_why, remove_control_characters
from server.core.settings import Settings
from server.observability import logs

if TYPE_CHECKING:
    from cli.decision_sources import Answer, AnswerSource

out = Console()
err = Console(stderr=True)

Namespace = Annotated[str | None, typer.Option(help="Namespace to read. Default: PRECEDENT_NAMESPACE.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="What held and was known at this date or time.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", help="What was known at this time. Default: --as-of.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def decisions(
    *,
    target: Annotated[str | None, typer.Option(help="Only decisions for this target.")] = None,
    about: Annotated[str | None, typer.Option(help="Only decisions that are about or mention this entity.")] = None,
    status: Annotated[
        Literal["active", "superseded", "deprecated", "expired", "retracted", "draft", "all"],
        typer.Option(help="Only decisions with this status."),
    ] = "active",
    since: Annotated[str | None, typer.Option(help="Only decisions from this date or time on.")] = None,
    until: Annotated[str | None, typer.Option(help="Only decisions up to this date or time.")] = None,
    origin: Annotated[
        Literal["human", "agent"] | None, typer.Option(help="Only decisions made by humans or by agents.")
    ] = None,
    order: Annotated[Literal["newest", "oldest", "target"], typer.Option(help="Sort order.")] = "newest",
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of results.")] = 20,
    offset: Annotated[int, typer.Option(min=0, max=1_000_000, help="Number of results to skip.")] = 0,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """List decisions, by default those in force."""
    given = {"target": target, "about": about, "since": since, "until": until, "origin": origin}
    given |= {"as_of": as_of, "known_at": known_at}
    asked: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    asked |= {"status": status, "order": order, "limit": limit, "offset": offset}
    answer = _ask_source(lambda source: source.list(asked), namespace)
    if as_json:
        out.print_json(json.dumps(answer))
        return
    found = answer["decisions"]
    if not found:
        out.print(_explain_empty_list(answer, asked), highlight=False)
        return
    print_list(out, found, with_ids=status != "active")
    more = f"; --offset {answer['next_offset']} shows more" if answer.get("next_offset") else ""
    out.print(f"{len(found)} of {answer['total']}{more}. `precedent show` prints one completely, by its target or id.")


def show(
    name: Annotated[str, typer.Argument(metavar="ID|TARGET", help="Id of a decision or proposal, or a target.")],
    as_of: AsOf = None,
    known_at: KnownAt = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show one decision or proposal: rationale, consequences, history and links."""
    if not name.strip():
        raise typer.BadParameter("give an id or a target; `precedent decisions` lists them.")
    answer = _ask_source(lambda source: source.show(name, _list_times(as_of, known_at)), namespace)
    if as_json:
        out.print_json(json.dumps({"decisions": answer["decisions"]}))
        return
    for position, decision in enumerate(answer["decisions"]):
        if position:
            out.rule()
        print_decision(out, decision)


def ask(
    question: Annotated[list[str], typer.Argument(help="The question, in any words.")],
    *,
    mode: Annotated[
        Literal["balanced", "strict", "audit"],
        typer.Option(help="In force first (balanced), only in force (strict), or all history (audit)."),
    ] = "balanced",
    limit: Annotated[int, typer.Option(min=1, max=20, help="Maximum number of results.")] = 5,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Search decisions and print the best results."""
    query = " ".join(question)
    if not query.strip():
        raise typer.BadParameter("give a question.")
    asked = {"query": query, "mode": mode, "limit": limit, **_list_times(as_of, known_at)}
    answer = _ask_source(lambda source: source.ask(asked), namespace)
    if as_json:
        out.print_json(json.dumps(answer))
        return
    if answer["results"]:
        print_results(out, answer["results"])
        out.print("`precedent show TARGET` prints one completely.", highlight=False)
        return
    hint = "" if mode == "audit" else " --mode audit also searches what is not in force;"
    out.print(
        f"{remove_control_characters(answer['message'])}{hint} `precedent decisions` lists what is in force.",
        highlight=False,
        markup=False,
    )


def _list_times(as_of: str | None, known_at: str | None) -> dict[str, str]:
    times = {"as_of": as_of, "known_at": known_at}
    return {name: time for name, time in times.items() if time is not None}


def why(
    name: Annotated[str, typer.Argument(metavar="ID|TARGET", help="Id of a decision or proposal, or a target.")],
    as_of: AsOf = None,
    known_at: KnownAt = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show why something is decided as it is: what is in force, and what led to it."""
    if not name.strip():
        raise typer.BadParameter("give an id or a target; `precedent decisions` lists them.")
    answer = _ask_source(lambda source: source.why({"of": name, **_list_times(as_of, known_at)}), namespace)
    if as_json:
        out.print_json(json.dumps(answer))
        return
    print_why(out, answer)


def _ask_source(ask_source: "Callable[[AnswerSource], Awaitable[Answer]]", namespace: str | None) -> "Answer":
    from cli.decision_sources import open_source

    logs.configure("error")  # stdout is for the answer
    settings = Settings()

    async def work() -> "Answer":
        async with open_source(settings, namespace, err) as source:
            return await ask_source(source)

    return anyio.run(work)


def _explain_empty_list(answer: "Answer", asked: dict[str, Any]) -> str:
    if answer["total"]:
        return f"There are {answer['total']}; --offset {asked['offset']} is beyond the last one."
    if asked.keys() & {"target", "about", "since", "until", "origin", "as_of"}:
        hint = "`--status all` also lists what is not in force; " if asked["status"] == "active" else ""
        return f"No decision matches. {hint.capitalize()}`precedent ask` searches by words."
    if asked["status"] == "active":
        return (
            "Nothing is in force. Agents record decisions over MCP; "
            "`precedent ingest decisions` brings in files of them."
        )
    return f"No decision has the status {asked['status']}."
