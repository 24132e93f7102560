"""Integer ids from one sequence per namespace.

Source: design.md section 3, "Integer ids". Blocks are reserved ahead, in a transaction of their own, so that
writers neither wait for one another nor pay a round trip each; a crash leaves a gap, never a repetition.
"""

from collections import deque

import anyio

from server.graph.graph import Graph

_BLOCK = 100


class IdSequence:
    """Hands out integers that no other caller of any process gets."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._free: dict[str, deque[int]] = {}
        self._lock = anyio.Lock()

    async def take(self, namespace: str, count: int = 1) -> list[int]:
        """Returns `count` fresh integers, ascending."""
        async with self._lock:
            free = self._free.setdefault(namespace, deque())
            if len(free) < count:
                size = max(_BLOCK, count)
                row = await self._graph.one("sequences/take", namespace=namespace, count=size)
                assert row is not None
                free.extend(range(row["last"] - size + 1, row["last"] + 1))
            return [free.popleft() for _ in range(count)]
