"""Which decisions are found while their vectors are missing or dead: the graph knows what is in force."""

import random
from uuid import UUID

import pytest
import qdrant_edge as edge

from server.decisions.models import SearchDecisions
from server.graph.graph import Graph
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.store import StoredPoint
from tests.decisions.annotations import NEW, OLD, QUESTION
from tests.decisions.conftest import Caller, Store

pytestmark = pytest.mark.anyio
_CHAINS = 4


async def _lose(vectors: EdgeStore, points: list[StoredPoint], *, dead: bool) -> None:
    """Delete points, or replace their vectors by zeros, as a damaged file of the engine does."""
    if not dead:
        await vectors.delete([point.id for point in points])
        return
    zeros = [edge.PointVectors(UUID(point.id), [0.0] * 384) for point in points]
    await vectors._run(vectors._update, edge.UpdateOperation.update_vectors(zeros), len(zeros))


def _question() -> SearchDecisions:
    return SearchDecisions.parse({"query": QUESTION})


async def _points(vectors: EdgeStore, namespace: str) -> list[StoredPoint]:
    return [point async for page in vectors.scan() for point in page if point.namespace == namespace]


@pytest.mark.proves("SVC-91")
@pytest.mark.parametrize("dead", [False, True], ids=["missing", "dead"])
async def test_a_decision_in_force_is_found_whichever_vectors_are_lost(
    viewer: Caller, store_decisions: Store, projector: Projector, vectors: EdgeStore, namespace: str, *, dead: bool
) -> None:
    chains = []
    for number in range(_CHAINS):
        title = f"{OLD['title']}, rule {number}"
        chains += [
            {**OLD, "title": title, "status": "superseded", "target": f"t{number}"},
            {**NEW, "title": f"{NEW['title']}, rule {number}", "target": f"t{number}", "replaces": [2 * number]},
        ]
    ids = await store_decisions(*chains)
    current = set(ids[1::2])
    await projector.drain()
    before = {hit.id: hit.score for hit in await viewer.search(QUESTION, limit=20)}
    points = await _points(vectors, namespace)
    shuffled = random.Random(15).sample(points, len(points))
    lost = len(points) // 4
    for end in range(lost, len(points) + 1, lost):
        await _lose(vectors, shuffled[end - lost : end], dead=dead)
        for mode in ("strict", "balanced"):
            found = await viewer.search(QUESTION, mode=mode, limit=20)
            assert {hit.id for hit in found} == current, f"{mode}, {end} of {len(points)} vectors lost"
    # The texts were compared instead.
    after = {hit.id: hit.score for hit in await viewer.search(QUESTION, limit=20)}
    assert after == pytest.approx(before, abs=0.01)


@pytest.mark.proves("SVC-91")
async def test_while_vectors_are_recreated_an_answer_says_that_words_alone_were_compared(
    viewer: Caller, store_decisions: Store, projector: Projector, graph: Graph
) -> None:
    await store_decisions({**OLD, "target": "t"})
    await projector.drain()
    await graph.run("projection/set_recreating", recreating=True)
    try:
        told = await viewer.service.search(_question(), viewer.principal)
    finally:
        await projector.drain()
    assert "The index of meanings is unavailable" in told.message
    assert [hit.title for hit in told.results] == [OLD["title"]]
    assert "unavailable" not in (await viewer.service.search(_question(), viewer.principal)).message
