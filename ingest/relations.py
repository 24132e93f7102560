"""Writes entities and relations in bulk, exactly as `graph_add_edge` writes one (cognitive.md "Graph Tools").

Rows go to the graph grouped by relation, its type a parameter: one cached plan for all of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from ingest.pipeline import batches
from ingest.records import Triple
from server.entities.properties import encode
from server.errors import Conflict
from server.graph.graph import Graph, Transaction
from server.graph.vocabulary import RELATION_KEYS, native_label, native_type
from server.graph.words import scope_token

_ROWS = 1_000
"""Rows of one statement."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many entities and relations did not exist before."""

    entities: int = 0
    relations: int = 0


@dataclass(slots=True)
class Rows:
    """Triples as the graph takes them: labels of entities by name, rows by relation, each in the order they came."""

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
        """Takes a triple in; raises `InvalidArgument`, having taken nothing, where its properties cannot be stored."""
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
        """Leaves out the entities that are known to exist."""
        self.labels = {name: label for name, label in self.labels.items() if name not in present}

    @property
    def ids_needed(self) -> int:
        """Fresh integers to take from the sequence for these rows, at most."""
        return len(self.labels) + self.count


async def write_rows(transaction: Transaction, namespace: str, rows: Rows, ids: Iterable[int]) -> Written:
    """Creates what does not exist and updates what does; `ids` are `ids_needed` fresh integers.

    Raises `Conflict` when somebody deletes one of the entities at the same moment.
    """
    fresh = iter(ids)
    entities = await add_entities(transaction, namespace, rows.labels, fresh)
    relations = 0
    for relation, all_of_it in rows.relations.items():
        for row in all_of_it:
            row["id"] = next(fresh)
        for batch in batches(all_of_it, _ROWS):
            done = await transaction.one(
                "ingest/add_relations",
                namespace=namespace,
                relation=relation,
                type=native_type(relation),
                rows=batch,
            )
            if done is None or done["written"] != len(batch):
                raise Conflict("CONFLICT: another caller deleted entities that were being related; run it again.")
            relations += done["created"]
    return Written(entities, relations)


async def add_entities(transaction: Transaction, namespace: str, labels: Mapping[str, str], ids: Iterable[int]) -> int:
    """Creates those of these entities (name to label) that do not exist, and returns how many."""
    fresh, created = iter(ids), 0
    for names in batches(list(labels), _ROWS):
        found = await transaction.run("ingest/missing_entities", namespace=namespace, names=names)
        missing = {row["name"] for row in found}
        rows = [
            {"name": name, "id": next(fresh), "label": labels[name], "labels": native_label(labels[name])}
            for name in names
            if name in missing
        ]
        if rows:
            await transaction.run("ingest/add_entities", namespace=namespace, scope=scope_token(namespace), rows=rows)
        created += len(rows)
    return created


class Known:
    """Tells what writing would create, without writing; remembers names, so that no new entity counts twice."""

    def __init__(self) -> None:
        self._new: set[str] = set()

    async def without_writing(self, graph: Graph, namespace: str, rows: Rows) -> Written:
        before, unknown = len(self._new), 0
        for names in batches(list(rows.labels), _ROWS):
            missing = await graph.run("ingest/missing_entities", namespace=namespace, names=names)
            self._new.update(row["name"] for row in missing)
        for relation, all_of_it in rows.relations.items():
            pairs = dict.fromkeys((row["source"], row["target"]) for row in all_of_it)
            for batch in batches(list(pairs), _ROWS):
                found = await graph.one(
                    "ingest/known_relations",
                    namespace=namespace,
                    relation=relation,
                    type=native_type(relation),
                    rows=[{"source": source, "target": target} for source, target in batch],
                )
                unknown += len(batch) - (found["known"] if found else 0)
        return Written(len(self._new) - before, unknown)
