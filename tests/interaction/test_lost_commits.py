"""A caller whose write lost the answer to its COMMIT gets the answer all the same, and nothing is stored twice."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from server.access.bearer import CALLER_HEADER
from server.app import App, open_app
from server.graph import idempotency
from tests.conftest import Cypher, Where
from tests.interaction.conftest import SECRET, Connect, settings_for
from tests.interaction.tools import ask, refused
from tests.relay import Loss, Relay, open_relay

pytestmark = pytest.mark.anyio
_AGENT = {"agent_id": "agent"}
_WHY = "Because nothing else is as simple."
_TOOLS: dict[str, Any] = {
    "save_memory": lambda n: {"text": f"Memory {n}."},
    "store_conversation_message": lambda n: {
        **_AGENT,
        "sender": "user",
        "message_content": f"Message {n}.",
        "conversation_id": "talk",
    },
    "store_context": lambda n: {**_AGENT, "context_type": f"type {n}", "context_data": {}},
    "store_raw_dialogue": lambda n: {"session_id": "trip", "speaker": "Ada", "content": f"Line {n}."},
    "compress_to_l2_insight": lambda n: {"content": f"Insight {n}.", "source_ids": []},
    "update_working_memory": lambda n: {"content": f"Item {n}."},
    "store_episode": lambda n: {"query": f"Query {n}?", "reward": 1.0, "reflection": "Yes."},
    "record_decision": lambda n: {"title": f"Title {n}", "target": f"target {n}", "rationale": _WHY},
    "graph_add_node": lambda n: {"label": "Thing", "name": f"thing {n}"},
    "graph_add_edge": lambda n: {"source_name": f"one {n}", "target_name": f"other {n}", "relation": "KNOWS"},
    "log_success_metric": lambda n: {**_AGENT, "metric_name": "m", "metric_value": n},
}
_ROUTES: dict[str, Any] = {
    "/memories": lambda n: {"prompt": f"Prompt {n}?", "thought": "t", "response": "r", "sessionId": "s"},
    "/entries": lambda n: {"text": f"Entry {n}."},
    "/decisions": lambda n: {"title": f"Title {n}", "target": f"routed {n}", "rationale": _WHY},
}


@pytest.fixture(scope="module")
async def relay(neo4j: Where) -> AsyncIterator[Relay]:
    async with open_relay(neo4j[0]) as opened:
        yield opened


@pytest.fixture(scope="module")
async def relayed(relay: Relay, neo4j: Where, app: App, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    """A second application, whose Neo4j is behind the relay."""
    settings = settings_for(
        (relay.uri, *neo4j[1:]), tmp_path_factory.mktemp("home"), PRECEDENT_SEARCHABLE_WAIT=0, PRECEDENT_RETRY_TIME=0.3
    )
    async with open_app(settings) as opened, opened.http.router.lifespan_context(opened.http):
        yield opened


@pytest.fixture
def era() -> str:
    """What is shown here does not differ between the eras."""
    return "2026-07-28"


@pytest.fixture
async def http(relayed: App, namespace: str) -> AsyncIterator[httpx2.AsyncClient]:
    caller = {"name": "grace", "kind": "human", "role": "admin", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=relayed.http)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60
    ) as client:
        yield client


async def _count(cypher: Cypher) -> Counter[str]:
    """How many nodes and relations of each kind a namespace has, but not what only waits for Qdrant."""
    nodes = await cypher(
        "MATCH (n {namespace: $namespace}) WHERE NOT n:Tombstone AND NOT n:Sequence "
        "UNWIND labels(n) AS kind WITH kind WHERE kind <> 'Unprojected' RETURN kind, count(*) AS number"
    )
    edges = await cypher("MATCH ({namespace: $namespace})-[r]->() RETURN type(r) AS kind, count(r) AS number")
    return Counter({row["kind"]: row["number"] for row in [*nodes, *edges]})


@pytest.mark.proves("SVC-82")
@pytest.mark.parametrize("tool", _TOOLS)
async def test_a_tool_answers_what_it_stored_once_where_the_answer_to_its_commit_is_lost(
    relay: Relay, relayed: App, connect: Connect, cypher: Cypher, tool: str
) -> None:
    async with connect(to=relayed) as client:
        # The first call creates what the others share; the second one shows what a call stores.
        counts, answers = [], []
        for number in range(4):
            lost = relay.lost
            if number > 1:
                relay.lose(Loss.ANSWER if number == 2 else Loss.COMMIT)
            answer = await client.call_tool(tool, _TOOLS[tool](number))
            assert not answer.is_error, answer.structured_content
            answers.append(dict(answer.structured_content or {}))
            assert relay.lost == lost + (number > 1)
            counts.append(await _count(cypher))
    assert counts[2] - counts[1] == counts[3] - counts[2] == counts[1] - counts[0]
    assert answers[1].keys() == answers[2].keys() == answers[3].keys()


@pytest.mark.proves("SVC-82")
@pytest.mark.parametrize("route", _ROUTES)
async def test_a_route_answers_what_it_stored_once_where_the_answer_to_its_commit_is_lost(
    relay: Relay, http: httpx2.AsyncClient, cypher: Cypher, route: str
) -> None:
    counts = []
    for number in range(3):
        if number > 1:
            relay.lose(Loss.ANSWER)
        answer = await http.post(route, json=_ROUTES[route](number))
        assert answer.is_success, answer.text
        counts.append(await _count(cypher))
    assert counts[2] - counts[1] == counts[1] - counts[0]


@pytest.mark.proves("SVC-83")
async def test_a_route_says_that_it_is_not_known_and_a_client_does_not_repeat_it_by_itself(
    relay: Relay, http: httpx2.AsyncClient
) -> None:
    await http.post("/memories", json=_ROUTES["/memories"](0))
    relay.lose(Loss.NEO4J)
    unknown = await http.post("/memories", json=_ROUTES["/memories"](1))
    relay.restore()
    assert (unknown.status_code, unknown.json()["code"]) == (503, "OUTCOME_UNKNOWN")
    assert "not known whether this was stored" in unknown.json()["message"]
    assert "retry-after" not in unknown.headers


@pytest.mark.proves("SVC-83")
async def test_a_tool_that_lost_the_graph_after_its_commit_does_not_say_that_nothing_was_stored(
    relay: Relay, relayed: App, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "_PATIENCE", 0)  # nobody else is at work on an answer
    message = {"text": "Once.", "idempotency_key": "k"}
    async with connect(to=relayed) as client:
        # The answer of a call with a key is stored after its commit.
        relay.close_before(b"idempotency/store_answer")
        error = (await refused(client, "save_memory", **message))["error"]
        relay.restore()
        assert "after changes of this call were stored" in error["message"]
        assert (await ask(client, "save_memory", **message))["replayed"] is True
        assert len((await ask(client, "search", query="once"))["items"]) == 1


@pytest.mark.proves("SVC-79", "SVC-83")
async def test_a_tool_says_that_it_is_not_known_and_the_key_makes_it_known(
    relay: Relay, relayed: App, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "_PATIENCE", 0)
    message = {"text": "Once.", "idempotency_key": "k"}
    async with connect(to=relayed) as client:
        relay.lose(Loss.NEO4J)
        error = (await refused(client, "save_memory", **message))["error"]
        relay.restore()
        again = await ask(client, "save_memory", **message)
    assert "not known whether this was stored" in error["message"]
    assert (again["replayed"], [record["label"] for record in again["stored"]]) == (True, ["Entry"])
