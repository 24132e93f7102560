"""The best of very many equally short paths, without enumerating them.

Level by level: which nodes are how far from the start, up to half the way; then back from the end, keeping for each
node of a level the greatest weight from there to the end; then the walk from the start that keeps to it. Work and
memory grow with the relations between the levels, not with the number of paths.
"""

from typing import Any

from server.errors import Conflict
from server.graph.graph import Transaction
from server.types import Row

Level = dict[str, int]
"""Element id of a node to the greatest weight between it and where the search came from."""


async def best_path(transaction: Transaction, start: str, end: str, length: int, search: dict[str, Any]) -> Row:
    """Returns weight, nodes and edges of the best path between two nodes that are `length` hops apart.

    `start`, `end`: element ids; `search`: the parameters that say what is travelled. Raises `Conflict` where another
    caller has cut the path meanwhile.
    """

    async def beyond(level: Level, behind: Level, within: Level | None) -> Level:
        kept = None if within is None else list(within)
        rows = await transaction.run("entities/next_level", level=level, behind=list(behind), within=kept, **search)
        return {row["id"]: row["weight"] for row in rows}

    half = length // 2
    reached: list[Level] = [{start: 0}]
    for hops in range(half):
        reached.append(await beyond(reached[-1], reached[hops - 1] if hops else {}, None))
    weighed: list[Level] = [{end: 0}]
    for hops in range(length):
        to_start = length - hops - 1
        within = reached[to_start] if to_start <= half else None
        weighed.append(await beyond(weighed[-1], weighed[hops - 1] if hops else {}, within))
    walked = await transaction.one("entities/walk_levels", start=start, levels=weighed[::-1], **search)
    if walked is None:
        raise Conflict("The graph changed while its paths were compared; call again.")
    return walked
