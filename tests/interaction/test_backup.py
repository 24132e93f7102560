"""The backup of what every family has stored, through the real services."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from neo4j import AsyncDriver

from ingest.backup.exporting import export_backup
from ingest.backup.importing import ImportResult, import_backup
from ingest.pipeline import NoProgress
from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.tools import listed

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ["2026-07-28"], indirect=True)]
_ARCHIVES = Path(__file__).parent / "archives"
_WHY = "Because it is the only one that holds relations natively."


def _rest(app: App, namespace: str) -> httpx2.AsyncClient:
    caller = {"name": "grace", "kind": "human", "role": "admin", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=app.http)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60)


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured answer, whatever the family's text beside it."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def _live(client: Client, rest: httpx2.AsyncClient) -> None:
    """Something in every family."""
    old = await ask(client, "record_decision", title="Use SQLite", target="database", rationale=_WHY)
    await ask(
        client, "supersede_decision", title="Use Neo4j", target="database", rationale=_WHY,
        old_decision_ids=[old["decision_id"]],
    )  # fmt: skip
    dialogues = [
        await ask(client, "store_raw_dialogue", session_id="trip", speaker="Ada", content=f"I sail to {place} in June.")
        for place in ("Madeira", "Porto")
    ]
    insight = await ask(
        client, "compress_to_l2_insight", content="Ada sails to Madeira.", source_ids=[each["id"] for each in dialogues]
    )
    await ask(client, "graph_add_node", label="Boat", name="Curlew", properties={"metre": 9.5}, vector_id=insight["id"])
    for relation in ("SAILS", "OWNS"):
        await ask(client, "graph_add_edge", source_name="Ada", target_name="Curlew", relation=relation)
    await ask(client, "graph_add_edge", source_name="Ada", target_name="Ada", relation="KNOWS")
    for content in ("Book the berth.", *(f"Item {number}." for number in range(10))):
        await ask(client, "update_working_memory", content=content)
    await ask(client, "store_episode", query="How long does it take?", reward=-0.5, reflection="Lesson: look it up.")
    for body in ("The Curlew leaks at the keel.", "[[Ada]] patched the Curlew with tar."):
        await ask(client, "save_memory", text=body, type="note", project="boats", session_id="s1")
    journal = {"agent_id": "skipper"}
    await ask(
        client, "store_conversation_message", **journal, sender="user", message_content="Reef the mainsail early."
    )
    await ask(client, "store_context", **journal, context_type="weather", context_data={"wind": "NW 6"})
    await ask(
        client, "log_correction", **journal, correction_type="note", reason="It was north.",
        original_value={"course": "south"}, corrected_value={"course": "north"}, applied_automatically=False,
    )  # fmt: skip
    memory = {"prompt": "Which anchor holds in sand?", "thought": "A plough.", "response": "The CQR holds.",
              "sessionId": "rest"}  # fmt: skip
    assert (await rest.post("/memories", json=memory)).status_code == 201
    assert (await rest.post("/sessions/summarize", json={"sessionId": "rest"})).status_code < 300


async def _answers(client: Client, rest: httpx2.AsyncClient) -> dict[str, Any]:
    """What each family answers, but for what changes from call to call."""
    answers = {
        "decisions": await ask(client, "search_decisions", query="Which database?", mode="audit"),
        "neighbours": await ask(client, "graph_query_neighbors", node_name="Curlew", depth=2),
        "insights": await ask(client, "hybrid_search", query_text="Where does she sail?"),
        "fidelity": await listed(client, "memory://l2-insights?query=sailing&fidelity_min=0.1"),
        "dialogues": await listed(client, "memory://l0-raw?session_id=trip"),
        "working": await listed(client, "memory://working-memory"),
        "stale": await listed(client, "memory://stale-memory"),
        "episodes": await listed(client, "memory://episode-memory?query=How+long&min_similarity=0.1&reward_min=-1"),
        "entries": await ask(client, "search", query="leaking keel", project="boats", type="note"),
        "conversations": await ask(client, "search_conversations", agent_id="skipper", query="reef the sail"),
        "contexts": await ask(client, "get_all_contexts", agent_id="skipper"),
        "memories": (await rest.post("/memories/query", json={"query": "anchor in sand", "sessionId": "rest"})).json(),
        "summaries": (await rest.post("/summaries/query", json={"query": "anchors"})).json(),
    }
    for each in answers.values():
        if isinstance(each, dict):
            each.pop("execution_time_ms", None)
            # How rare a word is, is counted over all namespaces: the copy itself moves scores a little.
            for hit in [*each.get("items", ()), *each.get("results", ())]:
                for name in ("score", "why"):
                    hit.pop(name, None)
    return answers


async def _bring_in(app: App, file: Path, namespace: str) -> ImportResult:
    """Imports a backup and waits until all of it can be found."""
    done = await import_backup(app.parts.graph, file, namespace, NoProgress())
    app.parts.projector.wake()
    with anyio.fail_after(60):
        while (await app.parts.projector.lag()).records:
            await anyio.sleep(0.05)
    return done


@pytest.mark.proves("ING-80")
async def test_everything_that_was_stored_answers_the_same_from_a_copy_under_another_name(
    app: App, connect: Connect, namespace: str, driver: AsyncDriver, tmp_path: Path
) -> None:
    file, copy = tmp_path / "backup.jsonl.gz", f"{namespace}-copy"
    async with connect() as client, _rest(app, namespace) as rest:
        await _live(client, rest)
        before = await _answers(client, rest)
        manifest = (await export_backup(app.parts.graph, namespace, file, NoProgress())).manifest
    if keep := os.environ.get("TEST_KEEP_ARCHIVE"):
        shutil.copy(file, keep)
    kinds = {
        "Decision", "Entity", "Boat", "Entry", "Passage", "Message", "Context", "Correction", "Dialogue", "Insight",
        "Episode", "WorkingItem", "StaleItem", "Interaction", "Summary", "Session", "Principal", "Change",
    }  # fmt: skip
    assert kinds <= set(manifest.labels)
    assert {"SUPERSEDES", "ABOUT", "SAILS", "DISTILLED_FROM", "DESCRIBED_BY", "DID", "CHANGED"} <= set(manifest.types)

    done = await _bring_in(app, file, copy)
    assert done.manifest.content == manifest.content
    async with connect(elsewhere="-copy") as client, _rest(app, copy) as rest:
        assert await _answers(client, rest) == before
        # Numbers and constraints go on: what is new is new, what is there already is known.
        edge = await ask(client, "graph_add_edge", source_name="Ada", target_name="Curlew", relation="SELLS")
        assert edge["edge_id"] > manifest.last_id
        assert edge["source_created"] is False
        again = await client.call_tool(
            "record_decision", {"title": "Use files", "target": "database", "rationale": _WHY}
        )
        assert again.is_error
    left, _, _ = await driver.execute_query("MATCH (n:Arriving|ArchiveImport) RETURN n", database_="neo4j")
    assert left == []


@pytest.mark.proves("ING-80")
@pytest.mark.parametrize("file", sorted(_ARCHIVES.glob("*.jsonl.gz")), ids=lambda file: file.name)
async def test_a_backup_of_each_earlier_schema_opens_with_everything_in_it(
    app: App, connect: Connect, namespace: str, file: Path
) -> None:
    """Each was written by the release of its schema, with `TEST_KEEP_ARCHIVE=FILE` and the test above."""
    copy = f"{namespace}-{file.name.partition('.')[0]}"
    await _bring_in(app, file, copy)
    async with connect(elsewhere=copy.removeprefix(namespace)) as client, _rest(app, copy) as rest:
        answers = await _answers(client, rest)
        assert [hit["title"] for hit in answers["decisions"]["results"]] == ["Use Neo4j", "Use SQLite"]
        assert {each["name"] for each in answers["neighbours"]["neighbors"]} >= {"Ada"}
        assert "keel" in json.dumps(answers["entries"]["items"][0])
        assert len(answers["dialogues"]) == len(("Madeira", "Porto"))
        assert all(answers.values())
        why = await ask(client, "why", of="database")
        assert [each["title"] for each in (*why["in_force"], *why["earlier"])] == ["Use Neo4j", "Use SQLite"]
