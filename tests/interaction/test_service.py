"""The service as a process: started, interrupted, killed, and what is left then."""

import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import MCPError

from benchmarks.chaos.faults import Breaking
from benchmarks.chaos.rounds import play
from server.local.neo4j import find_processes
from tests.interaction.service import Service, service
from tests.interaction.tools import ask

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]


_OLD_DRAFTS = """
CREATE (seen:Entry {namespace: 'default', id: 'seen', name: 'seen', node_id: -1})
WITH seen
UNWIND range(0, 99) AS n
CREATE (:Proposal {namespace: 'default', id: 'draft ' + n, node_id: -n - 2, name: 'Draft', title: 'Draft',
  rationale: 'Made behind the back.', target: 'aim ' + n, status: 'draft', consequences: [], supersedes: [],
  first_observed_at: datetime() - duration('PT2H')})-[:EVIDENCED_BY]->(seen)
"""
_WHAT_BECAME_OF_THEM = """
MATCH (draft:Proposal)
OPTIONAL MATCH (draft)-[:BECAME]->(decision:Decision {status: 'active'})
RETURN draft.id AS id, draft.status AS status, count(decision) AS became, head(collect(decision.id)) AS decision,
  COUNT {MATCH (:Decision {target: draft.target})} AS decisions,
  COUNT {MATCH (:Decision {target: draft.target})-[:EVIDENCED_BY]->(:Entry)} AS kept
"""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as unstarted:
        yield unstarted


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("standing")) as unstarted:
        unstarted.environment["PRECEDENT_NEO4J_PAGE_CACHE"] = "96"
        yield unstarted


def _copy_sample(folders: pytest.TempPathFactory) -> Path:
    """Copy a few of our decisions, which are embedded sooner than all."""
    sample = folders.mktemp("sample")
    for record in sorted(Path("docs/decisions").glob("000[1-5]-*.md")):
        shutil.copy(record, sample)
    return sample


@pytest.fixture
async def started(standing: Service, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """One service for the tests of this file, as each of them leaves it; with some of our decisions in its graph."""
    if standing.process is None or standing.process.poll() is not None:
        await standing.start("--sample", str(_copy_sample(tmp_path_factory)))
    return standing


@pytest.mark.proves("SVC-12", "SVC-16")
async def test_a_first_start_says_where_to_go_and_knows_our_own_decisions(started: Service) -> None:
    told = started.output.read_text()
    for place in ("/mcp", "/docs", "/browser/", "neo4j-password", "precedent.log", "mcpServers"):
        assert place in told
    assert started.home.neo4j_password.read_text().strip() not in told + started.home.log.read_text()
    async with started.client() as client:
        found = await ask(client, "search_decisions", query="who decides what is in force?")
        assert found["results"][0]["title"] == "Neo4j is the only authority"
    await started.projected()
    status = started.status()
    assert status["unprojected"] == 0
    assert (status["service"], status["healthy"]) == ("running", True)
    assert status["vectors"] == "in sync"


@pytest.mark.proves("SVC-97", "SVC-98")
async def test_the_embedding_model_changes_beside_the_running_service(started: Service) -> None:
    shard, draft = started.home.vectors / "model.json", started.home.vectors / "next"
    before = shard.read_text()
    async with started.client() as client, anyio.create_task_group() as tasks:
        done: list[subprocess.CompletedProcess[str]] = []

        async def rebuild() -> None:
            done.append(await anyio.to_thread.run_sync(started.command, "rebuild", "--precision", "float32"))

        tasks.start_soon(rebuild)
        number = 0
        while not done:
            number += 1
            await ask(client, "save_memory", text=f"Parrot number {number} lives in the aviary of the east wing.")
            found = await ask(client, "search", query=f"where is parrot number {number}?")
            assert f"Parrot number {number} " in found["items"][0]["snippet"]
        assert done[0].returncode == 0, done[0].stderr
        assert "float32" in done[0].stdout
        with anyio.fail_after(30):
            while draft.exists() or shard.read_text() == before:
                await anyio.sleep(0.05)
        await started.projected()
        found = await ask(client, "search", query="which bird is housed in the eastern part?")
        assert "aviary" in found["items"][0]["snippet"]
    assert before != shard.read_text()
    assert "HOME_IN_USE" in started.command("rebuild").stderr, "with the same model, all vectors would be deleted"


@pytest.mark.proves("SVC-100")
async def test_the_page_cache_of_neo4j_is_a_setting(started: Service) -> None:
    async with started.graph() as driver:
        shown = await driver.execute_query(
            "SHOW SETTINGS 'server.memory.pagecache.size' YIELD value", database_="neo4j"
        )
    assert shown.records[0]["value"] == "96.00MiB"


@pytest.mark.proves("SVC-11", "SVC-76")
async def test_a_home_that_is_in_use_is_told(started: Service) -> None:
    second = started.command("serve")
    assert second.returncode == 1
    assert "HOME_IN_USE" in second.stderr


@pytest.mark.proves("SVC-14")
async def test_a_dead_neo4j_is_started_again_and_tools_say_to_retry_meanwhile(started: Service) -> None:
    async with started.client() as client:
        kept = await ask(client, "graph_add_node", label="Thing", name="kept")
        started.neo4j.kill()
        result = await client.call_tool("graph_add_node", {"label": "Thing", "name": "after"})
        told = str(result.structured_content)
        assert not result.is_error or ("GRAPH_UNAVAILABLE" in told and "etry" in told)
        await started.healthy()
        again = await ask(client, "graph_add_node", label="Thing", name="kept")
        assert (again["node_id"], again["created"]) == (kept["node_id"], False)


@pytest.mark.proves("SVC-53", "SVC-58")
async def test_a_neo4j_that_hangs_is_told_too(started: Service) -> None:
    started.neo4j.suspend()
    try:
        async with httpx2.AsyncClient(timeout=60) as http:
            told = await http.get(f"{started.url}/healthcheck")
    finally:
        started.neo4j.resume()
    assert (told.status_code, told.json()["status"]) == (503, "unhealthy")
    await started.healthy()


@pytest.mark.proves("DEC-64", "SVC-62")
async def test_after_kill_9_every_acknowledged_write_is_there_and_projected(started: Service) -> None:
    acknowledged: list[str] = []
    accepted: dict[str, str] = {}
    async with started.graph() as driver:
        await driver.execute_query(_OLD_DRAFTS, database_="neo4j")

    async def write() -> None:
        async with started.client() as client:
            for number in range(10_000):
                written = await ask(
                    client,
                    "record_decision",
                    title=f"Decision {number}",
                    target=f"target {number}",
                    rationale="Written while the service is about to die.",
                )
                acknowledged.append(written["decision_id"])

    async def accept() -> None:
        async with started.client(role="admin", namespace="default") as client:
            for number in range(100):
                answer = await ask(client, "accept_proposal", proposal_id=f"draft {number}")
                accepted[f"draft {number}"] = answer["decision_id"]

    async def kill() -> None:
        while len(acknowledged) < 5 or len(accepted) < 5:
            await anyio.sleep(0.01)
        await started.end(signal.SIGKILL)

    with pytest.raises(BaseExceptionGroup):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            tasks.start_soon(accept)
            tasks.start_soon(kill)
    assert len(acknowledged) >= 5
    await started.start()
    async with started.graph() as driver:
        rows = await driver.execute_query(_WHAT_BECAME_OF_THEM, database_="neo4j")
    assert {(row["status"], row["became"], row["decisions"], row["kept"]) for row in rows.records} == {
        ("draft", 0, 0, 0),
        ("accepted", 1, 1, 1),
    }, "each is accepted whole or not at all"
    became = {row["id"]: row["decision"] for row in rows.records}
    assert accepted.items() <= became.items()
    async with started.client() as client:
        for decision_id in acknowledged:
            around = await ask(client, "graph_query_neighbors", node_name=decision_id)
            assert around["total_neighbors"] == 1
    await started.projected()


async def _damage_beyond_opening(it: Breaking) -> None:
    await it.service.end(signal.SIGKILL)
    (file,) = it.vectors.rglob("segment.json")
    file.unlink()
    await it.service.start()


@pytest.mark.proves("SVC-62", "SVC-70", "SVC-90", "SVC-91")
async def test_a_killed_service_with_damaged_vectors_loses_nothing_and_says_what_it_set_aside(started: Service) -> None:
    done = await play(
        started, "killed, vectors damaged", _damage_beyond_opening, 15, seconds=1, writes=10, verify=False
    )
    assert done.acknowledged >= 20
    assert done.verdict.holds, done.verdict
    status = started.status()
    assert status["vectors"] == "in sync"
    assert "segment" in str(status["vectors_set_aside"])
    assert '"vectors_set_aside"' in started.home.log.read_text()


@pytest.mark.proves("SVC-26")
async def test_tokens_are_made_beside_the_running_service(started: Service) -> None:
    token = started.command("token", "create", "--name", "ada", "--role", "admin", "--kind", "human").stdout.strip()
    assert token.startswith("precedent_")
    assert "ada" in started.command("token", "list").stdout
    with anyio.fail_after(60):
        while True:  # from the first token on nobody comes in without; the service notices within 5 seconds
            try:
                async with started.client() as client:
                    await client.list_tools()
            except (MCPError, BaseExceptionGroup):
                break
            await anyio.sleep(0.5)
    assert started.command("token", "revoke", "ada").returncode == 0


# Neo4j frees this space and overwrites it when it needs it; docs/how-to/correct-forget-look-back.md says so.
_FREED = ("neostore.propertystore.db", "schema/index/range-1.0", "data/transactions")
_SECRET_WORDS = ("zanzibarquokka", "plovdivnarwhal")


async def _erase_a_secret(started: Service) -> None:
    """Saves a text with a secret between two others of its session, retracts and erases it."""
    async with started.client("secrets") as client:
        texts = ("We met at noon.", f"The password is {' '.join(_SECRET_WORDS)}.", "Then we went home.")
        ids = [(await ask(client, "save_memory", text=text, session_id="s"))["id"] for text in texts]
        await ask(client, "retract", ids=[ids[1]], reason="It has a secret.")
        erased = started.command("erase", ids[1], "--reason", "It has a secret.", "--yes", "--namespace", "secrets")
        assert erased.returncode == 0, erased.stderr
        found = await ask(client, "search", query=" ".join(_SECRET_WORDS), limit=50)
        assert ids[1] not in {item["id"] for item in found["items"]}


def _find_in_files(folder: Path, word: str) -> set[str]:
    """Returns the files that contain a word, by their path in the folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)) for path in files if word.encode() in path.read_bytes()}


@pytest.mark.proves("SVC-15", "CUR-14")
async def test_an_interrupt_stops_everything_and_what_is_stored_is_consistent_without_what_was_erased(
    started: Service,
) -> None:
    await _erase_a_secret(started)
    assert await started.end(signal.SIGINT) == 0
    assert find_processes(started.home) == []
    for word in _SECRET_WORDS:
        files = _find_in_files(started.home.root, word)
        assert {file for file in files if not any(part in file for part in _FREED)} == set()
    assert started.status()["service"] == "not running"
    verified = started.command("verify")
    assert verified.returncode == 0, verified.stdout


@pytest.mark.proves("SVC-9")
async def test_a_taken_port_is_told_with_who_holds_it(made: Service) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", made.port))
        taken.listen()
        refused = made.command("serve")
    assert refused.returncode == 1
    assert "PORT_TAKEN" in refused.stderr
    assert "PRECEDENT_PORT" in refused.stderr
    assert find_processes(made.home) == []


@pytest.mark.proves("SVC-1", "SVC-76")
@pytest.mark.parametrize("name", ["PRECEDENT_PORT", "PRECEDENT_WRITE_COOLDOWN"])
async def test_a_setting_that_makes_no_sense_is_named(made: Service, name: str) -> None:
    made.environment[name] = "soon"
    refused = made.command("status")
    assert refused.returncode == 1
    assert name in refused.stderr
    assert "Traceback" not in refused.stderr
