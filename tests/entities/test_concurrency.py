"""Simultaneous writes of the same names and edges. Source: ENT-27."""

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import pytest
from neo4j import AsyncDriver, Query

from server.core.principals import Principal, Role
from server.entities.models import EdgeAdded
from server.entities.service import EntityService
from server.graph.graph import Graph, connect
from server.graph.sequence import IdSequence
from tests.conftest import Cypher
from tests.entities.conftest import Caller

pytestmark = pytest.mark.anyio

T = TypeVar("T")
_CLIENTS = 24


async def _together(work: Callable[[int], Awaitable[T]]) -> list[T]:
    """Run the work of all clients, starting when all are ready."""
    ready, answers = anyio.Event(), list[T]()

    async def one(number: int) -> None:
        await ready.wait()
        answers.append(await work(number))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(_CLIENTS):
                tasks.start_soon(one, number)
            await anyio.wait_all_tasks_blocked()
            ready.set()
    return answers


@pytest.mark.proves("ENT-27")
async def test_one_name_from_many_clients_is_one_entity_created_once(caller: Caller, cypher: Cypher) -> None:
    answers = await _together(lambda number: caller.node("same", properties={f"from{number}": number}))
    assert sorted(answer.created for answer in answers) == [False] * (_CLIENTS - 1) + [True]
    assert len({answer.node_id for answer in answers}) == 1
    [row] = await cypher(
        "MATCH (n:Entity {namespace: $namespace}) RETURN count(n) AS nodes, head(collect(keys(n))) AS keys"
    )
    assert row["nodes"] == 1
    assert {f"from{number}" for number in range(_CLIENTS)} <= set(row["keys"])


@pytest.mark.proves("ENT-27")
async def test_one_edge_from_many_clients_of_two_processes_is_one_edge_between_two_nodes(
    caller: Caller, cypher: Cypher, neo4j: tuple[str, str, str]
) -> None:
    """The second process is a second driver with a sequence of its own; half of the edges lead back."""
    async with connect(*neo4j, retry_time=30) as other:
        elsewhere = Caller(EntityService(other, IdSequence(other)), caller.principal)

        async def write(number: int) -> EdgeAdded:
            client = elsewhere if number % 2 else caller
            ends = ("a", "b") if number % 4 < 2 else ("b", "a")
            return await client.edge(ends[0], "USES", ends[1], properties={f"from{number}": number})

        answers = await _together(write)
    assert sum(answer.created for answer in answers) == 2
    assert sum(answer.source_created + answer.target_created for answer in answers) == 2
    rows = await cypher(
        "MATCH (a:Entity {namespace: $namespace})-[edge:USES]->(b) "
        "RETURN a.name AS a, b.name AS b, keys(edge) AS keys ORDER BY a"
    )
    assert [(row["a"], row["b"]) for row in rows] == [("a", "b"), ("b", "a")]
    assert {f"from{number}" for number in range(_CLIENTS)} <= {key for row in rows for key in row["keys"]}


@pytest.mark.proves("ENT-27")
async def test_many_clients_around_one_hub_lose_nothing(caller: Caller) -> None:
    await _together(lambda number: caller.edge("hub", "USES", f"n{number}", weight=number / _CLIENTS))
    answer = await caller.neighbors("hub")
    assert {row.name for row in answer.neighbors} == {f"n{number}" for number in range(_CLIENTS)}
    assert len({row.edge_id for row in answer.neighbors} | {row.node_id for row in answer.neighbors}) == 2 * _CLIENTS


@pytest.mark.proves("SVC-84")
@pytest.mark.parametrize("ends", [("alpha", "beta"), ("beta", "alpha")])
async def test_a_relation_locks_its_ends_in_the_order_of_their_names_in_either_direction(
    caller: Caller, driver: AsyncDriver, namespace: str, ends: tuple[str, str]
) -> None:
    await caller.node("beta")  # so that it is the first one in the database
    await caller.node("alpha")
    lock = "MATCH (e:Entity {namespace: $namespace, name: $name}) SET e:Entity"
    waiting = (
        "SHOW TRANSACTIONS YIELD currentQuery, status "
        "WHERE currentQuery STARTS WITH '// entities/add_edge' AND status STARTS WITH 'Blocked'"
    )
    async with driver.session(database="neo4j") as session, anyio.create_task_group() as tasks:
        holder = await session.begin_transaction()
        await (await holder.run(lock, namespace=namespace, name="alpha")).consume()
        tasks.start_soon(caller.edge, ends[0], "KNOWS", ends[1])
        with anyio.fail_after(60):
            while not (await driver.execute_query(waiting)).records:
                await anyio.sleep(0.02)
        # It waits for the first name and holds no other one: nobody can wait for both.
        await driver.execute_query(Query(lock, timeout=30), namespace=namespace, name="beta", database_="neo4j")
        await holder.rollback()


@pytest.mark.proves("SVC-84")
async def test_callers_who_relate_the_same_hubs_do_not_block_each_other(
    service: EntityService, graph: Graph, namespace: str
) -> None:
    hubs = [f"hub {number}" for number in range(5)]
    callers = [Caller(service, Principal(f"p{n}", "agent", Role.AGENT, namespace)) for n in range(16)]
    for hub in hubs:
        await callers[0].node(hub)
    retried = graph.retried

    async def relate(caller: Caller, seed: int) -> None:
        chosen = random.Random(seed)
        for _ in range(10):
            source, target = chosen.sample(hubs, 2)
            await caller.edge(source, "KNOWS", target, weight=chosen.random())

    async with anyio.create_task_group() as tasks:
        for number, each in enumerate(callers):
            tasks.start_soon(relate, each, number)
    assert graph.retried - retried <= 3, "of 160"
