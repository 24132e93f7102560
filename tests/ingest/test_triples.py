"""`ingest.triples` on a real Neo4j."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from ingest.pipeline import IngestSummary
from ingest.records import BadRecord, Triple
from ingest.triples import FEWEST, MOST, ingest_triples, split_chunks
from server.core.principals import Principal, Role
from server.entities.models import AddEdge
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.ingest.dump import dump, ids

pytestmark = pytest.mark.anyio
CODEX = Path(__file__).parents[3] / "shared/data/codex-s.tsv.gz"


def counts(summary: IngestSummary) -> tuple[int, int, int, int]:
    return summary.created, summary.updated, summary.unchanged, summary.bad


def rows(count: int, seed: int = 1) -> list[str]:
    chosen = random.Random(seed)
    return [f"e{chosen.randrange(500)}\tR{chosen.randrange(5)}\tx{number}\n" for number in range(count)]


_TRIPLES: list[dict[str, Any]] = [
    {"head": "Ada", "relation": "WROTE", "tail": "Notes", "weight": 0.5, "head_label": "Person", "tail_label": "Text",
     "properties": {"year": 1843, "of": {"deep": [1, None]}}},
    {"head": "Ada", "relation": "WROTE", "tail": "Notes", "properties": {"year": 1842}},
    {"head": "Ada", "relation": "KNOWS", "tail": "Ada", "head_label": "Late"},
    {"head": "Decision", "relation": "SUPERSEDES", "tail": "`b`", "head_label": "Decision", "tail_label": "`L`",
     "properties": {"edge_id": 7, "": True, "relation": "mine"}},
    {"head": "Notes", "relation": "a`b\u2028", "tail": "\t\U0001f600", "weight": 0},
]  # fmt: skip


@pytest.mark.proves("ING-53")
async def test_a_file_writes_what_graph_add_edge_would_have_written(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, _TRIPLES)))
    assert counts(await ingest_triples(graph, namespace, file)) == (4, 1, 0, 0)

    names = {"head": "source_name", "tail": "target_name", "head_label": "source_label", "tail_label": "target_label"}
    caller = Principal("ada", "human", Role.ADMIN, f"{namespace}-tool")
    service = EntityService(graph, IdSequence(graph))
    for triple in _TRIPLES:
        request = AddEdge.parse({names.get(name, name): value for name, value in triple.items()})
        await service.add_edge(request, caller)

    written, expected = (
        await dump(driver, namespace, history=False),
        await dump(driver, caller.namespace, history=False),
    )
    written["nodes"] = [node for node in written["nodes"] if not node.startswith("(['Source']")]
    assert written == expected
    numbers = await ids(driver, namespace)
    assert len(numbers) == len(set(numbers)) == 5 + 4


@pytest.mark.proves("ING-7")
async def test_a_second_run_changes_nothing_and_leaves_no_trace(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\nnot a triple\nb\tR\tc\n")
    assert counts(await ingest_triples(graph, namespace, file)) == (2, 0, 0, 1)
    everything = (
        "MATCH (n {namespace: $n}) OPTIONAL MATCH (n)-[r]->() "
        "RETURN properties(n) AS node, properties(r) AS edge ORDER BY elementId(n), elementId(r)"
    )
    before = await driver.execute_query(everything, n=namespace)
    second = await ingest_triples(graph, namespace, file)
    assert counts(second) == (0, 0, 2, 1)  # what is bad is reported again
    after = await driver.execute_query(everything, n=namespace)
    assert [record.data() for record in after.records] == [record.data() for record in before.records]


@pytest.mark.proves("ING-11")
async def test_a_run_that_writes_is_in_the_audit_trail(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\n")
    for _ in range(2):
        await ingest_triples(graph, namespace, file)
    found = await driver.execute_query(
        "MATCH (who:Principal {namespace: $n})-[:DID]->(change)-[:CHANGED]->(run:IngestRun) "
        "RETURN who.name AS who, change.name AS what, run.kind AS kind, run.state AS state, run.created AS created",
        n=namespace,
    )
    assert [record.data() for record in found.records] == [
        {"who": "ingest", "what": "ingest triples", "kind": "triples", "state": "done", "created": 1}
    ]


@pytest.mark.proves("ING-56")
async def test_a_changed_file_writes_the_chunks_that_changed_and_no_others(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file, lines = tmp_path / "a.tsv", rows(18_000)
    file.write_text("".join(lines))
    assert counts(await ingest_triples(graph, namespace, file)) == (18_000, 0, 0, 0)
    lines.insert(17_500, "new\tR\trow\t0.25\n")
    file.write_text("".join(lines))
    summary = await ingest_triples(graph, namespace, file)
    assert summary.created == 1
    assert summary.updated <= MOST
    assert summary.unchanged >= 18_000 - MOST > 0
    assert summary.entities_created == 2
    assert counts(await ingest_triples(graph, namespace, file)) == (0, 0, 18_001, 0)


@pytest.mark.proves("ING-6")
async def test_a_dry_run_reports_what_a_run_then_does_and_writes_nothing(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\n")
    await ingest_triples(graph, namespace, file)
    file.write_text("a\tR\tb\nb\tR\tc\nb\tS\tc\nbad\n")
    before = await dump(driver, namespace)
    dry = await ingest_triples(graph, namespace, file, dry_run=True)
    assert await dump(driver, namespace) == before
    done = await ingest_triples(graph, namespace, file)
    assert counts(dry) == counts(done) == (2, 1, 0, 1)
    assert dry.entities_created == done.entities_created == 1


@pytest.mark.proves("ING-8")
async def test_again_writes_back_what_was_lost_in_the_graph(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("a\tR\tb\nb\tR\tc\n")
    await ingest_triples(graph, namespace, file)
    await driver.execute_query("MATCH (:Entity {namespace: $n, name: 'a'})-[r]->() DELETE r", n=namespace)
    assert counts(await ingest_triples(graph, namespace, file)) == (0, 0, 2, 0)
    assert counts(await ingest_triples(graph, namespace, file, again=True)) == (1, 1, 0, 0)


@pytest.mark.proves("ING-57")
async def test_what_an_agent_wrote_between_two_runs_stays(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    file, caller = tmp_path / "a.tsv", Principal("bot", "agent", Role.AGENT, namespace)
    file.write_text("a\tR\tb\t0.5\n")
    await ingest_triples(graph, namespace, file)
    request = AddEdge(source_name="a", target_name="b", relation="R", weight=0.75, properties={"seen": True})
    await EntityService(graph, IdSequence(graph)).add_edge(request, caller)
    before = await dump(driver, namespace)
    await ingest_triples(graph, namespace, file)
    assert await dump(driver, namespace) == before


@pytest.mark.skipif(not CODEX.exists(), reason="shared/data/codex-s.tsv.gz is not beside this repository")
async def test_codex_s_is_written_whole_and_only_once(graph: Graph, driver: AsyncDriver, namespace: str) -> None:
    first = await ingest_triples(graph, namespace, CODEX)
    assert counts(first) == (36_543, 0, 0, 0)
    assert first.entities_created == 2_034
    row = await driver.execute_query(
        "MATCH (n:Entity {namespace: $n}) OPTIONAL MATCH (n)-[r]-(other) "
        "WITH n, count(r) AS degree, count(DISTINCT other) AS neighbours "
        "RETURN count(n) AS nodes, sum(degree) / 2 AS edges, max(neighbours) AS hub",
        n=namespace,
        database_="neo4j",
    )
    assert row.records[0].data() == {"nodes": 2_034, "edges": 36_543, "hub": 942}
    assert counts(await ingest_triples(graph, namespace, CODEX)) == (0, 0, 36_543, 0)


@pytest.mark.parametrize("content", [None, "", "\n\n"])
async def test_an_absent_file_is_set_aside_and_an_empty_one_is_fine(
    graph: Graph, namespace: str, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "a.tsv"
    if content is not None:
        file.write_text(content)
    assert counts(await ingest_triples(graph, namespace, file)) == (0, 0, 0, 1 if content is None else 0)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 60_000), st.integers(0, 3), st.integers(0, 1_000))
@pytest.mark.proves("ING-56")
def test_chunks_hold_every_record_in_order_and_bounded(count: int, bad_every: int, seed: int) -> None:
    chosen = random.Random(seed)
    records: list[Triple | BadRecord] = [
        BadRecord("f", number, "bad")
        if bad_every and chosen.random() < bad_every / 10
        else Triple(f"{number}", "R", "x", line=number)
        for number in range(min(count, 30_000))
    ]
    chunks = list(split_chunks(records, "f"))
    good = [row["source"] for chunk in chunks for row in chunk.rows.relations["R"]]
    bad = [record.line for chunk in chunks for record in chunk.bad]
    assert good == [record.head for record in records if isinstance(record, Triple)]
    assert bad == [record.line for record in records if isinstance(record, BadRecord)]
    assert all(chunk.rows.count <= MOST and len(chunk.bad) <= MOST for chunk in chunks)
    assert len([chunk for chunk in chunks if chunk.rows.count < FEWEST]) <= 1


@pytest.mark.proves("ING-56")
def test_a_row_added_in_front_changes_few_chunks() -> None:
    triples = [Triple(f"{number}", "R", "x") for number in range(60_000)]
    before = {chunk.digest for chunk in split_chunks(triples, "f")}
    after = {chunk.digest for chunk in split_chunks([Triple("new", "R", "x"), *triples], "f")}
    assert len(before) >= 4
    assert len(after - before) <= 2
