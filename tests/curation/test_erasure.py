"""What is erased is gone for good, with every copy of its text; that it happened remains."""

import pytest

from server.core.errors import InvalidArgument, NotFound
from server.graph.graph import Graph
from server.vectors.projector import Projector
from server.vectors.repair import repair, verify
from server.vectors.store import VectorStore
from tests.conftest import Cypher
from tests.curation.conftest import Caller

pytestmark = pytest.mark.anyio
_SECRET = "xylophonequartz"


async def _holders(cypher: Cypher, text: str = _SECRET) -> list[str]:
    """What in the graph has the text in a property."""
    rows = await cypher(
        "MATCH (n {namespace: $namespace}) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $part) "
        "RETURN labels(n)[0] AS holder UNION ALL "
        "MATCH ({namespace: $namespace})-[r]->() WHERE any(key IN keys(r) WHERE toStringOrNull(r[key]) CONTAINS $part) "
        "RETURN type(r) AS holder",
        part=text,
    )
    return [row["holder"] for row in rows]


@pytest.mark.proves("CUR-14", "CUR-15")
async def test_an_erased_memory_leaves_no_copy_of_its_text(
    human: Caller, cypher: Cypher, projector: Projector, graph: Graph, vectors: VectorStore
) -> None:
    await repair(graph, vectors)  # whatever other tests left
    await projector.drain()
    before = await human.save("We met in the morning.", session_id="talk")
    secret = await human.save(f"The password is {_SECRET}. " + "And more was said about it. " * 20, session_id="talk")
    after = await human.save("We met again at noon.", session_id="talk")
    assert await _holders(cypher) != []
    answer = await human.erase(secret)
    assert answer.erased == {"memory": 1}
    assert await _holders(cypher) == []
    assert set(await human.searched("we met")) == {before, after}
    assert await human.searched(_SECRET) == []
    await projector.drain()
    assert (await verify(graph, vectors)).consistent
    [row] = await cypher("MATCH (e:Erasure {namespace: $namespace}) RETURN e.name AS name, e.erased_by AS by")
    assert row == {"name": "erased: 1 memory", "by": "grace"}


@pytest.mark.proves("CUR-15")
async def test_former_states_are_erased_with_a_record_also_after_it_was_retracted(
    human: Caller, cypher: Cypher
) -> None:
    first = await human.record("queue", _SECRET)
    await human.supersede("queue", first)
    await human.node("Safe", properties={"code": _SECRET})
    await human.node("Safe", properties={"code": "none"})
    await human.edge("Safe", "OPENS", "Door", properties={"how": _SECRET})
    await human.edge("Safe", "OPENS", "Door", properties={"how": "by hand"})
    await human.retract(first)
    await human.erase(first, "Safe -[OPENS]-> Door", "Safe")
    assert await _holders(cypher) == []


@pytest.mark.proves("CUR-16")
async def test_an_erasure_cannot_be_undone(human: Caller) -> None:
    answer = await human.erase(await human.save("A secret."))
    with pytest.raises(InvalidArgument, match="gone for good"):
        await human.undo(answer.change_id)
    with pytest.raises(NotFound):
        await human.erase("no-such-id")


@pytest.mark.proves("CUR-17")
async def test_passages_of_a_record_that_was_deleted_by_hand_are_found_and_removed(
    human: Caller, cypher: Cypher, projector: Projector, graph: Graph, vectors: VectorStore
) -> None:
    await repair(graph, vectors)  # whatever other tests left
    await human.save("A long memory. " + "And more was said about it. " * 20)
    await projector.drain()
    await cypher("MATCH (e:Entry {namespace: $namespace}) DETACH DELETE e")
    assert (await verify(graph, vectors)).stranded > 1
    await repair(graph, vectors)
    await projector.drain()
    assert (await verify(graph, vectors)).consistent
    assert await cypher("MATCH (p:Passage {namespace: $namespace}) RETURN p") == []


@pytest.mark.proves("CUR-15")
async def test_the_former_words_of_a_memory_are_erased_with_it(human: Caller, cypher: Cypher) -> None:
    long = " And more was said about it." * 20
    talk = {"session_id": "talk"}
    short, parts = [await human.save(f"The password is {_SECRET}.{more}", **talk) for more in ("", long)]
    near = await human.save("Somebody else spoke.", **talk)
    for id_ in (short, parts, near):
        await human.save("Nothing is said here.", supersedes=[id_], reason="It was a secret.", **talk)
    assert await cypher("MATCH (p:FormerPassage {namespace: $namespace}) RETURN p.id AS id LIMIT 1") != []
    await human.erase(short, parts)
    assert await _holders(cypher) == []
