"""Two processes of the service on one Neo4j and one Qdrant server, behind nothing or a proxy that takes turns."""

import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import pytest
from neo4j import AsyncDriver

from tests.conftest import Cypher, Where, empty
from tests.interaction.replicas import connect_to, http_to, running_replicas
from tests.interaction.service import Service
from tests.interaction.tools import ask, refused
from tests.qdrant import Qdrant

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
async def replicas(
    neo4j: Where, graph: object, driver: AsyncDriver, qdrant: Qdrant, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Sequence[Service]]:
    """Two processes that serve; the tests of this file share them."""
    await empty(driver)  # what other tests left would be embedded first
    async with running_replicas(neo4j, qdrant, tmp_path_factory) as running:
        yield running


def _decision(target: str) -> dict[str, str]:
    return {"title": "Something", "target": target, "rationale": "Because two replicas race for it."}


@pytest.mark.proves("SVC-93")
async def test_of_two_replicas_one_wins_each_target(replicas: Sequence[Service], namespace: str) -> None:
    outcomes: dict[str, list[bool]] = {}

    async def record(replica: Service, number: int) -> None:
        async with connect_to([replica], namespace, name=f"{replica.port} {number}") as client:
            result = await client.call_tool("record_decision", _decision(f"target {number}"))
            outcomes.setdefault(f"target {number}", []).append(not result.is_error)

    for first in range(0, 20, 5):
        async with anyio.create_task_group() as racing:
            for number in range(first, first + 5):
                for replica in replicas:
                    racing.start_soon(record, replica, number)
    assert [sorted(won) for won in outcomes.values()] == [[False, True]] * 20
    async with connect_to(replicas[:1], namespace) as one, connect_to(replicas[1:], namespace) as other:
        listed = [await ask(client, "list_decisions", limit=50) for client in (one, other)]
    assert listed[0]["decisions"] == listed[1]["decisions"]
    assert len(listed[0]["decisions"]) == 20


@pytest.mark.proves("SVC-93")
async def test_a_replica_reads_and_finds_by_meaning_what_was_written_through_another(
    replicas: Sequence[Service], namespace: str
) -> None:
    async with connect_to(replicas[:1], namespace) as one, connect_to(replicas[1:], namespace) as other:
        for writer, reader, text, query in (
            (one, other, "Cats purr when they are content.", "feline sounds of joy"),
            (other, one, "The invoice is due at the end of the month.", "payment deadline"),
        ):
            saved = await ask(writer, "save_memory", text=text)
            assert saved["searchable"]
            found = await ask(reader, "search", query=query, limit=1)
            assert [hit["id"] for hit in found["items"]] == [saved["id"]]
            assert found["by_meaning"]
        why = "Invoices need the transactions of a relational database."
        decision = {"title": "Keep invoices in PostgreSQL", "target": "billing storage", "rationale": why}
        await ask(one, "record_decision", **decision)
        found = await ask(other, "search_decisions", query="Which SQL database stores our bills?")
        assert found["results"][0]["title"] == decision["title"]


@pytest.mark.proves("SVC-93")
@pytest.mark.parametrize("era", ["2026-07-28", "legacy"])
async def test_any_request_may_go_to_any_replica(replicas: Sequence[Service], namespace: str, era: str) -> None:
    async with connect_to(replicas, namespace, era=era) as client, http_to(replicas, namespace) as http:
        for number in range(4):
            added = await ask(client, "graph_add_node", label="Thing", name=f"thing {number}")
            again = await ask(client, "graph_add_node", label="Thing", name=f"thing {number}")
            assert (added["node_id"], again["created"]) == (again["node_id"], False)
        memory = {"sessionId": "s", "prompt": "a", "thought": "b", "response": "c"}
        for _ in range(3):
            assert (await http.post("/memories", json=memory)).status_code in {200, 201}
        counted = [(await http.get("/memories", params={"sessionId": "s"})).json() for _ in range(2)]
        assert counted[0] == counted[1]


@pytest.mark.proves("SVC-93", "RET-25")
async def test_turns_of_one_conversation_through_two_replicas_have_one_order(
    replicas: Sequence[Service], namespace: str, cypher: Cypher
) -> None:
    talk = {"agent_id": "ada", "sender": "user", "conversation_id": "talk"}

    async def speak(replica: Service) -> None:
        async with connect_to([replica], namespace) as client:
            for number in range(8):
                text = f"Sentence {number} of {replica.port}."
                result = await client.call_tool("store_conversation_message", {**talk, "message_content": text})
                assert not result.is_error, result.structured_content

    async with anyio.create_task_group() as speaking:
        for replica in replicas:
            speaking.start_soon(speak, replica)
    rows = await cypher("MATCH (n:Passage {namespace: $namespace}) RETURN n.place AS place ORDER BY place")
    assert len({row["place"] for row in rows}) == 16
    heard = []
    for replica in replicas:
        async with connect_to([replica], namespace) as client:
            result = await client.call_tool("get_conversation_history", {"agent_id": "ada", "limit": 50})
            heard.append([each["message_content"] for each in (result.structured_content or {})["items"]])
    assert heard[0] == heard[1]
    assert len(set(heard[0])) == 16


@pytest.mark.proves("SVC-93")
async def test_the_cooldown_of_a_principal_counts_in_every_replica(replicas: Sequence[Service], namespace: str) -> None:
    async with connect_to(replicas[:1], namespace) as one, connect_to(replicas[1:], namespace) as other:
        await ask(one, "record_decision", **_decision("first"))
        error = await refused(other, "record_decision", **_decision("second"))
    assert (error["code"], error["details"]["retry_after_seconds"] > 0) == ("RATE_LIMIT_EXCEEDED", True)


@pytest.mark.proves("SVC-93")
async def test_working_memory_has_ten_items_in_every_replica(replicas: Sequence[Service], namespace: str) -> None:
    async def fill(replica: Service) -> None:
        async with connect_to([replica], namespace) as client:
            for number in range(8):
                await ask(client, "update_working_memory", content=f"Item {number} of {replica.port}.")

    async with anyio.create_task_group() as filling:
        for replica in replicas:
            filling.start_soon(fill, replica)
    items: list[Any] = []
    for replica in replicas:
        async with connect_to([replica], namespace) as client:
            items.append((await ask(client, "get_working_memory"))["items"])
    assert items[0] == items[1]
    assert len(items[0]) == 10


@pytest.mark.proves("SVC-92", "SVC-93")
@pytest.mark.long
async def test_the_work_of_a_killed_replica_is_taken_over_within_seconds_and_it_comes_back(
    replicas: Sequence[Service], namespace: str, cypher: Cypher
) -> None:
    killed, survivor = replicas
    await cypher(
        """
        UNWIND range(1, 400) AS n
        CREATE (line:Passage:Unprojected {namespace: $namespace, id: 'backlog ' + n, name: 'Line ' + n})
        SET line.text = line.name
        """
    )
    claimed = "MATCH (claim:ProjectionClaim) WHERE size(claim.elements) > 0 RETURN claim.owner AS owner"
    with anyio.fail_after(60):
        while len({row["owner"] for row in await cypher(claimed)}) < 2:
            await anyio.sleep(0.005)
    await killed.end(signal.SIGKILL)
    began = time.monotonic()
    with anyio.fail_after(60):
        while (await cypher("RETURN COUNT { (:Unprojected) } AS queued"))[0]["queued"]:
            await anyio.sleep(0.1)
    sys.stdout.write(f"the backlog was done {time.monotonic() - began:.1f} s after the kill\n")
    async with anyio.create_task_group() as restarting:
        restarting.start_soon(killed.start)
        verified = await anyio.to_thread.run_sync(survivor.command, "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    async with connect_to([killed], namespace) as client:
        assert (await ask(client, "ping"))["status"]
