"""Integer ids never repeat."""

import anyio
import pytest

from server.graph.graph import Graph
from server.graph.sequence import IdSequence

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-64")
async def test_ids_of_several_processes_at_once_are_all_different(graph: Graph, namespace: str) -> None:
    taken: list[int] = []

    async def take(sequence: IdSequence) -> None:
        for count in (1, 3, 150, 2):
            taken.extend(await sequence.take(namespace, count))

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(take, IdSequence(graph))
    assert len(set(taken)) == len(taken) == 8 * 156
    assert min(taken) >= 1


@pytest.mark.proves("SVC-64")
async def test_each_namespace_counts_for_itself(graph: Graph, namespace: str) -> None:
    sequence = IdSequence(graph)
    assert await sequence.take(f"{namespace}-a") == [1]
    assert await sequence.take(f"{namespace}-b") == [1]
    assert await sequence.take(f"{namespace}-a", 2) == [2, 3]
