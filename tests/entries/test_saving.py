"""Saving an entry: what is stored, and in which order. Source: MEM-1, MEM-4, MEM-8."""

import re
from datetime import UTC, datetime
from functools import partial
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.graph.graph import connect
from server.graph.sequence import IdSequence
from server.vectors.projector import Projector
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make

pytestmark = pytest.mark.anyio
slow = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


async def _read(agent: Agent, id_: str) -> dict[str, Any]:
    [item] = await agent.items("get_entries", ids=[id_])
    return item


@pytest.mark.proves("MEM-1", "MEM-2", "MEM-38")
async def test_an_entry_comes_back_as_it_was_saved(agent: Agent) -> None:
    before = datetime.now(UTC)
    saved = await agent.ask(
        "save_memory",
        text="Ada chose Neo4j.\n\nIt is the authority.",
        title="Choice of a graph",
        project="precedent",
        type="decision",
        source_ref="talk/7",
        metadata={"n": 1, "nested": {"list": [1, 2.5, None, "é"]}},
        session_id="monday",
    )
    assert set(saved) == {"status", "id", "created_at", "searchable"}
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", saved["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", saved["created_at"])
    assert abs((datetime.fromisoformat(saved["created_at"]) - before).total_seconds()) < 60
    assert await _read(agent, saved["id"]) == {
        "id": saved["id"],
        "title": "Choice of a graph",
        "body": "Ada chose Neo4j.\n\nIt is the authority.",
        "entry_type": "decision",
        "project": "precedent",
        "session_id": "monday",
        "source_ref": "talk/7",
        "metadata": {"n": 1, "nested": {"list": [1, 2.5, None, "é"]}},
        "created_at": saved["created_at"],
        "status": "active",
        "superseded_by": None,
    }


@pytest.mark.proves("MEM-1", "MEM-4")
async def test_omitted_arguments_have_their_defaults(agent: Agent) -> None:
    entry = await _read(agent, await agent.save("  Only a text.\n", project=" ", type="", title=" ", source_ref="\t"))
    assert entry["body"] == "Only a text."
    assert entry["title"] == "Only a text."
    assert (entry["project"], entry["entry_type"]) == ("home", "note")
    assert (entry["source_ref"], entry["session_id"], entry["metadata"]) == (None, None, {})


@pytest.mark.proves("MEM-4", "MEM-5")
async def test_a_long_title_is_cut_and_so_are_project_and_type(modern: Agent) -> None:
    entry = await _read(modern, await modern.save("y" * 500, title="t" * 200, project="p" * 100, type="q" * 100))
    assert (entry["title"], entry["project"], entry["entry_type"]) == ("t" * 120, "p" * 64, "q" * 64)
    assert (await _read(modern, await modern.save("y" * 501)))["title"] == "y" * 120
    assert await modern.found("t" * 120, project="p" * 100, type="q" * 100) == [entry["id"]]


@pytest.mark.proves("MEM-1", "MEM-6")
@slow
@given(said=text.filter(str.strip), metadata=st.dictionaries(text, json_values, max_size=4))
async def test_any_text_and_any_json_object_come_back_exactly(
    modern: Agent, said: str, metadata: dict[str, Any]
) -> None:
    entry = await _read(modern, await modern.save(said, metadata=metadata, allow_duplicate=True))
    assert entry["body"] == said.strip()
    assert repr(entry["metadata"]) == repr(metadata)


@pytest.mark.proves("MEM-10")
async def test_unknown_fields_are_ignored(agent: Agent) -> None:
    entry = await _read(agent, await agent.save("text", colour="red", id="mine", namespace="theirs"))
    assert entry["body"] == "text"
    assert entry["id"] != "mine"


@pytest.mark.proves("MEM-8")
async def test_an_entry_is_in_its_project_and_session_and_after_the_one_before_it(
    modern: Agent, cypher: Cypher
) -> None:
    ids = [await modern.save(f"turn {number}", project="p", session_id="s") for number in range(3)]
    await modern.save("of another project", project="q", session_id="s")
    [row] = await cypher(
        "MATCH (s:Session {namespace: $namespace, id: 's'})<-[:IN]-(e:Entry)-[:IN]->(p:EntryProject {name: 'p'}) "
        "WITH e ORDER BY e.created_at WITH collect(e) AS all "
        "MATCH path = (first)-[:NEXT*]->(last) WHERE first = all[0] AND NOT EXISTS { (last)-[:NEXT]->() } "
        "RETURN [e IN all | e.id] AS members, [e IN nodes(path) | e.id] AS chain, [e IN all | e.name] AS names"
    )
    assert row == {"members": ids, "chain": ids, "names": ["turn 0", "turn 1", "turn 2"]}


@pytest.mark.proves("MEM-8")
async def test_writers_of_one_session_make_one_order(modern: Agent, cypher: Cypher) -> None:
    """Sixteen at once: no entry is lost, none has two successors, and time goes the way that the session goes."""

    async def write(number: int) -> None:
        await modern.save(f"writer {number} said something", session_id="race")

    async with anyio.create_task_group() as tasks:
        for number in range(16):
            tasks.start_soon(write, number)
    rows = await cypher(
        "MATCH (first:Entry {namespace: $namespace, session_id: 'race'}) WHERE NOT EXISTS { (first)<-[:NEXT]-() } "
        "MATCH path = (first)-[:NEXT*15]->(last) "
        "RETURN [e IN nodes(path) | e.created_at.epochMillis] AS times, [e IN nodes(path) | e.place] AS places"
    )
    [row] = rows
    assert row["places"] == list(range(16))
    assert row["times"] == sorted(set(row["times"]))


@pytest.mark.proves("MEM-8")
async def test_writers_in_two_processes_make_one_order(
    make: Make, modern: Agent, neo4j: tuple[str, str, str], cypher: Cypher
) -> None:
    async with (
        connect(*neo4j) as other,
        modern.at(make(graph=other, sequence=IdSequence(other))).connected() as elsewhere,
        anyio.create_task_group() as tasks,
    ):
        for number in range(8):
            tasks.start_soon(partial(modern.save, f"here {number}", session_id="both"))
            tasks.start_soon(partial(elsewhere.save, f"there {number}", session_id="both"))
    [row] = await cypher(
        "MATCH path = (:Entry {namespace: $namespace, session_id: 'both'})-[:NEXT*15]->() "
        "RETURN [e IN nodes(path) | e.place] AS places"
    )
    assert row["places"] == list(range(16))


@pytest.mark.proves("MEM-9")
async def test_a_save_waits_until_it_can_be_found_by_meaning(make: Make, modern: Agent, projector: Projector) -> None:
    async with anyio.create_task_group() as tasks, modern.at(make(wait=30)).connected() as patient:
        tasks.start_soon(projector.run)
        with anyio.fail_after(120):
            while not projector.following:
                await anyio.sleep(0.01)
        saved = await patient.ask("save_memory", text="The cat sat on the mat. " * 40)
        assert saved["searchable"]
        [item] = await patient.items("search", query="a feline resting on a rug")
        assert item["id"] == saved["id"]
        assert "meaning" in item["matched"]
        tasks.cancel_scope.cancel()


@pytest.mark.proves("MEM-9")
async def test_a_save_says_when_it_is_not_searchable_by_meaning_yet(modern: Agent) -> None:
    saved = await modern.ask("save_memory", text="zebras graze")
    assert saved["searchable"] is False
    [item] = await modern.items("search", query="zebra")
    assert (item["id"], item["matched"]) == (saved["id"], ["words"])
