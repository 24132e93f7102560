"""Sessions over REST through the whole application: memories, summaries, export and import."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from neo4j import AsyncDriver

from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.tools import ask

pytestmark = pytest.mark.anyio
Open = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]
_MEMORY = {"id", "sessionId", "timestamp", "prompt", "thought", "response", "type"}
_SUMMARY = {
    *("id", "sessionId", "timestamp", "title", "summary", "category", "memoryCount"),
    *("quality", "productivity", "impact", "complexity", "technologies"),
}


@pytest.fixture
def open_client(app: App, namespace: str) -> Open:
    """Opens a client in the test's namespace: `open_client(role="viewer")`."""

    @asynccontextmanager
    async def opened(role: str = "admin", elsewhere: str = "") -> AsyncIterator[httpx2.AsyncClient]:
        caller = {"name": "tester", "kind": "human", "role": role, "namespace": namespace + elsewhere}
        headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
        transport = httpx2.ASGITransport(app=app.http)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60
        ) as http:
            yield http

    return opened


@pytest.fixture
async def rest(open_client: Open) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client() as http:
        yield http


async def _add(rest: httpx2.AsyncClient, prompt: str, response: str, session: str = "talk", thought: str = "") -> Any:
    body = {"prompt": prompt, "thought": thought, "response": response, "sessionId": session}
    answer = await rest.post("/memories", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def _ok(answer: httpx2.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


async def _import(rest: httpx2.AsyncClient, lines: bytes, mode: str = "merge") -> httpx2.Response:
    return await rest.post("/db/import", files={"file": ("backup.jsonl", lines)}, data={"mode": mode})


async def _export(rest: httpx2.AsyncClient, **asked: str) -> bytes:
    answer = await rest.get("/db/export", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.content


@pytest.mark.proves("SES-9", "SES-10", "SES-14")
async def test_memories_are_listed_oldest_first_with_the_fields_of_the_page(rest: httpx2.AsyncClient) -> None:
    said = [await _add(rest, f"Question {n}?", f"Answer {n}.", thought="hm") for n in range(4)]
    assert [set(one) for one in said] == [{"id", "sessionId", "timestamp", "message", "searchable"}] * 4
    assert [(one["message"], one["searchable"]) for one in said] == [("Memory successfully added", True)] * 4
    page = await _ok(await rest.get("/memories", params={"sessionId": "talk", "limit": 2, "offset": 1}))
    assert (page["sessionId"], page["count"], page["total"]) == ("talk", 2, 4)
    assert page["memories"][0] == {
        "id": said[1]["id"],
        "timestamp": said[1]["timestamp"],
        "sessionId": "talk",
        "type": "agent-interaction",
        "prompt": "Question 1?",
        "thought": "hm",
        "response": "Answer 1.",
    }
    assert said[1]["id"] == f"mem_{said[1]['timestamp']}"
    assert await _ok(await rest.get("/memories", params={"sessionId": "nobody"})) == {
        "sessionId": "nobody",
        "count": 0,
        "total": 0,
        "memories": [],
    }


@pytest.mark.proves("SES-10", "SES-11", "SES-12")
async def test_memories_of_one_millisecond_all_survive_and_a_session_keeps_its_order(rest: httpx2.AsyncClient) -> None:
    added: list[Any] = []

    async def add(number: int) -> None:
        added.append(await _add(rest, f"Question {number}?", "An answer.", f"s{number % 4}"))

    async with anyio.create_task_group() as tasks:
        for number in range(16):
            tasks.start_soon(add, number)
    assert len({one["id"] for one in added}) == 16
    for session in ("s0", "s1", "s2", "s3"):
        page = await _ok(await rest.get("/memories", params={"sessionId": session}))
        times = [memory["timestamp"] for memory in page["memories"]]
        assert len(times) == len(set(times)) == 4
        assert times == sorted(times)
    own = {(await rest.post("/memories", json={"prompt": "a", "thought": "", "response": ""})).json()["sessionId"]}
    own |= {(await rest.post("/memories", json={"prompt": "b", "thought": "", "response": ""})).json()["sessionId"]}
    assert len(own) == 1
    assert next(iter(own)).startswith("session_")


@pytest.mark.proves("SES-16", "SES-17", "SES-18", "SES-19")
async def test_memories_are_found_by_ascending_distance_in_one_session_or_in_all(rest: httpx2.AsyncClient) -> None:
    for number in range(12):
        await _add(rest, f"How do we paint wall {number}?", "With a roller and white paint.", "home")
    config = await _add(
        rest, "How do I configure the server?", "Write the port into settings.toml. " * 30 + "The port is 9001.", "work"
    )
    lunch = await _add(rest, "What is for lunch?", "Tomato soup with basil.", "work")
    found = await _ok(
        await rest.post("/memories/query", json={"query": "how was the MCP server configured", "nResults": 3})
    )
    assert (found["query"], found["count"]) == ("how was the MCP server configured", 3)
    assert found["results"][0]["id"] == config["id"]
    assert set(found["results"][0]) >= _MEMORY | {"distance", "relevanceScore"}
    distances = [hit["distance"] for hit in found["results"]]
    assert distances == sorted(distances)
    assert [hit["relevanceScore"] for hit in found["results"]] == [pytest.approx(1 - one) for one in distances]
    # The session narrows before the cut: a dozen walls are nearer.
    narrowed = await _ok(
        await rest.post("/memories/query", json={"query": "paint a wall", "nResults": 2, "sessionId": "work"})
    )
    assert {hit["sessionId"] for hit in narrowed["results"]} <= {"work"}
    soup = await _ok(await rest.post("/memories/query", json={"query": "basil", "nResults": 1}))
    assert [hit["id"] for hit in soup["results"]] == [lunch["id"]]
    late = await _ok(await rest.post("/memories/query", json={"query": "which port is it, 9001?", "nResults": 1}))
    assert [hit["id"] for hit in late["results"]] == [config["id"]]


@pytest.mark.proves("SES-13", "SES-15")
async def test_a_memory_is_found_from_the_things_that_it_mentions(rest: httpx2.AsyncClient, connect: Connect) -> None:
    memory = await _add(rest, "Why is [[Redis]] slow?", "It swaps; the [[Checkout]] waits for it.")
    await _ok(await rest.post("/sessions/summarize", json={"sessionId": "talk"}))
    async with connect() as client:
        around = await ask(client, "graph_query_neighbors", node_name="Redis", depth=1)
        labels = {neighbor["label"] for neighbor in around["neighbors"]}
        assert labels >= {"Interaction"}
        path = await ask(client, "graph_find_path", start_node="Redis", end_node="Checkout")
        assert path["path_length"] == 2
        # And by its own id, as every record.
        entry = (await ask(client, "save_memory", text="[[Redis]] was given more memory."))["id"]
        for start, end in ((memory["id"], "Checkout"), ("Redis", memory["id"]), (entry, "Redis"), ("Redis", entry)):
            assert (await ask(client, "graph_find_path", start_node=start, end_node=end))["path_length"] == 1
        for id_ in (memory["id"], entry, "summary_talk"):
            assert (await ask(client, "graph_query_neighbors", node_name=id_))["total_neighbors"] >= 1
            assert (await ask(client, "graph_find_path", start_node=id_, end_node=id_))["path_length"] == 0
    assert memory["searchable"]


@pytest.mark.proves("SES-21", "SES-22", "SES-24", "SES-25", "SES-34", "SES-35", "SES-36")
async def test_sessions_are_summarised_listed_found_and_deleted_and_memories_stay(rest: httpx2.AsyncClient) -> None:
    await _add(rest, "Fix the crash in `cart.py`.", "Fixed: the list was empty. All tests pass.", "bug")
    last = await _add(rest, "Why did it crash?", "The cart indexed its first item before it had any.", "bug")
    await _add(rest, "What shall we cook?", "Soup with bread.", "kitchen")
    made = await _ok(await rest.post("/sessions/summarize", headers={"Content-Type": "application/json"}))
    assert (made["processed"], made["failed"]) == (2, [])
    assert [set(one) for one in made["sessions"]] == [{"sessionId", "memoryCount", "summaryId", "title"}] * 2
    listed = await _ok(await rest.get("/summaries"))
    assert (listed["count"], listed["total"]) == (2, 2)
    assert [one["sessionId"] for one in listed["summaries"]] == ["kitchen", "bug"], "newest first"
    kitchen, bug = listed["summaries"]
    assert set(bug) >= _SUMMARY
    assert (bug["id"], bug["memoryCount"], bug["category"], bug["method"]) == ("summary_bug", 2, "bugfix", "extractive")
    assert bug["timestamp"] == last["timestamp"]
    assert "Python" in bug["technologies"]
    assert kitchen["category"] == "other"
    only = await _ok(await rest.get("/summaries", params={"category": "bugfix"}))
    assert [one["id"] for one in only["summaries"]] == ["summary_bug"]
    found = await _ok(await rest.post("/summaries/query", json={"query": "soup and bread", "nResults": 1}))
    assert [hit["id"] for hit in found["results"]] == ["summary_kitchen"]
    assert set(found["results"][0]) >= _SUMMARY | {"distance", "relevanceScore"}
    narrowed = await _ok(await rest.post("/summaries/query", json={"query": "soup and bread", "category": "bugfix"}))
    assert [hit["id"] for hit in narrowed["results"]] in ([], ["summary_bug"])
    again = await _ok(await rest.post("/sessions/summarize"))
    assert again["processed"] == 0, "nothing has changed"
    await _add(rest, "And what to drink?", "Tea.", "kitchen")
    drifted = await _ok(await rest.post("/sessions/summarize"))
    assert [(one["sessionId"], one["memoryCount"]) for one in drifted["sessions"]] == [("kitchen", 2)]
    assert (await rest.post("/sessions/summarize", json={"sessionId": "nobody"})).status_code == 404
    deleted = await _ok(await rest.delete("/summaries"))
    assert deleted == {"deleted": 2, "message": "All summaries successfully deleted"}
    assert (await _ok(await rest.get("/summaries")))["total"] == 0
    assert (await _ok(await rest.post("/summaries/query", json={"query": "soup"})))["results"] == []
    assert (await _ok(await rest.get("/memories", params={"sessionId": "kitchen"})))["total"] == 2


@pytest.mark.proves("SES-38", "SES-39", "SES-40", "SES-41", "SES-43", "SES-44", "SES-45", "SES-47")
async def test_what_was_exported_comes_back_byte_for_byte(rest: httpx2.AsyncClient) -> None:
    await _add(rest, "How tall is it? \u2028 \U0001f600", "Very tall. " * 60, "a")
    await _add(rest, "And [[Redis]]?", "It is a cache.", "b")
    await _ok(await rest.post("/sessions/summarize"))
    answer = await rest.get("/db/export")
    assert answer.headers["content-type"].startswith("application/x-jsonlines")
    assert 'filename="memory-export-' in answer.headers["content-disposition"]
    before = answer.content
    lines = [json.loads(line) for line in before.splitlines()]
    assert [line["collection"] for line in lines] == ["memories"] * 2 + ["summaries"] * 2
    assert all(set(line) >= {"id", "embedding", "metadata", "document"} for line in lines)
    assert lines[0]["document"].startswith("User Prompt: How tall is it?")
    assert abs(sum(number * number for number in lines[0]["embedding"]) - 1) < 1e-4
    assert b"".join([await _export(rest, include="memories"), await _export(rest, include="summaries")]) == before
    await _add(rest, "This will be gone.", "Yes.", "c")
    replaced = await _ok(await _import(rest, before, "replace"))
    assert replaced == {
        "imported": 4,
        "skipped": 0,
        "mode": "replace",
        "searchable": True,
        "message": "Database import completed successfully",
    }
    assert await _export(rest) == before
    merged = await _ok(await _import(rest, before + before))
    assert (merged["imported"], merged["skipped"]) == (0, 8)
    assert await _export(rest) == before
    found = await _ok(await rest.post("/memories/query", json={"query": "cache", "nResults": 1}))
    assert found["results"][0]["sessionId"] == "b"
    assert (await _ok(await rest.get("/memories", params={"sessionId": "c"})))["total"] == 0
    only = await _ok(await _import(rest, b"".join(before.splitlines(keepends=True)[:1]), "replace"))
    assert only["imported"] == 1
    assert (await _ok(await rest.get("/summaries")))["total"] == 2, "summaries were none of the file's"


@pytest.mark.proves("SES-46")
async def test_a_bad_line_is_named_and_changes_nothing(
    rest: httpx2.AsyncClient, driver: AsyncDriver, namespace: str
) -> None:
    await _add(rest, "Kept?", "Kept.")
    before = await _export(rest)
    nodes = "MATCH (n {namespace: $namespace}) RETURN count(n) AS nodes"
    held = (await driver.execute_query(nodes, namespace=namespace, database_="neo4j")).records[0]["nodes"]
    good = before.splitlines()[0]
    for line, problem in (
        (b"{", "is not valid JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"id":"x","metadata":{}}', "sessionId"),
        (b'{"id":"","metadata":{}}', "id"),
        (good.replace(b'"timestamp":"2', b'"timestamp":"never 2'), "timestamp"),
        (good.replace(b'"embedding":[', b'"embedding":["x",'), "embedding"),
        (good.replace(b'"prompt":', b'"prompt":1,"was":'), "prompt"),
    ):
        for mode in ("merge", "replace"):
            refused = await _import(rest, b"\n".join([good, b"", good.replace(b"mem_", b"new_"), line]), mode)
            assert refused.status_code == 400, refused.text
            assert refused.json()["code"] == "INVALID_ARGUMENT"
            assert "Line 4 " in refused.json()["message"]
            assert problem in refused.json()["message"]
    assert await _export(rest) == before
    after = (await driver.execute_query(nodes, namespace=namespace, database_="neo4j")).records[0]["nodes"]
    assert after == held


@pytest.mark.proves("SES-53")
async def test_a_file_that_announces_more_than_the_limit_is_refused_unread(app: App, rest: httpx2.AsyncClient) -> None:
    size = str(app.settings.import_limit + 1)
    headers = {"Content-Length": size, "Content-Type": "multipart/form-data; boundary=x"}
    refused = await rest.post("/db/import", content=b"x", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (413, "PAYLOAD_TOO_LARGE")


@pytest.mark.proves("SES-4", "SES-43")
async def test_repeated_or_unknown_fields_are_refused_and_change_nothing(rest: httpx2.AsyncClient) -> None:
    await _add(rest, "Kept?", "Kept.")
    before = await _export(rest)
    twice = [("file", ("a.jsonl", before)), ("file", ("b.jsonl", before.replace(b"mem_", b"new_")))]
    for refused in (
        await rest.post("/db/import", files=twice),
        await rest.post("/db/import", files={"file": before}, data={"mode": ["merge", "replace"]}),
        await rest.post("/db/import", files={"file": before}, params={"mode": "replace"}),
        await rest.post("/db/import", data={"file": "backup.jsonl"}),
        await rest.delete("/summaries", params={"category": "bugfix"}),
        await rest.post("/sessions/summarize", params={"sessionId": "talk"}),
        await rest.get("/db/export", params={"include": ["memories", "summaries"]}),
        await rest.get("/memories", params={"sessionId": ["talk", "other"]}),
    ):
        assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_ARGUMENT"), refused.text
    assert await _export(rest) == before
    assert (await _ok(await rest.get("/summaries")))["total"] == 0


@pytest.mark.proves("SES-24")
async def test_the_next_summary_replaces_all_imported_ones_of_its_session(
    rest: httpx2.AsyncClient,
) -> None:
    await _add(rest, "What shall we cook?", "Soup with bread.")
    at = {"sessionId": "talk", "timestamp": "2025-01-01T00:00:00Z"}
    lines = [{"id": f"summary_{n}", "document": "Soup.", "metadata": {**at, "title": f"Take {n}"}} for n in "AB"]
    await _ok(await _import(rest, "\n".join(map(json.dumps, lines)).encode()))
    assert (await _ok(await rest.get("/summaries")))["total"] == 2
    await _ok(await rest.post("/sessions/summarize", json={"sessionId": "talk"}))
    assert [one["id"] for one in (await _ok(await rest.get("/summaries")))["summaries"]] == ["summary_talk"]


@pytest.mark.proves("SES-37", "SVC-63")
async def test_the_audit_trail_of_a_summary_stays_after_the_next_one_has_replaced_it(
    rest: httpx2.AsyncClient, driver: AsyncDriver, namespace: str
) -> None:
    for number in range(2):
        await _add(rest, f"Question {number}?", "An answer.")
        await _ok(await rest.post("/sessions/summarize", json={"sessionId": "talk"}))
    trail = """
        MATCH (change:Change {namespace: $namespace, name: 'POST /sessions/summarize'})-[:CHANGED]->(changed)
        RETURN change.at AS at,
          collect(CASE WHEN changed:Session THEN 'session' ELSE changed.id END) AS changed ORDER BY at
    """
    rows = (await driver.execute_query(trail, namespace=namespace, database_="neo4j")).records
    assert [sorted(row["changed"]) for row in rows] == [["session"], ["session", "summary_talk"]]


@pytest.mark.proves("SES-50", "SES-51", "SES-52")
async def test_backups_of_the_earlier_tool_are_imported_and_vectors_of_another_size_recomputed(
    rest: httpx2.AsyncClient,
) -> None:
    said = {"prompt": "Where is the anchor?", "thought": "", "response": "In the harbour.", "type": "agent-interaction"}
    memory = {"sessionId": "old", "timestamp": "2025-10-08T12:00:00.000Z", **said, "agent": "codex"}
    told = {"title": "Anchors", "category": "sailing", "memoryCount": 1, "quality": 105, "productivity": -1}
    summary = {"sessionId": "old", "timestamp": 1759924800000, **told, "impact": 1.4, "complexity": 2}
    lines = [
        {"id": "mem_1", "embedding": [0.1] * 1536, "metadata": memory, "document": "…"},
        {"id": "mem_2", "embedding": None, "metadata": {**memory, "timestamp": "2025-10-08T14:00:00+02:00"}},
        {
            "id": "summary_old",
            "embedding": [1.0] * 384,
            "metadata": {**summary, "technologies": "a, b"},
            "document": "Of anchors.",
        },
    ]
    answer = await _ok(await _import(rest, "\n".join(map(json.dumps, lines)).encode()))
    assert (answer["imported"], answer["searchable"]) == (3, True)
    found = await _ok(await rest.post("/memories/query", json={"query": "the anchor is in the harbour", "nResults": 5}))
    assert {hit["id"] for hit in found["results"]} == {"mem_1", "mem_2"}
    assert found["results"][0]["distance"] < 0.6
    [listed] = (await _ok(await rest.get("/summaries")))["summaries"]
    assert (listed["category"], listed["quality"], listed["productivity"], listed["impact"]) == ("other", 100, 0, 1)
    assert (listed["technologies"], listed["timestamp"]) == (["a", "b"], "2025-10-08T12:00:00.000Z")
    exported = [json.loads(line) for line in (await _export(rest)).splitlines()]
    assert [len(line["embedding"]) for line in exported] == [384] * 3
    assert exported[0]["metadata"]["agent"] == "codex", "unknown metadata comes back"
    assert abs(exported[2]["embedding"][0] - 384**-0.5) < 1e-6, "a vector of our size is taken, at length 1"


@pytest.mark.proves("SES-5", "SES-6")
async def test_roles_and_namespaces_are_enforced(rest: httpx2.AsyncClient, open_client: Open) -> None:
    await _add(rest, "A secret plan?", "Yes.")
    await _ok(await rest.post("/sessions/summarize"))
    backup = await _export(rest)
    body = {"prompt": "a", "thought": "b", "response": "c"}
    async with (
        open_client("viewer") as viewer,
        open_client("agent") as agent,
        open_client(elsewhere="-other") as other,
    ):
        for answer in (
            await viewer.post("/memories", json=body),
            await viewer.post("/sessions/summarize"),
            await _import(viewer, backup),
            await agent.delete("/summaries"),
            await agent.get("/db/export"),
            await _import(agent, backup, "replace"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED")
        assert (await _ok(await viewer.get("/memories", params={"sessionId": "talk"})))["total"] == 1
        assert (await _ok(await other.get("/memories", params={"sessionId": "talk"})))["total"] == 0
        assert (await _ok(await other.post("/memories/query", json={"query": "plan"})))["results"] == []
        assert (await _ok(await other.get("/summaries")))["total"] == 0
        assert (await _ok(await other.post("/summaries/query", json={"query": "plan"})))["results"] == []
        assert (await _ok(await other.post("/sessions/summarize")))["processed"] == 0
        assert (await _ok(await other.delete("/summaries")))["deleted"] == 0
        assert await _export(other) == b""
    assert (await _ok(await rest.get("/summaries")))["total"] == 1
