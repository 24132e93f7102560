"""A correction marks what it corrects, wherever that is found. Source: JRN-43, JRN-69."""

import json
from typing import Any

import httpx2
import pytest
from mcp import Client

from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET
from tests.interaction.tools import ask

pytestmark = pytest.mark.anyio
_AGENT = {"agent_id": "ada"}
_MARK = "corrected_by"


@pytest.fixture
def era() -> str:
    """What is shown here does not differ between the eras."""
    return "2026-07-28"


async def _correct(client: Client, id_: object, *, reason: str = "The port was changed.") -> tuple[str, list[str]]:
    result = await client.call_tool(
        "log_correction",
        {
            **_AGENT,
            "correction_type": "user_feedback",
            "original_entry_id": str(id_),
            "corrected_value": {"port": 9000},
            "reason": reason,
            "applied_automatically": False,
        },
    )
    answer = dict(result.structured_content or {})
    return answer["correction_id"], answer["corrects"]


async def _items(client: Client, tool: str, many: str = "items", **arguments: Any) -> list[dict[str, Any]]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    found: list[dict[str, Any]] = dict(result.structured_content or {})[many]
    return found


@pytest.mark.proves("JRN-43", "JRN-69")
async def test_a_corrected_memory_message_and_insight_are_marked(client: Client) -> None:
    entry = (await ask(client, "save_memory", text="The parrot listens on port 8000."))["id"]
    stored = await client.call_tool(
        "store_conversation_message",
        {**_AGENT, "sender": "user", "message_content": "The parrot has port 8000.", "conversation_id": "c"},
    )
    message = dict(stored.structured_content or {})["message_id"]
    insight = (await ask(client, "compress_to_l2_insight", content="Parrots use port 8000.", source_ids=[]))["id"]

    async def found() -> list[dict[str, Any]]:
        return [
            *await _items(client, "search", query="parrot port"),
            *await _items(client, "get_entries", ids=[entry]),
            *await _items(client, "search_conversations", **_AGENT, query="parrot port"),
            *await _items(client, "get_conversation_history", **_AGENT),
            *await _items(client, "get_conversation_history", **_AGENT, conversation_id="c", order="newest"),
            *await _items(client, "hybrid_search", "results", query_text="parrot port"),
            *await _items(client, "get_insights", ids=[insight]),
            *await _items(client, "get_insights"),
        ]

    assert len(await found()) == 8
    assert not [item for item in await found() if _MARK in item]
    corrections = {}
    for id_, label in ((entry, "Entry"), (message, "Message"), (insight, "Insight")):
        corrections[label], corrects = await _correct(client, id_)
        assert corrects == [label]
    marks = [item[_MARK] for item in await found()]
    expected = ["Entry"] * 2 + ["Message"] * 3 + ["Insight"] * 3
    assert [mark["correction_id"] for mark in marks] == [corrections[label] for label in expected]
    assert {mark["text"] for mark in marks} == {'The port was changed. {"port":9000}'}
    latest, _ = await _correct(client, entry, reason="x" * 500)
    [item] = await _items(client, "get_entries", ids=[entry])
    assert item[_MARK] == {"correction_id": latest, "text": "x" * 200}


@pytest.mark.proves("JRN-43", "JRN-69")
async def test_a_corrected_memory_over_rest_is_marked(app: App, client: Client, namespace: str) -> None:
    caller = {"name": "grace", "kind": "human", "role": "admin", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60
    ) as http:
        said = {"prompt": "Which port has the parrot?", "thought": "", "response": "8000.", "sessionId": "s"}
        memory = (await http.post("/memories", json=said)).json()["id"]

        async def found() -> list[dict[str, Any]]:
            listed = (await http.get("/memories", params={"sessionId": "s"})).json()["memories"]
            return [*listed, *(await http.post("/memories/query", json={"query": "parrot"})).json()["results"]]

        assert not [item for item in await found() if "correctedBy" in item]
        correction, corrects = await _correct(client, memory)
        assert corrects == ["Interaction"]
        assert [item["correctedBy"]["correctionId"] for item in await found()] == [correction] * 2
