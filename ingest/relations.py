"""Entities and relations in bulk, written exactly as `graph_add_edge` writes one. Source: ING-53.

Rows are grouped by relation, and its type is a parameter: all relations share one cached plan.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from ingest.pipeline import batches
from ingest.records import Triple
from server.core.errors import Conflict
from server.entities.properties import encode
from server.graph.graph import Graph, Transaction
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.graph.vocabulary import RELATION_KEYS, native_label, native_type

_ROWS = 1_000
"""Rows of one statement."""


@dataclass(frozen=True, slots=True)
class CreatedCounts:
    """How many entities and relations were created."""

    entities: int = 0
    relations: int = 0


@dataclass(slots=True)
class Rows:
    """Triples as the statements take them: labels of entities by name, rows by relation, in the order of the file."""

    labels: dict[str, str] = field(default_factory=dict)
    relations: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    count: int = 0

    @classmethod
    def of(cls, triples: Iterable[Triple]) -> "Rows":
        rows = cls()
        for triple in triples:
            rows.add(triple)
        return rows

    def add(self, triple: Triple) -> None:
        """Add a triple; raises `InvalidArgument`, and adds nothing, if its properties cannot be stored."""
        row: dict[str, Any] = {"source": triple.head, "target": triple.tail}
        if triple.properties:
            row["properties"] = encode(triple.properties, RELATION_KEYS)
        if triple.weight is not None:
            row["weight"] = triple.weight
        self.labels.setdefault(triple.head, triple.head_label)
        self.labels.setdefault(triple.tail, triple.tail_label)
        self.relations[triple.relation].append(row)
        self.count += 1

    def forget(self, present: Set[str]) -> None:
        """Leave out the entities that are known to exist."""
        self.labels = {name: label for name, label in self.labels.items() if name not in present}

    @property
    def ids_needed(self) -> int:
        """How many fresh integers these rows need at most."""
        return len(self.labels) + self.count


async def write_rows(transaction: Transaction, namespace: str, rows: Rows, ids: Iterable[int]) -> CreatedCounts:
    """Create what does not exist and update what does; `ids` are `ids_needed` fresh integers.

    Raises `Conflict` if another caller deletes one of the entities at the same moment.
    """
    fresh = iter(ids)
    entities = await add_entities(transaction, namespace, rows.labels, fresh)
    relations = 0
    for relation, relation_rows in rows.relations.items():
        for row in relation_rows:
            row["id"] = next(fresh)
        for batch in batches(relation_rows, _ROWS):
            done = await transaction.row(
                "ingest/add_relations",
                namespace=namespace,
                relation=relation,
                type=native_type(relation),
                rows=batch,
            )
            if done["written"] != len(batch):
                raise Conflict("CONFLICT: another caller deleted entities that this file relates; run it again.")
            relations += done["created"]
    return CreatedCounts(entities, relations)


async def add_entities(transaction: Transaction, namespace: str, labels: Mapping[str, str], ids: Iterable[int]) -> int:
    """Create those of these entities (name to label) that do not exist, and return how many."""
    fresh, created = iter(ids), 0
    for names in batches(list(labels), _ROWS):
        found = await transaction.run("ingest/missing_entities", namespace=namespace, names=names)
        missing = {row["name"] for row in found}
        rows = [
            {
                "name": name,
                "key": comparison_key(name),
                "id": next(fresh),
                "label": labels[name],
                "labels": native_label(labels[name]),
            }
            for name in names
            if name in missing
        ]
        if rows:
            await transaction.run("ingest/add_entities", namespace=namespace, scope=namespace_tag(namespace), rows=rows)
        created += len(rows)
    return created


class NewRowCounter:
    """Counts what writing would create, without writing; remembers names, so that no new entity counts twice."""

    def __init__(self) -> None:
        self._new: set[str] = set()

    async def count(self, graph: Graph, namespace: str, rows: Rows) -> CreatedCounts:
        before, unknown = len(self._new), 0
        for names in batches(list(rows.labels), _ROWS):
            missing = await graph.run("ingest/missing_entities", namespace=namespace, names=names)
            self._new.update(row["name"] for row in missing)
        for relation, relation_rows in rows.relations.items():
            pairs = dict.fromkeys((row["source"], row["target"]) for row in relation_rows)
            for batch in batches(list(pairs), _ROWS):
                found = await graph.row(
                    "ingest/known_relations",
                    namespace=namespace,
                    relation=relation,
                    type=native_type(relation),
                    rows=[{"source": source, "target": target} for source, target in batch],
                )
                unknown += len(batch) - found["known"]
        return CreatedCounts(len(self._new) - before, unknown)
