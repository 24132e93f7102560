"""How much the statements behind everyday calls read in Neo4j: a bound on their db hits, on a graph with a hub."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from neo4j import EagerResult

from ingest.triples import ingest_triples
from server.app import App
from server.core.types import QueryName, Row
from server.graph import changes
from server.graph import graph as seam
from server.graph.statements import Statement, load
from server.vectors.store import Hit
from tests.interaction.conftest import Connect
from tests.interaction.tools import ask

pytestmark = pytest.mark.anyio
_THINGS, _SPOKES, _MANY = 2_000, 1_500, 8_000
_WORDS = ["cache", "queue", "index", "broker", "ledger", "gateway", "tenant", "shard", "parser", "ticket"]


@pytest.fixture
def era() -> str:
    """The statements are the same in both eras."""
    return "2026-07-28"


@pytest.fixture
async def client(connect: Connect) -> AsyncIterator[Client]:
    async with connect(role="admin") as opened:
        yield opened


@pytest.fixture
def hits(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Profiles each statement of a call from now on; has their db hits. Work in the background does not count."""
    counted: dict[str, int] = {}
    rows = seam._rows

    def load_profiled(name: QueryName) -> Statement:
        statement = load(name)
        if changes._current.get() is None:
            return statement
        return replace(statement, query="PROFILE " + statement.query)

    def count(answer: EagerResult) -> list[Row]:
        profile, query = answer.summary.profile, answer.summary.query
        if profile is not None and query is not None:
            name = query.splitlines()[0].removeprefix("PROFILE // ")
            counted[name] = counted.get(name, 0) + _count_hits(profile)
        return rows(answer)

    monkeypatch.setattr(seam, "load", load_profiled)
    monkeypatch.setattr(seam, "_rows", count)
    return counted


def _count_hits(plan: dict[str, Any]) -> int:
    return int(plan["args"].get("DbHits", 0)) + sum(map(_count_hits, plan.get("children", ())))


async def _fill(app: App, client: Client, namespace: str, folder: Path) -> None:
    """2,000 things, one of them with 1,500 relations; a hub of 8,000 and an island; 30 memories and 12 decisions."""
    file = folder / "relations.jsonl"
    pairs = [("Hub Zero", f"Thing {number:04}", "USES") for number in range(_SPOKES)]
    pairs += [("Hub One", f"Spoke {number}", "HAS") for number in range(_MANY)] + [("Island", "Boat", "HAS")]
    pairs += [(f"Thing {number:04}", f"Thing {(number * 7 + 1) % _THINGS:04}", "PART_OF") for number in range(_THINGS)]
    file.write_text("\n".join(json.dumps({"head": a, "relation": r, "tail": b}) for a, b, r in pairs))
    assert (await ingest_triples(app.parts.graph, namespace, file)).created
    for number in range(30):
        text = f"The {_WORDS[number % 10]} of Thing {number:04} feeds the {_WORDS[number % 7]} of team {number}."
        await ask(client, "save_memory", text=text)
    for number in range(12):
        named = {"target": f"{_WORDS[number % 10]} {number}", "title": f"Use {_WORDS[number % 9]} {number}"}
        await ask(client, "record_decision", **named, rationale=f"Thing {number:04} needs the {_WORDS[number % 8]}.")


_LONG = " ".join(f"The {_WORDS[number % 10]} of part {number} met Thing {number:04} there." for number in range(100))
_CALLS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("search", {"query": "which queue feeds the ledger of team 7?"}, 1500),
    ("search_decisions", {"query": "why do we use the broker?"}, 1300),
    ("graph_query_neighbors", {"node_name": "Hub Zero", "limit": 50}, 16000),
    ("graph_query_neighbors", {"node_name": "Hub One", "limit": 50}, 35000),
    ("graph_query_neighbors", {"node_name": "Thing 0003"}, 250),
    ("graph_find_path", {"start_node": "Thing 0003", "end_node": "Thing 1900"}, 150),
    ("graph_find_path", {"start_node": "Hub Zero", "end_node": "Thing 1999"}, 100),
    ("graph_find_path", {"start_node": "Spoke 17", "end_node": "Spoke 4000"}, 100),
    ("graph_find_path", {"start_node": "Hub One", "end_node": "Island"}, 100),
    ("graph_add_edge", {"source_name": "Hub Zero", "target_name": "Thing 1999", "relation": "USES"}, 80),
    ("graph_add_edge", {"source_name": "Thing 0001", "target_name": "A new thing", "relation": "USES"}, 130),
    ("save_memory", {"text": "The gateway of Thing 0042 was replaced by the shard of team 7."}, 200),
    ("save_memory", {"text": _LONG}, 4500),
)
"""Calls with the most db hits that all their statements may have together."""


@pytest.mark.proves("SVC-95", "ENT-76")
async def test_everyday_calls_read_no_more_of_the_graph_than_they_need(
    app: App, client: Client, namespace: str, tmp_path: Path, hits: dict[str, int]
) -> None:
    await _fill(app, client, namespace, tmp_path)
    over = {}
    for tool, arguments, most in _CALLS:
        hits.clear()
        await ask(client, tool, **arguments)
        # None at all would mean that nothing was profiled.
        if not 0 < sum(hits.values()) <= most:
            over[tool, str(arguments)[:60]] = (most, dict(hits))
    assert over == {}


@pytest.mark.proves("SVC-101")
async def test_a_search_compares_all_vectors_as_few_times_as_it_can(
    app: App, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        await ask(client, "save_memory", text=f"The {_WORDS[number]} feeds the {_WORDS[number + 1]} of team {number}.")
    scans: list[dict[str, Any]] = []
    search = app.parts.vectors.search

    async def count(*arguments: Any, **options: Any) -> list[Hit]:
        if options.get("records") is None and options.get("ids") is None:
            scans.append(options)
        return await search(*arguments, **options)

    monkeypatch.setattr(app.parts.vectors, "search", count)
    found = await ask(client, "search", query="which queue feeds the ledger of team 1?")
    assert (found["total"], len(scans)) == (5, 2)
    scans.clear()
    await ask(client, "search_decisions", query="which queue feeds the ledger?")
    assert len(scans) == 1
