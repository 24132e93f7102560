"""Decisions join the things that they name: a path runs through one, however it came in."""

from pathlib import Path

import pytest
from mcp import Client
from neo4j import AsyncDriver

from ingest.decisions import ingest_decisions
from server.graph.graph import Graph
from tests.interaction.conftest import Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
_CACHE = {
    "title": "Cache carts in Redis",
    "target": "Checkout",
    "rationale": "We run [[Redis]] already, and it is quick.",
}


async def _through(client: Client, start: str, end: str) -> list[tuple[str, str]]:
    """The path as pairs of label and name."""
    path = await ask(client, "graph_find_path", start_node=start, end_node=end)
    return [(node["label"], node["name"]) for node in path["path"]]


@pytest.mark.proves("DEC-25")
async def test_a_path_runs_through_a_decision_recorded_over_mcp(client: Client) -> None:
    assert (await refused(client, "graph_find_path", start_node="Checkout", end_node="Redis"))["code"] == "NOT_FOUND"
    await ask(client, "record_decision", **_CACHE)
    expected = [("Entity", "Checkout"), ("Decision", "Cache carts in Redis"), ("Entity", "Redis")]
    assert await _through(client, "Checkout", "Redis") == expected


@pytest.mark.proves("DEC-20", "DEC-25")
async def test_a_path_from_a_project_to_a_technology_runs_through_what_was_decided(client: Client) -> None:
    await ask(client, "graph_add_node", label="Project", name="Shop")
    await ask(client, "graph_add_node", label="Technology", name="Neo4j")
    await ask(
        client,
        "record_decision",
        title="Keep carts in a graph",
        target="cart storage",
        rationale="Carts are related to all else.",
        about=["shop"],
        consequences=["[[Neo4j]] has to be watched"],
    )
    assert await _through(client, "Shop", "Neo4j") == [
        ("Project", "Shop"),
        ("Decision", "Keep carts in a graph"),
        ("Technology", "Neo4j"),
    ]


@pytest.mark.proves("DEC-25", "DEC-60")
async def test_a_path_runs_through_an_accepted_proposal(client: Client, connect: Connect, driver: AsyncDriver) -> None:
    evidence = [(await ask(client, "save_memory", text=f"We saw it {number} times."))["id"] for number in range(3)]
    proposed = await ask(
        client, "propose_decision", **_CACHE, confidence=0.6, evidence_ids=evidence, requires=[], about=["Shop"]
    )
    await driver.execute_query(
        "MATCH (p:Proposal {id: $id}) SET p.first_observed_at = p.first_observed_at - duration('PT1H')",
        id=proposed["proposal_id"],
        database_="neo4j",
    )
    async with connect(role="admin", kind="human", name="barbara") as admin:
        await ask(admin, "accept_proposal", proposal_id=proposed["proposal_id"])
    around = await ask(client, "graph_query_neighbors", node_name="Redis", relation_type="MENTIONS")
    assert sorted(row["label"] for row in around["neighbors"]) == ["Decision", "Proposal"]
    around = await ask(client, "graph_query_neighbors", node_name="Shop", relation_type="ABOUT")
    assert sorted(row["label"] for row in around["neighbors"]) == ["Decision", "Proposal"]


@pytest.mark.proves("DEC-22")
async def test_an_unknown_required_decision_is_refused(client: Client) -> None:
    error = await refused(client, "record_decision", **_CACHE, requires=["decision_of_nobody"])
    assert (error["code"], error["details"]["unknown"]) == ("NOT_FOUND", ["decision_of_nobody"])
    assert (await ask(client, "search_decisions", query="carts in Redis"))["results"] == []


@pytest.mark.proves("DEC-11")
async def test_capitals_and_spaces_do_not_make_another_target(client: Client) -> None:
    first = await ask(client, "record_decision", **{**_CACHE, "target": "Message Queue"})
    error = await refused(client, "record_decision", **{**_CACHE, "target": "message  queue"})
    assert error["code"] == "CONFLICT"
    assert first["decision_id"] in error["message"]


@pytest.mark.proves("DEC-12")
async def test_a_target_written_almost_like_another_is_reported(client: Client) -> None:
    first = await ask(client, "record_decision", **{**_CACHE, "target": "message queue"})
    second = await ask(client, "record_decision", **{**_CACHE, "target": "the message queues"})
    near = {"target": "message queue", "decision_id": first["decision_id"], "title": _CACHE["title"]}
    assert (first["near_targets"], second["near_targets"]) == ([], [near])
    assert first["decision_id"] in second["message"]


@pytest.mark.proves("DEC-25")
async def test_a_path_runs_through_an_ingested_decision(
    client: Client, graph: Graph, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "0001-cache-carts.md"
    file.write_text(
        "---\nstatus: accepted\ndate: 2026-01-01\ntarget: Checkout\n---\n# Cache carts\n\n## Decision\n\n"
        "We use [[Redis]].\n\n## Consequences\n\n- [[Neo4j]] stays the authority\n"
    )
    for _ in range(2):
        await ingest_decisions(graph, namespace, [file], project="shop")
        for end in ("Redis", "Neo4j"):
            path = await _through(client, "Checkout", end)
            assert [name for _, name in path] == ["Checkout", "shop ADR 1: Cache carts", end]
