"""The best few of very many equally short paths, found without enumerating them.

Three steps: collect the nodes at each distance from the start, up to half of the way; go back from the end and compute,
for each node of a level, the greatest weight from there to the end; walk from the start along these weights. Work and
memory grow with the relations between the levels, not with the number of paths.

Source: ENT-59.
"""

from typing import Any

from server.core.errors import Conflict
from server.core.types import Row
from server.graph.graph import Transaction

Level = dict[str, int]
"""Maps the element id of a node to the greatest weight between it and the origin of the search."""


async def find_best_paths(
    transaction: Transaction, ends: tuple[str, str], length: int, count: int, search: dict[str, Any]
) -> list[Row]:
    """Return weight, nodes and edges of the best paths between two nodes that are `length` hops apart.

    `ends` are their element ids, `count` is the greatest number of paths, and `search` holds the parameters that say
    which relations are followed. Raises `Conflict` if another caller has cut the path meanwhile.
    """
    start, end = ends

    async def load_next(level: Level, previous: Level, allowed: Level | None) -> Level:
        ids = None if allowed is None else list(allowed)
        rows = await transaction.run("entities/next_level", level=level, behind=list(previous), within=ids, **search)
        return {row["id"]: row["weight"] for row in rows}

    half = length // 2
    reached: list[Level] = [{start: 0}]
    for hops in range(half):
        reached.append(await load_next(reached[-1], reached[hops - 1] if hops else {}, None))
    weighed: list[Level] = [{end: 0}]
    for hops in range(length):
        to_start = length - hops - 1
        allowed = reached[to_start] if to_start <= half else None
        weighed.append(await load_next(weighed[-1], weighed[hops - 1] if hops else {}, allowed))
    paths = await transaction.run("entities/walk_levels", start=start, levels=weighed[::-1], count=count, **search)
    if not paths:
        raise Conflict("The graph changed during the path search; repeat the call.")
    return paths
