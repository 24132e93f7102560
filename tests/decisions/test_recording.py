"""Recording a decision: what is stored, what is answered, what is refused."""

import itertools
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from server.core.errors import Conflict, InvalidArgument
from server.core.principals import Role
from server.decisions.service import DecisionService
from server.entities.models import AddNode
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Make

pytestmark = pytest.mark.anyio

_DECISION = "MATCH (d:Decision {namespace: $namespace, id: $id}) "


@pytest.mark.proves("DEC-1", "DEC-9")
async def test_a_decision_is_stored_completely_and_in_force(agent: Caller, cypher: Cypher) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    id_ = await agent.record(
        "database", "Use Neo4j", "Because it is a graph.", consequences=["Learn Cypher", "Learn Cypher", ""]
    )
    [row] = await cypher(_DECISION + "RETURN properties(d) AS stored, labels(d) AS labels", id=id_)
    stored = row["stored"]
    assert row["labels"] == ["Decision"]
    assert before < stored.pop("created_at").to_native() <= datetime.now(UTC)
    assert isinstance(stored.pop("node_id"), int)
    assert stored.pop("scope").startswith("ns")
    assert stored == {
        "namespace": agent.principal.namespace,
        "id": id_,
        "name": "Use Neo4j",
        "title": "Use Neo4j",
        "target": "database",
        "target_key": "database",
        "active_target": "database",
        "rationale": "[via MCP] Because it is a graph.",
        "consequences": ["Learn Cypher", "Learn Cypher", ""],
        "alternatives": [],
        "alternatives_why_not": [],
        "status": "active",
        "origin": "agent",
        "created_by": "ada",
        "revision": 1,
    }


@pytest.mark.proves("DEC-4")
async def test_an_id_says_what_it_is_and_when_it_was_made(agent: Caller) -> None:
    id_ = await agent.record("database")
    match = re.fullmatch(r"decision_(\d{8}_\d{6}_\d{6})_[0-9a-f]{8}", id_)
    assert match
    made = datetime.strptime(match[1], "%Y%m%d_%H%M%S_%f").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - made) < timedelta(minutes=1)


@pytest.mark.proves("DEC-1")
async def test_the_answer_says_success_the_id_and_the_target(agent: Caller) -> None:
    answer = await agent.recorded("the queue")
    assert (answer.status, answer.searchable) == ("success", False)
    assert '"the queue"' in answer.message


@pytest.mark.proves("DEC-8")
async def test_the_target_becomes_an_entity_of_the_same_form_as_any_other(
    agent: Caller, cypher: Cypher, graph: Graph, sequence: IdSequence
) -> None:
    await agent.record("database")
    await EntityService(graph, sequence).add_node(
        AddNode.parse({"label": "Entity", "name": "another"}), agent.principal
    )
    rows = await cypher(
        "MATCH (e:Entity {namespace: $namespace}) "
        "RETURN labels(e) AS labels, e.label AS label, e.scope AS scope, "
        "       [key IN keys(e) | [key, valueType(e[key])]] AS form ORDER BY e.name"
    )
    assert len(rows) == 2
    assert sorted(rows[0].pop("form")) == sorted(rows[1].pop("form"))
    assert rows[0] == rows[1]


@pytest.mark.proves("DEC-8")
async def test_an_entity_of_that_name_is_what_the_decision_is_about(
    agent: Caller, cypher: Cypher, graph: Graph, sequence: IdSequence
) -> None:
    entity = await EntityService(graph, sequence).add_node(
        AddNode.parse({"label": "Technology", "name": "Neo4j"}), agent.principal
    )
    id_ = await agent.record("Neo4j")
    rows = await cypher(_DECISION + "MATCH (d)-[:ABOUT]->(e) RETURN e.node_id AS node_id, e.label AS label", id=id_)
    assert rows == [{"node_id": entity.node_id, "label": "Technology"}]


@pytest.mark.proves("DEC-5")
async def test_a_second_decision_for_a_target_is_a_conflict_that_names_the_first_and_how_to_replace_it(
    agent: Caller,
) -> None:
    first = await agent.record("database", title="Use Neo4j")
    with pytest.raises(Conflict, match=r"^CONFLICT: ") as refused:
        await agent.record("database", title="Use SQLite")
    message = refused.value.message
    assert f'supersede_decision with old_decision_ids ["{first}"]' in message
    assert '"Use Neo4j"' in message
    assert refused.value.details == {"active_decision_id": first}


@pytest.mark.proves("DEC-18")
async def test_a_conflict_with_a_human_decision_sends_an_agent_to_a_human(
    agent: Caller, human: Caller, admin: Caller
) -> None:
    first = await human.record("database")
    with pytest.raises(Conflict, match="only an admin may replace it") as refused:
        await agent.record("database")
    assert "supersede_decision" not in refused.value.message
    with pytest.raises(Conflict, match="supersede_decision with old_decision_ids") as allowed:
        await admin.record("database")
    assert allowed.value.details == {"active_decision_id": first}


@pytest.mark.proves("DEC-7")
async def test_a_refused_decision_leaves_nothing_behind(agent: Caller, cypher: Cypher) -> None:
    await agent.record("database")
    every = "MATCH (n {namespace: $namespace}) WHERE NOT n:Sequence RETURN count(n) AS nodes"
    before = await cypher(every)
    with pytest.raises(Conflict):
        await agent.record("database")
    assert await cypher(every) == before


@pytest.mark.proves("DEC-7")
async def test_a_conflict_after_the_entity_was_created_removes_it(agent: Caller, cypher: Cypher) -> None:
    """Somebody removed the entity of a target that is still decided: the refused record must not bring it back."""
    await agent.record("database")
    await cypher("MATCH (e:Entity {namespace: $namespace}) DETACH DELETE e")
    with pytest.raises(Conflict):
        await agent.record("database")
    assert await cypher("MATCH (e:Entity {namespace: $namespace}) RETURN e.name AS name") == []


@pytest.mark.proves("DEC-11")
async def test_other_letters_make_another_target(agent: Caller) -> None:
    ids = [await agent.record(target) for target in ("database", "data base", "database 2", "datab\u0430se")]
    assert len(set(ids)) == 4


@pytest.mark.proves("DEC-6")
async def test_namespaces_decide_for_themselves(agent: Caller, caller: Callable[..., Caller]) -> None:
    await agent.record("database")
    await caller(within=f"{agent.principal.namespace}-b").record("database")


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("For good reasons.", "[via MCP] For good reasons."),
        ("[via MCP] For good reasons.", "[via MCP] For good reasons."),
        ("As said [via MCP] before.", "[via MCP] As said [via MCP] before."),
    ],
)
@pytest.mark.proves("DEC-9")
async def test_what_an_agent_decides_is_marked_once_at_its_start(
    agent: Caller, cypher: Cypher, written: str, stored: str
) -> None:
    id_ = await agent.record("database", rationale=written)
    assert await cypher(_DECISION + "RETURN d.rationale AS text, d.origin AS origin", id=id_) == [
        {"text": stored, "origin": "agent"}
    ]


@pytest.mark.parametrize("written", ["For good reasons.", "[via MCP] For good reasons."])
@pytest.mark.proves("DEC-9")
async def test_what_a_human_decides_stays_as_it_was_written_and_human(
    human: Caller, cypher: Cypher, written: str
) -> None:
    id_ = await human.record("database", rationale=written)
    assert await cypher(_DECISION + "RETURN d.rationale AS text, d.origin AS origin", id=id_) == [
        {"text": written, "origin": "human"}
    ]


@pytest.mark.proves("DEC-9")
async def test_an_admin_by_token_that_is_an_agent_is_marked_as_an_agent(
    caller: Callable[..., Caller], cypher: Cypher
) -> None:
    id_ = await caller(kind="agent", role=Role.ADMIN).record("database")
    assert await cypher(_DECISION + "RETURN d.origin AS origin", id=id_) == [{"origin": "agent"}]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", " \n\t"),
        ("title", "x" * 1001),
        ("title", "half a character: \ud83d"),
        ("target", ""),
        ("target", "\u2003"),
        ("target", "x" * 1001),
        ("target", None),
        ("rationale", "too short"),
        ("rationale", " " * 40),
        ("rationale", "x" * 1_048_577),
        ("consequences", ["x"] * 101),
        ("consequences", ["x" * 10_001]),
        ("consequences", "one"),
        ("consequences", [1]),
        ("status", "active"),
    ],
)
@pytest.mark.proves("DEC-2", "DEC-3")
async def test_a_bad_argument_is_named_and_nothing_is_stored(
    agent: Caller, cypher: Cypher, field: str, value: object
) -> None:
    arguments = {"target": "database", "title": "Use Neo4j", "rationale": "For good reasons.", field: value}
    with pytest.raises(InvalidArgument, match=field):
        await agent.record(**arguments)  # type: ignore[arg-type]
    assert await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN d.id AS id") == []


@pytest.mark.parametrize(
    "text",
    [
        "🧠" * 1000,
        "'\"`}) DETACH DELETE d //",
        "\0 a NUL",
        "line\r\n\u2028separated",
        "AND OR NOT title:* \\ +(",
        "x" * 1000,
    ],
)
@pytest.mark.proves("DEC-3")
async def test_any_text_within_the_limits_is_stored_as_it_is(agent: Caller, cypher: Cypher, text: str) -> None:
    id_ = await agent.record(text, title=text, rationale=f"{text} and more", consequences=[text])
    [row] = await cypher(
        _DECISION + "MATCH (d)-[:ABOUT]->(e) "
        "RETURN d.title AS title, d.target AS target, d.rationale AS rationale, d.consequences AS consequences, "
        "e.name AS entity",
        id=id_,
    )
    assert row == {
        "title": text,
        "target": text,
        "rationale": f"[via MCP] {text} and more",
        "consequences": [text],
        "entity": text,
    }
    with pytest.raises(Conflict):
        await agent.record(text)


@pytest.mark.proves("DEC-2")
async def test_the_longest_decision_is_stored_and_found(agent: Caller) -> None:
    id_ = await agent.record("database", rationale="reasons " * 131_072, consequences=["and so on. " * 900] * 100)
    assert [hit.id for hit in await agent.search("reasons")] == [id_]


@pytest.mark.proves("DEC-2")
async def test_a_long_decision_is_found_by_the_meaning_of_its_end(agent: Caller, projector: Projector) -> None:
    filler = " ".join(f"Paragraph {number} repeats what the minutes of the meeting say." for number in range(200))
    id_ = await agent.record("pets at work", rationale=f"{filler} Dogs may come to the office on Fridays.")
    await projector.drain()
    assert [hit.id for hit in await agent.search("can I bring my puppy to work?")] == [id_]


@pytest.mark.proves("DEC-10")
async def test_a_write_answers_that_it_is_searchable_where_the_projector_runs(
    make: Make, agent: Caller, projector: Projector
) -> None:
    patient = Caller(make(searchable_wait=120), agent.principal)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as running:
            running.start_soon(projector.run)
            # Until the projector's first round is over, no write waits for it.
            numbers = itertools.count()
            while not (await patient.recorded(f"before {next(numbers)}")).searchable:
                pass
            answer = await patient.recorded("database", title="Graph databases")
            running.cancel_scope.cancel()
    assert answer.searchable
    assert answer.message.endswith('in force now for "database".')


@pytest.mark.proves("DEC-10")
async def test_a_write_succeeds_while_vectors_are_down_and_says_that_it_is_not_searchable_by_meaning_yet(
    make: Make, agent: Caller, projector: Projector, no_vectors: RemoteStore, cypher: Cypher
) -> None:
    projector = Projector(projector._graph, no_vectors, projector._embedder)
    patient = Caller(make(searchable_wait=600, projector=projector), agent.principal)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as running:
            running.start_soon(projector.run)
            answer = await patient.recorded("database")
            running.cancel_scope.cancel()
    assert (answer.status, answer.searchable) == ("success", False)
    assert "a little later" in answer.message
    assert await cypher(_DECISION + "RETURN d.status AS status", id=answer.decision_id) == [{"status": "active"}]


async def test_a_service_can_be_called_by_many_at_once(service: DecisionService, caller: Callable[..., Caller]) -> None:
    ids: list[str] = []

    async def one(number: int) -> None:
        ids.append(await caller(f"agent {number}").record(f"target {number}"))

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(one, number)
    assert len(set(ids)) == 20
