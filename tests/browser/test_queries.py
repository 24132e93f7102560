"""The saved queries for people in Neo4j Browser: each runs as it is, without a warning, and shows something.

Source: SVC-66. They are run word for word, but for the namespace, on a graph made by the real services.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from neo4j import AsyncDriver, NotificationMinimumSeverity, Record
from neo4j.graph import Node, Relationship
from neo4j.graph import Path as GraphPath

from ingest.triples import ingest_triples
from server.core.principals import Principal, Role
from server.decisions.passages import build_passages, format_decision
from server.embedding.embedder import FastEmbedder
from server.entities.models import AddEdge, AddNode
from server.entities.service import EntityService
from server.graph.changes import audit_context
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.graph.sequence import IdSequence
from server.retrieval.writing import prepare_text
from server.vectors.edge import EdgeStore
from tests.browser.evaluation import evaluate
from tests.browser.history import look_back
from tests.browser.journal import keep_a_journal, keep_entries
from tests.browser.layers import keep_layers
from tests.browser.sessions import remember

pytestmark = [pytest.mark.anyio, pytest.mark.proves("SVC-66")]
_FOLDER = Path("cypher/browser")
_QUERIES = sorted(path.stem for path in _FOLDER.glob("*.cypher"))
_THEN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
async def seeded(
    graph: Graph, driver: AsyncDriver, embedder: FastEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The namespace of a graph with everything that the queries are about."""
    namespace = f"browser-{token_hex(4)}"
    caller = Principal("alice", "human", Role.ADMIN, namespace)
    entities = EntityService(graph, IdSequence(graph))
    for number, (title, target, old) in enumerate(
        [
            ("Neo4j is the only authority", "system of record", None),
            ("Qdrant in numpy", "local vectors", None),
            ("Qdrant Edge by default", "local vectors", "Qdrant in numpy"),
            ("The SDK's own server", "MCP framework", None),
            ("The low-level server", "MCP framework", "The SDK's own server"),
        ]
    ):
        decision: dict[str, Any] = {
            "namespace": namespace,
            "id": title,
            "node_id": 1_000_000 + number,
            "title": title,
            **_about(target, 2_000_000 + number),
            "rationale": f"Because of what we know about {target}.",
            "evidence": [],
            "origin": "agent" if old else "human",
            "by": "agent" if old else "alice",
            "at": _THEN + timedelta(days=number),
            "scope": namespace_tag(namespace),
        }
        text = prepare_text(namespace, decision["node_id"], format_decision(decision), title)
        decision["passages"] = build_passages(text, decision)
        if old:
            await graph.run("decisions/supersede_decision", old_ids=[old], **decision)
        else:
            await graph.run("decisions/record_decision", **decision)
    for source, relation, target in [
        ("Precedent", "HAS_PART", "local vectors"),
        ("Precedent", "STORES_IN", "Neo4j"),
        ("Neo4j", "SUPERSEDES", "system of record"),
    ]:
        await entities.add_edge(
            AddEdge.parse({"source_name": source, "target_name": target, "relation": relation}), caller
        )
    with audit_context("alice", "graph_add_node"):
        await entities.add_node(AddNode.parse({"label": "Idea", "name": "Nobody's idea"}), caller)
    await keep_a_journal(graph, namespace)
    await keep_entries(graph, namespace)
    await _propose(graph, namespace)
    await remember(graph, embedder, caller)
    await keep_layers(graph, EdgeStore(tmp_path_factory.mktemp("vectors")), embedder, caller)
    await evaluate(graph, driver, namespace, tmp_path_factory.mktemp("queries"))
    triples = tmp_path_factory.mktemp("triples") / "cities.tsv"
    triples.write_text("Lisbon\tcapital_of\tPortugal\nPorto\tcity_of\tPortugal\n")
    await ingest_triples(graph, namespace, triples)
    await look_back(graph, driver, caller, _THEN)
    await graph.run(
        "projection/add_tombstones", records=[{"namespace": namespace, "kind": "decision", "key": "a deleted decision"}]
    )
    return namespace


# Neo4j warns of a property that no node has.
_TIMES = {"effective_at": datetime(2026, 1, 1, tzinfo=UTC), "valid_until": datetime(2100, 1, 1, tzinfo=UTC)}


def _about(target: str, node_id: int) -> dict[str, Any]:
    """What a decision or a proposal says of its target, and of nothing else."""
    key = comparison_key(target)
    lacking = ("consequences", "alternatives", "alternatives_why_not", "passages", "requires")
    about = {"name": target, "key": key, "link": "ABOUT", "node_id": node_id}
    return {"target": target, "target_key": key, "things": [about], **_TIMES, **{name: [] for name in lacking}}


async def _propose(graph: Graph, namespace: str) -> None:
    """Two rivals about one target, with one piece of evidence each."""
    [evidence] = await graph.run("decisions/records", namespace=namespace, ids=["Qdrant in numpy"])
    for number, title in enumerate(["Back up every night", "Back up every hour"]):
        await graph.run(
            "decisions/propose_decision",
            namespace=namespace,
            id=title,
            node_id=4_000_000 + number,
            title=title,
            **_about("backups", 5_000_000),
            rationale="It was lost once.",
            supersedes=[],
            confidence=0.5,
            evidence=[evidence["element"]],
            origin="agent",
            by="ada",
            at=_THEN + timedelta(hours=number),
            scope=namespace_tag(namespace),
        )


async def _run(driver: AsyncDriver, name: str, namespace: str) -> list[Record]:
    """The rows of a saved query on a namespace; fails on any notification at all, as Browser would show it."""
    text = (_FOLDER / f"{name}.cypher").read_text(encoding="utf-8").replace("'default'", f"'{namespace}'")
    async with driver.session(
        database="neo4j",
        notifications_min_severity=NotificationMinimumSeverity.INFORMATION,
        notifications_disabled_classifications=[],
    ) as session:
        result = await session.run(text)
        rows = [row async for row in result]
        summary = await result.consume()
    assert [status.status_description for status in summary.gql_status_objects if status.is_notification] == []
    assert summary.query_type in {"r", "s"}, "a saved query changes nothing"
    return rows


def _elements(value: object) -> Iterator[Node | Relationship]:
    if isinstance(value, GraphPath):
        yield from [*value.nodes]
        yield from value.relationships
    elif isinstance(value, Node | Relationship):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _elements(part)


def _names(rows: list[Record]) -> set[str]:
    return {part["name"] for row in rows for value in row for part in _elements(value) if isinstance(part, Node)}


@pytest.mark.parametrize("name", _QUERIES)
def test_a_saved_query_begins_with_a_name_that_browser_shows_whole_and_what_it_answers(name: str) -> None:
    first, second, third, *_ = (_FOLDER / f"{name}.cypher").read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"// [A-Z].{3,22}\.", first), "the list of favorites has room for about 25 characters"
    assert re.fullmatch(r"// [A-Z].{15,100}\.", second)
    assert not third.startswith("//")


@pytest.mark.parametrize("name", _QUERIES)
async def test_a_saved_query_runs_without_a_warning_and_shows_something(
    name: str, seeded: str, driver: AsyncDriver
) -> None:
    rows = await _run(driver, name, seeded)
    assert rows
    assert [part for row in rows for value in row for part in _elements(value)] or any(
        value not in (None, []) for row in rows for value in row
    )


async def test_decisions_in_force_leaves_out_what_was_replaced(seeded: str, driver: AsyncDriver) -> None:
    names = _names(await _run(driver, "decisions_in_force", seeded))
    assert {"Qdrant Edge by default", "local vectors"} < names
    assert "Qdrant in numpy" not in names


async def test_the_chain_of_a_target_shows_what_replaced_what(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "supersede_chain", seeded)
    assert _names(rows) == {"MCP framework", "The low-level server", "The SDK's own server"}
    types = {part.type for row in rows for value in row for part in _elements(value) if isinstance(part, Relationship)}
    assert types == {"ABOUT", "SUPERSEDES"}


async def test_what_was_replaced_of_late_says_why_and_by_whom(seeded: str, driver: AsyncDriver) -> None:
    newest, *_ = await _run(driver, "recently_superseded", seeded)
    assert (newest["was"], newest["became"], newest["by"]) == ("The SDK's own server", "The low-level server", "agent")
    assert newest["why"] == "Because of what we know about MCP framework."


async def test_proposals_that_wait_show_their_evidence_and_rivals(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "proposals_waiting", seeded)
    assert _names(rows) == {"Back up every night", "Back up every hour", "backups", "Qdrant in numpy"}
    types = {part.type for row in rows for value in row for part in _elements(value) if isinstance(part, Relationship)}
    assert types == {"ABOUT", "EVIDENCED_BY", "COMPETES_WITH"}


async def test_a_path_leads_from_one_thing_to_another(seeded: str, driver: AsyncDriver) -> None:
    [row] = await _run(driver, "paths", seeded)
    assert [node["name"] for node in row["path"].nodes] == ["local vectors", "Precedent", "Neo4j", "system of record"]


async def test_around_one_thing_is_what_is_one_step_away(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "neighbourhood", seeded)
    assert _names(rows) == {"Neo4j", "Precedent", "system of record"}


async def test_a_conversation_shows_what_each_message_knew_came_from_and_was_corrected_by(
    seeded: str, driver: AsyncDriver
) -> None:
    assert _names(await _run(driver, "conversation", seeded)) == {
        "talk",
        "message",
        "second v2",
        "source",
        "correction",
    }


async def test_an_agents_contexts_show_their_versions_and_parents(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "contexts_of_agent", seeded)
    assert _names(rows) == {"ada", "task", "first v1", "second v2"}
    types = {part.type for row in rows for value in row for part in _elements(value) if isinstance(part, Relationship)}
    assert types == {"IN", "CHILD_OF"}


async def test_what_was_corrected_says_of_what_and_why(seeded: str, driver: AsyncDriver) -> None:
    [row] = await _run(driver, "corrections", seeded)
    assert (row["agent"], row["of"], row["was"], row["became"]) == ("ada", "message", '{"a":1}', '{"a":2}')
    assert row["why"] == "It was 2."


async def test_what_was_said_about_a_thing_shows_what_else_it_is_about(seeded: str, driver: AsyncDriver) -> None:
    assert _names(await _run(driver, "said_about", seeded)) == {
        "We met about [[Neo4j]].",
        "Grace likes neo4j, and [[Bolt]].",
        "Neo4j",
        "Bolt",
    }


async def test_a_session_is_shown_in_its_order(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "session_in_order", seeded)
    saved = list(dict.fromkeys(row["saved"].end_node["title"][:7] for row in rows))
    assert saved == ["We met ", "It know", "Grace l"]
    following = {
        (row["next"].start_node["title"][:7], row["next"].end_node["title"][:7]) for row in rows if row["next"]
    }
    assert following == {("We met ", "It know"), ("It know", "Grace l")}


async def test_a_changed_document_shows_what_it_was(seeded: str, driver: AsyncDriver) -> None:
    [row] = await _run(driver, "changed_documents", seeded)
    assert (row["document"], row["was"], row["became"]) == ("docs/guide.md", "# Guide\n\nOld.", "# Guide\n\nNew.")
    assert (row["why"], row["by"], row["status"]) == ("the document changed", "ingest", "active")


async def test_orphans_are_the_things_that_nothing_refers_to(seeded: str, driver: AsyncDriver) -> None:
    assert _names(await _run(driver, "orphans", seeded)) == {"Nobody's idea"}


async def test_what_is_unprojected_counts_deletions_too(seeded: str, driver: AsyncDriver) -> None:
    # The query shows a hundred of each, and earlier tests leave more.
    for earlier in ("MATCH (n:Tombstone)", "MATCH (n:Unprojected)"):
        await driver.execute_query(f"{earlier} WHERE n.namespace <> $seeded DETACH DELETE n", seeded=seeded)
    rows = [row for row in await _run(driver, "unprojected", seeded) if row["namespace"] == seeded]
    assert {row["name"] for row in rows} >= {"The low-level server", "a deleted decision"}


async def test_the_ledger_shows_each_file_with_its_state(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "sources", seeded)
    assert {(row["name"], row["kind"], row["state"], row["records"]) for row in rows} == {
        ("cities.tsv", "triples", "done", 2),
        ("docs/guide.md", "document", "done", None),
        ("queries.jsonl", "golden", "done", 1),
        ("queries.jsonl", "ground-truth", "done", 1),
    }


async def test_judges_who_differ_are_shown_with_what_they_judged(seeded: str, driver: AsyncDriver) -> None:
    assert _names(await _run(driver, "where_judges_differ", seeded)) == {
        "1: 0.9 / 0.1", "slight · 0.0", "Who keeps a parrot?", "insight 1",
    }  # fmt: skip


async def test_search_is_told_day_by_day_the_newest_first(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "search_by_day", seeded)
    assert [(str(row["date"]), row["precision"], row["baseline"], row["drifted"]) for row in rows] == [
        ("2026-01-02", 0.5, 0.8, True), ("2026-01-01", 0.8, None, False),
    ]  # fmt: skip


async def test_the_layers_are_shown_with_where_they_came_from(seeded: str, driver: AsyncDriver) -> None:
    names = _names(await _run(driver, "insights_and_sources", seeded))
    assert {"Ada sails to [[Madeira]].", "Ada: I sail to Madeira.", "Madeira"} <= names
    [gone] = await _run(driver, "what_was_evicted", seeded)
    assert (gone["evicted"], gone["made_room_for"], gone["why"]) == ("item 0", "item 10", "LRU_EVICTION")
    worst, best = await _run(driver, "lessons_by_reward", seeded)
    assert (worst["reward"], best["reward"], worst["about"]) == (-0.8, 0.9, ["Madeira"])


async def test_humans_and_agents_are_counted_apart(seeded: str, driver: AsyncDriver) -> None:
    counts = {
        row["origin"]: (row["decisions"], row["in_force"]) for row in await _run(driver, "humans_and_agents", seeded)
    }
    assert counts == {"human": (3, 1), "agent": (2, 2)}


# Browser's own parser knows no comments, and passes over a declaration with a second colon.
_RULE = re.compile(r"^(node|relationship)(?:\.(\w+))? \{\n((?:  [a-z-]+: [^:;\n]+;\n)+)\}$", re.MULTILINE)


def _style() -> list[tuple[str, str, dict[str, str]]]:
    """The rules of the style file in their order: tag, label or type, declarations."""
    return [
        (tag, word, dict(line.strip().removesuffix(";").split(": ", 1) for line in body.splitlines()))
        for tag, word, body in _RULE.findall((_FOLDER / "style.grass").read_text(encoding="utf-8"))
    ]


def _caption(tag: str, words: set[str], properties: dict[str, object]) -> str:
    """What Browser writes on a node or relationship: the caption of the last rule that fits."""
    captions = [rule["caption"].strip('"') for kind, word, rule in _style() if kind == tag and word in {"", *words}]
    return re.sub(r"\{(\w+)\}", lambda match: str(properties.get(match[1], "")), captions[-1])


def test_the_style_file_is_nothing_but_rules_that_browser_reads() -> None:
    text = (_FOLDER / "style.grass").read_text(encoding="utf-8")
    assert _RULE.sub("", text).strip() == ""
    assert all({"caption", "color"} <= set(rule) for _, _, rule in _style())


async def test_every_node_that_a_person_may_meet_has_a_caption(seeded: str, driver: AsyncDriver) -> None:
    nodes, _, _ = await driver.execute_query(
        "MATCH (n) WHERE n.namespace = $namespace OR n:Migration "
        "RETURN labels(n) AS labels, properties(n) AS properties",
        namespace=seeded,
        database_="neo4j",
    )
    blank = [row["labels"] for row in nodes if not _caption("node", set(row["labels"]), row["properties"]).strip(" ·")]
    assert blank == []
    assert {"Decision", "Entity", "Source", "IngestRun", "Sequence", "Tombstone", "Entry", "Passage", "Session"} <= {
        label for row in nodes for label in row["labels"]
    }
    assert _caption("relationship", {"RELATED"}, {"relation": "SUPERSEDES"}) == "SUPERSEDES"


async def test_what_was_retracted_says_why_and_what_it_was_related_to(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "retracted", seeded)
    assert _names(rows) == {"MySQL", "Bolt"}
    assert {(row["by"], row["why"], row["was"].relationships[0]["former_type"]) for row in rows} == {
        ("tester", "It was wrong.", "STORES")
    }


async def test_contested_targets_show_the_rivals(seeded: str, driver: AsyncDriver) -> None:
    assert _names(await _run(driver, "contested", seeded)) == {"Back up every night", "Back up every hour"}


async def test_what_nobody_touched_for_long_is_stale(seeded: str, driver: AsyncDriver) -> None:
    assert [row["title"] for row in await _run(driver, "stale_decisions", seeded)] == ["Neo4j is the only authority"]


async def test_recent_changes_have_memories_and_who_made_them(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "recent_changes", seeded)
    assert {row["kind"].partition(",")[0] for row in rows} == {"decision", "entity", "memory"}
    assert {row["by"] for row in rows if row["name"] == "Guide"} == {"ingest"}
    assert {row["by"] for row in rows if row["name"] == "Nobody's idea"} == {"alice"}


async def test_changes_of_today_are_grouped_by_run_and_count_memories(seeded: str, driver: AsyncDriver) -> None:
    rows = await _run(driver, "changes_today", seeded)
    assert {row["run"].split()[0] for row in rows if row["run"]} >= {"triples"}
    assert sum(row["memories"] for row in rows if row["by"] in ("ada", "ingest")) >= 4
