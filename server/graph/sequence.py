"""Integer ids from one sequence per namespace.

Ids are reserved in blocks, in a transaction of their own, so that writers do not wait for each other and need no round
trip per id. A crash may leave a gap, never a duplicate.

Source: SVC-64.
"""

from collections import deque

import anyio

from server.graph.graph import Graph

_BLOCK = 100


class IdSequence:
    """Returns integers that are unique in a namespace, across all processes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._free: dict[str, deque[int]] = {}
        self._lock = anyio.Lock()

    async def take(self, namespace: str, count: int = 1) -> list[int]:
        """Return `count` new integers, ascending."""
        async with self._lock:
            free = self._free.setdefault(namespace, deque())
            if len(free) < count:
                size = max(_BLOCK, count)
                row = await self._graph.row("sequences/take", repeatable=True, namespace=namespace, count=size)
                free.extend(range(row["last"] - size + 1, row["last"] + 1))
            return [free.popleft() for _ in range(count)]
