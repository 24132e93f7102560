"""Insights: their sources, their fidelity, and the dialogues around them."""

from dataclasses import replace

import anyio
import pytest

from server.cognition.insights import Insights
from server.core.errors import InvalidArgument, NotFound
from server.entities.models import AddEdge, AddNode, FindPath, QueryNeighbors
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.parts import Parts
from server.vectors.projector import Projector
from tests.cognition.conftest import Mind
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


@pytest.mark.proves("COG-15", "COG-17")
async def test_an_insight_has_its_fidelity_and_its_sources(mind: Mind, cypher: Cypher) -> None:
    ids = [await mind.say(text) for text in ("one", "two", "three")]
    stored = await mind.distil("Ada chose Neo4j over Postgres for relations", ids[2], ids[0], ids[2])
    assert (stored.embedding_status, stored.status, stored.fidelity_warning) == ("pending", "success", False)
    assert stored.fidelity_score == 0.5714
    rows = await cypher(
        "MATCH (i:Insight {namespace: $namespace})-[:DISTILLED_FROM]->(d:Dialogue) "
        "RETURN i.id AS id, i.source_ids AS sources, d.id AS source ORDER BY source"
    )
    assert [row["source"] for row in rows] == [ids[0], ids[2]]
    assert [(row["id"], row["sources"]) for row in rows] == [(stored.id, [ids[2], ids[0]])] * 2


@pytest.mark.proves("COG-15", "COG-18")
async def test_a_low_fidelity_warns_and_never_blocks(mind: Mind, cypher: Cypher) -> None:
    stored = await mind.distil("it is what it was and so on")
    assert (stored.fidelity_score, stored.fidelity_warning) == (0.0, True)
    assert stored.warning_message
    [row] = await cypher(
        "MATCH (i:Insight {namespace: $namespace}) "
        "RETURN i.fidelity_score AS score, i.fidelity_warning AS warns, i.warning_message AS message"
    )
    assert (row["score"], row["warns"], row["message"]) == (0.0, True, stored.warning_message)


@pytest.mark.proves("COG-16")
async def test_unknown_sources_are_named_and_nothing_is_written(mind: Mind, cypher: Cypher) -> None:
    known = await mind.say("one")
    elsewhere = mind.of(namespace=f"{mind.caller.namespace}-other")
    foreign = 900_001
    await cypher("CREATE (:Dialogue {namespace: $namespace + '-other', id: $id})", id=foreign)
    insight = await mind.distil("no dialogue")
    with pytest.raises(InvalidArgument, match=f"{foreign}, {insight.id}") as error:
        await mind.distil("never stored", known, foreign, insight.id)
    assert error.value.details == {"field": "source_ids", "unknown": [foreign, insight.id]}
    [row] = await cypher("MATCH (i:Insight {namespace: $namespace}) RETURN count(i) AS n, collect(i.id) AS ids")
    assert row["ids"] == [insight.id]
    assert await elsewhere.found("never stored") == []


@pytest.mark.proves("COG-19")
async def test_it_is_searchable_once_qdrant_holds_it(mind: Mind, parts: Parts, projector: Projector) -> None:
    patient = Insights(replace(parts, searchable_wait=120), fidelity_threshold=0.5)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(projector.run)
        with anyio.fail_after(120):
            while not projector.following:
                await anyio.sleep(0.01)
        stored = await replace(mind, insights=patient).distil("Grace likes boats")
        tasks.cancel_scope.cancel()
    assert stored.embedding_status == "success"
    assert (await mind.search("sailing")).results[0].why == ["meaning"]


@pytest.mark.proves("COG-20", "COG-31")
async def test_the_dialogues_around_its_sources_find_it(mind: Mind) -> None:
    """Two before and after, also dialogues stored later; not three."""
    turns = ["Aardvark.", "Buffalo.", "Yes, last summer!", "Cheetah.", "Dolphin.", "Elephant."]
    ids = [await mind.say(turn) for turn in turns[:4]]
    insight = (await mind.distil("They agreed", ids[2])).id
    await mind.say("Giraffe", session="elsewhere")
    for turn in turns[4:]:
        await mind.say(turn)
    for word in ("aardvark", "buffalo", "summer", "cheetah", "dolphin"):
        assert await mind.found(word) == [insight]
    assert await mind.found("elephant") == await mind.found("giraffe") == []
    assert (await mind.search("aardvark")).results[0].why == ["neighbour"]
    assert (await mind.search("agreed")).results[0].why == ["words"]


@pytest.mark.proves("COG-20")
async def test_around_an_insight_are_dialogues_also_when_both_come_at_once(mind: Mind) -> None:
    first = await mind.say("Aardvark")

    async def distil() -> None:
        await mind.distil("an animal", first)

    async def say() -> None:
        await mind.say("Buffalo")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(distil)
        tasks.start_soon(say)
    assert len(await mind.found("buffalo")) == 1


@pytest.mark.proves("COG-21")
async def test_without_sources_insights_are_neighbours_in_time(mind: Mind, cypher: Cypher) -> None:
    """If one principal stores them within half an hour."""
    before = (await mind.distil("An aardvark was seen")).id
    other = (await mind.of(name="somebody else").distil("Nothing to do with it")).id
    after = (await mind.distil("It was in the evening")).id
    assert await mind.found("aardvark") == [before, after]
    assert await mind.found("evening") == [after, before]
    await cypher("MATCH (p:Passage {namespace: $namespace}) SET p.at = '000000000000001'")
    later = (await mind.distil("Much later")).id
    assert await mind.found("aardvark") == [before, after]
    assert await mind.found("later") == [later]
    assert await mind.found("nothing") == [other]


@pytest.mark.proves("COG-21")
async def test_without_sources_one_principals_insights_have_one_order_also_when_they_come_at_once(
    mind: Mind, cypher: Cypher
) -> None:
    async def distil(number: int) -> None:
        await mind.distil(f"zebra {number}")

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(distil, number)
    rows = await cypher("MATCH (p:Passage {namespace: $namespace}) RETURN p.place AS place, p.at AS at ORDER BY place")
    assert [row["place"] for row in rows] == list(range(12))
    assert sorted(row["at"] for row in rows) == [row["at"] for row in rows]


@pytest.mark.proves("COG-22")
async def test_paths_and_neighbours_run_from_a_thing_through_an_insight_to_what_was_said(
    mind: Mind, graph: Graph, sequence: IdSequence
) -> None:
    entities = EntityService(graph, sequence)
    said = await mind.say("We took it for the relations", speaker="ada")
    mentioned = (await mind.distil("[[Neo4j]] was chosen", said)).id
    described = (await mind.distil("Chosen for its relations", said)).id
    node = {"label": "Project", "name": "Precedent", "vector_id": described}
    assert (await entities.add_node(AddNode.parse(node), mind.caller)).vector_id == described
    way = await entities.find_path(FindPath.parse({"start_node": "Precedent", "end_node": "Neo4j"}), mind.caller)
    assert [(step.label, step.node_id, step.relation_to_next) for step in way.path[1:4]] == [
        ("Insight", described, "DISTILLED_FROM"),
        ("Dialogue", said, "DISTILLED_FROM"),
        ("Insight", mentioned, "MENTIONS"),
    ]
    to_dialogue = await entities.find_path(FindPath.parse({"start_node": "Neo4j", "end_node": str(said)}), mind.caller)
    assert [step.name for step in to_dialogue.path] == [
        "Neo4j",
        "[[Neo4j]] was chosen",
        "ada: We took it for the relations",
    ]
    around = await entities.query_neighbors(QueryNeighbors.parse({"node_name": str(mentioned)}), mind.caller)
    assert {(each.name, each.relation) for each in around.neighbors} == {
        ("Neo4j", "MENTIONS"),
        ("ada: We took it for the relations", "DISTILLED_FROM"),
    }
    with pytest.raises(NotFound):
        await entities.add_node(AddNode.parse({"label": "Project", "name": "X", "vector_id": said}), mind.caller)
    await entities.add_edge(
        AddEdge.parse({"source_name": str(said), "target_name": "Neo4j", "relation": "USES"}), mind.caller
    )
    named = await entities.find_path(FindPath.parse({"start_node": str(said), "end_node": "Neo4j"}), mind.caller)
    assert [step.label for step in named.path] == ["Entity", "Entity"]
