"""Reading complete decisions, by id and by target."""

from datetime import UTC, datetime
from typing import Any

import pytest

from server.core.errors import InvalidArgument, NotFound
from server.decisions.reading_models import FullDecision, FullDecisions, GetDecisions
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Store

pytestmark = pytest.mark.anyio
_KEYED = "MATCH (n:Decision|Proposal {namespace: $namespace}) SET n.target_key = toLower(trim(n.target))"


async def read(caller: Caller, *ids: str, targets: tuple[str, ...] = ()) -> FullDecisions:
    request = GetDecisions.parse({"ids": list(ids), "targets": list(targets)})
    return await caller.service.get(request, caller.principal)


async def one(caller: Caller, *ids: str, targets: tuple[str, ...] = ()) -> FullDecision:
    [decision] = (await read(caller, *ids, targets=targets)).decisions
    return decision


@pytest.mark.proves("DEC-46")
async def test_a_decision_is_read_back_character_by_character(agent: Caller) -> None:
    rationale = "Ünïcode, a \x1b[31mcode\x1b[0m, <b>markup</b> and 'quotes'.\n" * 200
    consequences = [f"It follows, {n}, that {'x' * 2_000}." for n in range(10)]
    id_ = await agent.record("message queue", "Queue in Redis", rationale, consequences=consequences)
    decision = await one(agent, id_)
    assert decision.rationale == f"[via MCP] {rationale}"
    assert decision.consequences == consequences
    assert (decision.id, decision.kind, decision.title, decision.target) == (
        id_,
        "decision",
        "Queue in Redis",
        "message queue",
    )
    assert (decision.status, decision.origin, decision.created_by) == ("active", "agent", "ada")
    assert decision.created_at is not None
    assert decision.created_at.utcoffset() is not None
    assert "message queue" in decision.about
    assert decision.more is None


@pytest.mark.proves("DEC-46")
async def test_what_is_null_is_left_out_of_an_answer(agent: Caller) -> None:
    answer = (await one(agent, await agent.record("x"))).model_dump(mode="json")
    assert "proposal" not in answer
    assert "more" not in answer
    assert None not in answer.values()


@pytest.mark.proves("DEC-48")
async def test_a_supersession_chain_is_returned_in_both_directions_with_reasons(agent: Caller) -> None:
    ids = [await agent.record("chain", "Version 0")]
    for number in range(1, 6):
        why = f"Version {number} knows what version {number - 1} did not."
        ids.append(await agent.supersede("chain", ids[-1], title=f"Version {number}", rationale=why))
    middle = await one(agent, ids[2])
    assert middle.status == "superseded"
    assert [(step.id, step.steps, step.title) for step in middle.replaced] == [
        (ids[1], 1, "Version 1"),
        (ids[0], 2, "Version 0"),
    ]
    assert [(step.id, step.steps, step.status) for step in middle.replaced_by] == [
        (ids[3], 1, "superseded"),
        (ids[4], 2, "superseded"),
        (ids[5], 3, "active"),
    ]
    assert "Version 3 knows what version 2 did not." in middle.replaced_by[0].reason
    assert "Version 5 knows what version 4 did not." in middle.replaced_by[2].reason
    assert "Version 1 knows what version 0 did not." in middle.replaced[1].reason
    assert {step.by for step in middle.replaced + middle.replaced_by} == {"ada"}
    assert all(step.at is not None for step in middle.replaced + middle.replaced_by)


@pytest.mark.proves("DEC-48", "DEC-49")
async def test_chains_that_branch_and_join_return_each_decision_once(agent: Caller, store_decisions: Store) -> None:
    # 2 to the power of 40 ways lead from the last to the first.
    decisions: list[dict[str, Any]] = [{"title": "first", "status": "superseded"}]
    for _ in range(40):
        last = len(decisions) - 1
        decisions += [
            {"title": "left", "status": "superseded", "replaces": [last]},
            {"title": "right", "status": "superseded", "replaces": [last]},
            {"title": "both", "status": "superseded", "replaces": [last + 1, last + 2]},
        ]
    ids = await store_decisions(*decisions)
    decision = await one(agent, ids[-1])
    assert [step.steps for step in decision.replaced[:4]] == [1, 1, 2, 3]
    assert len(decision.replaced) == 50
    assert decision.more == {"replaced": len(ids) - 1 - 50}


@pytest.mark.proves("DEC-46", "DEC-47")
async def test_a_target_answers_with_what_is_in_force_else_with_the_latest(
    agent: Caller, store_decisions: Store, cypher: Cypher
) -> None:
    ids = await store_decisions(
        {"title": "old", "target": "Message Queue", "status": "superseded", "at": 5},
        {"title": "new", "target": "Message Queue", "at": 2},
        {"title": "gone", "target": "cache", "status": "deprecated", "at": 1},
        {"title": "gone later", "target": "cache", "status": "deprecated", "at": 2},
    )
    assert (await one(agent, targets=("Message Queue",))).id == ids[1]
    assert (await one(agent, targets=("cache",))).id == ids[3]
    await cypher(_KEYED)
    assert (await one(agent, targets=("  mESSAGE\tqueue ",))).id == ids[1]
    answer = await read(agent, ids[1], targets=("message queue", "cache"))
    assert [each.id for each in answer.decisions] == [ids[1], ids[3]], "each once, in the order of asking"
    assert answer.unknown == []


@pytest.mark.proves("DEC-47")
async def test_two_decisions_that_collide_are_both_returned(
    agent: Caller, store_decisions: Store, cypher: Cypher
) -> None:
    ids = await store_decisions({"title": "one", "target": "Queue"}, {"title": "two", "target": "not yet"})
    # As the migration leaves two that collided before.
    await cypher("MATCH (d:Decision {namespace: $namespace, id: $id}) SET d.target = 'queue'", id=ids[1])
    await cypher(_KEYED)
    assert {each.id for each in (await read(agent, targets=("QUEUE",))).decisions} == set(ids)


@pytest.mark.proves("DEC-51")
async def test_what_is_unknown_is_named_beside_what_is_found(agent: Caller) -> None:
    id_ = await agent.record("message queue")
    answer = await read(agent, "nothing", id_, targets=("nowhere",))
    assert [each.id for each in answer.decisions] == [id_]
    assert answer.unknown == ["nothing", "nowhere"]
    assert '"nothing", "nowhere"' in answer.message


@pytest.mark.proves("DEC-51")
async def test_where_nothing_is_found_near_targets_are_named(agent: Caller) -> None:
    await agent.record("message queue")
    await agent.record("colour of the shed")
    with pytest.raises(NotFound, match="message queue") as refused:
        await read(agent, targets=("mesage queues",))
    assert refused.value.details == {"unknown": ["mesage queues"], "near_targets": ["message queue"]}
    with pytest.raises(NotFound, match="No target in force is similar"):
        await read(agent, "zzzz \x00 +-!(){}[]^\"~*?:\\/ AND OR 'x'")


@pytest.mark.parametrize(
    "arguments",
    [{}, {"ids": []}, {"ids": [""]}, {"ids": ["x"] * 21}, {"ids": ["x"] * 11, "targets": ["y"] * 10}, {"ids": "x"},
     {"targets": [" "]}, {"ids": [7]}, {"ids": ["x" * 1_001]}],
)  # fmt: skip
@pytest.mark.proves("DEC-46")
def test_one_to_twenty_are_asked_for(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        GetDecisions.parse(arguments)


@pytest.mark.proves("DEC-23", "DEC-49")
async def test_the_links_of_a_decision_are_returned(agent: Caller, cypher: Cypher, evidence: list[str]) -> None:
    base, other = await agent.record("base"), await agent.record("other")
    id_ = await agent.record("cart cache")
    await cypher(
        """
        MATCH (d:Decision {namespace: $namespace, id: $id}), (base:Decision {namespace: $namespace, id: $base}),
          (other:Decision {namespace: $namespace, id: $other}), (seen:Entry {namespace: $namespace, id: 'seen one'})
        CREATE (d)-[:REQUIRES]->(base), (other)-[:REQUIRES]->(d), (d)-[:EVIDENCED_BY]->(seen), (other)-[:AMENDS]->(d)
        CREATE (d)-[:ABOUT]->(:Entity {namespace: $namespace, name: 'Checkout'}),
          (d)-[:MENTIONS]->(:Entity {namespace: $namespace, name: 'Redis'})
        SET d.alternatives = ['Memcached', 'the graph'], d.alternatives_why_not = ['no persistence', '']
        """,
        id=id_,
        base=base,
        other=other,
    )
    decision = await one(agent, id_)
    assert [(each.option, each.why_not) for each in decision.alternatives] == [
        ("Memcached", "no persistence"),
        ("the graph", ""),
    ]
    assert decision.about == ["Checkout", "cart cache"]
    assert decision.mentions == ["Redis"]
    assert [(each.id, each.status) for each in decision.requires] == [(base, "active")]
    assert [each.id for each in decision.required_by] == [other]
    assert [(each.id, each.relation, each.direction) for each in decision.related] == [(other, "AMENDS", "incoming")]
    assert [(each.id, each.kind) for each in decision.evidence] == [("seen one", "Entry")]


@pytest.mark.proves("DEC-49")
async def test_lists_beyond_fifty_are_counted(agent: Caller, cypher: Cypher) -> None:
    id_ = await agent.record("hub")
    await cypher(
        "MATCH (d:Decision {namespace: $namespace, id: $id}) UNWIND range(1, 60) AS n "
        "CREATE (d)-[:MENTIONS]->(:Entity {namespace: $namespace, name: 'thing ' + n})",
        id=id_,
    )
    decision = await one(agent, id_)
    assert len(decision.mentions) == 50
    assert decision.more == {"mentions": 10}


@pytest.mark.proves("DEC-50")
async def test_a_proposal_is_read_completely_and_names_what_it_became(
    agent: Caller, admin: Caller, evidence: list[str], cypher: Cypher
) -> None:
    rationale = "Seen three times, each time worse. " * 100
    old = await agent.record("cart cache")
    proposal = await agent.propose("cart cache", *evidence, rationale=rationale, supersedes=[old])
    rival = await agent.propose("cart cache", *evidence, supersedes=[old])
    draft = await one(agent, proposal)
    assert (draft.kind, draft.status, draft.rationale) == ("proposal", "draft", rationale)
    assert {each.id for each in draft.evidence} == set(evidence)
    assert draft.proposal is not None
    assert (draft.proposal.confidence, draft.proposal.suggested_supersedes) == (0.6, [old])
    assert draft.proposal.competes_with == [rival]
    assert draft.proposal.acceptable_from is not None
    await cypher("MATCH (p:Proposal {namespace: $namespace}) SET p.first_observed_at = datetime('2026-01-01T00:00Z')")
    became = await admin.accept(proposal)
    await admin.reject(rival, "One of them is enough.")
    decided, accepted, rejected = (await read(agent, became, proposal, rival)).decisions
    assert [(each.id, each.by) for each in decided.proposals] == [(proposal, "ada")]
    assert [each.id for each in decided.replaced] == [old]
    assert accepted.proposal is not None
    assert rejected.proposal is not None
    assert (accepted.status, accepted.proposal.became) == ("accepted", became)
    assert accepted.proposal.acceptable_from is None
    assert (rejected.proposal.decided_by, rejected.proposal.rejection_reason) == ("barbara", "One of them is enough.")


@pytest.mark.proves("DEC-47")
async def test_a_target_that_nothing_is_decided_about_answers_with_its_drafts(
    agent: Caller, evidence: list[str], cypher: Cypher
) -> None:
    proposal = await agent.propose("cart cache", *evidence)
    await cypher(_KEYED)
    assert (await one(agent, targets=("Cart Cache",))).id == proposal
    decided = await agent.record("cart cache")
    assert (await one(agent, targets=("cart cache",))).id == decided


@pytest.mark.proves("DEC-54")
async def test_another_namespace_reads_nothing(agent: Caller, caller: Any, namespace: str) -> None:
    id_ = await agent.record("secret thing")
    stranger = caller(within=f"{namespace}-b")
    for asked in ({"ids": [id_]}, {"targets": ["secret thing"]}):
        with pytest.raises(NotFound) as refused:
            await stranger.service.get(GetDecisions.parse(asked), stranger.principal)
        assert refused.value.details["near_targets"] == []


@pytest.mark.proves("DEC-45")
async def test_decisions_stored_by_hand_without_all_properties_are_read(viewer: Caller, cypher: Cypher) -> None:
    await cypher(
        "CREATE (:Decision {namespace: $namespace, id: 'bare'}), "
        "(:Decision {namespace: $namespace, id: 'odd', consequences: 'one text', created_at: '2026-01-01'})"
    )
    bare, odd = (await read(viewer, "bare", "odd")).decisions
    assert (bare.title, bare.status, bare.consequences, bare.created_at) == ("", "draft", [], None)
    assert (odd.consequences, odd.created_at) == (["one text"], None)


@pytest.mark.proves("DEC-46")
async def test_times_are_in_utc(agent: Caller) -> None:
    decision = await one(agent, await agent.record("x"))
    assert decision.created_at is not None
    assert abs((datetime.now(UTC) - decision.created_at).total_seconds()) < 60
