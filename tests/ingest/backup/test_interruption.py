"""An import killed in its middle, then run again, gives the graph of the backup."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from neo4j import AsyncDriver
from typer.testing import CliRunner, Result

from cli.main import app
from ingest.backup.importing import _Import
from server.core.errors import Conflict
from server.graph.graph import Graph
from tests.ingest.backup.snapshot import cypher, exported, imported

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
Environment = dict[str, str]


@pytest.fixture
def environment(neo4j: tuple[str, str, str], tmp_path: Path) -> Environment:
    uri, user, password = neo4j
    return {"NEO4J_URI": uri, "NEO4J_USERNAME": user, "NEO4J_PASSWORD": password, "PRECEDENT_HOME": str(tmp_path)}


@pytest.mark.proves("ING-74", "ING-76")
@pytest.mark.long
async def test_an_import_that_was_killed_is_completed_by_the_same_one(
    graph: Graph, driver: AsyncDriver, environment: Environment, namespace: str, tmp_path: Path
) -> None:
    made = (
        "UNWIND range(1, 1500) AS id CREATE (:Thing {namespace: $n, uid: id})-[:R {id: id}]->"
        "(:Passage {namespace: $n, id: toString(id), uid: -id, name: 'hello', text: 'hello', revision: 1})"
    )
    await cypher(driver, made, n=namespace)
    file, copy = tmp_path / "a.jsonl", f"{namespace}-copy"
    original = await exported(graph, namespace, file)
    command = [sys.executable, "-m", "cli", "import", str(file), "--namespace", copy]
    with subprocess.Popen(command, env=os.environ | environment, stderr=subprocess.DEVNULL) as running:
        with anyio.fail_after(120):
            while await cypher(driver, "MATCH (n:Arriving {namespace: $n}) RETURN count(n) > 0", n=copy) != [[True]]:
                assert running.poll() is None, "it ended before it could be killed"
                await anyio.sleep(0.002)
        running.send_signal(signal.SIGKILL)
        assert await to_thread.run_sync(running.wait) == -signal.SIGKILL
    marks = "MATCH (n:ArchiveImport|Sequence {namespace: $n}) RETURN labels(n)[0], n.state ORDER BY labels(n)[0]"
    assert await cypher(driver, marks, n=copy) == [["ArchiveImport", "loading"], ["Sequence", None]]

    done = await imported(graph, file, copy)
    assert (done.queued, done.resumed) == (1500, False)
    assert await cypher(driver, "MATCH (n:Arriving|ArchiveImport) RETURN n.namespace") == []
    assert (await exported(graph, copy, file)).manifest.content == original.manifest.content
    queued = "MATCH (n:Passage {namespace: $n}) RETURN count(n), count(CASE WHEN n:Unprojected THEN 1 END)"
    assert await cypher(driver, queued, n=copy) == [[1500, 1500]]
    await cypher(driver, "MATCH (n:Passage {namespace: $n}) DETACH DELETE n", n=copy)


@pytest.mark.proves("ING-68", "ING-76")
async def test_an_import_that_died_just_before_its_end_is_ended_by_the_same_one_alone(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other, copy = tmp_path / "a.jsonl", tmp_path / "b.jsonl", f"{namespace}-copy"
    await cypher(driver, "CREATE (:Thing {namespace: $n, uid: 1})", n=namespace)
    original = await exported(graph, namespace, file)
    await cypher(driver, "CREATE (:Thing {namespace: $n, uid: 2})", n=namespace)
    await exported(graph, namespace, other)

    async def die(load: _Import) -> int:
        raise ConnectionError

    with monkeypatch.context() as patched, pytest.raises(ConnectionError):
        patched.setattr(_Import, "end", die)
        await imported(graph, file, copy)
    with pytest.raises(Conflict, match="import that one again"):
        await imported(graph, other, copy)
    with pytest.raises(Conflict, match="unfinished import"):
        await exported(graph, copy, tmp_path / "c.jsonl")
    assert (await imported(graph, file, copy)).resumed
    assert await cypher(driver, "MATCH (n:Arriving|ArchiveImport) RETURN n.namespace") == []
    assert (await exported(graph, copy, file)).manifest.content == original.manifest.content


@pytest.mark.proves("ING-70", "ING-71")
async def test_the_commands_print_the_same_hash_and_refuse_in_one_sentence(
    driver: AsyncDriver, environment: Environment, namespace: str, tmp_path: Path
) -> None:
    async def run(*arguments: str) -> Result:
        return await to_thread.run_sync(lambda: CliRunner().invoke(app, list(arguments), env=environment))

    def content(result: Result) -> str:
        assert result.exit_code == 0, result.output
        return result.stdout.splitlines()[-1]

    await cypher(driver, "CREATE (:Thing {namespace: $n, uid: 1})", n=namespace)
    file = str(tmp_path / "a.jsonl.gz")
    before = content(await run("export", file, "--namespace", namespace))
    assert before == content(await run("import", file, "--namespace", f"{namespace}-copy"))
    assert len(before) == len("content ") + 64
    refused = await run("import", file)
    assert (refused.exit_code, type(refused.exception)) == (1, Conflict)
    assert (await run("import", str(tmp_path / "none"))).exit_code == 2
