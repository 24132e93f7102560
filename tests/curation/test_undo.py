"""A change is taken back as a new change where nothing later depends on it."""

import json
import random
from typing import Any

import pytest

from server.core.errors import Conflict, InvalidArgument, IsolationViolation, NotFound, RequestError
from tests.conftest import Cypher
from tests.curation.conftest import Caller
from tests.histories import HISTORIES

pytestmark = pytest.mark.anyio
_LABELS = "Entity|Decision|Proposal|Entry|Passage|Episode"


async def snapshot(cypher: Cypher) -> str:
    """The current graph as one text: nodes with labels and properties, and the relations between them."""
    nodes = await cypher(
        f"MATCH (n:{_LABELS} {{namespace: $namespace}}) "
        "RETURN [label IN labels(n) WHERE label <> 'Unprojected'] AS labels, "
        "n {.*, revision: null, text_revision: null, created_at: toString(n.created_at), "
        "updated_at: toString(n.updated_at), "
        "superseded_at: toString(n.superseded_at)} AS properties"
    )
    edges = await cypher(
        f"MATCH (a:{_LABELS} {{namespace: $namespace}})-[e]->(b:{_LABELS}) WHERE type(e) <> 'FORMER' "
        "RETURN coalesce(a.id, a.name) AS a, type(e) AS type, coalesce(b.id, b.name) AS b, "
        "e {.*, restored_operation: null, created_at: toString(e.created_at), updated_at: toString(e.updated_at), "
        "at: toString(e.at)} AS properties"
    )
    return json.dumps(sorted(json.dumps(row, sort_keys=True, default=str) for row in [*nodes, *edges]))


async def _act(agent: Caller, chance: random.Random, made: list[Any]) -> None:
    """Does something at random; what is refused counts as nothing."""
    names = [f"thing {n}" for n in range(4)]
    memories = [each for each in made if isinstance(each, str) and not each.startswith("decision")]
    match chance.randrange(10):
        case 0:
            await agent.node(chance.choice(names), properties={"size": chance.randrange(3)})
        case 1 | 2:
            one, two = chance.sample(names, 2)
            more = {"weight": chance.random()} if chance.random() < 0.5 else {}
            await agent.edge(one, chance.choice(["USES", "NEEDS"]), two, **more)
        case 3:
            made.append(await agent.record(chance.choice(names), about=chance.sample(names, 1)))
        case 4 if decisions := [each for each in made if str(each).startswith("decision")]:
            old = chance.choice(decisions)
            [row] = await agent.cypher("MATCH (d {namespace: $namespace, id: $id}) RETURN d.target AS target", id=old)
            made.append(await agent.supersede(row["target"], old))
        case 5:
            made.append(await agent.save(f"We spoke of [[{chance.choice(names)}]] at {chance.random()}."))
        case 6 if made:
            await agent.retract(chance.choice(made))
        case 7:
            await agent.retract(chance.choice([*names, f"{names[0]} -[USES]-> {names[1]}"]))
        case 8 if memories:
            long = "And more was said about it. " * chance.choice([0, 20])
            await agent.update(chance.choice(memories), f"They spoke of [[{chance.choice(names)}]]. {long}")
        case 9 if memories:
            made.append(await agent.save(f"It was {chance.random()}.", supersedes=[chance.choice(memories)]))
        case _:
            made.append((await agent.episode("How it went")).id)


@pytest.mark.proves("CUR-9")
async def test_random_operations_that_are_all_undone_leave_the_same_graph(agent: Caller, cypher: Cypher) -> None:
    for seed in range(HISTORIES):
        chance = random.Random(seed)
        made: list[Any] = []
        before: list[tuple[str, str]] = []
        while len(before) < 6:
            now = await snapshot(cypher)
            try:
                await _act(agent, chance, made)
            except RequestError:
                assert await snapshot(cypher) == now
            else:
                before.append((await agent.last_change(), now))
        for step, (change, graph) in reversed(list(enumerate(before))):
            await agent.undo(change)
            assert await snapshot(cypher) == graph, f"seed {seed}, step {step}"


@pytest.mark.proves("CUR-10")
async def test_an_undo_can_be_undone_and_then_the_change_again(agent: Caller, cypher: Cypher) -> None:
    first = await agent.record("queue", "Use Kafka")
    before = await snapshot(cypher)
    await agent.supersede("queue", first, title="Use Rabbit")
    after, change = await snapshot(cypher), await agent.last_change()
    for _ in range(2):
        undone = await agent.undo(change)
        assert await snapshot(cypher) == before
        await agent.undo(undone.change_id)
        assert await snapshot(cypher) == after


@pytest.mark.proves("CUR-11")
async def test_what_later_depends_on_a_change_is_named_and_nothing_is_changed(agent: Caller, cypher: Cypher) -> None:
    first = await agent.record("queue")
    recorded = await agent.last_change()
    await agent.node("Kafka", properties={"version": 3})
    made = await agent.last_change()
    await agent.edge("Kafka", "NEEDS", "Zookeeper", weight=0.5)
    await agent.edge("Kafka", "NEEDS", "Zookeeper", weight=0.7)
    second = await agent.supersede("queue", first)
    now = await snapshot(cypher)
    with pytest.raises(Conflict, match=second):
        await agent.undo(recorded)
    with pytest.raises(Conflict, match="'Zookeeper'"):
        await agent.undo(made)
    assert await snapshot(cypher) == now


@pytest.mark.proves("CUR-12")
async def test_a_change_is_undone_once_by_who_may(agent: Caller, human: Caller) -> None:
    await human.record("pricing")
    change = await human.last_change()
    with pytest.raises(IsolationViolation):
        await agent.undo(change)
    await human.undo(change)
    with pytest.raises(Conflict, match="is undone already"):
        await human.undo(change)
    with pytest.raises(NotFound):
        await agent.undo("no-such-change")


@pytest.mark.proves("CUR-13")
async def test_what_cannot_be_undone_says_what_to_do_instead(agent: Caller, cypher: Cypher) -> None:
    await cypher(
        "CREATE (:Change {namespace: $namespace, id: 'x', operation: 'y', at: datetime(), name: 'ingest docs'})"
        "-[:CHANGED]->(:IngestRun {namespace: $namespace, id: 'r'})"
    )
    with pytest.raises(InvalidArgument, match="ingest the earlier files again"):
        await agent.undo("x")
