"""Dialogues and their order in a session."""

import itertools
import json

import anyio
import pytest

from server.cognition.models import StoreRawDialogue
from tests.cognition.conftest import Mind
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_CHAIN = (
    "MATCH (d:Dialogue {namespace: $namespace, session_id: 's'}) OPTIONAL MATCH (d)-[:NEXT]->(next:Dialogue) "
    "RETURN d.id AS id, d.place AS place, next.id AS next, d.created_at.epochMillis AS at ORDER BY place"
)


@pytest.mark.proves("COG-11")
async def test_a_dialogue_is_stored_whole_in_its_session(mind: Mind, cypher: Cypher) -> None:
    metadata = {"topic": "mind", "deep": {"list": [1, None, "ü"]}}
    request = StoreRawDialogue.parse(
        {"session_id": "s", "speaker": "user", "content": "What is\nconsciousness?", "metadata": metadata}
    )
    stored = await mind.dialogues.store(request, mind.caller)
    assert (stored.session_id, stored.status) == ("s", "success")
    [row] = await cypher(
        "MATCH (d:Dialogue {namespace: $namespace})-[:IN]->(s:Session) "
        "RETURN d {.id, .name, .speaker, .content, .metadata, .created_by} AS dialogue, s.id AS session"
    )
    dialogue = row["dialogue"]
    assert json.loads(dialogue.pop("metadata")) == metadata
    assert row["session"] == "s"
    assert dialogue == {
        "id": stored.id,
        "name": "user: What is consciousness?",
        "speaker": "user",
        "content": "What is\nconsciousness?",
        "created_by": "tester",
    }


@pytest.mark.proves("COG-12")
async def test_a_session_has_one_order_whoever_writes_at_once(mind: Mind, cypher: Cypher) -> None:
    async def speak(name: str) -> None:
        for number in range(6):
            await mind.say(f"{name} {number}", speaker=name)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(speak, f"agent {number}")
    rows = await cypher(_CHAIN)
    assert [row["place"] for row in rows] == list(range(48))
    assert [row["next"] for row in rows] == [*(row["id"] for row in rows[1:]), None]
    assert all(one["at"] < other["at"] for one, other in itertools.pairwise(rows))


@pytest.mark.proves("COG-9", "COG-12")
async def test_sessions_and_namespaces_are_apart(mind: Mind, cypher: Cypher) -> None:
    await mind.say("one")
    await mind.say("two", session="t")
    await mind.of(namespace=f"{mind.caller.namespace}-other").say("three")
    rows = await cypher(_CHAIN)
    assert [(row["place"], row["next"]) for row in rows] == [(0, None)]
