"""What holds for every tool, resource and endpoint: roles, namespaces, the audit trail."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import httpx2
import pytest
import structlog
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextResourceContents
from neo4j import AsyncDriver

from server.access import roles
from server.access.bearer import CALLER_HEADER
from server.access.rate import RateLimit
from server.app import App
from server.core.principals import Role
from server.mcp.toolsets import TOOLSETS
from server.rest.app import build_api
from tests.interaction.calls import CALLS, CANARY, UNTRIED, Ids, tour
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.foreign import asked_about, masked, never_was
from tests.interaction.tools import refused

pytestmark = pytest.mark.anyio
_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}
_PATHS = build_api().openapi()["paths"]
_DENIED = "Permission denied: this needs the role"
_ENDPOINTS = sorted((method.upper(), path) for path, methods in _PATHS.items() for method in methods)


@pytest.fixture
def era() -> str:
    """What is shown here does not differ between the eras."""
    return "2026-07-28"


def _http(app: App, namespace: str, role: str = "admin") -> httpx2.AsyncClient:
    caller = {"name": "grace", "kind": "human", "role": role, "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=app.http)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60)


@asynccontextmanager
async def _mcp(app: App, namespace: str) -> AsyncIterator[Client]:
    async with (
        _http(app, namespace) as http,
        Client(streamable_http_client("http://127.0.0.1/mcp", http_client=http), mode="2026-07-28") as client,
    ):
        yield client


def test_every_tool_is_called_here() -> None:
    assert {tool for tool, _, _ in CALLS} | set(UNTRIED) == set(_TOOLS)


@pytest.mark.proves("SVC-17")
@pytest.mark.parametrize("role", list(Role))
async def test_a_role_may_what_its_row_says_and_no_more(app: App, connect: Connect, namespace: str, role: Role) -> None:
    denied: set[str] = set()
    async with connect(role=str(role)) as client, _http(app, namespace, str(role)) as http:
        for tool in _TOOLS:
            # The role is looked at first: whoever may is told of the arguments.
            told = (await client.call_tool(tool, {})).structured_content
            denied |= {tool} if _DENIED in json.dumps(told) else set()
        for uri in roles.RESOURCES:
            contents = (await client.read_resource(uri)).contents
            denied |= {uri} if _DENIED in str(contents) else set()
        for method, path in _ENDPOINTS:
            answer = await http.request(method, re.sub(r"\{\w+\}", "x", path))
            denied |= {f"{method} {path}"} if answer.status_code == 403 else set()
    table: dict[str, Role | None] = {**roles.TOOLS, **roles.RESOURCES, **roles.ENDPOINTS}
    assert denied == {what for what, least in table.items() if least is not None and least > role}


@dataclass(frozen=True)
class Toured:
    """A namespace in which every call was made: the ids that are left, and the changes that each call left."""

    namespace: str
    ids: Ids
    changes: list[tuple[str, list[dict[str, Any]]]]


@pytest.fixture(scope="module")
async def toured(app: App, driver: AsyncDriver, tmp_path_factory: pytest.TempPathFactory) -> Toured:
    """One round through all tools, for the tests that look at what it left."""
    namespace, seen = f"toured-{token_hex(4)}", 0
    changes: list[tuple[str, list[dict[str, Any]]]] = []

    async def called(tool: str) -> None:
        nonlocal seen
        known = await _changes(driver, namespace)
        changes.append((tool, known[seen:]))
        seen = len(known)

    async with _mcp(app, namespace) as client:
        folder = tmp_path_factory.mktemp("toured")
        ids = await tour(client, app, driver, namespace=namespace, folder=folder, called=called)
    return Toured(namespace, ids, changes)


@pytest.mark.proves("SVC-63")
async def test_whatever_writes_leaves_who_did_what_and_when(toured: Toured) -> None:
    ours = [(tool, [change for change in left if change["by"] != "ingest"]) for tool, left in toured.changes]
    assert {tool for tool, left in ours if left} == {tool for tool, _, _ in CALLS if not _TOOLS[tool].read_only}
    for tool, left in ours:
        assert bool(left) is not _TOOLS[tool].read_only, tool
        for change in left:
            assert (change["name"], change["by"], change["who"]) == (tool, "grace", ["grace"])
            assert change["to"], f"{tool} changed something"
            assert change["at"] is not None
            assert re.fullmatch(r"[0-9a-f]{16}", change["request"])
    runs = [change for _, left in toured.changes for change in left if change["by"] == "ingest"]
    assert [(change["name"], change["to"]) for change in runs] == [
        ("ingest golden", ["IngestRun"]),
        ("ingest ground-truth", ["IngestRun"]),
    ]


async def _changes(driver: AsyncDriver, namespace: str) -> list[dict[str, Any]]:
    records, _, _ = await driver.execute_query(
        "MATCH (change:Change {namespace: $namespace}) "
        "RETURN change {.*}.name AS name, change.by AS by, change.at AS at, change.request AS request, "
        "[(who:Principal {namespace: $namespace})-[:DID]->(change) | who.name] AS who, "
        "[(change)-[:CHANGED]->(record) | labels(record)[0]] AS to ORDER BY at, name",
        namespace=namespace,
        database_="neo4j",
    )
    return [record.data() for record in records]


@pytest.mark.proves("SVC-50", "SVC-63")
async def test_what_is_refused_leaves_no_trace_in_the_graph(
    client: Client, driver: AsyncDriver, namespace: str
) -> None:
    await refused(client, "graph_add_node", label="L", name="n", vector_id=7)
    await refused(client, "store_conversation_message", agent_id="a", sender="user", message_content="x",
                  context_snapshot_id="nothing")  # fmt: skip
    await refused(client, "supersede_decision", title="t", target="t", rationale="long enough",
                  old_decision_ids=["nothing"])  # fmt: skip
    assert await _changes(driver, namespace) == []


@pytest.mark.proves("SVC-63")
async def test_over_rest_a_change_is_its_routes_and_carries_the_requests_id(
    app: App, driver: AsyncDriver, namespace: str
) -> None:
    said = {"prompt": "Why?", "thought": "t", "response": "r", "sessionId": "s"}
    told: list[tuple[str, str]] = []
    async with _http(app, namespace) as http:

        async def ask(method: str, path: str, **body: Any) -> httpx2.Response:
            answer = await http.request(method, path, **body)
            assert answer.is_success, answer.text
            told.append((f"{method} {path}", answer.headers["x-request-id"]))
            return answer

        await ask("POST", "/memories", json=said)
        await ask("POST", "/sessions/summarize", json={"sessionId": "s"})
        exported = await http.get("/db/export")
        await ask("DELETE", "/summaries")
        await ask("POST", "/db/import", files={"file": ("m.jsonl", exported.content)}, data={"mode": "replace"})
    changes = await _changes(driver, namespace)
    assert list(dict.fromkeys((change["name"], change["request"]) for change in changes)) == told
    assert {change["by"] for change in changes} == {"grace"}
    # What the import replaced is being cleared away; who did what to it stays.
    assert changes[-1]["to"]


@pytest.mark.proves("SVC-74")
async def test_the_log_tells_who_asked_what_and_never_a_body_or_a_secret(app: App, namespace: str) -> None:
    body = {"prompt": f"a secret {CANARY}?", "thought": "t", "response": "r"}
    with structlog.testing.capture_logs() as lines:
        async with _mcp(app, namespace) as client, _http(app, namespace) as http:
            answer = await http.post("/memories", json=body)
            await client.call_tool("save_memory", {"text": f"a secret {CANARY}"})
            await http.get(f"/nowhere/{CANARY}?query={CANARY}")
    asked, nowhere = [line for line in lines if line["event"] == "request" and not line["route"].endswith("/mcp")]
    assert asked["request"] == answer.headers["x-request-id"]
    assert (asked["caller"], asked["route"], asked["status"]) == ("grace", "POST /memories", 201)
    assert asked["ms"] > 0
    assert (nowhere["route"], nowhere["status"]) == ("GET", 404)
    [call] = [line for line in lines if line["event"] == "tool_called"]
    assert (call["caller"], call["tool"], call["outcome"]) == ("grace", "save_memory", "success")
    assert re.fullmatch(r"[0-9a-f]{16}", call["request"])
    for hidden in (CANARY, SECRET):
        assert hidden not in str(lines)


async def _told_apart(client: Client, tool: str, arguments: dict[str, Any], ids: Ids) -> bool:
    """Whether the caller learns from the answer that there is what the arguments name."""
    never = never_was(arguments, ids)
    assert never != arguments, tool
    there, nowhere = [
        masked((await client.call_tool(tool, asked)).structured_content, asked) for asked in (arguments, never)
    ]
    return there != nowhere


@pytest.mark.proves("SVC-30")
async def test_the_id_of_another_namespace_is_answered_like_one_that_never_was(
    app: App, connect: Connect, toured: Toured
) -> None:
    ids = toured.ids
    async with connect(role="admin", kind="human") as client:
        for tool, arguments in asked_about(ids):
            assert not await _told_apart(client, tool, arguments, ids), (tool, arguments)
    async with _mcp(app, toured.namespace) as client:
        reading = [(tool, arguments) for tool, arguments in asked_about(ids) if _TOOLS[tool].read_only]
        known = [tool for tool, arguments in reading if await _told_apart(client, tool, arguments, ids)]
        at_home = {"get_decisions", "timeline", "get_entries", "graph_query_neighbors", "get_all_contexts"}
        assert set(known) >= at_home, "else nothing is shown by this"


def test_every_argument_that_names_something_stored_is_asked_about() -> None:
    names = (
        "decision", "entry", "message", "proposal", "accepted", "insight", "dialogue", "truth", "entity", "context",
        "source", "agent", "conversation", "item", "retraction",
    )  # fmt: skip
    asked = {(tool, name) for tool, arguments in asked_about(dict.fromkeys(names, "x")) for name in arguments}
    naming = re.compile(r"(^|_)ids?$|_node$|^node_name$|^key_value$")
    # A session, a user, a task are called as the caller likes; suggestions are looked at when a proposal is accepted.
    free = {"session_id", "user_id", "associated_task_id", "agent_id"}
    fields = {(name, field) for name, tool in _TOOLS.items() for field in tool.request.model_fields}
    assert {each for each in fields if naming.search(each[1]) and each[1] not in free} <= asked


@pytest.mark.proves("SVC-30")
async def test_nothing_that_reads_tells_what_another_namespace_holds(connect: Connect, toured: Toured) -> None:
    async with connect(role="admin", kind="human") as client:
        for tool, call, _ in CALLS:
            if _TOOLS[tool].read_only:
                asked = call(toured.ids)
                assert CANARY not in masked((await client.call_tool(tool, asked)).structured_content, asked), tool
        for query in ("", f"?query={CANARY}"):
            for uri in roles.RESOURCES:
                (contents,) = (await client.read_resource(uri + query)).contents
                assert isinstance(contents, TextResourceContents)
                assert CANARY not in contents.text.replace(f"query={CANARY}", ""), uri


@pytest.mark.proves("SVC-30")
async def test_over_rest_another_namespace_is_not_there(app: App, namespace: str, toured: Toured) -> None:
    body = {"prompt": f"A {CANARY}?", "thought": "t", "response": "r", "sessionId": f"{CANARY}-rest"}
    async with _http(app, toured.namespace) as http:
        memory = (await http.post("/memories", json=body)).json()
        assert (await http.post("/sessions/summarize", json={"sessionId": body["sessionId"]})).status_code == 200
    ids = {**toured.ids, "session": body["sessionId"], "memory": memory["id"]}

    def asked(of: Ids) -> list[tuple[str, str, dict[str, Any] | None]]:
        why = {"title": "t", "target": "t", "rationale": "long enough"}
        return [
            ("GET", f"/memories?sessionId={of['session']}", None),
            ("POST", "/memories/query", {"query": "who", "sessionId": of["session"]}),
            ("POST", "/sessions/summarize", {"sessionId": of["session"]}),
            ("GET", f"/entries/{of['entry']}", None),
            ("GET", f"/entries/{of['entry']}/timeline", None),
            ("GET", f"/graph/neighbors?node_name={of['entity']}", None),
            ("GET", f"/graph/paths?start_node={of['entity']}&end_node={of['entity']}", None),
            ("POST", "/decisions/supersede", {**why, "old_decision_ids": [of["decision"]]}),
            ("POST", f"/decisions/proposals/{of['proposal']}/accept", None),
            ("POST", f"/decisions/proposals/{of['proposal']}/reject", {"reason": "r"}),
            ("GET", "/summaries", None),
            ("POST", "/summaries/query", {"query": "who"}),
            ("GET", "/decisions/proposals?status=all", None),
            ("GET", "/db/export", None),
        ]

    never = {name: never_was(id_, ids) for name, id_ in ids.items()}
    async with _http(app, namespace) as http:
        for (method, path, json_), (_, path_, json__) in zip(asked(ids), asked(never), strict=True):
            other = await http.request(method, path, json=json_)
            nothing = await http.request(method, path_, json=json__)
            assert other.status_code == nothing.status_code, path
            told = [
                masked(answer.text, [part for id_ in of.values() for part in (id_, str(id_))])
                for answer, of in ((other, ids), (nothing, never))
            ]
            assert told[0] == told[1], path
            assert CANARY not in told[0], path


@pytest.mark.proves("SVC-75")
async def test_metrics_tell_requests_latencies_lag_and_sizes(app: App, client: Client, namespace: str) -> None:
    await client.call_tool("ping", {})
    async with _http(app, namespace, "viewer") as http:
        await http.get("/summaries")
        assert (await http.get("/metrics")).status_code == 403, "it counts what other namespaces hold"
    async with _http(app, namespace, "admin") as http:
        answer = await http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    for line in (
        'precedent_requests_total{route="GET /summaries",status="200"}',
        'precedent_requests_total{route="POST /mcp",status="200"}',
        'precedent_request_seconds_bucket{le="0.1",route="GET /summaries"}',
        'precedent_tool_calls_total{outcome="success",tool="ping"}',
        'precedent_tool_seconds_count{tool="ping"}',
        "precedent_unprojected ",
        'precedent_records{kind="Decision"}',
        "precedent_relationships ",
        "precedent_vectors ",
    ):
        assert f"\n{line}" in answer.text, line


@pytest.mark.proves("SVC-29")
async def test_a_tool_that_is_called_too_often_says_when_to_come_back(
    app: App, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.executor, "_rate", RateLimit("2/minute"))
    for _ in range(2):
        await client.call_tool("search_decisions", {"query": "x"})
    error = await refused(client, "search_decisions", query="x")
    assert (error["status"], error["code"]) == ("error", "RATE_LIMIT_EXCEEDED")
    assert 1 <= error["details"]["retry_after_seconds"] <= 120
