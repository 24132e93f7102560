"""Memories that are corrected: replaced, changed in place, or past their time. Source: MEM-70, MEM-71, MEM-73."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest

from server.core.principals import Principal
from server.entries.retiring import EntryExpiry
from server.entries.tools import CORRECTIONS, TOOLS
from server.graph.graph import Graph
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make

pytestmark = pytest.mark.anyio
_LONG = "The heron stood in the pond for a long time, and nobody knew what it was waiting for. " * 30


class Curator(Agent):
    """An agent that may also correct."""

    tools = (*TOOLS, *CORRECTIONS)


@pytest.fixture
async def curator(make: Make, principal: Principal) -> AsyncIterator[Curator]:
    async with Curator(make(), principal).connected() as connected:
        yield connected


async def _read(agent: Agent, id_: str) -> dict[str, Any]:
    [item] = await agent.items("get_entries", ids=[id_])
    return item


async def _passages(cypher: Cypher, id_: str) -> list[dict[str, Any]]:
    return await cypher(
        "MATCH (e:Entry {namespace: $namespace, id: $id}) MATCH (p:Passage {namespace: $namespace, record: e.node_id}) "
        "RETURN p.id AS id, p.words AS words, p.around AS around, p.place AS place ORDER BY place",
        id=id_,
    )


@pytest.mark.proves("MEM-70")
async def test_a_memory_that_is_replaced_leaves_current_answers_and_stays_as_history(
    agent: Agent, cypher: Cypher
) -> None:
    before = await agent.save("Ada's zebra lives in Lisbon, says [[Ada]].")
    other = await agent.save("Her zebra likes Lisbon.")
    after = await agent.save("Ada's zebra lives in Porto.", supersedes=[before, other], reason="She moved.")
    assert await agent.found("zebra Lisbon") == [after]
    assert [item["id"] for item in await agent.items("timeline", anchor_id=after)] == [after]
    for id_ in (before, other):
        old = await _read(agent, id_)
        assert (old["status"], old["superseded_by"]) == ("superseded", after)
    assert (await _read(agent, before))["body"] == "Ada's zebra lives in Lisbon, says [[Ada]]."
    rows = await cypher(
        "MATCH (new:Entry {namespace: $namespace})-[link:SUPERSEDES]->(old:Entry) "
        "RETURN new.id AS new, old.id AS old, link.reason AS reason, link.by AS by, link.at = new.created_at AS at"
    )
    assert sorted(row["old"] for row in rows) == sorted([before, other])
    assert {(row["new"], row["reason"], row["by"], row["at"]) for row in rows} == {(after, "She moved.", "ada", True)}
    [was] = await cypher(
        "MATCH (change:Change {namespace: $namespace})-[was:WAS]->(old:Entry {id: $id}), (change)-[:CHANGED]->(old) "
        "RETURN change.name AS name, was.status AS status",
        id=before,
    )
    assert was == {"name": "save_memory", "status": "active"}
    assert await cypher("MATCH (:Entry {namespace: $namespace, id: $id})-[:MENTIONS]->(n) RETURN n", id=before) == []


@pytest.mark.proves("MEM-70")
async def test_what_cannot_be_replaced_is_refused_and_nothing_is_stored(modern: Agent, cypher: Cypher) -> None:
    old = await modern.save("one")
    new = await modern.save("two", supersedes=[old])
    error = await modern.refused("save_memory", text="three", supersedes=[old])
    assert (error["code"], error["details"]["superseded_by"]) == ("INVALID_ARGUMENT", new)
    error = await modern.refused("save_memory", text="three", supersedes=[new, "nobody"])
    assert (error["code"], error["details"]["ids"]) == ("ENTRY_NOT_FOUND", ["nobody"])
    async with modern.at(namespace="elsewhere").connected() as stranger:
        assert (await stranger.refused("save_memory", text="x", supersedes=[new]))["code"] == "ENTRY_NOT_FOUND"
    assert await cypher("MATCH (e:Entry {namespace: $namespace, body: 'three'}) RETURN e.id") == []
    assert (await _read(modern, new))["status"] == "active"


@pytest.mark.proves("MEM-70")
async def test_of_callers_that_replace_one_memory_at_once_one_does(modern: Agent) -> None:
    old = await modern.save("The first.")
    results = []

    async def replace(number: int) -> None:
        results.append(await modern.call("save_memory", text=f"Successor {number}.", supersedes=[old]))

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(replace, number)
    assert sorted(result.is_error for result in results) == [False] + [True] * 5
    assert len(await modern.found("successor")) == 1


@pytest.mark.proves("MEM-71")
async def test_an_expired_memory_leaves_current_answers(agent: Agent, cypher: Cypher) -> None:
    until = (datetime.now(UTC) + timedelta(seconds=60)).isoformat()
    passing = await agent.save("The zebra is on sale. [[Ada]] says so.", valid_until=until)
    long = await agent.save(f"The zebra. {_LONG}", valid_until="2999-12-31")
    lasting = await agent.save("The zebra is striped.")
    assert set(await agent.found("zebra")) == {passing, long, lasting}
    assert (await _read(agent, long))["valid_until"] == "2999-12-31T23:59:59.999Z"
    assert "valid_until" not in await _read(agent, lasting)
    await cypher("MATCH (e:Entry {namespace: $namespace}) WHERE e.expires_at IS NOT NULL SET e.expires_at = datetime()")
    # At once, before the service has cleared anything away …
    answer = await agent.ask("search", query="zebra")
    assert ([item["id"] for item in answer["items"]], answer["total"]) == ([lasting], 1)
    assert [item["id"] for item in await agent.items("timeline", anchor_id=lasting)] == [lasting]
    assert (await _read(agent, passing))["status"] == "expired"
    # … and afterwards, among neighbours and in Qdrant as well.
    await agent.service.expiry.drain()
    assert await agent.found("zebra") == [lasting]
    assert (await _read(agent, passing))["status"] == "expired"
    assert await _passages(cypher, long) == await _passages(cypher, passing) == []
    assert await cypher("MATCH (:Entry {namespace: $namespace})-[:MENTIONS]->(n) RETURN n") == []
    [change] = await cypher(
        "MATCH (c:Change {namespace: $namespace, name: 'entries/retire_entries'}) RETURN c.by AS by LIMIT 1"
    )
    assert change["by"] == "precedent"


@pytest.mark.proves("SVC-93")
async def test_an_expired_memory_is_retired_once_by_replicas_that_look_at_the_same_moment(
    agent: Agent, cypher: Cypher, graph: Graph
) -> None:
    for number in range(3):
        await agent.save(f"Passing thought {number}.", valid_until="2999-12-31")
    await cypher("MATCH (e:Entry {namespace: $namespace}) SET e.expires_at = datetime()")
    replicas = [EntryExpiry(graph) for _ in range(3)]
    async with anyio.create_task_group() as tasks:
        for replica in replicas:
            tasks.start_soon(replica.drain)
    changes = "MATCH (:Change)-[was:WAS]->(e:Entry {namespace: $namespace}) RETURN e.id AS id, e.status AS status"
    rows = await cypher(changes)
    assert [row["status"] for row in rows] == ["expired"] * 3
    assert len({row["id"] for row in rows}) == 3


@pytest.mark.proves("MEM-71")
async def test_a_memory_is_not_saved_for_the_past(modern: Agent) -> None:
    error = await modern.refused("save_memory", text="late", valid_until="2020-01-01")
    assert (error["code"], error["details"]["field"]) == ("INVALID_ARGUMENT", "valid_until")
    assert await modern.found("late") == []


@pytest.mark.proves("MEM-73")
@pytest.mark.parametrize("before", ["The zebra lives in Lisbon with [[Ada]].", f"The zebra lives in Lisbon. {_LONG}"])
@pytest.mark.parametrize("after", ["The giraffe lives in Porto with [[Grace]].", f"A giraffe in Porto. {_LONG}"])
async def test_a_changed_memory_is_found_by_its_new_words_and_no_longer_by_the_old(  # noqa: PLR0917 - fixtures
    curator: Curator,
    cypher: Cypher,
    graph: Graph,
    projector: Projector,
    vectors: EdgeStore,
    before: str,
    after: str,
) -> None:
    id_ = await curator.save(before, type="fact", metadata={"n": 1})
    first = [row["id"] for row in await _passages(cypher, id_)]
    await projector.drain()
    changed = await curator.ask("update_memory", id=id_, body=after, type="rumour", reason="It was a giraffe.")
    assert (changed["status"], changed["id"], changed["revision"]) == ("updated", id_, 2)
    assert await curator.found("giraffe Porto") == [id_]
    assert await curator.found("zebra") == await curator.found("Lisbon") == []
    assert await curator.found("giraffe", type="fact") == []
    entry = await _read(curator, id_)
    assert (entry["body"], entry["title"], entry["entry_type"]) == (after.strip(), after[:120], "rumour")
    assert entry["metadata"] == {"n": 1}
    await projector.drain()
    assert not {row["id"] for row in await _passages(cypher, id_)} & set(first)
    [stored] = await cypher("MATCH (t:Tombstone {namespace: $namespace}) RETURN count(t) AS tombstones")
    assert stored["tombstones"] == 0, "the projector removed the former vectors"
    mentions = await cypher(
        "MATCH (:Entry {namespace: $namespace})-[link:MENTIONS|FORMER]->(e) RETURN type(link) AS type, e.name AS name"
    )
    assert {"type": "MENTIONS", "name": "Ada"} not in mentions
    assert ({"type": "MENTIONS", "name": "Grace"} in mentions) is ("Grace" in after)
    assert ({"type": "FORMER", "name": "Ada"} in mentions) is ("Ada" in before)


@pytest.mark.proves("MEM-73")
async def test_the_former_properties_stay_with_who_changed_them_when_and_why(curator: Curator, cypher: Cypher) -> None:
    id_ = await curator.save("Version one.", title="Versions")
    await curator.ask("update_memory", id=id_, body="Version two.", reason="first correction")
    changed = await curator.ask("update_memory", id=id_, title="Later versions", reason="second correction")
    assert changed["revision"] == 3
    assert (await _read(curator, id_))["body"] == "Version two."
    rows = await cypher(
        "MATCH (who:Principal)-[:DID]->(change:Change {namespace: $namespace, name: 'update_memory'})-[was:WAS]->(e) "
        "RETURN who.name AS by, change.reason AS reason, was.body AS body, was.title AS title ORDER BY change.at"
    )
    assert rows == [
        {"by": "ada", "reason": "first correction", "body": "Version one.", "title": "Versions"},
        {"by": "ada", "reason": "second correction", "body": "Version two.", "title": "Versions"},
    ]


@pytest.mark.proves("MEM-73")
async def test_a_changed_memory_keeps_its_place_in_its_session(curator: Curator, cypher: Cypher) -> None:
    ids = [await curator.save(f"Turn about the {animal}.", session_id="s") for animal in ("yak", "zebra", "emu")]
    await curator.ask("update_memory", id=ids[1], body=f"Turn about the giraffe. {_LONG}", reason="It was one.")
    [other] = await _passages(cypher, ids[2])
    assert "giraff" in other["around"] or "giraffe" in other["around"]
    assert "zebra" not in other["around"]
    assert other["words"] == "Turn about the emu." or "emu" in other["around"]
    assert all(row["place"] == 1 for row in await _passages(cypher, ids[1]))
    assert all("yak" in row["around"] and "emu" in row["around"] for row in await _passages(cypher, ids[1]))
    fourth = await curator.save("Turn about the owl.", session_id="s")
    assert [row["place"] for row in await _passages(cypher, fourth)] == [3]
    assert await curator.found("zebra") == []
    assert ids[1] in await curator.found("giraffe")
    assert [item["id"] for item in await curator.items("timeline", anchor_id=ids[1])] == [*ids, fourth]


@pytest.mark.proves("MEM-74")
async def test_what_cannot_be_changed_is_refused_and_stays(curator: Curator, folder: Any) -> None:
    old = await curator.save("one")
    new = await curator.save("two", supersedes=[old])
    (folder / "guide.md").write_text("# Guide\n\nThe manual.")
    await curator.ask("ingest_docs", sources=["guide.md"])
    [document] = await curator.found("manual")
    for id_, code in ((old, "INVALID_ARGUMENT"), (document, "INVALID_ARGUMENT"), ("nobody", "ENTRY_NOT_FOUND")):
        assert (await curator.refused("update_memory", id=id_, body="x", reason="r"))["code"] == code
    for wrong in ({}, {"body": " "}, {"bodi": "x"}, {"body": "x", "reason": " "}):
        error = await curator.refused("update_memory", **{"id": new, "reason": "r", **wrong})
        assert error["code"] == "INVALID_ARGUMENT"
    secret = await curator.refused("update_memory", id=new, body="AKIA" + "A" * 16, reason="r")
    assert secret["code"] == "POLICY_BLOCKED"
    assert (await _read(curator, new))["body"] == "two"
    async with curator.at(namespace="elsewhere").connected() as stranger:
        assert (await stranger.refused("update_memory", id=new, body="x", reason="r"))["code"] == "ENTRY_NOT_FOUND"


@pytest.mark.proves("MEM-73")
async def test_a_changed_memory_is_recognised_by_its_new_text(curator: Curator) -> None:
    id_ = await curator.save("The old text.")
    await curator.ask("update_memory", id=id_, body="The new text.", reason="r")
    assert (await curator.ask("save_memory", text="The new text."))["duplicate_of"] == id_
    other = await curator.save("The old text.")
    await curator.ask("update_memory", id=other, body="The new text.", reason="both stay")
    assert set(await curator.found("new text")) == {id_, other}


@pytest.mark.proves("MEM-73")
async def test_writers_that_change_one_memory_at_once_do_so_one_after_another(curator: Curator, cypher: Cypher) -> None:
    id_ = await curator.save("Zero.", session_id="s")
    results = []

    async def change(number: int) -> None:
        results.append(await curator.call("update_memory", id=id_, body=f"Number {number}.", reason="race"))

    async with anyio.create_task_group() as tasks:
        for number in range(3):
            tasks.start_soon(change, number)
    done = [result.structured_content for result in results if not result.is_error]
    assert sorted(answer["revision"] for answer in done if answer) == list(range(2, len(done) + 2))
    assert len(await _passages(cypher, id_)) == 1
