"""Names are corrected: an entity is renamed, two that are one are merged; the old name still finds it."""

import pytest

from server.core.errors import Conflict, InvalidArgument, NotFound
from tests.conftest import Cypher
from tests.curation.conftest import Caller
from tests.curation.test_undo import snapshot

pytestmark = pytest.mark.anyio


@pytest.mark.proves("ENT-69")
async def test_a_renamed_entity_is_found_by_both_names(agent: Caller) -> None:
    await agent.edge("Checkuot", "USES", "Redis")
    answer = await agent.rename("Checkuot", "Checkout")
    assert (answer.name, answer.former_name) == ("Checkout", "Checkuot")
    for name in ("Checkout", "Checkuot", "checkuot"):
        assert await agent.neighbors(name) == [("USES", "Redis")]
    assert await agent.neighbors("Redis") == [("USES", "Checkout")]


@pytest.mark.proves("ENT-70")
async def test_what_is_stored_under_a_former_name_goes_to_the_entity(agent: Caller) -> None:
    await agent.node("Postgres", properties={"port": 5432})
    await agent.rename("Postgres", "PostgreSQL")
    edge = await agent.edge("Shop", "USES", "Postgres")
    assert "'Postgres' is a former name of 'PostgreSQL'" in edge.message
    assert (await agent.node("postgres")).name == "PostgreSQL"
    await agent.save("We backed up Postgres last night.", title="Backup")
    await agent.save("[[Postgres]] was slow.", title="Slow")
    assert sorted(await agent.neighbors("PostgreSQL")) == [
        ("MENTIONS", "Backup"),
        ("MENTIONS", "Slow"),
        ("USES", "Shop"),
    ]


@pytest.mark.proves("ENT-71")
async def test_targets_follow_a_rename_and_a_merge(agent: Caller) -> None:
    first = await agent.record("Postgres", "Upgrade every year")
    await agent.rename("Postgres", "PostgreSQL")
    for target in ("PostgreSQL", "Postgres"):
        with pytest.raises(Conflict, match=first):
            await agent.record(target)
        assert await agent.found(target) == [first]
    await agent.node("PG")
    await agent.merge("PG", "PostgreSQL")
    with pytest.raises(Conflict, match=first):
        await agent.record("PG")
    second = await agent.supersede("Postgres", first)
    assert await agent.found("PG", mode="strict") == [second]


@pytest.mark.proves("ENT-72")
async def test_merged_entities_are_one_with_the_relations_and_properties_of_both(agent: Caller) -> None:
    await agent.node("PostgreSQL", properties={"port": 5432, "kind": "database"})
    await agent.node("Postgres", properties={"port": 1, "owner": "ada"})
    await agent.edge("Shop", "USES", "Postgres")
    await agent.edge("Shop", "USES", "PostgreSQL")
    await agent.edge("Postgres", "RUNS_ON", "Linux")
    await agent.edge("Postgres", "SAME_AS", "PostgreSQL")
    await agent.save("[[Postgres]] was slow.", title="Slow")
    await agent.merge("PostgreSQL", "Postgres")
    assert sorted(await agent.neighbors("PostgreSQL")) == [
        ("MENTIONS", "Slow"),
        ("RUNS_ON", "Linux"),
        ("USES", "Shop"),
    ]
    assert await agent.has_path("Postgres", "Linux")
    answer = await agent.node("PostgreSQL")
    [row] = await agent.cypher(
        "MATCH (e:Entity {namespace: $namespace, node_id: $id}) "
        "RETURN e.port AS port, e.kind AS kind, e.owner AS owner",
        id=answer.node_id,
    )
    assert row == {"port": 5432, "kind": "database", "owner": "ada"}


@pytest.mark.proves("ENT-73")
async def test_a_rename_and_a_merge_are_undone_whole(agent: Caller, cypher: Cypher) -> None:
    await agent.edge("Shop", "USES", "Postgres")
    await agent.edge("PostgreSQL", "RUNS_ON", "Linux")
    await agent.record("Postgres")
    before = await snapshot(cypher)
    renamed = await agent.rename("Postgres", "PG")
    between = await snapshot(cypher)
    merged = await agent.merge("PostgreSQL", "PG")
    with pytest.raises(Conflict):
        await agent.undo(renamed.change_id)
    await agent.undo(merged.change_id)
    assert await snapshot(cypher) == between
    await agent.undo(renamed.change_id)
    assert await snapshot(cypher) == before
    with pytest.raises(NotFound):
        await agent.neighbors("PG")


@pytest.mark.proves("ENT-74")
async def test_a_refused_correction_of_names_says_why(agent: Caller) -> None:
    await agent.record("Postgres")
    await agent.record("MySQL")
    with pytest.raises(Conflict, match="in force for each of the two"):
        await agent.merge("Postgres", "MySQL")
    with pytest.raises(Conflict, match="merge_entities"):
        await agent.rename("Postgres", "mysql")
    with pytest.raises(InvalidArgument):
        await agent.merge("Postgres", "postgres")
    with pytest.raises(NotFound):
        await agent.rename("Oracle", "Oracle DB")


@pytest.mark.proves("ENT-75")
async def test_pairs_that_may_be_one_are_proposed_and_never_merged(agent: Caller) -> None:
    for name in ("PostgreSQL", "Postgresql", "message queue", "message-queue", "Checkout", "node 1", "node 2"):
        await agent.node(name)
    pairs = {frozenset(pair) for pair in await agent.similar()}
    assert {frozenset(("PostgreSQL", "Postgresql")), frozenset(("message queue", "message-queue"))} <= pairs
    assert not any("Checkout" in pair for pair in pairs)
    assert frozenset(("node 1", "node 2")) not in pairs
    assert {frozenset(pair) for pair in await agent.similar(name="message queue")} == {
        frozenset(("message queue", "message-queue"))
    }
