"""Messages that an older release stored without passages: each gets its own, and is found like a new one."""

from typing import Any

import anyio
import pytest

from server.graph.lucene import namespace_tag
from server.journal.messages import agent_scope
from server.journal.service import JournalService
from tests.conftest import Cypher
from tests.journal.conftest import Agent

pytestmark = pytest.mark.anyio
_STORED = """
UNWIND $messages AS row
CREATE (message:Message:Unprojected {namespace: $namespace, agent_id: 'ada', scope: $scope, revision: 1,
  sender: 'user', speaker: 'user', message_type: 'text'})
SET message += row, message.name = coalesce(row.message_content, ''),
  message.created_at = datetime({epochMillis: 1000 + row.node_id})
WITH message WHERE message.conversation_id = 'talk'
MERGE (session:Session {namespace: $namespace, id: 'talk'})
CREATE (message)-[:IN]->(session)
"""


async def _stored_by_an_older_release(cypher: Cypher, namespace: str, messages: list[dict[str, Any]]) -> None:
    """Store messages in the form that they had up to schema 9."""
    scope = f"{namespace_tag(namespace)} {agent_scope(namespace, 'ada')}"
    rows = [{"id": f"m{n}", "node_id": n, "conversation_id": f"m{n}", **row} for n, row in enumerate(messages)]
    await cypher(_STORED, scope=scope, messages=rows)


async def _ids(agent: Agent, query: str) -> list[str]:
    return [item["message_id"] for item in await agent.ask("search_conversations", query=query)]


@pytest.mark.proves("JRN-24", "JRN-31")
async def test_messages_of_an_older_release_are_found_like_new_ones(
    modern: Agent, service: JournalService, cypher: Cypher, namespace: str
) -> None:
    messages: list[dict[str, Any]] = [
        {"message_content": "And for breakfast?", "conversation_id": "talk"},
        {"message_content": "Tea, always.", "conversation_id": "talk", "user_id": "Grace"},
        {"message_content": "Rename app.py to main.py and keep max_retries at 3.14 of \u00dcbergr\u00f6\u00dfen."},
        {"message_content": " ", "message_type": "tool_call"},
        {"message_content": None},
    ]
    await _stored_by_an_older_release(cypher, namespace, messages)
    assert await _ids(modern, "breakfast") == []
    async with anyio.create_task_group() as tasks:  # two processes that start at once
        tasks.start_soon(service.linker.drain)
        tasks.start_soon(service.linker.drain)
    for query in ("app.py", "max_retries", "3.14", "\u00fcbergr\u00f6ssen"):
        [item] = await modern.ask("search_conversations", query=query)
        assert (item["message_id"], item["matched"]) == ("m2", ["words"])
    assert (await _ids(modern, "Grace"))[0] == "m1"
    assert await _ids(modern, "tool call") == ["m3"]
    items = await modern.ask("search_conversations", query="breakfast")
    assert {item["message_id"]: item["matched"] for item in items} == {"m0": ["words"], "m1": ["neighbour"]}
    after = await modern.ask(
        "store_conversation_message", sender="user", message_content="Right.", conversation_id="talk"
    )
    assert after["message_id"] in await _ids(modern, "tea")


@pytest.mark.proves("JRN-31")
async def test_linking_removes_the_old_form(service: JournalService, cypher: Cypher, namespace: str) -> None:
    await _stored_by_an_older_release(cypher, namespace, [{"message_content": f"Number {n}."} for n in range(7)])
    for _ in range(2):  # done once is done
        await service.linker.drain()
    messages = await cypher(
        "MATCH (m:Message {namespace: $namespace}) "
        "RETURN keys(m) AS keys, labels(m) AS labels, COUNT { (:Passage)-[:PASSAGE_OF]->(m) } AS passages"
    )
    assert len(messages) == 7
    for message in messages:
        assert not {"scope", "speaker", "revision"} & set(message["keys"])
        assert (message["labels"], message["passages"]) == (["Message"], 1)
    [row] = await cypher("MATCH (t:Tombstone {namespace: $namespace, kind: 'message'}) RETURN count(t) AS points")
    assert row["points"] == 7


@pytest.mark.proves("JRN-31")
async def test_messages_that_cannot_be_linked_do_not_block_others(
    modern: Agent, service: JournalService, cypher: Cypher, namespace: str
) -> None:
    await cypher(
        "CREATE (:Message {namespace: $namespace, id: 'nowhere', scope: 'x'}), "
        "(:Message {namespace: $namespace, agent_id: 'ada', conversation_id: 'm0', node_id: 99, scope: 'x', "
        "created_at: datetime()})"
    )
    await _stored_by_an_older_release(cypher, namespace, [{"message_content": "The xylophone arrived."}])
    with anyio.fail_after(60):
        await service.linker.drain()
    assert await _ids(modern, "xylophone") == ["m0"]
