"""Resolving names to nodes of the graph, and finding similar names. Source: ENT-16, ENT-28, ENT-30."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from server.core.errors import NotFound
from server.core.principals import Principal
from server.core.types import Row
from server.entities.similarity import are_similar, compute_similarity, list_spelling_keys
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.lucene import build_fuzzy_query, build_misspelling_query, limit_to_namespace

_MOST_SUGGESTED = 5
_NUMBER = re.compile(r"[1-9][0-9]{0,15}")
_NAMED_BY = {
    "node_name": "Start node",
    "start_node": "Start node",
    "end_node": "End node",
    "source_name": "Source entity",
    "target_name": "Target entity",
    "name": "Entity",
    "keep": "Entity to keep",
    "drop": "Entity to drop",
}
_NOTHING_WRITTEN = "Nothing was written; use an existing name, or omit create_missing."


class NameLookup:
    """Looks up names in the caller's namespace."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def load_node(self, field: str, name: str, caller: Principal) -> Row:
        """Return the node of a name or id, or the only entity whose name is equal without case, width and spacing.

        Raises `NotFound` with similar names. Callers first look for an entity of the exact name themselves: that is
        the common case, and this statement looks into every kind of record.
        """
        node = await self._graph.one(
            "entities/node",
            namespace=caller.namespace,
            name=name,
            number=int(name) if _NUMBER.fullmatch(name) else None,
            key=comparison_key(name),
        )
        if node is None:
            raise await self.build_not_found(field, name, caller)
        return node

    async def load_node_as_of(self, field: str, name: str, caller: Principal, as_of: datetime) -> Row:
        """Return the node that a name or id meant at a time; it may have been renamed, retracted or merged since.

        Raises `NotFound` with similar names of today.
        """
        node = await self._graph.one(
            "entities/node_as_of",
            namespace=caller.namespace,
            name=name,
            number=int(name) if _NUMBER.fullmatch(name) else None,
            key=comparison_key(name),
            as_of=as_of,
        )
        if node is None:
            raise await self.build_not_found(field, name, caller, f"was named {name!r} at {as_of:%Y-%m-%dT%H:%M:%SZ}")
        return node

    async def build_not_found(self, field: str, name: str, caller: Principal, lacking: str = "") -> NotFound:
        """Return the error for an unknown name, with the most similar names of entities."""
        rows = await self._find_candidates([name], build_fuzzy_query(name), caller)
        known = {row["name"] for row in rows if row["kind"] == "entity"}
        names = sorted(known, key=lambda each: (-compute_similarity(each, name), each))[:_MOST_SUGGESTED]
        advice = "Similar names: " + ", ".join(map(repr, names)) if names else "No name is similar"
        titles = [
            f" {row['name']!r} is the title of {row['id']}."
            for row in rows
            if row["kind"] != "entity" and are_similar(name, row["name"])
        ]
        return NotFound(
            f"{_NAMED_BY[field]} not found: no entity or record {lacking or f'is named {name!r}'}. {advice}."
            f"{''.join(titles[:_MOST_SUGGESTED])}",
            {"field": field, "near_names": names},
        )

    async def build_missing(self, names: Mapping[str, str], caller: Principal) -> NotFound:
        """Return the error for entities of which at least one is missing, by the field that names them."""
        rows = await self._graph.run("entities/existing", namespace=caller.namespace, names=list(names.values()))
        existing = {row["name"] for row in rows}
        errors = [
            await self.build_not_found(field, name, caller) for field, name in names.items() if name not in existing
        ]
        if not errors:
            return NotFound("Another caller has just created the entities; repeat the call.")
        sentences = [*(error.message for error in errors), _NOTHING_WRITTEN]
        return NotFound(" ".join(sentences), {**errors[0].details, "near_names": _merge_near_names(errors)})

    async def find_similar(self, created: Sequence[str], caller: Principal) -> list[Row]:
        """Return what has a name similar to one of these names, which have just become entities.

        A row has requested, name, label and kind; for decisions and proposals also id and target.
        """
        rows = [
            row
            for row in await self._find_candidates(created, build_misspelling_query(created), caller)
            if not (row["kind"] == "entity" and row["name"] in created)
        ]
        found: list[Row] = []
        for name in dict.fromkeys(created):
            similar = [{**row, "requested": name} for row in rows if are_similar(name, row["name"])]
            similar.sort(
                key=lambda row: (-compute_similarity(row["name"], row["requested"]), row["name"], row["id"] or "")
            )
            found += similar[:_MOST_SUGGESTED]
        return found

    async def _find_candidates(self, names: Iterable[str], terms: str, caller: Principal) -> list[Row]:
        return await self._graph.run(
            "entities/near_names",
            namespace=caller.namespace,
            keys=list(dict.fromkeys(key for name in names for key in list_spelling_keys(name))),
            query=limit_to_namespace(caller.namespace, terms),
        )


def format_similar_names(rows: Iterable[Row]) -> str:
    """Format the rows of `NameLookup.find_similar` as sentences that say what to do."""
    sentences = [
        f"{name!r} was created. Similar: {', '.join(map(_describe, group))}."
        for name, group in groupby(rows, key=itemgetter("requested"))
    ]
    return " ".join([*sentences, "If you mean one of these, use its name; for a decision, its target."])


def _describe(row: Row) -> str:
    if row["kind"] == "entity":
        return f"{row['name']!r} ({row['label']})"
    return f"{row['name']!r} (the title of {row['id']}, target {row['target']!r})"


def _merge_near_names(errors: Iterable[NotFound]) -> list[str]:
    return list(dict.fromkeys(name for error in errors for name in error.details["near_names"]))
