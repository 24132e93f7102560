"""The results of a search for insights, and their order."""

import pytest

from server.cognition.hybrid import InsightSearch
from server.core.errors import InvalidArgument
from server.embedding.embedder import FastEmbedder
from server.entities.models import AddEdge, AddNode
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant
from tests.cognition.conftest import Mind
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio


@pytest.mark.proves("COG-25", "COG-29", "COG-31")
async def test_the_first_in_meaning_and_in_words_has_the_score_one(mind: Mind, projector: Projector) -> None:
    said = await mind.say("What is consciousness?")
    first = (await mind.distil("Consciousness and memory are woven together", said)).id
    other = (await mind.of(name="bob").distil("Bread needs flour, water and salt")).id
    await projector.drain()
    answer = await mind.search("consciousness and memory")
    best, last = answer.results
    assert (best.id, best.score, best.source_ids, best.why) == (first, 1.0, [said], ["meaning", "words"])
    assert (last.id, last.content) == (other, "Bread needs flour, water and salt")
    assert last.score == round(0.7 * 61 / 62, 6)
    assert answer.model_dump(exclude={"results"}) == {
        "query_embedding_dimension": 384,
        "semantic_results_count": 2,
        "keyword_results_count": 1,
        "graph_results_count": 0,
        "final_results_count": 2,
        "weights": {"semantic": 0.7, "keyword": 0.3},
        "by_meaning": True,
        "status": "success",
    }


@pytest.mark.proves("COG-28", "COG-29")
async def test_lists_are_fused_deep_and_cut_to_top_k(mind: Mind, projector: Projector) -> None:
    for number in range(12):
        await mind.distil(f"Zebra {number} grazes")
    await projector.drain()
    answer = await mind.search("zebra", top_k=3)
    counts = answer.semantic_results_count, answer.keyword_results_count, answer.final_results_count
    assert counts == (3, 3, 3)
    assert [hit.id for hit in answer.results] == (await mind.found("zebra"))[:3]
    assert len(await mind.found("zebra")) == 12


@pytest.mark.proves("COG-26")
async def test_a_weight_of_zero_turns_a_source_off(mind: Mind, projector: Projector) -> None:
    words = (await mind.distil("The zebra grazes")).id
    meaning = (await mind.of(name="bob").distil("Striped horses of Africa eat")).id
    await projector.drain()
    assert await mind.found("zebra", weights={"semantic": 0.0, "keyword": 1.0}) == [words]
    assert set(await mind.found("zebra", weights={"semantic": 1.0, "keyword": 0.0})) == {words, meaning}


@pytest.mark.proves("COG-26")
@pytest.mark.parametrize("weights", [{"semantic": 0.5, "keyword": 0.6}, {"semantic": 0.5}, {"keyword": -0.1}])
async def test_weights_have_to_sum_to_one(mind: Mind, weights: dict[str, float]) -> None:
    with pytest.raises(InvalidArgument, match=r"1\.0|greater"):
        await mind.search("zebra", weights=weights)


@pytest.mark.proves("COG-27")
async def test_a_vector_of_the_callers_own_is_taken_in_the_right_dimension(
    mind: Mind, projector: Projector, embedder: FastEmbedder
) -> None:
    await mind.distil("The zebra grazes")
    boats = (await mind.of(name="bob").distil("Sailing boats race around the island")).id
    await projector.drain()
    vector = await embedder.embed_query("regatta")
    assert (await mind.found("zebra", query_embedding=vector, weights={"semantic": 1.0, "keyword": 0.0}))[0] == boats
    with pytest.raises(InvalidArgument, match="has 2 numbers, but the embedding model uses 384"):
        await mind.search("zebra", query_embedding=[0.1, 0.2])


@pytest.mark.proves("COG-31", "COG-32")
async def test_without_qdrant_words_and_the_graph_still_find(
    mind: Mind, graph: Graph, embedder: FastEmbedder, sequence: IdSequence
) -> None:
    first = (await mind.distil("The zebra grazes")).id
    second = (await mind.of(name="bob").distil("[[Zebra]] is a name as well")).id
    third = (await mind.of(name="eve").distil("Chosen for its stripes")).id
    node = {"label": "Animal", "name": "Zebra", "vector_id": third}
    await EntityService(graph, sequence).add_node(AddNode.parse(node), mind.caller)
    store = RemoteStore(connect_qdrant("http://127.0.0.1:1"), "precedent")
    blind = InsightSearch(graph, store, embedder)
    answer = await Mind(mind.caller, mind.dialogues, mind.insights, blind).search("zebra")
    await store.close()
    assert answer.by_meaning is False
    found = {hit.id: hit.why for hit in answer.results}
    assert found == {first: ["words"], second: ["words", "graph"], third: ["graph"]}
    assert answer.results[-1].score == 0.0
    assert answer.graph_results_count == 2


@pytest.mark.proves("COG-30")
async def test_evidence_of_the_graph_joins_and_displaces_no_match(
    mind: Mind, projector: Projector, graph: Graph, sequence: IdSequence
) -> None:
    """An insight about an entity of the query, or about a related one, comes after the matches."""
    entities = EntityService(graph, sequence)
    matching = [(await mind.of(name=f"m{n}").distil(f"Precedent remembers decision {n}")).id for n in range(3)]
    await projector.drain()
    before = await mind.found("what does Precedent remember")
    about = (await mind.of(name="bob").distil("Relations are kept natively")).id
    await entities.add_node(AddNode.parse({"label": "T", "name": "Neo4j", "vector_id": about}), mind.caller)
    edge = {"source_name": "Precedent", "target_name": "Neo4j", "relation": "USES"}
    await entities.add_edge(AddEdge.parse(edge), mind.caller)
    answer = await mind.search("what does Precedent remember", top_k=10)
    assert [hit.id for hit in answer.results] == [*before, about]
    assert set(before) == set(matching)
    assert (answer.results[-1].why, answer.results[-1].score) == (["graph"], 0.0)
    assert [hit.id for hit in (await mind.search("what does Precedent remember", top_k=3)).results] == before
    assert (await mind.search("what did anybody remember", top_k=10)).graph_results_count == 0


@pytest.mark.proves("COG-33")
async def test_what_the_graph_does_not_confirm_is_not_found(mind: Mind, projector: Projector, cypher: Cypher) -> None:
    gone = (await mind.distil("The physician prescribed medication")).id
    there = (await mind.of(name="bob").distil("A nurse handed over drugs")).id
    await projector.drain()
    await cypher("MATCH (i:Insight {namespace: $namespace, id: $id})<-[:PASSAGE_OF]-(p) DETACH DELETE i, p", id=gone)
    answer = await mind.search("medicine for patients")
    assert ([hit.id for hit in answer.results], answer.semantic_results_count) == ([there], 1)


@pytest.mark.proves("COG-9", "COG-13")
async def test_insights_of_another_namespace_or_family_are_not_found(mind: Mind, projector: Projector) -> None:
    await mind.of(namespace=f"{mind.caller.namespace}-other").distil("The zebra grazes")
    await mind.say("The zebra grazes")
    await projector.drain()
    assert await mind.found("zebra") == []
