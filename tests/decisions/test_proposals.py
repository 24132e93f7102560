"""Drafts of decisions: proposed with evidence, accepted or rejected by an admin (PI1 to PI3)."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from server.core.errors import (
    Conflict,
    InvalidArgument,
    NotFound,
    PrecedentError,
    RateLimitExceeded,
    ReviewWindow,
)
from server.core.principals import Role
from server.decisions.models import ProposeDecision
from server.decisions.service import DecisionService
from server.entities.models import FindPath, QueryNeighbors
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.parts import Parts
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.models import AddMemory, Summarize
from server.sessions.service import SessionService
from tests.conftest import Cypher, Rows
from tests.decisions.conftest import Caller, Clock, Make

pytestmark = pytest.mark.anyio

EVERYTHING = (
    "MATCH (n {namespace: $namespace}) WHERE NOT n:Principal AND NOT n:Sequence AND NOT n:Change "
    "RETURN labels(n) AS labels, properties(n) AS properties, "
    "COLLECT {MATCH (n)-[r]->(m) RETURN type(r) + elementId(m) ORDER BY type(r) + elementId(m)} AS edges "
    "ORDER BY elementId(n)"
)


@pytest.fixture
def service(make: Make, clock: Clock) -> DecisionService:
    return make(clock=clock)


async def _proposal(cypher: Cypher, id_: str) -> dict[str, Any]:
    [row] = await cypher(
        "MATCH (p:Proposal {namespace: $namespace, id: $id}) RETURN properties(p) AS p, "
        "COLLECT {MATCH (p)-[r]->(m) RETURN [type(r), coalesce(m.id, m.name)] ORDER BY type(r), m.node_id} AS edges",
        id=id_,
    )
    return {**row["p"], "edges": row["edges"]}


async def _decisions(cypher: Cypher) -> Rows:
    return await cypher(
        "MATCH (d:Decision {namespace: $namespace}) RETURN d.id AS id, d.status AS status ORDER BY d.created_at, d.id"
    )


@pytest.mark.proves("DEC-55")
async def test_a_proposal_is_a_draft_with_its_evidence_and_decides_nothing(
    agent: Caller, evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    arguments = {
        "title": "Use Neo4j",
        "target": "database",
        "rationale": "Paths are what we ask for.",
        "confidence": 1,
        "evidence_ids": [*evidence, evidence[0]],
        "suggested_consequences": ["Learn Cypher"],
    }
    answer = await agent.service.propose(ProposeDecision.parse(arguments), agent.principal)
    assert answer.acceptable_from == clock.at + timedelta(hours=1)
    assert f"{clock.at + timedelta(hours=1, seconds=1):%H:%M:%S} UTC" in answer.message
    assert answer.proposal_id is not None
    stored = await _proposal(cypher, answer.proposal_id)
    expected = {
        "status": "draft",
        "confidence": 1.0,
        "origin": "agent",
        "created_by": "ada",
        "consequences": ["Learn Cypher"],
    }
    assert stored.items() >= expected.items()
    assert stored["edges"] == [["ABOUT", "database"], *(["EVIDENCED_BY", id_] for id_ in reversed(evidence))]
    assert await _decisions(cypher) == []
    assert await agent.record("database", "Use SQLite"), "a draft does not block the target"


@pytest.fixture
def sessions(parts: Parts) -> SessionService:
    return SessionService(parts, summariser=ExtractiveSummariser(parts.embedder))


async def _summarised(sessions: SessionService, caller: Caller) -> tuple[str, str]:
    """The ids of a memory and of the summary of its session."""
    turn = {"prompt": "Which database?", "thought": "Paths.", "response": "Neo4j.", "sessionId": "talk"}
    memory = await sessions.add_memory(AddMemory.model_validate(turn), caller.principal)
    answer = await sessions.summarize(Summarize.model_validate({"sessionId": "talk"}), caller.principal)
    return memory.id, answer.sessions[0].summary_id


@pytest.mark.proves("DEC-24")
async def test_any_record_of_the_memory_is_evidence(
    agent: Caller, admin: Caller, sessions: SessionService, cypher: Cypher
) -> None:
    words = ["Entry", "Message", "Context", "Attribution", "Correction", "Metric"]
    numbers = ["Dialogue", "Insight", "Episode"]
    for n, label in enumerate([*words, *numbers]):
        id_ = n if label in numbers else label.lower()
        await cypher(
            f"CREATE (:{label} {{namespace: $namespace, id: $id, name: $label, node_id: -$n - 1, session_id: $label}})",
            id=id_,
            label=label,
            n=n,
        )
    memory, summary = await _summarised(sessions, agent)
    decision = await agent.record("queue")
    evidence = {
        *((word, word.lower()) for word in words),
        ("Interaction", memory),
        ("Summary", summary),
        ("Dialogue", "6"),
        ("Insight", "7"),
        ("Episode", "8"),
        ("Decision", decision),
    }
    await agent.propose("database", *(id_ for _, id_ in evidence))
    [proposal] = (await agent.proposals()).proposals
    assert {(each.kind, each.id) for each in proposal.evidence} == evidence
    with pytest.raises(InvalidArgument, match="Interaction"):
        await admin.accept(memory)


@pytest.mark.proves("DEC-24")
async def test_what_was_deleted_or_has_not_arrived_yet_is_no_evidence(
    agent: Caller, admin: Caller, evidence: list[str], sessions: SessionService, cypher: Cypher
) -> None:
    _, summary = await _summarised(sessions, agent)
    assert await agent.propose("database", *evidence, summary)
    await sessions.delete_summaries(admin.principal)
    await cypher(
        "CREATE (:MemoryCollection {namespace: $namespace, id: 'import', of: 'memories', state: 'staged'}), "
        "(:Interaction:Collected:Unlinked {namespace: $namespace, collection: 'import', id: 'half of an import'})"
    )
    found = await cypher("MATCH (n:Collected {namespace: $namespace}) RETURN n.id AS id")
    for gone in (summary, "half of an import"):
        assert {"id": gone} in found
        with pytest.raises(NotFound, match=gone):
            await agent.propose("queue", *evidence, gone)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("evidence_ids", ["one", "two"]),
        ("evidence_ids", ["one", "two", 3.5]),
        ("evidence_ids", ["x"] * 101),
        ("confidence", 1.01),
        ("confidence", -0.1),
        ("confidence", "high"),
        ("confidence", float("nan")),
        ("rationale", "too short"),
        ("title", " "),
        ("target", "x" * 1001),
        ("suggested_supersedes", [""]),
        ("origin", "human"),
    ],
)
@pytest.mark.proves("DEC-55", "DEC-56")
async def test_a_bad_argument_is_named_and_stores_nothing(
    agent: Caller, evidence: list[str], cypher: Cypher, field: str, value: object
) -> None:
    before = await cypher(EVERYTHING)
    arguments = {
        "title": "T",
        "target": "t",
        "rationale": "Long enough.",
        "confidence": 0.5,
        "evidence_ids": evidence,
        field: value,
    }
    with pytest.raises(InvalidArgument, match=field):
        await agent.service.propose(ProposeDecision.parse(arguments), agent.principal)
    assert await cypher(EVERYTHING) == before


@pytest.mark.proves("DEC-56", "DEC-57")
async def test_what_cannot_become_a_decision_is_refused_at_once_and_stores_nothing(
    agent: Caller, human: Caller, caller: Callable[..., Caller], evidence: list[str], cypher: Cypher
) -> None:
    stranger = caller(within=f"{agent.principal.namespace}-b")
    old = await agent.record("database")
    now = await agent.supersede("database", old)
    other = await human.record("queue")
    before = await cypher(EVERYTHING)
    wrong: list[tuple[type[PrecedentError], str, Sequence[str], Sequence[str]]] = [
        (InvalidArgument, "PI2 Violation", [evidence[0]] * 3, [now]),
        (NotFound, "never", [*evidence, "never"], [now]),
        (NotFound, "9223372036854775808", [*evidence, "9223372036854775808"], [now]),
        (Conflict, now, evidence, []),
        (Conflict, now, evidence, [old]),
        (InvalidArgument, "queue", evidence, [other]),
        (NotFound, "decision_0", evidence, [now, "decision_0"]),
    ]
    for kind, message, records, supersedes in wrong:
        with pytest.raises(kind, match=message):
            await agent.propose("database", *records, supersedes=supersedes)
    with pytest.raises(NotFound):
        await stranger.propose("database", *evidence)
    assert await cypher(EVERYTHING) == before
    assert await agent.propose("database", *evidence, supersedes=[now])


@pytest.mark.proves("DEC-70")
async def test_proposing_is_a_write_that_the_cooldown_counts(make: Make, agent: Caller, evidence: list[str]) -> None:
    slow = Caller(make(cooldown=3600), agent.principal)
    await slow.propose("database", *evidence)
    with pytest.raises(RateLimitExceeded):
        await slow.record("queue")


@pytest.mark.proves("DEC-60")
async def test_an_accepted_proposal_is_in_force_with_all_its_parts(
    agent: Caller, admin: Caller, evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    old = await admin.record("database", "Use SQLite")
    id_ = await agent.propose(
        "database", *evidence, title="Use Neo4j", supersedes=[old], suggested_consequences=["Cypher"]
    )
    clock.passes(hours=1)
    new = await admin.accept(id_)
    [made] = await cypher(
        "MATCH (d:Decision {namespace: $namespace, id: $id})-[s:SUPERSEDES]->(old) RETURN properties(d) AS d, "
        "old.id AS old, old.status AS old_status, old.active_target AS old_place, s.by AS by, "
        "COLLECT {MATCH (d)-[:EVIDENCED_BY]->(e) RETURN e.id ORDER BY e.node_id DESC} AS evidence",
        id=new,
    )
    assert (made["old"], made["old_status"], made["old_place"], made["by"]) == (old, "superseded", None, "barbara")
    assert made["evidence"] == evidence
    expected = {
        "title": "Use Neo4j",
        "target": "database",
        "active_target": "database",
        "status": "active",
        "origin": "human",
        "created_by": "barbara",
        "consequences": ["Cypher"],
        "rationale": f"Accepted proposal {id_}. For reasons that were seen.",
    }
    assert made["d"].items() >= expected.items()
    stored = await _proposal(cypher, id_)
    assert (stored["status"], stored["decided_by"]) == ("accepted", "barbara")
    assert ["BECAME", new] in stored["edges"]


@pytest.mark.proves("DEC-9", "DEC-60")
async def test_the_origin_is_that_of_who_accepts(
    caller: Callable[..., Caller], evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    machine = caller("robot", role=Role.ADMIN)
    ids = [await caller(kind=kind).propose(f"of a {kind}", *evidence) for kind in ("agent", "human")]
    clock.passes(hours=2)
    for id_ in ids:
        await machine.accept(id_)
    rows = await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN d.origin AS origin, d.rationale AS why")
    assert [row["origin"] for row in rows] == ["agent", "agent"]
    assert all(row["why"].startswith("[via MCP] Accepted proposal proposal_") for row in rows)


@pytest.mark.proves("DEC-61")
async def test_accepting_within_an_hour_is_refused_with_the_time_from_which_it_is_possible(
    agent: Caller, admin: Caller, evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    id_ = await agent.propose("database", *evidence)
    before = await cypher(EVERYTHING)
    clock.passes(minutes=59, seconds=59.9)
    with pytest.raises(ReviewWindow, match=r"^PI1 Violation: .* in 1 min\.$") as refused:
        await admin.accept(id_)
    assert refused.value.details == {"acceptable_from": (clock.at + timedelta(seconds=0.1)).isoformat()}
    clock.passes(days=-1)
    with pytest.raises(ReviewWindow):
        await admin.accept(id_)
    assert await cypher(EVERYTHING) == before
    clock.passes(days=1, seconds=0.1)
    assert await admin.accept(id_)


@pytest.mark.proves("DEC-45", "DEC-61")
async def test_a_proposal_of_unknown_age_is_too_young(admin: Caller, cypher: Cypher) -> None:
    await cypher("CREATE (:Proposal {namespace: $namespace, id: 'by hand', status: 'draft', title: 'T', target: 't'})")
    with pytest.raises(ReviewWindow):
        await admin.accept("by hand")
    [listed] = (await admin.proposals()).proposals
    assert (listed.id, listed.evidence, listed.confidence) == ("by hand", [], None)


@pytest.mark.proves("DEC-62")
async def test_accepting_checks_in_the_documented_order(
    admin: Caller, caller: Callable[..., Caller], evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    agent = caller()
    first = await agent.propose("database", *evidence)
    clock.passes(minutes=30)
    second = await agent.propose("database", *evidence)
    clock.passes(minutes=30)
    decision = await admin.accept(first)
    before = await cypher(EVERYTHING)
    stranger = caller("eve", kind="human", role=Role.ADMIN, within=f"{agent.principal.namespace}-b")
    for act in (admin.accept, admin.reject):
        with pytest.raises(NotFound, match="no such thing"):
            await act("no such thing")
        for thing, kind in ((decision, "Decision"), (evidence[0], "Entry")):
            with pytest.raises(InvalidArgument, match=f"not a proposal; it is of the kind {kind}"):
                await act(thing)
        with pytest.raises(Conflict, match=f"{first} is accepted already; it became {decision}"):
            await act(first)
    with pytest.raises(NotFound):
        await stranger.accept(second)
    with pytest.raises(ReviewWindow):  # though it would be a conflict as well
        await admin.accept(second)
    clock.passes(minutes=30)
    with pytest.raises(Conflict, match=decision):
        await admin.accept(second)
    assert await cypher(EVERYTHING) == before
    await admin.reject(second, "The first one is better.")
    for act in (admin.accept, admin.reject):
        with pytest.raises(Conflict, match=r'rejected already, because: "The first one is better\."'):
            await act(second)


@pytest.mark.proves("DEC-17", "DEC-62")
async def test_a_decision_that_came_into_force_meanwhile_is_named_and_the_draft_stays(
    agent: Caller, admin: Caller, evidence: list[str], cypher: Cypher, clock: Clock
) -> None:
    old = await agent.record("database")
    id_ = await agent.propose("database", *evidence, supersedes=[old])
    newer = await agent.supersede("database", old)
    clock.passes(hours=1)
    with pytest.raises(Conflict, match=f"{old}.* is superseded already.*{newer}"):
        await admin.accept(id_)
    assert (await _proposal(cypher, id_))["status"] == "draft"


@pytest.mark.proves("DEC-63")
async def test_rejecting_needs_no_hour_and_keeps_the_reason(agent: Caller, admin: Caller, evidence: list[str]) -> None:
    id_ = await agent.propose("database", *evidence)
    await admin.reject(id_, "We have tried it before.")
    assert (await admin.proposals()).total == 0
    [listed] = (await admin.proposals(status="rejected")).proposals
    assert (listed.id, listed.rejection_reason, listed.decided_by) == (id_, "We have tried it before.", "barbara")


@pytest.mark.proves("DEC-58", "DEC-59")
async def test_the_list_has_all_that_a_decision_needs_newest_first_in_pages(
    agent: Caller, human: Caller, admin: Caller, evidence: list[str], clock: Clock
) -> None:
    ids = []
    for target in ("database", "database", "queue"):
        ids.append(await agent.propose(target, *evidence, suggested_consequences=["More"]))
        clock.passes(minutes=1)
    listed = await agent.proposals()
    assert [each.id for each in listed.proposals] == ids[::-1]
    first = listed.proposals[-1]
    assert (first.competes_with, first.suggested_consequences, first.confidence) == ([ids[1]], ["More"], 0.6)
    assert [each.id for each in first.evidence] == list(reversed(evidence))
    assert first.acceptable_from - first.first_observed_at == timedelta(hours=1)
    page = await agent.proposals(limit=1, offset=1)
    assert (page.total, [each.id for each in page.proposals]) == (3, [ids[1]])
    assert [each.id for each in (await agent.proposals(target="queue")).proposals] == ids[2:]
    clock.passes(hours=1)
    became = await admin.accept(ids[0])
    [accepted] = (await agent.proposals(status="accepted")).proposals
    assert (accepted.became, accepted.status) == (became, "accepted")
    assert (await agent.proposals(status="all")).total == 3
    assert (await agent.proposals()).proposals[-1].competes_with == [], "what is decided competes no more"


@pytest.mark.proves("DEC-25")
async def test_paths_and_neighbours_lead_through_proposals_to_their_evidence(
    agent: Caller, evidence: list[str], graph: Graph, sequence: IdSequence
) -> None:
    entities = EntityService(graph, sequence)
    ids = [await agent.propose("database", *evidence) for _ in range(2)]
    around = await entities.query_neighbors(QueryNeighbors(node_name=ids[0]), agent.principal)
    assert {(row.relation, row.direction, row.properties.get("id")) for row in around.neighbors} == {
        ("ABOUT", "outgoing", None),
        ("COMPETES_WITH", "incoming", ids[1]),
        *(("EVIDENCED_BY", "outgoing", id_) for id_ in evidence),
    }
    path = await entities.find_path(FindPath(start_node="database", end_node=ids[1]), agent.principal)
    assert [(step.label, step.status) for step in path.path] == [("Entity", None), ("Proposal", "draft")]
