"""A run killed in its middle, then run again, gives the graph of one clean run."""

import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path

import anyio
import pytest
from neo4j import AsyncDriver

from ingest.decisions import ingest_decisions
from ingest.docs import ingest_docs
from ingest.triples import ingest_triples
from server.graph.graph import Graph
from tests.ingest.documents import list_documents
from tests.ingest.dump import dump, ids

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
DATA = Path(__file__).parents[3] / "shared/data"
PEPS, CODEX = DATA / "peps-0001-0499.tar.gz", DATA / "codex-s.tsv.gz"
_TRIPLES = 9_000
absent = pytest.mark.skipif(not (PEPS.exists() and CODEX.exists()), reason="shared/data is not beside this repository")


Process = subprocess.Popen[bytes]
Start = Callable[..., AbstractContextManager[Process]]


@pytest.fixture
def ingesting(neo4j: tuple[str, str, str], namespace: str, tmp_path: Path) -> Start:
    """Starts a real `precedent ingest` process on the Neo4j of the test run; the end of the block ends it anyhow."""
    uri, user, password = neo4j
    settings = {
        "NEO4J_URI": uri,
        "NEO4J_USERNAME": user,
        "NEO4J_PASSWORD": password,
        "PRECEDENT_HOME": str(tmp_path),
        "PRECEDENT_NAMESPACE": namespace,
    }

    @contextmanager
    def start(*arguments: str) -> Iterator[Process]:
        running = subprocess.Popen(
            [sys.executable, "-c", "from cli.ingest_commands import app; app()", *arguments],
            env=os.environ | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield running
        finally:
            running.kill()
            running.wait()

    return start


async def count(driver: AsyncDriver, text: str, namespace: str) -> int:
    found = await driver.execute_query(text, namespace=namespace, database_="neo4j")
    return int(found.records[0][0])


async def killed_once(driver: AsyncDriver, running: Process, namespace: str, text: str) -> None:
    """Kills the process with -9 as soon as the query says more than 0, and makes sure it died by that."""
    with anyio.fail_after(120):
        while await count(driver, text, namespace) == 0:
            assert running.poll() is None, "it ended before it could be killed"
            await anyio.sleep(0.002)
    running.send_signal(signal.SIGKILL)
    assert await anyio.to_thread.run_sync(running.wait) == -signal.SIGKILL


@absent
@pytest.mark.proves("ING-9", "ING-56")
@pytest.mark.long
async def test_triples_killed_between_chunks_go_on_to_the_graph_of_one_clean_run(
    graph: Graph, driver: AsyncDriver, ingesting: Start, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "part.tsv"
    with gzip.open(CODEX, "rt", encoding="utf-8") as lines:
        file.write_text("".join(islice(lines, _TRIPLES)), encoding="utf-8")
    written = "MATCH (s:Source {namespace: $namespace}) RETURN sum(size(s.chunks))"
    with ingesting("triples", str(file)) as running:
        await killed_once(driver, running, namespace, written)
    open_files = "MATCH (s:Source {namespace: $namespace, state: 'reading'}) RETURN count(s)"
    assert await count(driver, open_files, namespace) == 1
    summary = await ingest_triples(graph, namespace, file)
    assert summary.unchanged > 0
    assert summary.created > 0
    assert summary.unchanged + summary.created == _TRIPLES

    clean = f"{namespace}-clean"
    await ingest_triples(graph, clean, file)
    assert await dump(driver, namespace) == await dump(driver, clean)
    numbers = await ids(driver, namespace)
    assert len(numbers) == len(set(numbers))


_WRITTEN = "MATCH (s:Source {namespace: $namespace, kind: 'decision'}) RETURN count(s)"
_LINKED = "MATCH (s:Source {namespace: $namespace, kind: 'decision', state: 'done'}) RETURN count(s)"


@absent
@pytest.mark.proves("ING-9")
@pytest.mark.long
async def test_decisions_killed_in_the_middle_go_on_to_the_graph_of_one_clean_run(
    graph: Graph, driver: AsyncDriver, ingesting: Start, namespace: str
) -> None:
    with ingesting("decisions", str(PEPS)) as running:
        await killed_once(driver, running, namespace, _WRITTEN)
    assert await count(driver, _LINKED, namespace) < 318, "it was killed while records were written"
    with ingesting("decisions", str(PEPS)) as running:
        await killed_once(driver, running, namespace, _LINKED)
    assert await count(driver, _LINKED, namespace) < 318, "it was killed while links were drawn"
    assert (await ingest_decisions(graph, namespace, [PEPS])).bad == 0
    assert await count(driver, _LINKED, namespace) == 318

    clean = f"{namespace}-clean"
    await ingest_decisions(graph, clean, [PEPS])
    assert await dump(driver, namespace) == await dump(driver, clean)


@pytest.mark.proves("ING-9")
async def test_documents_killed_in_the_middle_go_on_to_the_graph_of_one_clean_run(
    graph: Graph, driver: AsyncDriver, ingesting: Start, namespace: str, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(120):
        text = f"It goes on after [[part {number // 2}]]. " * (number % 20)
        (folder / f"{number:03}.md").write_text(f"# Part {number}\n\nThis is part {number}.\n\n{text}\n")
    with ingesting("docs", str(folder), "--project", "shop") as running:
        await killed_once(driver, running, namespace, "MATCH (e:Entry {namespace: $namespace}) RETURN count(e)")
    summary = await ingest_docs(graph, namespace, [folder], project="shop")
    assert summary.unchanged > 0
    assert summary.created > 0
    assert summary.unchanged + summary.created == 120

    clean = f"{namespace}-clean"
    await ingest_docs(graph, clean, [folder], project="shop")
    assert await list_documents(driver, namespace) == await list_documents(driver, clean)
    assert len(set(await ids(driver, namespace))) == 120 + 60
