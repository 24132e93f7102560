"""Targets are compared without case, width and spacing; the answer names those written almost alike."""

import re
from collections.abc import Callable

import anyio
import pytest

from cli.maintenance import Collision, list_collisions
from server.core.errors import Conflict, IsolationViolation
from server.decisions.near_targets import is_near
from server.graph.graph import Graph
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Make, Store
from tests.decisions.targets import UNRELATED

pytestmark = pytest.mark.anyio
_WAYS = [
    "message queue",
    " Message\u00a0 Queue",
    "\uff2d\uff25\uff33\uff33\uff21\uff27\uff25 QUEUE",
    "message\n\tqueue",
]


@pytest.fixture
async def colliding(store_decisions: Store, cypher: Cypher) -> list[str]:
    """Three decisions in force, as a release before keys left them and the migration took them over."""
    ids = await store_decisions(
        {"title": "Use Kafka", "target": "Message Queue", "origin": "agent", "status": "draft", "at": 2},
        {"title": "Use RabbitMQ", "target": "message queue", "origin": "agent", "at": 1},
        {"title": "Use NATS", "target": "MESSAGE QUEUE", "origin": "agent", "status": "draft", "at": 3},
    )
    await cypher(
        "MATCH (d:Decision {namespace: $namespace}) WHERE d.title = 'Use NATS' OR d.title = 'Use Kafka' "
        "SET d.status = 'active', d.active_target = d.target",
    )
    return [ids[1], ids[0], ids[2]]  # the oldest first


@pytest.mark.parametrize("again", _WAYS)
@pytest.mark.proves("DEC-5", "DEC-11")
async def test_a_second_decision_is_a_conflict_however_its_target_is_written(agent: Caller, again: str) -> None:
    first = await agent.record("Message Queue", title="Use Kafka")
    with pytest.raises(Conflict, match='"Use Kafka"') as refused:
        await agent.record(again)
    assert refused.value.details == {"active_decision_id": first}
    assert 'written "Message Queue"' in refused.value.message


@pytest.mark.proves("DEC-11")
async def test_what_was_written_is_kept_and_shown(agent: Caller, cypher: Cypher) -> None:
    first = await agent.record("Message  Queue")
    second = await agent.supersede("MESSAGE queue", first)
    rows = await cypher(
        "MATCH (d:Decision {namespace: $namespace}) "
        "RETURN d.id AS id, d.target AS target, d.target_key AS key, d.active_target AS held ORDER BY d.created_at"
    )
    assert rows == [
        {"id": first, "target": "Message  Queue", "key": "message queue", "held": None},
        {"id": second, "target": "MESSAGE queue", "key": "message queue", "held": "message queue"},
    ]
    assert {hit.target for hit in await agent.search("message queue", mode="audit")} == {
        "Message  Queue",
        "MESSAGE queue",
    }


@pytest.mark.proves("DEC-6", "DEC-11")
async def test_only_one_of_many_who_write_a_target_in_their_own_way_at_once_wins(
    caller: Callable[..., Caller], cypher: Cypher
) -> None:
    won: list[str] = []
    lost: list[Conflict] = []

    async def decide(number: int) -> None:
        try:
            won.append(await caller(f"agent {number}").record(_WAYS[number % len(_WAYS)]))
        except Conflict as conflict:
            lost.append(conflict)

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(decide, number)
    assert len(won) == 1
    assert {conflict.details["active_decision_id"] for conflict in lost} == set(won)
    assert await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN count(d) AS decisions") == [{"decisions": 1}]


@pytest.mark.proves("DEC-6")
async def test_two_different_decisions_are_never_in_force_for_one_target_after_a_superseding_race(
    agent: Caller, elsewhere: Make, cypher: Cypher
) -> None:
    old = await agent.record("Database")
    other = Caller(elsewhere(), agent.principal)
    outcomes: list[object] = []

    async def supersede(caller: Caller, target: str) -> None:
        try:
            outcomes.append(await caller.supersede(target, old))
        except Conflict as conflict:
            outcomes.append(conflict)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(supersede, agent, "DATABASE")
        tasks.start_soon(supersede, other, "database ")
    assert sorted(isinstance(outcome, str) for outcome in outcomes) == [False, True]
    assert await cypher(
        "MATCH (d:Decision {namespace: $namespace, status: 'active'}) RETURN d.active_target AS held"
    ) == [{"held": "database"}]


@pytest.mark.proves("DEC-21")
async def test_an_entity_that_differs_only_in_case_is_what_the_decision_is_about(agent: Caller, cypher: Cypher) -> None:
    await cypher("CREATE (:Entity:Technology {namespace: $namespace, name: 'Neo4j', name_key: 'neo4j', node_id: -1})")
    await agent.record("NEO4J")
    assert await cypher("MATCH (e:Entity {namespace: $namespace}) RETURN e.name AS name") == [{"name": "Neo4j"}]


@pytest.mark.proves("DEC-21")
async def test_of_entities_that_differ_only_in_case_the_exact_one_is_meant_else_none(
    agent: Caller, cypher: Cypher
) -> None:
    await cypher(
        "UNWIND ['Redis', 'redis'] AS name CREATE (:Entity {namespace: $namespace, name: name, name_key: 'redis'})"
    )
    first = await agent.record("redis")
    second = await agent.supersede("REDIS", first)
    about = await cypher(
        "MATCH (d:Decision {namespace: $namespace})-[:ABOUT]->(e) "
        "RETURN d.id AS id, e.name AS name ORDER BY d.created_at"
    )
    assert about == [{"id": first, "name": "redis"}, {"id": second, "name": "REDIS"}]


@pytest.mark.parametrize("target", [*_WAYS, "MESSAGE QUEUE", "Message Queue"])
@pytest.mark.proves("DEC-14")
async def test_nothing_is_recorded_beside_several_that_collide_and_all_of_them_are_named(
    agent: Caller, colliding: list[str], target: str
) -> None:
    with pytest.raises(Conflict, match="differ by case, width or spacing alone") as refused:
        await agent.record(target)
    assert refused.value.details == {"active_decision_id": colliding[0], "active_decision_ids": colliding}
    listed = ", ".join(f'"{id_}"' for id_ in colliding)
    assert f"Replace all of them: supersede_decision with old_decision_ids [{listed}]" in refused.value.message


@pytest.mark.proves("DEC-14", "DEC-17")
async def test_several_that_collide_are_replaced_together_or_not_at_all(
    agent: Caller, colliding: list[str], cypher: Cypher
) -> None:
    for some in (colliding[:1], colliding[1:], colliding[:2]):
        with pytest.raises(Conflict) as refused:
            await agent.supersede("message queue", *some)
        assert refused.value.details["active_decision_ids"] == colliding
    new = await agent.supersede("Message QUEUE", *colliding)
    in_force = await cypher(
        "MATCH (d:Decision {namespace: $namespace}) WHERE d.status = 'active' OR d.active_target IS NOT NULL "
        "RETURN d.id AS id, d.active_target AS held"
    )
    assert in_force == [{"id": new, "held": "message queue"}]


@pytest.mark.proves("DEC-14", "DEC-18")
async def test_a_human_decision_among_them_keeps_agents_from_replacing_them(
    agent: Caller, admin: Caller, colliding: list[str], cypher: Cypher
) -> None:
    await cypher("MATCH (d:Decision {namespace: $namespace, id: $id}) SET d.origin = 'human'", id=colliding[2])
    with pytest.raises(Conflict, match="only an admin may replace it"):
        await agent.record("message queue")
    with pytest.raises(IsolationViolation):
        await agent.supersede("message queue", *colliding)
    await admin.supersede("message queue", *colliding)


@pytest.mark.proves("DEC-14", "DEC-57")
async def test_a_proposal_names_all_that_collide(
    agent: Caller, admin: Caller, colliding: list[str], evidence: list[str]
) -> None:
    with pytest.raises(Conflict) as refused:
        await agent.propose("Message queue", *evidence, supersedes=colliding[:1])
    assert all(id_ in refused.value.message for id_ in colliding)
    await agent.propose("Message queue", *evidence, supersedes=colliding)


@pytest.mark.proves("DEC-14", "DEC-68")
async def test_colliding_targets_are_listed_and_others_are_not(
    agent: Caller, colliding: list[str], graph: Graph, namespace: str
) -> None:
    await agent.record("another target")
    [row] = await graph.run("decisions/colliding_targets", namespace=namespace)
    assert row["target_key"] == "message queue"
    assert [each["id"] for each in row["decisions"]] == colliding
    assert [each["target"] for each in row["decisions"]] == ["message queue", "Message Queue", "MESSAGE QUEUE"]
    written = ("message queue", "Message Queue", "MESSAGE QUEUE")
    expected = Collision(namespace, tuple(zip(colliding, written, strict=True)))
    assert [each for each in await list_collisions(graph) if each.namespace == namespace] == [expected]
    await agent.supersede("message queue", *colliding)
    assert await graph.run("decisions/colliding_targets", namespace=namespace) == []
    assert [each for each in await list_collisions(graph) if each.namespace == namespace] == []


@pytest.mark.proves("DEC-11", "DEC-58")
async def test_drafts_about_one_target_compete_however_it_is_written(agent: Caller, evidence: list[str]) -> None:
    first = await agent.propose("Cart Cache", *evidence)
    second = await agent.propose("cart  cache", *evidence)
    listed = await agent.proposals(target="CART cache")
    assert [(each.id, each.target, each.competes_with) for each in listed.proposals] == [
        (second, "cart  cache", [first]),
        (first, "Cart Cache", [second]),
    ]


_NEAR = [
    ("message queues", "message queue"),
    ("the message queue", "message queue"),
    ("queue for messages", "message queue"),
    ("mesage queue", "message queue"),
    ("message queu", "message queue"),
    ("message-queue", "message queue"),
    ("messageQueue", "message queue"),
    ("message_queue", "message queue"),
    ("choice of message queue", "message queue"),
    ("Postgress version", "postgres version"),
    ("authentification", "authentication"),
    ("naming of branches", "branch naming"),
]
_FAR = [
    ("API v1", "API v2"),
    ("PEP 8", "PEP 9"),
    ("message queue", "message format"),
    ("message queue", "job queue"),
    ("cart cache", "card cache"),
    ("queue", "message queue"),
    ("upload limit", "unload limit"),
    ("batch size", "patch size"),
    ("Python 3.11", "Python 3.12"),
    ("数据库", "数据源"),
    ("!", "?"),
    ("staging database", "production database"),
]


@pytest.mark.parametrize(("one", "other"), _NEAR)
@pytest.mark.proves("DEC-12")
def test_targets_that_may_mean_the_same_are_near(one: str, other: str) -> None:
    assert is_near(one, other)
    assert is_near(other, one)


@pytest.mark.parametrize(("one", "other"), _FAR)
@pytest.mark.proves("DEC-12")
def test_targets_that_mean_something_else_are_not(one: str, other: str) -> None:
    assert not is_near(one, other)
    assert not is_near(other, one)


@pytest.mark.proves("DEC-12")
def test_unrelated_targets_are_hardly_ever_near() -> None:
    pairs = [(one, other) for at, one in enumerate(UNRELATED) for other in UNRELATED[at + 1 :]]
    assert len(UNRELATED) >= 200
    assert [pair for pair in pairs if is_near(*pair)] == []


@pytest.mark.parametrize(("new", "there"), _NEAR)
@pytest.mark.proves("DEC-12")
async def test_among_200_in_force_a_near_target_is_recorded_and_the_answer_names_the_near_one(
    agent: Caller, store_decisions: Store, new: str, there: str
) -> None:
    await store_decisions(
        *({"title": f"Title of {target}", "target": target} for target in UNRELATED if target != there)
    )
    old = await agent.record(there, title="The one before")
    answer = await agent.recorded(new)
    assert answer.decision_id
    assert [(near.target, near.decision_id, near.title) for near in answer.near_targets] == [
        (there, old, "The one before")
    ]
    assert re.search(rf'almost equal target: "{there}" \({old}\)', answer.message)


@pytest.mark.proves("DEC-12")
async def test_among_200_in_force_no_other_target_is_reported_as_near(agent: Caller, store_decisions: Store) -> None:
    half = len(UNRELATED) // 2
    there = dict.fromkeys([*UNRELATED[:half], *(other for _, other in _FAR if other not in UNRELATED)])
    await store_decisions(*({"title": f"Title of {target}", "target": target} for target in there))
    new = dict.fromkeys([*(one for one, _ in _FAR), *UNRELATED[half : half + 40]])
    for target in [target for target in new if target not in there]:
        answer = await agent.recorded(target)
        assert answer.near_targets == [], target
        assert "almost equal" not in answer.message


@pytest.mark.proves("DEC-13", "DEC-54")
async def test_only_targets_in_force_in_the_namespace_are_near(
    agent: Caller, store_decisions: Store, caller: Callable[..., Caller]
) -> None:
    await store_decisions({"title": "Old", "target": "message queue", "status": "superseded"})
    await caller(within=f"{agent.principal.namespace}-b").record("the message queue")
    assert (await agent.recorded("message queues")).near_targets == []


@pytest.mark.parametrize("target", ["*:*", "AND OR NOT", "\\ +(", "🧠" * 1000, "a " * 499, "what to do", "'\"`}) //"])
@pytest.mark.proves("DEC-13")
async def test_any_target_can_be_looked_up(agent: Caller, target: str) -> None:
    await agent.record("message queue")
    assert (await agent.recorded(target)).near_targets == []
