"""The six tools of entries through a real MCP client of the whole application, in both eras of the protocol."""

import hashlib
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from neo4j import AsyncDriver

from server.app import App
from tests.entries.test_bad_input import CASES, CODES, GOOD, MISSING, any_json
from tests.entries.test_policy import SECRETS
from tests.interaction.conftest import Connect
from tests.interaction.tools import ANSWERS, ask, refused

pytestmark = pytest.mark.anyio

_REQUIRED = {
    "save_memory": ["text"],
    "search": ["query"],
    "timeline": ["anchor_id"],
    "get_entries": ["ids"],
    "ingest_docs": [],
    "retention_dry_run": [],
}
_MANUAL = f"""
# Manual

## Cleaning

{"This part is about something else entirely, at some length. " * 8}

## Feeding the parrot

{{}}
"""
_FIELDS = sorted({field for _, field, _ in CASES})


@pytest.fixture
def folder(app: App, namespace: str) -> Path:
    """A folder of the test's own, in the one that the application may read from."""
    made = app.settings.docs_roots[0] / namespace
    made.mkdir(exist_ok=True)  # both eras of a test
    return made


@pytest.mark.proves("MEM-46")
async def test_files_in_the_home_of_the_service_are_never_read(app: App, client: Client) -> None:
    home = app.settings.home
    (home / "note.md").write_text("The password is rosebud.", encoding="utf-8")
    answer = await ask(client, "ingest_docs", sources=["home/note.md", str(home / "note.md")])
    assert (answer["imported_entries"], len(answer["skipped_sources"])) == (0, 2)
    assert {skipped["reason"].split()[-1] for skipped in answer["details"]} == {"read"}, "as if it did not exist"


async def _save(client: Client, text: str, /, **more: Any) -> str:
    saved = await ask(client, "save_memory", text=text, **more)
    assert (saved["status"], saved["searchable"]) == ("saved", True)
    return str(saved["id"])


async def _found(client: Client, query: str, /, **more: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await ask(client, "search", query=query, **more))["items"]
    return items


async def _error(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    answer = await refused(client, tool, **arguments)
    assert set(answer) == {"error"}
    error: dict[str, Any] = answer["error"]
    assert set(error) == {"code", "message", "details"}
    return error


async def _fingerprint(driver: AsyncDriver, namespace: str) -> tuple[int, str]:
    """Return the number of nodes of a namespace, and a hash of them and their relations."""
    rows, _, _ = await driver.execute_query(
        "MATCH (n {namespace: $namespace}) OPTIONAL MATCH (n)-[r]->(m) WITH n, r, m ORDER BY elementId(n), elementId(r)"
        "RETURN elementId(n) AS n, labels(n) AS labels, properties(n) AS properties, type(r) AS type, m.id AS to",
        namespace=namespace,
        database_="neo4j",
    )
    return len({row["n"] for row in rows}), hashlib.sha256(repr([row.data() for row in rows]).encode()).hexdigest()


@pytest.mark.proves("MEM-61")
async def test_the_six_tools_answer_as_their_schemas_say(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {name: tools[name].input_schema.get("required", []) for name in _REQUIRED} == _REQUIRED
    anchor = await _save(client, "Ada likes tea.")
    for name, arguments in {**GOOD, "timeline": {"anchor_id": anchor}, "get_entries": {"ids": [anchor]}}.items():
        jsonschema.validate(await ask(client, name, **arguments), ANSWERS[name])


@pytest.mark.proves("MEM-1", "MEM-10", "MEM-37", "MEM-38")
async def test_saved_entries_are_read_completely_in_the_order_of_the_ids(client: Client) -> None:
    metadata = {"n": [1, 1.0, 1e300, 2**80, None, True], "": {"deep": [{"ö\u2028": "\U0001f600"}]}, "z": {}, "a": []}
    fields = {"title": "Tea", "type": "preference", "project": "kitchen", "source_ref": "chat:1", "session_id": "s"}
    first = await _save(client, "  Ada likes tea.\n", metadata=metadata, unknown="ignored", **fields)
    second = await _save(client, "Bob likes coffee.")
    answer = await ask(client, "get_entries", ids=[second, "nobody's", first, second])
    assert [item["id"] for item in answer["items"]] == [second, first, second]
    entry = answer["items"][1]
    assert repr(entry["metadata"]) == repr(metadata)
    assert entry | {"metadata": 0, "created_at": 0} == {
        "id": first,
        "title": "Tea",
        "body": "Ada likes tea.",
        "entry_type": "preference",
        "project": "kitchen",
        "session_id": "s",
        "source_ref": "chat:1",
        "metadata": 0,
        "created_at": 0,
        "status": "active",
        "superseded_by": None,
    }
    assert (answer["items"][0]["project"], answer["items"][0]["entry_type"]) == ("default", "note")


@pytest.mark.proves("MEM-18", "MEM-23", "MEM-24", "MEM-25", "MEM-34")
async def test_a_memory_is_found_by_meaning_by_words_and_by_the_text_around_it(client: Client) -> None:
    talk = {"session_id": "talk", "project": "home"}
    question = await _save(client, "Ada: Which pet does Grace have?", **talk)
    reply = await _save(client, "Grace: A parrot. It is green and wakes the whole street.", **talk)
    other = await _save(client, "Interest rates rose again.", type="news", project="bank")
    first, *_ = await _found(client, "a noisy tropical bird")
    assert (first["id"], "meaning" in first["matched"]) == (reply, True)
    [hit] = await _found(client, "pet", project="home", limit=1)
    assert (hit["id"], {"words"} <= set(hit["matched"])) == (question, True)
    around = {item["id"]: item["matched"] for item in await _found(client, "which pet does Grace have", limit=5)}
    assert "neighbour" in around[reply]

    assert [item["id"] for item in await _found(client, "rates", type="news")] == [other]
    assert await _found(client, "parrot", until="2020-01-01") == []
    page = await ask(client, "search", query="parrot", project="home", limit=500, offset=-1)
    assert (page["limit"], page["offset"], page["by_meaning"]) == (100, 0, True)
    assert page["total"] >= len(page["items"]) > 0
    line = await ask(client, "timeline", anchor_id=reply, depth_before=99, depth_after=0)
    assert [(item["id"], item["score"]) for item in line["items"]] == [(question, 0), (reply, 0)]


@pytest.mark.proves("MEM-13")
async def test_paths_and_neighbours_of_an_entity_reach_the_entries_about_it(client: Client) -> None:
    await ask(client, "graph_add_node", label="Technology", name="Redis")
    await _save(client, "The [[Checkout]] was slow because redis swapped.", title="Slow checkout")
    path = await ask(client, "graph_find_path", start_node="Checkout", end_node="Redis")
    assert [step["name"] for step in path["path"]] == ["Checkout", "Slow checkout", "Redis"]
    around = await ask(client, "graph_query_neighbors", node_name="Redis")
    assert ("Entry", "Slow checkout") in {(each["label"], each["name"]) for each in around["neighbors"]}


@pytest.mark.proves("MEM-42", "MEM-43", "MEM-45", "MEM-55")
async def test_a_document_is_read_once_and_only_from_the_configured_folders(
    app: App, client: Client, folder: Path, tmp_path: Path
) -> None:
    source = f"{folder.name}/manual.md"
    (folder / "manual.md").write_text(_MANUAL.format("Two walnuts every morning."))
    (folder / "secret.md").write_text(f"the key is {SECRETS['aws_access_key']}")
    (tmp_path / "outside.md").write_text("# Outside\n")
    (folder / "link.md").unlink(missing_ok=True)
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    bad = [f"{folder.name}/link.md", "../outside.md", str(tmp_path / "outside.md"), f"{folder.name}/secret.md"]
    answer = await ask(client, "ingest_docs", sources=[source, *bad])
    assert (answer["processed_sources"], answer["imported_entries"], answer["skipped_sources"]) == (1, 1, bad)
    reasons = [each["reason"] for each in answer["details"]]
    assert len(set(reasons[:3])) == 1
    assert reasons[3].endswith("aws_access_key")
    again = await ask(client, "ingest_docs", sources=[source])
    assert (again["imported_entries"], again["duplicate_entries"]) == (0, 1)

    (folder / "manual.md").write_text(_MANUAL.format("Three almonds every evening."))
    assert (await ask(client, "ingest_docs", sources=[source]))["imported_entries"] == 1
    with anyio.fail_after(60):  # a document is stored at once, and found by meaning as soon as it is embedded
        while not (hits := await _found(client, "what does the bird eat")):
            await anyio.sleep(0.05)
    hit = hits[0]
    assert (hit["section"], "almonds" in hit["snippet"]) == ("Feeding the parrot", True)
    old, new = (await ask(client, "timeline", anchor_id=hit["id"]))["items"]
    assert (old["status"], new["id"]) == ("superseded", hit["id"])


@pytest.mark.proves("MEM-14", "MEM-15", "MEM-16")
@pytest.mark.parametrize("name", sorted(SECRETS))
async def test_a_secret_is_blocked_in_every_field_and_nothing_is_written(
    client: Client, driver: AsyncDriver, namespace: str, name: str
) -> None:
    secret = f"it is {SECRETS[name]}"
    for field in (
        {"text": secret},
        {"title": secret},
        {"source_ref": secret},
        {"metadata": {"k": [secret]}},
        {"metadata": {secret: 1}},
    ):
        error = await _error(client, "save_memory", **{"text": "harmless", **field})
        assert (error["code"], error["details"]) == ("POLICY_BLOCKED", {"pattern": name})
        assert SECRETS[name] not in str(error)
    assert (await _fingerprint(driver, namespace))[0] == 0


@pytest.mark.proves("MEM-57", "MEM-58", "MEM-59", "MEM-60")
async def test_a_dry_run_of_retention_lists_candidates_and_removes_nothing(client: Client) -> None:
    ids = [await _save(client, f"Number {number}.", project="p") for number in range(3)]
    rules = {"max_entries_per_project": 1, "max_age_days": 1, "now": "2000-01-01T00:00:00+01:00"}
    report = await ask(client, "retention_dry_run", **rules)
    assert report == {
        "mode": "dry-run",
        "executed_at": "1999-12-31T23:00:00.000Z",
        "total_candidates": 2,
        "by_reason": {"age": 0, "project_count": 2},
        "candidate_ids": sorted(ids[:2]),
    }
    assert len((await ask(client, "get_entries", ids=ids))["items"]) == 3
    assert (await _error(client, "retention_dry_run"))["code"] == "INVALID_ARGUMENT"


@pytest.mark.proves("MEM-36", "MEM-62", "MEM-65")
async def test_errors_have_the_documented_form_and_codes(client: Client, connect: Connect) -> None:
    error = await _error(client, "timeline", anchor_id="nobody's")
    assert (error["code"], error["details"]) == ("ENTRY_NOT_FOUND", {"anchorId": "nobody's"})
    error = await _error(client, "get_entries", ids=["x"] * 201)
    assert (error["code"], "ids" in error["message"]) == ("INVALID_ARGUMENT", True)
    error = await _error(client, "search", query=7, limit="20")
    assert {problem["field"] for problem in error["details"]["fields"]} == {"query", "limit"}
    async with connect(role="viewer") as viewer:
        error = await _error(viewer, "save_memory", text="x")
        assert (error["code"], error["details"]["required_role"]) == ("PERMISSION_DENIED", "agent")
        assert await _found(viewer, "x") == []


@pytest.mark.proves("MEM-64")
async def test_every_fault_of_every_argument_is_refused_and_the_store_stays_as_it_was(
    client: Client, driver: AsyncDriver, namespace: str
) -> None:
    await _save(client, "Ada likes tea.", session_id="s")
    before = await _fingerprint(driver, namespace)
    for tool, field, value in CASES:
        arguments = {name: part for name, part in {**GOOD[tool], field: value}.items() if part is not MISSING}
        assert (await _error(client, tool, **arguments))["code"] == "INVALID_ARGUMENT", (tool, field)
    assert await _fingerprint(driver, namespace) == before


@pytest.mark.proves("MEM-64")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tool=st.sampled_from(sorted(set(_REQUIRED) - {"ingest_docs", "retention_dry_run"})),
    arguments=st.dictionaries(st.sampled_from([*_FIELDS, "unknown"]), any_json, max_size=5),
)
async def test_whatever_arrives_is_answered_in_form_and_what_is_refused_changes_nothing(
    client: Client, driver: AsyncDriver, namespace: str, tool: str, arguments: dict[str, Any]
) -> None:
    before = await _fingerprint(driver, namespace)
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    if result.is_error:
        assert result.structured_content["error"]["code"] in CODES - {"STORAGE_FAILURE", "MIGRATION_FAILURE"}
        assert await _fingerprint(driver, namespace) == before
    elif tool == "save_memory":
        assert (await _fingerprint(driver, namespace))[0] > before[0]
    else:
        assert await _fingerprint(driver, namespace) == before


@pytest.mark.proves("MEM-66")
async def test_nothing_of_another_namespace_is_found_read_or_listed(client: Client, connect: Connect) -> None:
    mine = await _save(client, "Our parrot is green.")
    async with connect(elsewhere="-other") as stranger:
        assert await _found(stranger, "our parrot is green") == []
        assert (await ask(stranger, "get_entries", ids=[mine]))["items"] == []
        assert (await _error(stranger, "timeline", anchor_id=mine))["code"] == "ENTRY_NOT_FOUND"
        assert (await ask(stranger, "retention_dry_run", max_entries_per_project=1))["total_candidates"] == 0


@pytest.mark.proves("MEM-31")
async def test_a_search_names_the_insight_and_the_message_that_match_better(app: App, client: Client) -> None:
    await _save(client, "Ada had tea with Grace in the garden.")
    await ask(client, "compress_to_l2_insight", content="Herons nest in tall poplars.", source_ids=[])
    message = {"agent_id": "scout", "sender": "user", "message_content": "The trams stop running at midnight."}
    assert not (await client.call_tool("store_conversation_message", message)).is_error
    await app.parts.projector.drain()
    for query, found in (
        ("where do herons nest?", '1 insight matches better: "Herons nest in tall poplars.". hybrid_search finds it.'),
        ("when do trams stop running?", "search_conversations finds it."),
    ):
        assert found in (await ask(client, "search", query=query))["message"]
