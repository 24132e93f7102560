"""Superseding decisions: what is stored, and which old decisions are refused."""

from collections.abc import Callable
from typing import Any

import pytest

from server.core.errors import Conflict, InvalidArgument, IsolationViolation, NotFound
from tests.conftest import Cypher
from tests.decisions.conftest import Caller

pytestmark = pytest.mark.anyio

_CHAIN = (
    "MATCH (new:Decision {namespace: $namespace})-[link:SUPERSEDES]->(old) "
    "RETURN new.id AS new, old.id AS old, properties(link) AS link ORDER BY link.at"
)


async def _snapshot(cypher: Cypher) -> list[dict[str, Any]]:
    """Everything in the namespace but the sequence, whose gaps mean nothing."""
    return await cypher(
        "MATCH (n {namespace: $namespace}) WHERE NOT n:Sequence "
        "RETURN labels(n) AS labels, properties(n) AS stored, COLLECT {MATCH (n)-[r]->() RETURN type(r)} AS links "
        "ORDER BY elementId(n)"
    )


@pytest.mark.proves("DEC-15")
async def test_the_new_decision_is_in_force_and_the_old_one_keeps_who_when_and_why(
    agent: Caller, caller: Callable[..., Caller], cypher: Cypher
) -> None:
    old = await agent.record("database", "Use SQLite")
    new = await caller("linus").supersede("database", old, title="Use Neo4j", rationale="SQLite has no paths.")
    rows = await cypher(
        "MATCH (d:Decision {namespace: $namespace}) WITH d ORDER BY d.created_at "
        "RETURN d.id AS id, d.status AS status, d.active_target AS active_target, d.superseded_by AS superseded_by, "
        "d.superseded_at AS superseded_at, d.created_at AS created_at, d.title AS title, d.rationale AS rationale"
    )
    made = rows[1]["created_at"]
    assert [{key: row[key] for key in row if key != "created_at"} for row in rows] == [
        {
            "id": old,
            "status": "superseded",
            "active_target": None,
            "superseded_by": new,
            "superseded_at": made,
            "title": "Use SQLite",
            "rationale": "[via MCP] For good reasons.",
        },
        {
            "id": new,
            "status": "active",
            "active_target": "database",
            "superseded_by": None,
            "superseded_at": None,
            "title": "Use Neo4j",
            "rationale": "[via MCP] SQLite has no paths.",
        },
    ]
    assert await cypher(_CHAIN) == [
        {"new": new, "old": old, "link": {"reason": "[via MCP] SQLite has no paths.", "at": made, "by": "linus"}}
    ]


@pytest.mark.proves("DEC-8")
async def test_both_are_about_the_same_entity(agent: Caller, cypher: Cypher) -> None:
    await agent.supersede("database", await agent.record("database"))
    rows = await cypher("MATCH (d:Decision {namespace: $namespace})-[:ABOUT]->(e) RETURN DISTINCT e.name AS name")
    assert rows == [{"name": "database"}]


@pytest.mark.proves("DEC-5", "DEC-15")
async def test_a_chain_grows_at_its_end(agent: Caller, cypher: Cypher) -> None:
    chain = [await agent.record("database")]
    for _ in range(4):
        chain.append(await agent.supersede("database", chain[-1]))
    assert [(row["new"], row["old"]) for row in await cypher(_CHAIN)] == list(zip(chain[1:], chain, strict=False))
    with pytest.raises(Conflict, match=chain[-1]):
        await agent.record("database")


@pytest.mark.proves("DEC-16")
async def test_naming_the_same_decision_twice_is_naming_it_once(agent: Caller, cypher: Cypher) -> None:
    old = await agent.record("database")
    await agent.supersede("database", old, old, old)
    assert len(await cypher(_CHAIN)) == 1


@pytest.mark.proves("DEC-7", "DEC-17")
async def test_an_unknown_id_is_named_beside_the_decision_in_force(agent: Caller, cypher: Cypher) -> None:
    old = await agent.record("database")
    before = await _snapshot(cypher)
    with pytest.raises(NotFound, match="decision_nowhere") as refused:
        await agent.supersede("database", "decision_nowhere", old, "' OR 1=1 //")
    assert refused.value.details == {"active_decision_id": old, "unknown": ["decision_nowhere", "' OR 1=1 //"]}
    assert old in refused.value.message
    assert await _snapshot(cypher) == before


@pytest.mark.proves("DEC-19")
async def test_many_unknown_ids_are_not_all_read_back(agent: Caller) -> None:
    with pytest.raises(NotFound, match="and 95 more") as refused:
        await agent.supersede("database", *(f"{number} {'x' * 5000}" for number in range(100)))
    assert len(refused.value.message) < 3000


@pytest.mark.proves("DEC-17")
async def test_where_nothing_is_in_force_the_refusal_says_to_record(agent: Caller) -> None:
    with pytest.raises(NotFound, match="record_decision"):
        await agent.supersede("database", "decision_nowhere")


@pytest.mark.proves("DEC-7", "DEC-17")
async def test_a_decision_of_another_target_is_refused(agent: Caller, cypher: Cypher) -> None:
    database, queue = await agent.record("database"), await agent.record("queue")
    before = await _snapshot(cypher)
    with pytest.raises(InvalidArgument, match='about "queue", not about "database"'):
        await agent.supersede("database", queue)
    with pytest.raises(InvalidArgument, match="queue"):
        await agent.supersede("database", database, queue)
    with pytest.raises(InvalidArgument):
        await agent.supersede("database 2", database)
    assert await _snapshot(cypher) == before


@pytest.mark.proves("DEC-7", "DEC-17")
async def test_what_was_superseded_already_is_refused_and_the_current_one_named(agent: Caller, cypher: Cypher) -> None:
    old = await agent.record("database")
    current = await agent.supersede("database", old)
    before = await _snapshot(cypher)
    for ids in ([old], [old, current], [current, old]):
        with pytest.raises(Conflict, match=r"^CONFLICT: .* is superseded already") as refused:
            await agent.supersede("database", *ids)
        assert refused.value.details == {"active_decision_id": current, "not_active": [old]}
    assert await _snapshot(cypher) == before


@pytest.mark.parametrize("status", ["draft", "deprecated"])
@pytest.mark.proves("DEC-17")
async def test_only_what_is_active_can_be_superseded(agent: Caller, cypher: Cypher, status: str) -> None:
    old = await agent.record("database")
    await cypher(
        "MATCH (d:Decision {namespace: $namespace, id: $id}) SET d.status = $status REMOVE d.active_target",
        id=old,
        status=status,
    )
    with pytest.raises(Conflict, match=f"is {status} already"):
        await agent.supersede("database", old)


@pytest.mark.proves("DEC-7", "DEC-18")
async def test_an_agent_cannot_supersede_a_human_decision_and_an_admin_can(
    agent: Caller, human: Caller, admin: Caller, cypher: Cypher
) -> None:
    old = await human.record("database")
    before = await _snapshot(cypher)
    with pytest.raises(IsolationViolation, match=f"^Isolation Violation: a human made .*{old}"):
        await agent.supersede("database", old)
    assert await _snapshot(cypher) == before
    await admin.supersede("database", old)


@pytest.mark.proves("DEC-9", "DEC-18")
async def test_a_marker_in_its_text_does_not_let_agents_supersede_a_human_decision(
    agent: Caller, human: Caller
) -> None:
    old = await human.record("database", rationale="[via MCP] Written by hand.")
    with pytest.raises(IsolationViolation):
        await agent.supersede("database", old)


@pytest.mark.proves("DEC-9")
async def test_a_human_may_supersede_what_an_agent_decided(agent: Caller, human: Caller, cypher: Cypher) -> None:
    new = await human.supersede("database", await agent.record("database"))
    rows = await cypher("MATCH (d:Decision {namespace: $namespace, id: $id}) RETURN d.origin AS o", id=new)
    assert rows == [{"o": "human"}]


@pytest.mark.proves("DEC-54")
async def test_a_decision_of_another_namespace_is_unknown(agent: Caller, caller: Callable[..., Caller]) -> None:
    foreign = await caller(within=f"{agent.principal.namespace}-b").record("database")
    with pytest.raises(NotFound):
        await agent.supersede("database", foreign)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("old_decision_ids", []),
        ("old_decision_ids", "decision_1"),
        ("old_decision_ids", ["x"] * 101),
        ("old_decision_ids", [None]),
        ("rationale", "fourteen chars"),
        ("title", " "),
    ],
)
@pytest.mark.proves("DEC-16")
async def test_a_bad_argument_is_named(agent: Caller, field: str, value: object) -> None:
    arguments = {"title": "New", "rationale": "For better reasons.", "old_decision_ids": ["decision_1"], field: value}
    with pytest.raises(InvalidArgument, match=field):
        await agent.supersede("database", **arguments)  # type: ignore[arg-type]
