"""`precedent decisions`, `show` and `ask`, with a running service and without one."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from typer.testing import CliRunner

from cli.main import app as cli
from server.app import App
from server.core.home import Home
from server.core.principals import Principal, Role
from server.local.owner import own
from tests.interaction.conftest import SECRET
from tests.interaction.serving import served

pytestmark = pytest.mark.anyio
Run = Callable[..., Any]
_HOSTILE = "Carts \x1b[31mlive\x1b[0m [bold]in[/] the graph"


@pytest.fixture
def era() -> str:
    """Commands speak no MCP."""
    return "2026-07-28"


@pytest.fixture
def environment(neo4j: tuple[str, str, str], namespace: str, tmp_path: Path) -> dict[str, str]:
    uri, user, password = neo4j
    return {
        **os.environ,
        "NEO4J_URI": uri,
        "NEO4J_USERNAME": user,
        "NEO4J_PASSWORD": password,
        "PRECEDENT_HOME": str(tmp_path / "home"),
        "PRECEDENT_NAMESPACE": namespace,
        "AGENT_MEMORY_SECRET": SECRET,
        "COLUMNS": "160",
    }


# To start Python takes longer than a command does: one process runs several.
_SEVERAL = """
import contextlib, io, json, sys
from cli.main import main

done = []
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["precedent", *arguments]
    code, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    done.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(done))
"""


async def _commands(environment: dict[str, str], *commands: Sequence[str], code: int = 0) -> list[str]:
    """Run commands one after the other; return what each prints."""
    run = partial(
        subprocess.run,
        [sys.executable, "-c", _SEVERAL, json.dumps(commands)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    process = await anyio.to_thread.run_sync(run)
    assert process.returncode == 0, process.stdout + process.stderr
    done = json.loads(process.stdout)
    assert [exit_code for exit_code, *_ in done] == [code] * len(commands), done
    return [stderr if code else stdout for _, stdout, stderr in done]


async def _command(environment: dict[str, str], *arguments: str, code: int = 0) -> str:
    run = partial(
        subprocess.run,
        [sys.executable, "-m", "cli", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    done = await anyio.to_thread.run_sync(run)
    assert done.returncode == code, done.stdout + done.stderr
    return str(done.stderr if code else done.stdout)


@pytest.fixture(params=["beside a service", "alone"])
async def commands(
    request: pytest.FixtureRequest, app: App, environment: dict[str, str]
) -> AsyncIterator[Callable[..., Any]]:
    """Runs commands; what they ask is the running service, or the graph itself."""
    if request.param == "alone":
        yield partial(_commands, environment)
        return
    async with served(app) as port:
        with own(Home(Path(environment["PRECEDENT_HOME"])), "serve", {"http": port}):
            yield partial(_commands, environment)


@pytest.fixture
async def ids(app: App, no_passages: None, namespace: str) -> list[str]:
    """A decision and what it replaced, and another."""
    from server.decisions.models import RecordDecision, SupersedeDecision  # noqa: PLC0415

    service = app.services.decisions
    caller = Principal("grace", "human", Role.ADMIN, namespace)
    why = "Redis is watched by nobody."
    old = await service.record(RecordDecision(title="Carts in Redis", target="cart cache", rationale=why), caller)
    assert old.decision_id is not None
    new = await service.supersede(
        SupersedeDecision(
            title=_HOSTILE,
            target="cart cache",
            rationale="Redis swaps under load,\nwhatever we give it.",
            consequences=["Carts are asked for in Cypher"],
            old_decision_ids=[old.decision_id],
        ),
        caller,
    )
    other = await service.record(
        RecordDecision(title="Ship on Fridays", target="shipping day", rationale="Somebody has to."), caller
    )
    assert new.decision_id is not None
    assert other.decision_id is not None
    return [old.decision_id, new.decision_id, other.decision_id]


@pytest.mark.timeout(300)
@pytest.mark.proves("DEC-75", "DEC-86", "HIS-10")
async def test_decisions_are_listed_shown_and_asked_for(commands: Run, ids: list[str]) -> None:
    listed, oldest, shown, one, found, past, explained = await commands(
        ["decisions"],
        ["decisions", "--status", "all", "--order", "oldest", "--limit", "2", "--json"],
        ["show", "cart cache"],
        ["show", ids[0], "--json"],
        ["ask", "where", "do", "carts", "live?"],
        ["decisions", "--as-of", "2020-01-01", "--json"],
        ["why", "cart cache"],
    )
    assert "cart cache" in listed
    assert "shipping day" in listed
    assert "Carts in Redis" not in listed
    assert "\x1b" not in listed, "what somebody wrote does not steer a terminal"
    assert "[bold]in[/]" in listed, "nor is it taken for markup"
    answer = json.loads(oldest)
    assert ([each["id"] for each in answer["decisions"]], answer["total"], answer["next_offset"]) == (ids[:2], 3, 2)
    for part in ("whatever we give it.", "Carts are asked for in Cypher", "Carts in Redis", ids[0], "grace (human)"):
        assert part in shown
    [decision] = json.loads(one)["decisions"]
    assert (decision["status"], decision["replaced_by"][0]["id"]) == ("superseded", ids[1])
    assert "cart cache" in found
    assert json.loads(past)["total"] == 0
    for part in ("In force: Carts", "Earlier: Carts in Redis", "whatever we give it.", ids[0], "grace (human)"):
        assert part in explained
    assert "\x1b" not in explained


@pytest.mark.timeout(300)
@pytest.mark.proves("DEC-75")
async def test_an_empty_result_says_what_to_try(commands: Run, ids: list[str]) -> None:
    missing, invalid = await commands(["show", "cart cahce"], ["decisions", "--since", "soon"], code=1)
    assert "NOT_FOUND" in missing
    assert "cart cache" in missing
    assert "INVALID_ARGUMENT" in invalid
    nothing, elsewhere = await commands(
        ["decisions", "--target", "nothing"], ["decisions", "--namespace", "empty place of a test"]
    )
    assert "--status all" in nothing
    assert "precedent ingest decisions" in elsewhere


@pytest.mark.proves("DEC-75", "SVC-76")
@pytest.mark.parametrize("arguments", [("show", " "), ("ask", ""), ("decisions", "--limit", "101"), ("show",)])
def test_invalid_arguments_are_refused_before_anything_is_read(arguments: tuple[str, ...]) -> None:
    answer = CliRunner().invoke(cli, arguments)
    assert answer.exit_code == 2
    assert "Usage" in answer.output


@pytest.mark.proves("DEC-75", "SVC-76")
async def test_a_service_that_does_not_answer_is_reported(environment: dict[str, str]) -> None:
    with own(Home(Path(environment["PRECEDENT_HOME"])), "serve", {"http": 1}):
        answer = await _command(environment, "decisions", code=1)
    assert "does not answer" in answer
    assert "precedent status" in answer


@pytest.mark.timeout(300)
@pytest.mark.proves("HIS-15")
async def test_changes_are_listed(commands: Run, ids: list[str]) -> None:
    listed, about = await commands(
        ["changes", "--since", "today"], ["changes", "--about", ids[0], "--kind", "decision", "--json"]
    )
    for part in ("grace", "Ship on Fridays", "decision Carts in Redis"):
        assert part in listed
    assert "\x1b" not in listed
    answer = json.loads(about)
    assert [len(each["records"]) for each in answer["changes"]] == [2, 1]
    [invalid] = await commands(["changes", "--since", "soon"], code=1)
    assert "yesterday" in invalid


@pytest.mark.timeout(300)
@pytest.mark.proves("CUR-19")
async def test_an_operator_retracts_undoes_and_erases(commands: Run, ids: list[str], namespace: str, app: App) -> None:
    own = ["--namespace", namespace]
    retracted, listed = await commands(
        ["retract", ids[2], "--reason", "Nobody decided that.", *own], ["changes", "--json", "--limit", "1", *own]
    )
    assert "Nothing is in force now for 'shipping day'" in retracted
    [change] = json.loads(listed)["changes"]
    assert (change["operation"], change["reason"]) == ("retract", "Nobody decided that.")
    undone, shown, erased = await commands(
        ["undo", change["id"], *own],
        ["show", ids[2], *own],
        ["erase", ids[2], "--reason", "It was a secret.", "--yes", *own],
    )
    assert "Undone: retract" in undone
    assert "Ship on Fridays" in shown
    assert "Erased: 1 decision" in erased
    [unknown] = await commands(["show", ids[2], *own], code=1)
    assert "No decision" in unknown
