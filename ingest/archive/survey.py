"""Reads all that a namespace holds, once."""

from collections.abc import Callable
from typing import Protocol

from ingest.archive.form import TRANSIENT, Tally, encoded
from ingest.archive.shelf import Shelf
from ingest.archive.words import Properties
from server.graph.graph import Graph
from server.types import Row

_LONGEST = 24 * 3600.0
"""Seconds that reading all nodes, or all relationships, may take."""


class Visitor(Protocol):
    """Is shown all nodes, numbered from 1, then all relationships."""

    def node(self, number: int, labels: list[str], properties: Properties) -> None: ...

    def relation(self, type_: str, source: int, target: int, properties: Properties) -> None: ...


class Nobody:
    """Looks at nothing."""

    def node(self, number: int, labels: list[str], properties: Properties) -> None:
        pass

    def relation(self, type_: str, source: int, target: int, properties: Properties) -> None:
        pass


class Survey:
    """One reading of a namespace, in memory that does not grow with it.

    Neo4j shows what is committed while it reads: a survey is the picture of one moment where another one that began
    after its end saw the same.
    """

    def __init__(self, visitor: Visitor, at: Callable[[int], None]) -> None:
        """`at` hears how many nodes and relationships have been read."""
        self.tally = Tally()
        self.left_out = 0
        """Relationships that lead out of the namespace."""
        self.torn = False
        """Whether a node appeared while it was read."""
        self._visitor = visitor
        self._at = at

    async def run(self, graph: Graph, namespace: str) -> "Survey":
        with Shelf() as shelf:
            await graph.stream(
                "archive/nodes", lambda rows: self._nodes(shelf, rows), namespace=namespace, timeout=_LONGEST
            )
            await graph.stream(
                "archive/relations", lambda rows: self._relations(shelf, rows), namespace=namespace, timeout=_LONGEST
            )
        return self

    def same(self, other: "Survey") -> bool:
        """Whether the two saw the same."""
        return not (self.torn or other.torn) and self.tally.content == other.tally.content

    def _nodes(self, shelf: Shelf, rows: list[Row]) -> None:
        kept = []
        for row in rows:
            labels = sorted(set(row["labels"]) - TRANSIENT)
            properties = _properties(row)
            digest = self.tally.node(labels, properties)
            self._visitor.node(self.tally.nodes, labels, properties)
            kept.append((row["element"], self.tally.nodes.to_bytes(8, "big") + digest))
        shelf.keep(kept)
        self._at(self.tally.nodes)

    def _relations(self, shelf: Shelf, rows: list[Row]) -> None:
        ends = shelf.find(list({end for row in rows for end in (row["source"], row["target"])}))
        for row in rows:
            if row["leads_out"]:
                self.left_out += 1
                continue
            source, target = ends.get(row["source"]), ends.get(row["target"])
            if source is None or target is None:
                self.torn = True
                continue
            properties = _properties(row)
            self.tally.relation(row["type"], properties, source[8:], target[8:])
            first, second = (int.from_bytes(end[:8], "big") for end in (source, target))
            self._visitor.relation(row["type"], first, second, properties)
        self._at(self.tally.nodes + self.tally.relations)


def _properties(row: Row) -> Properties:
    # A vector that waits to be projected is Qdrant's; it is made anew.
    plain = [(key, value) for key, value in row["plain"] if not (key == "vector" and isinstance(value, bytes))]
    properties = encoded(plain, row["typed"])
    if "element" in row:
        del properties["namespace"]
    return properties
