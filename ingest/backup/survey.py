"""All that a namespace stores, read once."""

from collections.abc import Callable
from typing import Protocol

from ingest.backup.disk_table import DiskTable
from ingest.backup.file_format import TRANSIENT, ContentSummary, encode_properties
from ingest.backup.scope_tags import Properties
from server.core.types import Row
from server.graph.graph import Graph

_LONGEST = 24 * 3600.0
"""Seconds that reading all nodes, or all relationships, may take."""


class Visitor(Protocol):
    """Takes all nodes, numbered from 1, then all relationships."""

    def node(self, number: int, labels: list[str], properties: Properties) -> None: ...

    def relation(self, type_: str, source: int, target: int, properties: Properties) -> None: ...


class NullVisitor:
    """Ignores nodes and relationships."""

    def node(self, number: int, labels: list[str], properties: Properties) -> None:
        pass

    def relation(self, type_: str, source: int, target: int, properties: Properties) -> None:
        pass


class Survey:
    """One reading of a namespace, in memory that does not grow with it.

    Neo4j shows what is committed while it reads. A survey shows the namespace at one moment if a second survey, which
    began after its end, found the same.
    """

    def __init__(self, visitor: Visitor, report: Callable[[int], None]) -> None:
        """`report` takes the number of nodes and relationships that have been read."""
        self.content = ContentSummary()
        self.left_out = 0
        """Relationships that lead out of the namespace."""
        self.is_inconsistent = False
        """Whether a node appeared while it was read."""
        self._visitor = visitor
        self._report = report

    async def run(self, graph: Graph, namespace: str) -> "Survey":
        with DiskTable() as nodes:
            await graph.stream(
                "backup/nodes", lambda rows: self._take_nodes(nodes, rows), namespace=namespace, timeout=_LONGEST
            )
            await graph.stream(
                "backup/relations",
                lambda rows: self._take_relations(nodes, rows),
                namespace=namespace,
                timeout=_LONGEST,
            )
        return self

    def is_same_as(self, other: "Survey") -> bool:
        """Whether both found the same."""
        return not (self.is_inconsistent or other.is_inconsistent) and self.content.hash == other.content.hash

    def _take_nodes(self, nodes: DiskTable, rows: list[Row]) -> None:
        taken = []
        for row in rows:
            labels = sorted(set(row["labels"]) - TRANSIENT)
            properties = _to_properties(row)
            digest = self.content.add_node(labels, properties)
            self._visitor.node(self.content.nodes, labels, properties)
            taken.append((row["element"], self.content.nodes.to_bytes(8, "big") + digest))
        nodes.store(taken)
        self._report(self.content.nodes)

    def _take_relations(self, nodes: DiskTable, rows: list[Row]) -> None:
        ends = nodes.find_all(list({end for row in rows for end in (row["source"], row["target"])}))
        for row in rows:
            if row["leads_out"]:
                self.left_out += 1
                continue
            source, target = ends.get(row["source"]), ends.get(row["target"])
            if source is None or target is None:
                self.is_inconsistent = True
                continue
            properties = _to_properties(row)
            self.content.add_relation(row["type"], properties, source[8:], target[8:])
            first, second = (int.from_bytes(end[:8], "big") for end in (source, target))
            self._visitor.relation(row["type"], first, second, properties)
        self._report(self.content.nodes + self.content.relations)


def _to_properties(row: Row) -> Properties:
    # A vector that waits for its projection belongs to Qdrant and is computed again.
    plain = [(key, value) for key, value in row["plain"] if not (key == "vector" and isinstance(value, bytes))]
    properties = encode_properties(plain, row["typed"])
    if "element" in row:
        del properties["namespace"]
    return properties
