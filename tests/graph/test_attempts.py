"""A transaction is stored once and answered truly, also where the answer to its commit is lost."""

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any
from uuid import uuid4

import anyio
import pytest
from neo4j import AsyncDriver

from server.core.errors import GraphUnavailable, OutcomeUnknown
from server.graph import attempts
from server.graph import graph as seam
from server.graph.graph import Graph, Transaction, connect
from server.graph.sequence import IdSequence
from tests.conftest import Cypher, Where
from tests.relay import Loss, Relay, open_relay

pytestmark = pytest.mark.anyio
Store = Callable[[Graph], Coroutine[Any, Any, object]]


@pytest.fixture
async def relay(neo4j: Where) -> AsyncIterator[Relay]:
    async with open_relay(neo4j[0]) as opened:
        yield opened


@pytest.fixture
async def relayed(relay: Relay, neo4j: Where, graph: Graph) -> AsyncIterator[Graph]:
    """The graph, through the relay."""
    async with connect(relay.uri, *neo4j[1:], timeout=30, retry_time=0.5) as connected:
        yield connected


def _metric(namespace: str) -> dict[str, Any]:
    """Parameters of a write that stores another metric each time."""
    names = ("by", "agent_id", "name", "metric_name")
    empty = dict.fromkeys(("unit", "associated_task_id", "metadata"))
    given = {"namespace": namespace, "id": uuid4().hex, "node_id": 1, "at": 0, "metric_value": 1.0}
    return {**given, **empty, **dict.fromkeys(names, "x")}


@pytest.fixture(params=["statement", "transaction"])
def store(request: pytest.FixtureRequest, namespace: str) -> Store:
    """Stores a metric, in a statement of its own or in a transaction."""

    async def run(graph: Graph) -> object:
        return await graph.run("journal/log_metric", **_metric(namespace))

    async def transact(graph: Graph) -> object:
        async def work(transaction: Transaction) -> str:
            parameters = _metric(namespace)
            await transaction.run("journal/log_metric", **parameters)
            return str(parameters["id"])

        return await graph.transaction(work)

    return run if request.param == "statement" else transact


async def _list_metrics(cypher: Cypher) -> list[str]:
    rows = await cypher("MATCH (m:Metric {namespace: $namespace}) RETURN m.id AS id")
    return [row["id"] for row in rows]


@pytest.mark.proves("SVC-82")
@pytest.mark.parametrize("loss", [Loss.ANSWER, Loss.COMMIT])
async def test_a_write_whose_commit_has_no_answer_is_stored_once_and_returns_what_it_stored(
    relay: Relay, relayed: Graph, cypher: Cypher, store: Store, loss: Loss
) -> None:
    relay.lose(loss)
    answer = await store(relayed)
    assert relay.lost == 1
    [stored] = await _list_metrics(cypher)
    assert answer in ([], stored)
    left = await cypher("MATCH (c:Change {namespace: $namespace}) RETURN c.absent AS absent")
    assert left == [{"absent": None}], "the look for the change left nothing"


@pytest.mark.proves("SVC-82")
async def test_a_commit_that_arrives_late_is_waited_for_and_never_doubled(
    relay: Relay, relayed: Graph, driver: AsyncDriver, cypher: Cypher, store: Store
) -> None:
    waiting = "SHOW TRANSACTIONS YIELD currentQuery, status WHERE currentQuery STARTS WITH '// changes/find_stored' "
    relay.lose(Loss.LATE)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store, relayed)
        with anyio.fail_after(20):
            # The first transaction is still open: who looks for its change waits for its end.
            while not (await driver.execute_query(waiting + "AND status STARTS WITH 'Blocked'")).records:
                await anyio.sleep(0.02)
        relay.release.set()
    assert len(await _list_metrics(cypher)) == 1


@pytest.mark.proves("SVC-83")
async def test_where_it_cannot_be_known_whether_a_write_was_stored_the_error_says_so(
    relay: Relay, relayed: Graph, cypher: Cypher, store: Store
) -> None:
    relay.lose(Loss.NEO4J)
    with pytest.raises(OutcomeUnknown, match="not known whether this was stored") as unknown:
        await store(relayed)
    [change] = await cypher("MATCH (c:Change {namespace: $namespace}) RETURN c.id AS id")
    assert unknown.value.details == {"changes": [change["id"]]}, "so that a person can look"


@pytest.mark.proves("SVC-82")
@pytest.mark.parametrize("store", ["transaction"], indirect=True)
async def test_a_commit_that_is_never_answered_is_looked_for_when_the_time_is_over(
    relay: Relay, neo4j: Where, cypher: Cypher, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seam, "_GRACE", 0.5)
    async with connect(relay.uri, *neo4j[1:], timeout=1, retry_time=0) as patient:
        await store(patient)
        relay.lose(Loss.SILENCE)
        await store(patient)
        assert len(await _list_metrics(cypher)) == 2


@pytest.mark.proves("SVC-83")
async def test_a_transaction_without_an_answer_before_its_commit_was_not_stored(
    neo4j: Where, cypher: Cypher, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seam, "_GRACE", 0.1)

    async def work(transaction: Transaction) -> None:
        await transaction.run("journal/log_metric", **_metric(namespace))
        await anyio.sleep_forever()

    async with connect(*neo4j, timeout=1, retry_time=0) as patient:
        with pytest.raises(GraphUnavailable, match="nothing was stored"):
            await patient.transaction(work)
    assert await _list_metrics(cypher) == []


@pytest.mark.proves("SVC-64", "SVC-82")
async def test_ids_whose_commit_has_no_answer_are_skipped(
    relay: Relay, relayed: Graph, graph: Graph, namespace: str
) -> None:
    relay.lose(Loss.ANSWER, of=b"sequences/take")
    first = await IdSequence(relayed).take(namespace)
    assert relay.lost == 1
    assert (await IdSequence(graph).take(namespace))[0] > first[0]


@pytest.mark.proves("SVC-83")
async def test_a_write_that_leaves_no_change_is_not_repeated_where_its_commit_has_no_answer(
    relay: Relay, relayed: Graph, namespace: str
) -> None:
    relay.lose(Loss.ANSWER, of=b"sequences/take")
    with pytest.raises(OutcomeUnknown):
        await relayed.run("sequences/take", namespace=namespace, count=1)


@pytest.mark.proves("SVC-84")
async def test_of_two_transactions_that_wait_for_each_other_one_is_repeated_after_milliseconds(
    graph: Graph, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(attempts, "_pause", pause)
    both_wait, holders = anyio.Event(), 0

    async def lock(first: str, second: str) -> None:
        async def work(transaction: Transaction) -> None:
            nonlocal holders
            await transaction.run("decisions/lock_principal", namespace=namespace, principal=first)
            holders += 1
            if holders == 2:
                both_wait.set()
            await both_wait.wait()
            await transaction.run("decisions/lock_principal", namespace=namespace, principal=second)

        await graph.transaction(work)

    retried = graph.retried
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lock, "one", "other")
            tasks.start_soon(lock, "other", "one")
    assert graph.retried - retried == len(pauses) > 0
    assert pauses[0] < 0.1
