"""Ingested decisions are tied to what their texts name, and hold their targets however these are written."""

from pathlib import Path

import pytest

from ingest.decisions import ingest_decisions
from server.graph.graph import Graph
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


def _write(folder: Path, number: int, text: str, target: str, day: int = 1) -> Path:
    file = folder / f"{number:04}-record.md"
    file.write_text(
        f"---\nstatus: accepted\ndate: 2026-01-{day:02}\ntarget: {target}\n---\n"
        f"# Record {number}\n\n## Decision\n\n{text}\n"
    )
    return file


async def _mentions(cypher: Cypher, id_: str) -> list[str]:
    rows = await cypher(
        "MATCH (:Decision {namespace: $namespace, id: $id})-[:MENTIONS]->(e:Entity) "
        "RETURN e.name AS name ORDER BY name",
        id=id_,
    )
    return [row["name"] for row in rows]


@pytest.mark.proves("ING-29")
async def test_what_a_record_names_is_linked_whatever_the_order_of_files(
    graph: Graph, cypher: Cypher, namespace: str, tmp_path: Path
) -> None:
    _write(tmp_path, 1, "The Message Queue and [[Redis]] serve the cart.", "cart")
    _write(tmp_path, 2, "It uses [[redis]].\n\n## Consequences\n\n- [[Neo4j]] stays", "message queue")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert await _mentions(cypher, "p ADR 1") == ["Redis", "message queue"]
    assert await _mentions(cypher, "p ADR 2") == ["Neo4j", "Redis"]


@pytest.mark.proves("ING-7", "ING-31")
async def test_a_second_run_changes_nothing_and_a_changed_text_unlinks_what_it_no_longer_names(
    graph: Graph, cypher: Cypher, namespace: str, tmp_path: Path
) -> None:
    every = (
        "MATCH (n {namespace: $namespace}) OPTIONAL MATCH (n)-[r]->() RETURN count(r) AS links, count(DISTINCT n) AS n"
    )
    file = _write(tmp_path, 1, "It uses [[Redis]] and [[Kafka]].", "cart")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    before = await cypher(every)
    again = await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert (again.created, again.updated, again.unchanged) == (0, 0, 1)
    assert await cypher(every) == before
    file.write_text(file.read_text().replace("[[Redis]] and", "nothing but"))
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert await _mentions(cypher, "p ADR 1") == ["Kafka"]


@pytest.mark.proves("ING-39", "ING-40")
async def test_a_target_in_other_capitals_is_taken_already_and_its_entity_is_the_same(
    graph: Graph, cypher: Cypher, namespace: str, tmp_path: Path
) -> None:
    await cypher("CREATE (:Entity {namespace: $namespace, name: 'Message Queue', name_key: 'message queue'})")
    _write(tmp_path, 1, "Kafka.", "message queue", day=1)
    _write(tmp_path, 2, "NATS.", "MESSAGE  QUEUE", day=2)
    summary = await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert (summary.created, summary.bad) == (1, 1)
    assert "p ADR 1 is in force" in summary.bad_records[0].reason
    assert await cypher(
        "MATCH (d:Decision {namespace: $namespace})-[:ABOUT]->(e) "
        "RETURN d.id AS id, d.target AS target, d.active_target AS held, e.name AS about"
    ) == [{"id": "p ADR 1", "target": "message queue", "held": "message queue", "about": "Message Queue"}]


async def test_records_that_collided_before_keys_stay_in_force_and_are_told(
    graph: Graph, cypher: Cypher, namespace: str, tmp_path: Path
) -> None:
    _write(tmp_path, 1, "Kafka.", "message queue")
    file = _write(tmp_path, 2, "NATS.", "another")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    await cypher(
        "MATCH (d:Decision {namespace: $namespace, id: 'p ADR 2'})-[:FROM]->(s) "
        "SET d.target = 'Message Queue', d.target_key = 'message queue', d.active_target = 'Message Queue', "
        "s.target = 'Message Queue'"
    )
    file.write_text(file.read_text().replace("another", "Message Queue"))
    for _ in range(2):
        summary = await ingest_decisions(graph, namespace, [tmp_path], project="p", again=True)
        assert "p ADR 1 is in force" in summary.bad_records[0].reason
        held = await cypher(
            "MATCH (d:Decision {namespace: $namespace, status: 'active'}) RETURN d.active_target AS held ORDER BY held"
        )
        assert [row["held"] for row in held] == ["Message Queue", "message queue"]
