"""Writes entities and relations in bulk, exactly as `graph_add_edge` writes one (cognitive.md "Graph Tools").

Rows go to the graph grouped by native relationship type, the type as a parameter: one cached plan for all types.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.pipeline import batches
from ingest.records import Triple
from server.entities.properties import encode
from server.graph.graph import Graph, Transaction
from server.graph.vocabulary import RELATION_KEYS, native_label, native_type
from server.graph.words import scope_token

_ROWS = 1_000
"""Rows of one statement."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many entities and relations did not exist before."""

    entities: int
    relations: int


def ids_needed(triples: Sequence[Triple]) -> int:
    """Fresh integers to take from the sequence for these triples, at most."""
    return len(_labels(triples)) + len(triples)


async def write_triples(
    transaction: Transaction, namespace: str, triples: Sequence[Triple], ids: Iterable[int]
) -> Written:
    """Creates what does not exist and updates what does, in the order of the triples.

    `ids` are `ids_needed` fresh integers. Raises `InvalidArgument` where properties cannot be stored.
    """
    fresh = iter(ids)
    labels = _labels(triples)
    created = await add_entities(transaction, namespace, labels, fresh)
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for triple in triples:
        by_type[native_type(triple.relation)].append(
            {
                "source": triple.head,
                "target": triple.tail,
                "relation": triple.relation,
                "id": next(fresh),
                "weight": triple.weight,
                "properties": encode(triple.properties, RELATION_KEYS) if triple.properties else {},
            }
        )
    relations = 0
    for native, rows in by_type.items():
        for batch in batches(rows, _ROWS):
            row = await transaction.one("ingest/add_relations", namespace=namespace, type=native, rows=batch)
            relations += row["created"] if row else 0
    return Written(created, relations)


async def add_entities(transaction: Transaction, namespace: str, labels: dict[str, str], ids: Iterable[int]) -> int:
    """Creates those of these entities (name to label) that do not exist, and returns how many."""
    fresh, created = iter(ids), 0
    for names in batches(list(labels), _ROWS):
        missing = await transaction.run("ingest/missing_entities", namespace=namespace, names=names)
        rows = [
            {
                "name": row["name"],
                "id": next(fresh),
                "label": labels[row["name"]],
                "labels": native_label(labels[row["name"]]),
            }
            for row in missing
        ]
        if rows:
            await transaction.run("ingest/add_entities", namespace=namespace, scope=scope_token(namespace), rows=rows)
        created += len(rows)
    return created


class Known:
    """Tells what writing would create, without writing; remembers names, so that no new entity counts twice."""

    def __init__(self) -> None:
        self._new: set[str] = set()

    async def without_writing(self, graph: Graph, namespace: str, triples: Sequence[Triple]) -> Written:
        before = len(self._new)
        for names in batches(list(_labels(triples)), _ROWS):
            missing = await graph.run("ingest/missing_entities", namespace=namespace, names=names)
            self._new.update(row["name"] for row in missing)
        by_type: dict[str, dict[tuple[str, str, str], dict[str, str]]] = defaultdict(dict)
        for triple in triples:
            row = {"source": triple.head, "target": triple.tail, "relation": triple.relation}
            by_type[native_type(triple.relation)][triple.head, triple.relation, triple.tail] = row
        unknown = 0
        for native, rows in by_type.items():
            for batch in batches(list(rows.values()), _ROWS):
                found = await graph.one("ingest/known_relations", namespace=namespace, type=native, rows=batch)
                unknown += len(batch) - (found["known"] if found else 0)
        return Written(len(self._new) - before, unknown)


def _labels(triples: Sequence[Triple]) -> dict[str, str]:
    """Each entity with the first label that it is given."""
    labels: dict[str, str] = {}
    for triple in triples:
        labels.setdefault(triple.head, triple.head_label)
        labels.setdefault(triple.tail, triple.tail_label)
    return labels
