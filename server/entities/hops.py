"""The best few of all shortest paths, whose hops are known, found without enumerating the paths.

From the end to the start, each node gets its best ways to the end. Work and memory grow with the steps of the hops,
not with the number of paths.

Source: ENT-50, ENT-59.
"""

from collections import defaultdict
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from server.core.types import Row


class _Way(NamedTuple):
    """A way to the end. The best is the smallest: first by its weight, then step by step by names."""

    lightness: int
    order: tuple[Any, ...]
    steps: tuple[list[Any], ...]


def choose_best_paths(row: Row, count: int) -> list[Row]:
    """Return weight, nodes and edges of the best paths, at most `count`, of an answer of `find_path.cypher`."""
    ranks = _rank_by_name(row["nodes"])
    ways: dict[str, list[_Way]] = {row["end"]: [_Way(0, (), ())]}
    for hop in reversed(row["hops"]):
        found: dict[str, list[_Way]] = defaultdict(list)
        for steps in hop:
            near, far = steps[0][0], steps[-1][1]
            weight = sum(units for *_, units in steps)
            order = tuple((ranks[node], relation, incoming) for _, node, relation, incoming, *_ in steps)
            found[near] += (_Way(way.lightness - weight, order + way.order, (*steps, *way.steps)) for way in ways[far])
        ways |= {node: nsmallest(count, each, key=itemgetter(0, 1)) for node, each in found.items()}
    nodes = {node.pop("element"): node for node in row["nodes"]}
    return [_build_path(way, nodes) for way in ways.get(row["start"], ()) if way.steps]


def _rank_by_name(nodes: list[Row]) -> dict[str, int]:
    """Return the rank of each node, which Neo4j has ordered by name and id; nodes with the same have the same rank."""
    groups = groupby(nodes, key=itemgetter("name", "node_id"))
    return {node["element"]: rank for rank, (_, same) in enumerate(groups) for node in same}


def _build_path(way: _Way, nodes: dict[str, Row]) -> Row:
    elements = [way.steps[0][0], *(step[1] for step in way.steps)]
    return {
        "weight": -way.lightness,
        "nodes": [nodes[element] for element in elements],
        "edges": [
            {"relation": relation, "outgoing": not incoming, "weight": weight}
            for _, _, relation, incoming, weight, _ in way.steps
        ],
    }
