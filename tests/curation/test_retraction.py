"""What was wrong is gone from every answer at once, and stays as history with who, when and why."""

import pytest

from server.cognition.models import UpdateWorkingMemory
from server.cognition.pages import GetWorkingMemory
from server.core.errors import Conflict, InvalidArgument, IsolationViolation, NotFound
from server.curation.models import Retract
from server.entries.models import SaveMemory
from tests.conftest import Cypher
from tests.curation.conftest import Caller

pytestmark = pytest.mark.anyio


@pytest.mark.proves("CUR-1", "CUR-2")
async def test_a_retracted_decision_is_found_nowhere_and_its_target_is_free(agent: Caller) -> None:
    wrong = await agent.record("cart cache", "Cache carts in Redis", about=["Checkout"])
    assert await agent.found("cart cache") == [wrong]
    answer = await agent.retract(wrong, reason="Nobody decided that.")
    assert [(each.kind, each.id) for each in answer.retracted] == [("decision", wrong)]
    assert "Nothing is in force now for 'cart cache'." in answer.message
    assert await agent.found("cart cache") == []
    assert await agent.found("Redis", mode="audit") == []
    assert await agent.neighbors("Checkout") == []
    right = await agent.record("cart cache", "Cache carts in Postgres")
    assert await agent.found("cart cache") == [right]


@pytest.mark.proves("CUR-3")
async def test_what_was_retracted_is_history_with_who_when_and_why(agent: Caller, cypher: Cypher) -> None:
    wrong = await agent.record("cart cache")
    await agent.retract(wrong, reason="Nobody decided that.")
    [row] = await cypher(
        "MATCH (d:Retracted {namespace: $namespace, id: $id})<-[:CHANGED]-(c:Change)<-[:DID]-(who) "
        "WHERE c.id = d.retracted_in "
        "RETURN d.retracted_from AS labels, d.retracted_by AS by, d.retracted_reason AS reason, d.title AS title, "
        "who.name AS who, c.reason AS told, d.retracted_at = c.at AS at",
        id=wrong,
    )
    assert row == {
        "labels": ["Decision"],
        "by": "ada",
        "reason": "Nobody decided that.",
        "title": "A title",
        "who": "ada",
        "told": "Nobody decided that.",
        "at": True,
    }


@pytest.mark.proves("CUR-4")
async def test_what_a_retracted_decision_had_replaced_stays_replaced_until_that_is_undone(agent: Caller) -> None:
    first = await agent.record("queue", "Use Kafka")
    second = await agent.supersede("queue", first, title="Use Rabbit")
    answer = await agent.retract(second)
    assert await agent.found("queue", mode="strict") == []
    _, _, call = answer.message.partition("to put it back in force: undo(change_id='")
    await agent.undo(call[: call.index("'")])
    assert await agent.found("queue", mode="strict") == [first]


@pytest.mark.proves("CUR-5")
async def test_a_retracted_relation_and_entity_leave_neighbours_and_paths(agent: Caller) -> None:
    await agent.edge("Checkout", "USES", "Redis")
    await agent.edge("Redis", "RUNS_ON", "Linux")
    assert await agent.has_path("Checkout", "Linux")
    await agent.retract("Checkout -[USES]-> Redis")
    assert await agent.neighbors("Checkout") == []
    assert not await agent.has_path("Checkout", "Linux")
    await agent.edge("Checkout", "USES", "Redis")
    assert await agent.has_path("Checkout", "Linux")
    await agent.retract("Redis")
    assert await agent.neighbors("Checkout") == []
    with pytest.raises(NotFound):
        await agent.neighbors("Redis")


@pytest.mark.proves("CUR-6")
async def test_a_retracted_memory_is_neither_found_nor_read(agent: Caller) -> None:
    wrong = await agent.save("The launch is on Friday. [[Launch]] is ours.", session_id="talk")
    right = await agent.save("The launch is on Monday.", session_id="talk")
    await agent.retract(wrong)
    assert await agent.searched("launch") == [right]
    assert await agent.read(wrong) == []
    assert await agent.neighbors("Launch") == [("MENTIONS", "The launch is on Monday.")]


@pytest.mark.proves("CUR-7")
async def test_an_agent_retracts_what_agents_wrote_and_an_admin_anything(agent: Caller, human: Caller) -> None:
    theirs = await human.record("pricing")
    memory = await human.save("Prices rise in May.")
    for id_ in (theirs, memory):
        with pytest.raises(IsolationViolation, match="a human wrote"):
            await agent.retract(id_)
    await human.retract(theirs, memory, await agent.record("colour"))


@pytest.mark.proves("CUR-8")
async def test_a_refused_retraction_says_why_and_changes_nothing(agent: Caller) -> None:
    decision = await agent.record("cart cache")
    with pytest.raises(NotFound, match="Not found: 'no-such-id'"):
        await agent.retract(decision, "no-such-id")
    with pytest.raises(Conflict, match="is the target of"):
        await agent.retract("cart cache")
    assert await agent.found("cart cache") == [decision]
    await agent.retract(decision, "cart cache")
    with pytest.raises(NotFound, match="Retracted already"):
        await agent.retract(decision)
    await agent.node("same")
    stored = await agent.episode("same")
    await agent.node(str(stored.id))
    with pytest.raises(InvalidArgument, match="means several records"):
        await agent.retract(str(stored.id))


@pytest.mark.proves("CUR-4")
async def test_what_a_retracted_plan_was_to_replace_holds_on(agent: Caller) -> None:
    first = await agent.record("queue", "Use Kafka")
    planned = await agent.supersede("queue", first, title="Use Rabbit", effective_at="2100-01-01")
    retraction = await agent.retract(planned)
    assert await agent.found("queue", mode="strict") == [first]
    with pytest.raises(Conflict, match=first):
        await agent.record("queue")
    await agent.undo(retraction.change_id)
    with pytest.raises(Conflict, match=planned):
        await agent.record("queue")


@pytest.mark.proves("REF-16")
async def test_a_memory_that_repeats_a_retracted_decision_is_marked(agent: Caller) -> None:
    wrong = await agent.record("queue", rationale="Kafka is what everybody uses.")
    await agent.retract(wrong, reason="Nobody uses it here.")
    answer = await agent.call(agent.entries.save_memory, SaveMemory, text="Kafka is  what everybody uses.")
    assert (answer.root.repeats.id, answer.root.repeats.how) == (wrong, "retracted")


@pytest.mark.proves("CUR-9")
async def test_a_retracted_item_of_working_memory_comes_back(agent: Caller) -> None:
    added = await agent.call(agent.cognition.update_working_memory, UpdateWorkingMemory, content="Look at carts")
    answer = await agent.retract(added.added_id)
    assert [each.kind for each in answer.retracted] == ["working_item"]
    assert len((await agent.call(agent.cognition.get_working_memory, GetWorkingMemory)).items) == 0
    await agent.undo(answer.change_id)
    assert len((await agent.call(agent.cognition.get_working_memory, GetWorkingMemory)).items) == 1


@pytest.mark.proves("CUR-8")
@pytest.mark.parametrize("wrong", [None, 1.5, True, "", ["a"]])
async def test_an_id_that_is_none_is_refused_in_words_of_the_caller(wrong: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Retract.parse({"ids": [wrong], "reason": "It was wrong."})
    assert [each["field"] for each in refusal.value.details["fields"]] == ["ids.0"]
