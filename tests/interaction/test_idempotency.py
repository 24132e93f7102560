"""A write that is repeated with its idempotency key is carried out once: for every tool and every route that writes."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from neo4j import AsyncDriver

from server.access.bearer import CALLER_HEADER
from server.access.idempotency import accepts_key
from server.access.roles import ENDPOINTS
from server.app import App
from server.graph import idempotency
from server.mcp.toolsets import TOOLSETS
from tests.conftest import Cypher
from tests.interaction.calls import CALLS, tour
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}
_WRITING = sorted({tool for tool, _, _ in CALLS if not _TOOLS[tool].read_only})
KEY = "idempotency_key"


@pytest.fixture
def era() -> str:
    """What is shown here does not differ between the eras."""
    return "2026-07-28"


def _headers(namespace: str, **more: str) -> dict[str, str]:
    caller = {"name": "grace", "kind": "human", "role": "admin", "namespace": namespace, **more}
    return {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}


@pytest.fixture
async def http(app: App, namespace: str) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=_headers(namespace), timeout=60
    ) as client:
        yield client


async def _count(driver: AsyncDriver, namespace: str) -> int:
    """How many nodes a namespace has, its changes included; but not what only waits for Qdrant."""
    records, _, _ = await driver.execute_query(
        "MATCH (n {namespace: $namespace}) WHERE NOT n:Tombstone AND NOT n:Sequence RETURN count(n) AS nodes",
        namespace=namespace,
        database_="neo4j",
    )
    return int(records[0]["nodes"])


@dataclass
class Repeated:
    """What a call with a key was answered: at first, when it was repeated, and after its answer was lost."""

    first: dict[str, Any]
    again: dict[str, Any]
    lost: dict[str, Any]
    texts: tuple[list[str], list[str]]
    stored: bool
    nodes: list[int] = field(default_factory=list)


@pytest.fixture(scope="module")
async def repeated(
    app: App, driver: AsyncDriver, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Repeated]]:
    """Every call of the tour, made three times with one key."""
    namespace = f"repeated-{token_hex(4)}"
    seen: dict[str, list[Repeated]] = {}
    numbers = iter(range(1_000))

    async def three_times(client: Client, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        if _TOOLS[tool].read_only:
            return await client.call_tool(tool, arguments)
        key = f"{tool} {next(numbers)}"
        keyed = {**arguments, KEY: key}
        results, nodes = [], []
        for _ in range(2):
            results.append(await client.call_tool(tool, keyed))
            nodes.append(await _count(driver, namespace))
        records, _, _ = await driver.execute_query(
            "MATCH (change:Change {namespace: $namespace, idempotency_key: $key}) "
            "REMOVE change.answer SET change.at = change.at - duration('PT1M') RETURN change.name AS name",
            namespace=namespace,
            key=key,
            database_="neo4j",
        )
        results.append(await client.call_tool(tool, keyed))
        nodes.append(await _count(driver, namespace))
        first, again, lost = [dict(result.structured_content or {}) for result in results]
        texts = [[str(getattr(block, "text", "")) for block in result.content] for result in results[:2]]
        seen.setdefault(tool, []).append(
            Repeated(first, again, lost, (texts[0], texts[1]), [record["name"] for record in records] == [tool], nodes)
        )
        return results[0]

    async with (
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app.http),
            base_url="http://127.0.0.1",
            headers=_headers(namespace),
            timeout=60,
        ) as web,
        Client(streamable_http_client("http://127.0.0.1/mcp", http_client=web), mode="2026-07-28") as client,
    ):
        folder = tmp_path_factory.mktemp("repeated")
        await tour(client, app, driver, namespace=namespace, folder=folder, ask=partial(three_times, client))
    return seen


@pytest.mark.proves("SVC-79", "SVC-80")
@pytest.mark.parametrize("tool", _WRITING)
def test_a_repeated_write_is_answered_as_the_first_time_and_stores_nothing(
    repeated: dict[str, list[Repeated]], tool: str
) -> None:
    for call in repeated[tool]:
        assert call.stored, "the key is in the transaction of the write"
        assert call.again == {**call.first, "replayed": True}
        assert "replayed" not in call.first
        assert call.nodes[1] == call.nodes[0]


@pytest.mark.proves("SVC-81")
@pytest.mark.parametrize("tool", _WRITING)
def test_a_repeated_write_whose_answer_was_lost_stores_nothing_and_names_what_is_stored(
    repeated: dict[str, list[Repeated]], tool: str
) -> None:
    for call in repeated[tool]:
        assert call.nodes[2] == call.nodes[0]
        if _TOOLS[tool].resumable:
            assert call.lost.keys() == call.first.keys(), "it is carried out again, which has no effect"
            continue
        assert call.lost["replayed"] is True
        assert call.lost["stored"], "the records are named"
        assert all(set(record) == {"label", "id"} for record in call.lost["stored"])


_META: Any = {KEY: "k"}


@pytest.mark.proves("SVC-79", "SVC-80")
async def test_the_key_may_be_in_the_meta_of_the_request_and_counts_for_one_caller_and_one_tool(
    connect: Connect, cypher: Cypher
) -> None:
    metric = {"agent_id": "a", "metric_name": "m", "metric_value": 1}
    async with connect() as client, connect(name="other") as other:
        first = await client.call_tool("log_success_metric", metric, meta=_META)
        again = await client.call_tool("log_success_metric", metric, meta=_META)
        assert again.structured_content == {**(first.structured_content or {}), "replayed": True}
        assert [block.text for block in again.content] == [block.text for block in first.content]  # type: ignore[union-attr]
        assert "replayed" not in (
            (await other.call_tool("log_success_metric", {**metric, KEY: "k"})).structured_content or {}
        )
        await ask(client, "update_working_memory", content="x", **{KEY: "k"})
    [row] = await cypher("MATCH (m:Metric {namespace: $namespace}) RETURN count(m) AS metrics")
    assert row["metrics"] == 2


@pytest.mark.proves("SVC-80")
async def test_a_key_with_other_arguments_is_a_conflict_and_a_bad_key_is_refused(client: Client) -> None:
    await ask(client, "save_memory", text="one", **{KEY: "k"})
    error = (await refused(client, "save_memory", text="two", **{KEY: "k"}))["error"]
    assert error["code"] == "CONFLICT"
    for bad in ("", " ", "x" * 201, "a\nb", 7, None):
        assert (await refused(client, "save_memory", text="two", **{KEY: bad}))["error"]["code"] == "INVALID_ARGUMENT"
    assert [item["title"] for item in (await ask(client, "search", query="two"))["items"]] == ["one"]


@pytest.mark.proves("SVC-79")
@pytest.mark.parametrize(
    ("tool", "arguments", "label"),
    [
        ("save_memory", {"text": "Once."}, "Entry"),
        ("record_decision", {"title": "t", "target": "t", "rationale": "long enough"}, "Decision"),
        ("store_raw_dialogue", {"session_id": "s", "speaker": "Ada", "content": "Once."}, "Dialogue"),
        ("log_success_metric", {"agent_id": "a", "metric_name": "m", "metric_value": 1}, "Metric"),
    ],
)
async def test_of_retries_at_the_same_moment_one_stores(
    connect: Connect, cypher: Cypher, tool: str, arguments: dict[str, Any], label: str
) -> None:
    results: list[CallToolResult] = []
    async with connect() as client:

        async def call() -> None:
            results.append(await client.call_tool(tool, {**arguments, KEY: "race"}))

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(call)
    assert not any(result.is_error for result in results), [result.structured_content for result in results]
    answers = [dict(result.structured_content or {}) for result in results]
    assert sum("replayed" not in answer for answer in answers) == 1
    assert len({json.dumps({**answer, "replayed": True}, sort_keys=True) for answer in answers}) == 1
    [row] = await cypher(
        "MATCH (n {namespace: $namespace}) WHERE $label IN labels(n) RETURN count(n) AS n", label=label
    )
    assert row["n"] == 1


@pytest.mark.proves("SVC-79", "SVC-80")
async def test_a_refused_call_stores_no_key_and_an_expired_key_counts_no_more(client: Client, cypher: Cypher) -> None:
    unknown = {"content": "c", "source_ids": [987_654]}
    await refused(client, "compress_to_l2_insight", **unknown, **{KEY: "k"})
    stored = await ask(client, "compress_to_l2_insight", content="c", source_ids=[], **{KEY: "k"})
    await cypher("MATCH (c:Change {namespace: $namespace, idempotency_key: 'k'}) SET c.at = c.at - duration('PT25H')")
    later = await ask(client, "compress_to_l2_insight", content="d", source_ids=[], **{KEY: "k"})
    assert later["id"] != stored["id"]
    keys = await cypher("MATCH (c:Change {namespace: $namespace}) WHERE c.answer IS NOT NULL RETURN c.answer AS answer")
    assert len(keys) == 1, "the expired answer is gone"


_BODIES: dict[str, Any] = {
    "POST /memories": {"prompt": "Why?", "thought": "t", "response": "r", "sessionId": "s"},
    "POST /sessions/summarize": {"sessionId": "s"},
    "POST /decisions": {"title": "t", "target": "t", "rationale": "long enough"},
    "POST /graph/entities": {"label": "L", "name": "n"},
    "POST /graph/relations": {"source_name": "n", "target_name": "m", "relation": "KNOWS"},
    "POST /entries": {"text": "A text."},
}


@pytest.mark.proves("SVC-79", "SVC-80", "SVC-81")
async def test_a_repeated_request_over_rest_is_carried_out_once(
    http: httpx2.AsyncClient, driver: AsyncDriver, namespace: str, cypher: Cypher
) -> None:
    for number, (route, body) in enumerate(_BODIES.items()):
        assert accepts_key(route)
        headers = {"Idempotency-Key": f"key-{number}"}
        path = route.partition(" ")[2]
        first = await http.post(path, json=body, headers=headers)
        assert first.is_success, first.text
        nodes = await _count(driver, namespace)
        again = await http.post(path, json=dict(reversed(body.items())), headers=headers)
        assert (again.status_code, again.json()) == (first.status_code, first.json()), route
        assert (again.headers["idempotent-replayed"], "idempotent-replayed" in first.headers) == ("true", False)
        conflict = await http.post(path, json={**body, "more": 1}, headers=headers)
        assert (conflict.status_code, conflict.json()["code"]) == (409, "CONFLICT")
        assert await _count(driver, namespace) == nodes
    await cypher(
        "MATCH (c:Change {namespace: $namespace, name: 'POST /entries'}) REMOVE c.answer "
        "SET c.at = c.at - duration('PT1M')"
    )
    lost = await http.post("/entries", json=_BODIES["POST /entries"], headers=headers)
    assert (lost.status_code, lost.headers["idempotent-replayed"]) == (200, "true")
    assert lost.json()["stored"] == [{"label": "Entry", "id": first.json()["id"]}]
    for key in (b"x" * 201, b"two words", "schl\u00fcssel".encode()):
        bad = await http.post("/entries", json={"text": "x"}, headers={b"Idempotency-Key": key})
        assert (bad.status_code, bad.json()["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.proves("SVC-79")
async def test_an_entry_is_changed_over_rest_once(http: httpx2.AsyncClient) -> None:
    id_ = (await http.post("/entries", json={"text": "A text."})).json()["id"]
    change = {"body": "Another text.", "reason": "r"}
    answers = [await http.patch(f"/entries/{id_}", json=change, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert [answer.json()["revision"] for answer in answers] == [2, 2]
    assert (await http.get(f"/entries/{id_}")).json()["body"] == "Another text."
    assert (await http.patch("/entries/nobody", json=change)).status_code == 404


def test_every_route_that_writes_accepts_a_key() -> None:
    writing = {name for name in ENDPOINTS if accepts_key(name)}
    assert writing >= {*_BODIES, "PATCH /entries/{entry_id}", "POST /db/import", "DELETE /summaries"}
    assert not {name for name in writing if name.startswith("GET") or name.endswith("/query")}


@pytest.mark.proves("SVC-79")
async def test_a_call_without_a_key_makes_no_additional_round_trip(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(idempotency.IdempotencyKeys, "run")
    await ask(client, "save_memory", text="Without a key.")
