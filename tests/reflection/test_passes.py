"""Passes as they are started: by the command and by the service."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from anyio import fail_after, to_thread
from typer.testing import CliRunner, Result

from cli.main import app
from server.reflection.models import DraftChange, ReflectionReport
from server.reflection.service import ReflectionService
from tests.conftest import Cypher
from tests.reflection.conftest import NOW, Store

pytestmark = pytest.mark.anyio


@pytest.fixture
def environment(neo4j: tuple[str, str, str], namespace: str, tmp_path: Path) -> dict[str, str]:
    uri, user, password = neo4j
    return {
        "NEO4J_URI": uri,
        "NEO4J_USERNAME": user,
        "NEO4J_PASSWORD": password,
        "PRECEDENT_HOME": str(tmp_path / "home"),
        "PRECEDENT_NAMESPACE": namespace,
    }


async def _run(environment: dict[str, str], *arguments: str) -> Result:
    return await to_thread.run_sync(lambda: CliRunner().invoke(app, ["reflect", *arguments], env=environment))


@pytest.mark.proves("REF-13")
async def test_the_command_reports_what_it_did(environment: dict[str, str], errors: Store, cypher: Cypher) -> None:
    # The command reflects at the present time.
    await errors("Redis", 4, ago=NOW - datetime.now(UTC), name="It failed\x1b[2J.")
    dry = await _run(environment, "--dry-run", "--json")
    assert (dry.exit_code, json.loads(dry.stdout)["created"]) == (0, 1), dry.output
    result = await _run(environment)
    assert result.exit_code == 0, result.output
    assert "created  Change what keeps failing about Redis (confidence 0.80, 4 for, 0 against)" in result.stdout
    assert "\x1b" not in result.stdout
    [draft] = await cypher("MATCH (p:Proposal {namespace: $namespace}) RETURN p:Reindex AS waits, p.status AS status")
    assert draft == {"waits": False, "status": "draft"}
    assert json.loads((await _run(environment, "--json")).stdout)["created"] == 0


@pytest.mark.proves("REF-19")
@pytest.mark.long
async def test_the_service_reflects_where_the_last_pass_is_long_ago(
    errors: Store, reflection: ReflectionService, namespace: str, cypher: Cypher
) -> None:
    await errors("Redis", 3, ago=NOW - datetime.now(UTC))
    await cypher("MERGE (s:Sequence {namespace: $namespace}) ON CREATE SET s.value = 10000000")

    async def round_(every: timedelta) -> list[int]:
        return [each.created for each in await reflection.reflect_where_due(every) if each.namespace == namespace]

    day = timedelta(days=1)
    assert await round_(day) == [1]
    assert await round_(day) == []
    assert await round_(-day) == [0]
    await cypher(
        "MATCH (s:Reflection {namespace: $namespace}) SET s.owner = 'x', s.claimed_until = datetime() + duration('P1D')"
    )
    assert await round_(-day) == []


@pytest.mark.proves("REF-19")
async def test_an_interval_of_zero_turns_it_off(reflection: ReflectionService) -> None:
    with fail_after(5):
        await reflection.run(timedelta())


@pytest.mark.proves("REF-13")
def test_a_report_counts_all_and_lists_a_hundred() -> None:
    report, page = ReflectionReport("n"), ReflectionReport("n")
    for _ in range(150):
        page.add(DraftChange("created", "t", "change", "T", 0.5, 3, 0, ready=False))
    report.extend(page)
    report.extend(page)
    assert (report.created, len(report.changes)) == (300, 100)
