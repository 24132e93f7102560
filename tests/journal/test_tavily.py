"""The web search against a real HTTP server on this machine that answers as Tavily's API does."""

import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from server.core.principals import Principal, Role
from server.journal.tavily import SearchWeb, Tavily
from tests.agents import error, texts
from tests.conftest import Cypher
from tests.journal.conftest import NOWHERE, Agent, Make

pytestmark = pytest.mark.anyio
KEY = "tvly-secret-0123456789"
RESULTS = [
    {
        "title": f"Result {n}",
        "url": f"https://example.com/{n}",
        "content": f"Content {n}.",
        "score": 0.9 - n / 10,
        "raw_content": None,
    }
    for n in range(3)
]
FOUND = {
    "query": "q",
    "follow_up_questions": None,
    "answer": None,
    "images": [],
    "results": RESULTS,
    "response_time": 1.1,
}
OFFICIAL_REFUSAL = {"detail": {"error": "Query is too long. Max query length is 400 characters."}}


@dataclass
class Answer:
    status: int = 200
    body: Any = field(default_factory=lambda: FOUND)
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False


class Api(ThreadingHTTPServer):
    """Gives the answers that a test defined, repeats the last one, and stores the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = [Answer()]
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
        answer = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        if answer.hangs:
            self.server.released.wait(30)
            return  # the client has gone
        content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's word
        pass


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


Connect = Callable[..., Any]


@pytest.fixture
def connect(make: Make, namespace: str) -> Connect:
    """Connect an agent to a journal whose web search goes to `url`."""

    @asynccontextmanager
    async def connected(
        url: str, *, key: str | None = KEY, role: Role = Role.AGENT, mode: str = "auto", timeout: float = 10.0
    ) -> AsyncIterator[Agent]:
        tavily = Tavily(SecretStr(key) if key else None, url, timeout=timeout, pause=0.001)
        principal = Principal("tester", "agent", role, namespace)
        async with Agent(make(tavily=tavily), principal, mode).connected() as agent:
            yield agent

    return connected


@pytest.fixture
async def web(connect: Connect, api: Api) -> AsyncIterator[Agent]:
    async with connect(api.url) as agent:
        yield agent


Search = Callable[..., Awaitable[Any]]


@pytest.mark.proves("JRN-53", "JRN-56")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_search_answers_with_the_results_and_keeps_the_key_in_the_header(
    connect: Connect, api: Api, mode: str
) -> None:
    async with connect(api.url, mode=mode) as agent:
        result = await agent.call("tavily_web_search", query="what is new")
    items = result.structured_content["items"]
    assert json.loads(texts(result)[0]) == items
    assert [(item["title"], item["url"], item["content"], item["score"]) for item in items] == [
        (each["title"], each["url"], each["content"], each["score"]) for each in RESULTS
    ]
    [(path, headers, body)] = api.asked
    assert path == "/search"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["content-type"] == "application/json"
    assert body == {
        "query": "what is new",
        "search_depth": "basic",
        "topic": "general",
        "max_results": 10,
        "include_images": False,
        "include_image_descriptions": False,
        "include_raw_content": False,
        "include_domains": [],
        "exclude_domains": [],
    }


@pytest.mark.proves("JRN-54")
async def test_every_option_reaches_the_api_under_its_name(web: Agent, api: Api) -> None:
    options = {
        "query": "ü 🎉",
        "search_depth": "advanced",
        "topic": "news",
        "days": 7,
        "time_range": "w",
        "max_results": 20,
        "include_images": True,
        "include_image_descriptions": True,
        "include_raw_content": True,
        "include_domains": ["example.com"],
        "exclude_domains": ["example.org", "example.net"],
    }
    await web.ask("tavily_web_search", **options)
    assert api.asked[0][2] == options


@pytest.mark.proves("JRN-55")
@pytest.mark.parametrize(
    ("options", "days"),
    [
        ({}, None),
        ({"topic": "general", "days": 9}, None),
        ({"topic": "news"}, 3),
        ({"topic": "news", "days": 9}, 9),
        ({"topic": "news", "time_range": "year"}, None),
        ({"topic": "news", "time_range": "year", "days": 9}, 9),
    ],
)
async def test_days_are_sent_where_they_apply(web: Agent, api: Api, options: dict[str, Any], days: int | None) -> None:
    await web.ask("tavily_web_search", query="q", **options)
    assert api.asked[0][2].get("days") == days


@pytest.mark.proves("JRN-53")
@pytest.mark.parametrize(
    "images", [["https://example.com/a.png"], [{"url": "https://example.com/a.png", "description": "A."}]]
)
async def test_images_come_with_the_results(web: Agent, api: Api, images: list[Any]) -> None:
    api.answers = [Answer(body={**FOUND, "images": images})]
    result = await web.call("tavily_web_search", query="q", include_images=True)
    assert result.structured_content is not None
    [image] = result.structured_content["images"]
    assert image["url"] == "https://example.com/a.png"
    assert json.loads(texts(result)[1]) == {"images": [image]}


@pytest.mark.proves("JRN-53", "JRN-60")
async def test_raw_content_comes_with_its_result_and_is_bounded(web: Agent, api: Api) -> None:
    api.answers = [Answer(body={"results": [{**RESULTS[0], "raw_content": "x" * 300_000, "published_date": "today"}]})]
    [item] = await web.ask("tavily_web_search", query="q", include_raw_content=True)
    assert item["raw_content"] == "x" * 100_000
    assert item["published_date"] == "today"


@pytest.mark.proves("JRN-57")
@pytest.mark.parametrize(
    "first", [Answer(429, {"detail": {"error": "slow down"}}), Answer(500, b""), Answer(503, b"x")]
)
async def test_a_temporary_failure_is_tried_again(web: Agent, api: Api, first: Answer) -> None:
    api.answers = [first, Answer()]
    assert len(await web.ask("tavily_web_search", query="q")) == 3
    assert len(api.asked) == 2


@pytest.mark.proves("JRN-57")
@pytest.mark.parametrize(("asked", "paused"), [("2", 2.0), ("60", 8.0)])
async def test_retry_after_is_respected_up_to_a_limit(
    api: Api, monkeypatch: pytest.MonkeyPatch, asked: str, paused: float
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("server.journal.tavily.anyio.sleep", sleep)
    api.answers = [Answer(429, b"", {"retry-after": asked}), Answer()]
    tavily = Tavily(SecretStr(KEY), api.url, pause=0.001)
    assert len((await tavily.search(SearchWeb(query="q"))).items) == 3
    assert pauses == [paused]
    await tavily.close()


UNAVAILABLE, SETUP, INVALID = (
    ("InternalError", "WEB_SEARCH_UNAVAILABLE"),
    ("InternalError", "SETUP_FAILED"),
    ("InvalidParams", "INVALID_ARGUMENT"),
)


@pytest.mark.proves("JRN-57", "JRN-59")
@pytest.mark.parametrize(
    ("status", "meaning", "attempts"),
    [
        (429, UNAVAILABLE, 3),
        (500, UNAVAILABLE, 3),
        (302, UNAVAILABLE, 1),
        (401, SETUP, 1),
        (403, SETUP, 1),
        (432, SETUP, 1),
        (433, SETUP, 1),
        (400, INVALID, 1),
        (422, INVALID, 1),
    ],
)
async def test_each_failure_has_its_error(
    web: Agent, api: Api, status: int, meaning: tuple[str, str], attempts: int
) -> None:
    api.answers = [Answer(status, {"detail": {"error": "no"}}, {"location": f"{api.url}/elsewhere"})]
    refused = await web.refused("tavily_web_search", query="q")
    assert (refused["code"], refused["details"]["reason"]) == meaning
    assert len(api.asked) == attempts


@pytest.mark.proves("JRN-56")
@pytest.mark.parametrize("status", [200, 302, 400, 401, 429, 432, 500])
async def test_neither_the_key_nor_internals_are_shown_or_logged(
    web: Agent, api: Api, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    api.answers = [Answer(status, {"detail": {"error": f"you sent {KEY} to {api.url}"}})]
    refused = await web.refused("tavily_web_search", query="q")
    shown = json.dumps(refused) + "".join(capsys.readouterr())
    assert KEY not in shown
    assert "Traceback" not in shown
    assert "httpx" not in shown


@pytest.mark.proves("JRN-59")
async def test_the_reason_of_a_refused_search_is_passed_on(web: Agent, api: Api) -> None:
    api.answers = [Answer(400, OFFICIAL_REFUSAL)]
    refused = await web.refused("tavily_web_search", query="q" * 401)
    assert "Max query length is 400 characters" in refused["message"]
    api.answers = [Answer(400, {"detail": "x" * 5_000})]
    assert len((await web.refused("tavily_web_search", query="q"))["message"]) < 300
    api.answers = [Answer(400, b"<html>")]
    assert (await web.refused("tavily_web_search", query="q"))["message"] == "Tavily refuses this search"


@pytest.mark.proves("JRN-60")
@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b"{}", b'{"results": null}', b'{"results": [{}]}', b'{"results": [{"url": "\\ud800"}]}',
        b'{"results": [' + b"1" * 11_000_000 + b"]}",
    ],
    ids=["empty", "html", "list", "no results", "null", "no url", "half a character", "far too large"],
)  # fmt: skip
async def test_an_unreadable_answer_is_an_error_and_not_an_empty_list(web: Agent, api: Api, body: bytes) -> None:
    api.answers = [Answer(body=body)]
    refused = await web.refused("tavily_web_search", query="q")
    assert refused["details"]["reason"] == "WEB_SEARCH_UNAVAILABLE"


@pytest.mark.proves("JRN-53")
async def test_missing_texts_of_a_result_are_empty_and_unknown_fields_ignored(web: Agent, api: Api) -> None:
    api.answers = [Answer(body={"results": [{"url": "https://example.com", "title": None, "new": {}}], "usage": {}})]
    [item] = await web.ask("tavily_web_search", query="q")
    assert (item["title"], item["content"], item["score"]) == ("", "", None)


@pytest.mark.proves("JRN-58")
async def test_an_attempt_ends_at_its_time_limit(connect: Connect, api: Api) -> None:
    api.answers = [Answer(hangs=True)]
    async with connect(api.url, timeout=0.2) as agent:
        refused = await agent.refused("tavily_web_search", query="q")
    assert "did not answer within 0.2 s" in refused["message"]
    assert len(api.asked) == 1, "a slow search is not tried again"


@pytest.mark.proves("JRN-59")
async def test_a_server_that_cannot_be_reached_is_reported(connect: Connect) -> None:
    async with connect(NOWHERE) as agent:
        refused = await agent.refused("tavily_web_search", query="q")
    assert refused["message"] == "Tavily cannot be reached; try again later."


@pytest.mark.proves("JRN-61")
async def test_without_a_key_nothing_is_sent_and_the_error_is_the_documented_one(connect: Connect, api: Api) -> None:
    async with connect(api.url, key=None) as agent:
        refused = await agent.refused("tavily_web_search", query="q")
    assert refused["message"].startswith("Tavily API key is not configured. Cannot perform search.")
    assert api.asked == []


@pytest.mark.proves("JRN-62")
async def test_an_attribution_is_logged_only_for_a_named_agent(web: Agent, cypher: Cypher) -> None:
    result = await web.call("tavily_web_search", query="anonymous")
    assert result.structured_content is not None
    assert result.structured_content["attribution_id"] is None
    assert await cypher("MATCH (n {namespace: $namespace}) RETURN n.name AS name") == []
    result = await web.call("tavily_web_search", query="what is new", agent_id="ada")
    [source] = await web.ask("get_source_attributions")
    assert result.structured_content is not None
    assert source["attribution_id"] == result.structured_content["attribution_id"]
    assert (source["source_type"], source["source_uri"]) == ("tavily_search", "what is new")
    assert isinstance(source["retrieval_timestamp"], int)
    assert source["content_summary"].startswith("3 results. https://example.com/0")
    assert len(source["full_content_hash"]) == 64


@pytest.mark.proves("JRN-62")
async def test_a_failed_search_logs_nothing(web: Agent, api: Api) -> None:
    api.answers = [Answer(500, b"")]
    await web.refused("tavily_web_search", query="q", agent_id="ada")
    assert await web.ask("get_source_attributions") == []


@pytest.mark.proves("JRN-63")
async def test_a_viewer_may_search_but_not_log(connect: Connect, api: Api) -> None:
    async with connect(api.url, role=Role.VIEWER) as viewer:
        assert len(await viewer.ask("tavily_web_search", query="q")) == 3
        refused = error(await viewer.call("tavily_web_search", query="q", agent_id="ada"))
    assert (refused["code"], refused["details"]["reason"]) == ("InvalidRequest", "PERMISSION_DENIED")
    assert len(api.asked) == 1, "the role is checked before the search"
