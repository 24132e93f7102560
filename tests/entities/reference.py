"""A simple reference implementation of neighbours and paths, with which the statements are compared."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import floor

from tests.entities.conftest import Edge

Hop = tuple[str, str, bool, float]
"""The node that is reached, the relation, whether it is stored in walking direction, its weight."""
Path = tuple[Hop, ...]


def hops(edges: Iterable[Edge], relations: Iterable[str] | None = None) -> dict[str, list[Hop]]:
    """Every way to leave a node."""
    found: dict[str, list[Hop]] = defaultdict(list)
    allowed = None if relations is None else set(relations)
    for source, relation, target, weight in edges:
        if allowed is None or relation in allowed:
            found[source].append((target, relation, True, weight))
            found[target].append((source, relation, False, weight))
    return found


def distances(ways: dict[str, list[Hop]], start: str, direction: str = "both") -> dict[str, int]:
    """Fewest hops to every node that can be reached."""
    found, level = {start: 0}, [start]
    while level:
        onward = [hop[0] for node in level for hop in ways[node] if direction in ("both", _named(hop[2]))]
        level = list(dict.fromkeys(node for node in onward if node not in found))
        found |= dict.fromkeys(level, found[start] + 1 + max(found.values()))
    return found


def neighbors(
    edges: Iterable[Edge], start: str, depth: int, direction: str, relation_type: str | None = None
) -> list[tuple[int, float, str, str, str]]:
    """Distance, weight, name, relation and direction of every row, in order."""
    ways = hops(edges, None if relation_type is None else [relation_type])
    distance = distances(ways, start, direction)
    strongest: dict[tuple[int, str, str, bool], float] = {}
    for near, far in distance.items():
        for node, kind, outgoing, weight in ways[near]:
            if distance.get(node) == far + 1 <= depth and direction in ("both", _named(outgoing)):
                key = (far + 1, node, kind, outgoing)
                strongest[key] = max(weight, strongest.get(key, weight))
    rows = [(key[0], weight, key[1], key[2], _named(key[3])) for key, weight in strongest.items()]
    return sorted(rows, key=lambda row: (row[0], -row[1], row[2], row[3], row[4] == "incoming"))


def best_paths(
    edges: Iterable[Edge], start: str, end: str, max_depth: int, relation_types: Iterable[str] | None = None
) -> list[Path]:
    """All of the fewest hops: greatest sum of weights to fifteen places first, then first step by step."""
    ways = hops(edges, relation_types)
    to_end = distances(ways, end)
    if to_end.get(start, max_depth + 1) > max_depth:
        return []
    return sorted(_shortest(ways, to_end, start), key=lambda path: (-sum(units(hop[3]) for hop in path), _steps(path)))


def units(weight: float) -> int:
    return floor(Fraction(weight * 1e15) + Fraction(1, 2))


def _shortest(ways: dict[str, list[Hop]], to_end: dict[str, int], node: str) -> Iterator[Path]:
    if to_end[node] == 0:
        yield ()
    for hop in ways[node]:
        if to_end.get(hop[0]) == to_end[node] - 1:
            for rest in _shortest(ways, to_end, hop[0]):
                yield (hop, *rest)


def _steps(path: Path) -> list[tuple[str, str, bool]]:
    return [(node, relation, not outgoing) for node, relation, outgoing, _ in path]


def _named(outgoing: bool) -> str:
    return "outgoing" if outgoing else "incoming"
