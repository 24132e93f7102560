"""REST as a whole: every failure in one form, the docs page, the specification's commands over real sockets."""

import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from server.access import capacity as waiting
from server.access.bearer import CALLER_HEADER
from server.access.capacity import Capacity
from server.access.rate import RateLimit
from server.access.tokens import Tokens
from server.app import App
from server.graph.graph import connect
from server.graph.idempotency import IdempotencyKeys
from server.graph.sequence import IdSequence
from server.mcp.endpoint import Endpoint
from server.mcp.server import build_server
from server.observability.metrics import Metrics
from server.parts import Parts
from server.rest.app import build_rest
from server.services import Services
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.service import SessionService
from server.vectors.projector import Projector
from tests.interaction.conftest import SECRET
from tests.interaction.serving import served

pytestmark = pytest.mark.anyio
_GOOD = {"prompt": "a", "thought": "b", "response": "c"}
_JSON = {"Content-Type": "application/json"}
_NO_MEMORY: tuple[object, ...] = ([], "x", None, {**_GOOD, "sesionId": "s"})
_NO_SESSION: tuple[object, ...] = ({"sessionId": ""}, {"sessionId": 1}, [], {"id": "s"})


def _client(http: Any, namespace: str) -> httpx2.AsyncClient:
    caller = {"name": "tester", "kind": "human", "role": "admin", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=http)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60)


@pytest.fixture
async def rest(app: App, namespace: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with _client(app.http, namespace) as http:
        yield http


def _require_error(answer: httpx2.Response, status: int, code: str) -> str:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json"), answer.text
    told = answer.json()
    assert set(told) == {"error", "message", "code"}
    assert (told["code"], all(told.values())) == (code, True)
    return str(told["message"])


@pytest.mark.proves("SES-1", "SES-3", "SES-4", "SES-39", "SVC-55")
@pytest.mark.proves("SES-1", "SES-3", "SES-4", "SES-39")
@pytest.mark.parametrize(
    ("path", "asked"),
    [
        *(
            ("/memories", {"sessionId": "s", name: value})
            for name, value in (("limit", 0), ("limit", 1001), ("offset", -1))
        ),
        *(
            ("/memories", asked)
            for asked in ({}, {"sessionId": ""}, {"sessionId": " "}, {"sessionId": "s", "limit": "x"})
        ),
        *(("/summaries", asked) for asked in ({"limit": 0}, {"limit": 1001}, {"offset": -1}, {"category": "cooking"})),
        ("/summaries", {"categroy": "bugfix"}),
        ("/db/export", {"include": "everything"}),
    ],
)
async def test_what_is_out_of_range_is_an_error_and_not_clamped(
    rest: httpx2.AsyncClient, path: str, asked: dict[str, Any]
) -> None:
    _require_error(await rest.get(path, params=asked), 400, "INVALID_ARGUMENT")


@pytest.mark.proves("SES-1", "SES-2", "SES-3", "SVC-55")
@pytest.mark.proves("SES-1", "SES-2", "SES-3")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        *(("/memories", {**_GOOD, name: value}) for name in _GOOD for value in (None, 1, ["x"], "\ud800")),
        *(("/memories", {key: _GOOD[key] for key in _GOOD if key != name}) for name in _GOOD),
        *(("/memories", {**_GOOD, "sessionId": value}) for value in ("", " ", 1, "s" * 1001)),
        *(("/memories", body) for body in _NO_MEMORY),
        *(("/memories/query", {"query": value}) for value in ("", " ", 1, "q" * 10_001)),
        *(("/memories/query", {"query": "q", "nResults": value}) for value in (0, 101, "1", 1.5, True)),
        *(
            ("/summaries/query", {"query": "q", **more})
            for more in ({"nResults": 0}, {"nResults": 101}, {"category": "x"})
        ),
        *(("/sessions/summarize", body) for body in _NO_SESSION),
    ],
)
async def test_a_body_that_is_not_what_it_has_to_be_is_refused(
    rest: httpx2.AsyncClient, path: str, body: object
) -> None:
    _require_error(await rest.post(path, content=json.dumps(body), headers=_JSON), 400, "INVALID_ARGUMENT")


@pytest.mark.proves("SES-2", "SES-43", "SVC-54", "SVC-57")
@pytest.mark.proves("SES-2", "SES-43")
async def test_whatever_else_goes_wrong_is_told_in_the_same_form(rest: httpx2.AsyncClient) -> None:
    assert "Content-Type: application/json" in _require_error(
        await rest.post("/memories", content=json.dumps(_GOOD), headers={"Content-Type": "text/plain"}),
        *(400, "INVALID_ARGUMENT"),
    )
    for malformed in (b"{", b'{"prompt": }', b"\xff\xfe"):
        told = await rest.post("/memories", content=malformed, headers=_JSON)
        assert told.json()["code"] in {"MALFORMED_JSON", "MALFORMED_BODY"}
        assert told.status_code == 400
    for path in ("/nothing", "/memories/", "/memories/x/y", "/db"):
        _require_error(await rest.get(path), 404, "NOT_FOUND")
    for method, path, allowed in (
        ("PUT", "/memories", "GET, POST"),
        ("POST", "/summaries", "DELETE, GET"),
        ("GET", "/sessions/summarize", "POST"),
        ("DELETE", "/healthcheck", "GET"),
        ("DELETE", "/entries/0b8d6a52", "GET, PATCH"),
        ("PUT", "/decisions/proposals/proposal_1/accept", "POST"),
    ):
        answer = await rest.request(method, path)
        _require_error(answer, 405, "METHOD_NOT_ALLOWED")
        assert answer.headers["allow"] == allowed
    _require_error(await rest.post("/db/import", data={"mode": "merge"}), 400, "INVALID_ARGUMENT")
    for mode in ("wipe", ""):
        _require_error(await rest.post("/db/import", files={"file": b""}, data={"mode": mode}), 400, "INVALID_ARGUMENT")
    _require_error(
        await rest.post("/db/import", content=b"x", headers={"Content-Type": "multipart/form-data"}),
        400,
        "MALFORMED_BODY",
    )
    large = json.dumps({**_GOOD, "prompt": "x" * 1_100_000}).encode()
    _require_error(await rest.post("/memories", content=large, headers=_JSON), 413, "PAYLOAD_TOO_LARGE")

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(large), 65_536):
            yield large[start : start + 65_536]

    _require_error(await rest.post("/memories", content=chunks(), headers=_JSON), 413, "PAYLOAD_TOO_LARGE")
    assert (await rest.get("/memories", params={"sessionId": "s"})).json()["total"] == 0


@pytest.mark.proves("SES-7", "SVC-56", "SVC-58")
@pytest.mark.proves("SES-7")
async def test_while_the_graph_is_away_every_endpoint_says_so(app: App, namespace: str) -> None:
    async with connect("bolt://127.0.0.1:1", "neo4j", "x", retry_time=0) as away:
        projector = Projector(away, app.parts.vectors, app.parts.embedder)
        parts = replace(app.parts, graph=away, sequence=IdSequence(away), projector=projector, searchable_wait=0)
        sessions = SessionService(parts, summariser=ExtractiveSummariser(parts.embedder))
        http = _application(app, parts, replace(app.services, sessions=sessions))
        async with _client(http, namespace) as rest:
            health = await rest.get("/healthcheck")
            assert (health.status_code, health.json()["status"]) == (503, "unhealthy")
            assert health.json()["database"]["connected"] is False
            assert health.json()["following"] is False
            record = {"id": "mem_1", "metadata": {**_GOOD, "sessionId": "s", "timestamp": "2025-10-08T12:00:00Z"}}
            for answer in (
                await rest.post("/memories", json=_GOOD),
                await rest.get("/memories", params={"sessionId": "s"}),
                await rest.post("/memories/query", json={"query": "q"}),
                await rest.get("/summaries"),
                await rest.delete("/summaries"),
                await rest.post("/summaries/query", json={"query": "q"}),
                await rest.post("/sessions/summarize"),
                await rest.get("/db/export"),
                await rest.post("/db/import", files={"file": json.dumps(record).encode()}),
            ):
                _require_error(answer, 503, "DB_CONNECTION_ERROR")
                assert int(answer.headers["retry-after"]) > 0


@pytest.mark.proves("SVC-87")
async def test_a_request_beyond_what_the_process_carries_out_at_once_is_told_when_to_come_back(
    app: App, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_WAIT_SECONDS", 0.05)
    capacity = Capacity(1)
    http = _application(app, app.parts, app.services, capacity)
    async with _client(http, namespace) as rest:
        turn = await capacity.take_turn()
        refused = await rest.post("/memories", json={**_GOOD, "sessionId": "s"})
        _require_error(refused, 503, "OVERLOADED")
        assert int(refused.headers["retry-after"]) > 0
        assert (await rest.get("/healthcheck")).status_code == 200, "whoever looks after the service is answered"
        turn.end()
        for _ in range(2):  # each ends its turn
            assert (await rest.get("/memories", params={"sessionId": "s"})).json()["total"] == 0


@pytest.mark.proves("SVC-87")
async def test_a_slow_sender_keeps_nobody_waiting(app: App, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_WAIT_SECONDS", 0.05)
    body, rest_of_it = json.dumps({**_GOOD, "sessionId": "s"}).encode(), anyio.Event()
    answers: list[int] = []

    async def arrive_slowly() -> AsyncIterator[bytes]:
        yield body[:5]
        await rest_of_it.wait()
        yield body[5:]

    async with _client(_application(app, app.parts, app.services, Capacity(1)), namespace) as rest:

        async def send() -> None:
            answers.append((await rest.post("/memories", content=arrive_slowly(), headers=_JSON)).status_code)

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(send)
            await anyio.wait_all_tasks_blocked()
            assert (await rest.get("/memories", params={"sessionId": "s"})).status_code == 200
            assert answers == []
            monkeypatch.setattr(waiting, "_WAIT_SECONDS", 60)
            rest_of_it.set()
        assert answers == [201, 201, 201]


def _application(app: App, parts: Parts, services: Services, capacity: Capacity | None = None) -> Any:
    async def nothing(*_: Any) -> Any:
        raise AssertionError("no tool is called here")

    return build_rest(
        app.settings,
        services,
        parts.projector,
        tokens=Tokens(parts.graph),
        metrics=Metrics(),
        rate=RateLimit(None),
        capacity=capacity or Capacity(100),
        mcp=Endpoint(build_server((), nothing), nothing),
        keys=IdempotencyKeys(parts.graph),
    )


# Commands that callers of the earlier service have written down. Source: SES-8.
_COMMANDS = [
    """curl -X POST http://localhost:8001/memories \\
  -H "Content-Type: application/json" \\
  -d '{"prompt": "prompt", "thought": "thought", "response": "response", "sessionId": "sessionId"}'""",
    """curl -X POST http://localhost:8001/memories/query \\
  -H "Content-Type: application/json" \\
  -d '{"query": "search query", "nResults": 10}'""",
    """curl -X POST http://localhost:8001/sessions/summarize \\
  -H "Content-Type: application/json" \\
  -d '{"sessionId": "session_1696800000000"}'""",
    """curl -X POST http://localhost:8001/sessions/summarize \\
  -H "Content-Type: application/json\"""",
    "curl -O -J http://localhost:8001/db/export",
    """curl -X POST http://localhost:8001/db/import \\
  -F "file=@path/to/backup.jsonl" \\
  -F "mode=merge\"""",
]


@pytest.mark.proves("SES-8")
@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands are curl's")
async def test_the_commands_of_the_specification_work_as_they_stand(app: App, tmp_path: Path) -> None:
    (tmp_path / "path/to").mkdir(parents=True)
    async with served(app) as port:
        place = f"localhost:{port}"

        async def run(command: str) -> Any:
            there = command.replace("localhost:8001", place).replace("curl", "curl --silent --show-error", 1)
            done = await anyio.run_process(["bash", "-c", there], cwd=tmp_path)
            return json.loads(done.stdout) if done.stdout.strip().startswith(b"{") else done.stdout

        session = {**_GOOD, "sessionId": "session_1696800000000"}
        async with httpx2.AsyncClient(base_url=f"http://{place}") as http:
            assert (await http.post("/memories", json=session)).status_code == 201
        add, query, one, batch, export, bring = _COMMANDS
        assert (await run(add))["message"] == "Memory successfully added"
        assert (await run(query))["count"] >= 1
        assert (await run(one))["sessions"][0]["summaryId"] == "summary_session_1696800000000"
        assert (await run(batch))["processed"] >= 1
        await run(export)
        await run("mv memory-export-*.jsonl path/to/backup.jsonl; echo")
        brought = await run(bring)
        assert (brought["imported"], brought["skipped"] >= 4) == (0, True)


@pytest.mark.proves("SVC-54")
@pytest.mark.parametrize("sent", [b"GET /memories?sessionId=" + b"x" * 70_000, b"GET /a b c", b"\x16\x03\x01"])
async def test_what_is_no_request_is_told_in_the_same_form(app: App, sent: bytes) -> None:
    async with served(app) as port, await anyio.connect_tcp("127.0.0.1", port) as connection:
        await connection.send(sent + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        received = b"".join([part async for part in connection])
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    told = json.loads(body)
    assert (told["code"], set(told)) == ("MALFORMED_REQUEST", {"error", "message", "code"})


@pytest.mark.proves("SVC-61")
async def test_the_docs_page_and_all_it_needs_come_from_the_service(rest: httpx2.AsyncClient) -> None:
    page = await rest.get("/docs")
    assert page.status_code == 200
    assert [word for word in ("https://", "http://") if word in page.text] == []
    for asset in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png"):
        assert f"/static-offline-docs/{asset}" in page.text
        assert (await rest.get(f"/static-offline-docs/{asset}")).status_code == 200
    description = (await rest.get("/openapi.json")).json()
    assert description["openapi"].startswith("3.1.")
