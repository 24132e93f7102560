"""The best paths between two nodes, within a time limit. Source: ENT-49, ENT-50, ENT-58."""

from server.core.errors import QueryTimeout
from server.core.principals import Principal
from server.core.types import Row
from server.entities.hops import choose_best_paths
from server.entities.models import FindPath, FurtherPath, PathAnswer, PathStep
from server.entities.names import NameLookup
from server.graph.graph import Graph
from server.graph.vocabulary import BOOKKEEPING

_NOT_FOLLOWED = sorted(BOOKKEEPING)
_SCALE = 1e15
"""Weights are summed as integers of 15 decimal places, so equal sums are equal in any order of summation."""
_CAP = 1_000
"""Of more equally short paths as of a time, so many are compared."""


class PathFinder:
    """Finds paths within a time limit."""

    def __init__(self, graph: Graph, names: NameLookup, timeout: float) -> None:
        self._graph = graph
        self._names = names
        self._timeout = timeout

    async def find(self, request: FindPath, caller: Principal) -> PathAnswer:
        """Return the best path and the next best of its length. Raises `NotFound` or `QueryTimeout`."""
        load = self._load_best if request.as_of is None else self._load_best_as_of
        try:
            start, end, paths = await load(request, caller)
        except QueryTimeout as slow:
            raise QueryTimeout(
                f"The path search exceeded {self._timeout:g} seconds and was stopped; "
                "use a smaller max_depth or relation_types."
            ) from slow
        best = paths[0] if paths else None
        length = len(best["edges"]) if best else 0
        return PathAnswer(
            path_found=best is not None,
            path_length=length,
            path_weight=best["weight"] / _SCALE if best else 0.0,
            path=_build_steps(best) if best else [],
            paths=[FurtherPath(path_weight=each["weight"] / _SCALE, path=_build_steps(each)) for each in paths[1:]],
            start_node=start,
            end_node=end,
            search_depth=length if best else request.max_depth,
        )

    async def _load_best(self, request: FindPath, caller: Principal) -> tuple[str, str, list[Row]]:
        """Return the names of both ends, and weight, nodes and edges of the paths."""
        names = {"start": request.start_node, "end": request.end_node}
        if request.start_node == request.end_node:
            node = await self._names.load_node("start_node", request.start_node, caller)
            return node["resolved_name"], node["resolved_name"], [_build_empty_path(node)]
        row = await self._load(request, caller, {})
        if unresolved := [end for end in names if row[end] is None]:
            found = {end: await self._names.load_node(f"{end}_node", names[end], caller) for end in unresolved}
            names |= {end: node["resolved_name"] for end, node in found.items()}
            elements = {end: found[end]["element"] if end in found else row[end] for end in names}
            if elements["start"] == elements["end"]:
                return names["start"], names["end"], [_build_empty_path(found[unresolved[0]])]
            row = await self._load(request, caller, {f"{end}_element": elements[end] for end in unresolved})
        return names["start"], names["end"], choose_best_paths(row, request.max_paths)

    async def _load_best_as_of(self, request: FindPath, caller: Principal) -> tuple[str, str, list[Row]]:
        """As `_load_best`, at the time of the request; of very many equally short paths, some are compared."""
        assert request.as_of is not None
        start = await self._names.load_node_as_of("start_node", request.start_node, caller, request.as_of)
        end = await self._names.load_node_as_of("end_node", request.end_node, caller, request.as_of)
        names = start["resolved_name"], end["resolved_name"]
        if start["element"] == end["element"]:
            return *names, [_build_empty_path(start)]
        paths = await self._graph.run(
            "entities/find_paths_as_of",
            start=start["element"],
            end=end["element"],
            as_of=request.as_of,
            bookkeeping=_NOT_FOLLOWED,
            relations=request.relation_types,
            max_depth=request.max_depth,
            scale=_SCALE,
            count=request.max_paths,
            cap=_CAP,
            timeout=self._timeout,
        )
        return *names, paths

    async def _load(self, request: FindPath, caller: Principal, elements: dict[str, str]) -> Row:
        return await self._graph.row(
            "entities/find_path",
            namespace=caller.namespace,
            start=request.start_node,
            end=request.end_node,
            bookkeeping=_NOT_FOLLOWED,
            relations=request.relation_types,
            max_depth=request.max_depth,
            scale=_SCALE,
            count=request.max_paths,
            timeout=self._timeout,
            **{"start_element": None, "end_element": None, **elements},
        )


def _build_empty_path(node: Row) -> Row:
    """Return the path from a node to itself."""
    step = {key: value for key, value in node.items() if key not in {"element", "resolved_name"}}
    return {"weight": 0, "nodes": [step], "edges": []}


def _build_steps(path: Row) -> list[PathStep]:
    hops = [
        {
            "relation_to_next": edge["relation"],
            "direction_to_next": "outgoing" if edge["outgoing"] else "incoming",
            "weight_to_next": edge["weight"],
        }
        for edge in path["edges"]
    ]
    return [PathStep(**node, **hop) for node, hop in zip(path["nodes"], [*hops, {}], strict=True)]
