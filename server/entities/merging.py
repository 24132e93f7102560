"""Corrects the names of entities: rename one, merge two that are one, propose pairs that may be one.

Both corrections keep the old name as an alias, apply to targets of decisions as well, and can be undone.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from server.core.errors import Conflict, InvalidArgument, IsolationViolation
from server.core.principals import Principal, Role
from server.core.types import Row
from server.entities.models import (
    MergeEntities,
    NamesCorrected,
    RenameEntity,
    SimilarEntities,
    SimilarPair,
    SimilarPairs,
)
from server.entities.names import NameLookup
from server.entities.similarity import are_similar, list_spelling_keys
from server.graph.keys import comparison_key
from server.graph.vocabulary import BOOKKEEPING
from server.parts import Parts

_BOOKKEEPING = sorted(BOOKKEEPING)
_MOST_COMPARED = 2_000
_MOST_EMBEDDED = 300
_LEAST_COSINE = 0.75
"""Two names that mean nearly the same; unrelated names of one domain lie between 0.1 and 0.6."""
_MOST_RELATIONS = 1_000
Pair = tuple[str, str]


class NameCorrections:
    """Renames and merges entities of the caller's namespace."""

    def __init__(self, parts: Parts) -> None:
        self._graph = parts.graph
        self._sequence = parts.sequence
        self._embedder = parts.embedder
        self._names = NameLookup(parts.graph)

    async def rename(self, request: RenameEntity, caller: Principal) -> NamesCorrected:
        """Rename an entity; decisions about it as their target follow.

        Raises `NotFound`, `Conflict` where the new name is taken, and `IsolationViolation` where a human stored the
        entity and the caller is no admin.
        """
        name = await self._resolve("name", request.name, caller)
        if name == request.new_name:
            raise InvalidArgument("new_name: this is its name already.", {"field": "new_name"})
        mine, theirs = await self._load([name, request.new_name], caller)
        if taken := [each for each in theirs["equal"] if each != name]:
            raise Conflict(
                f"CONFLICT: {taken[0]!r} exists. If both are one, call merge_entities(keep={taken[0]!r}, "
                f"drop={name!r}); else choose another name.",
                {"name": taken[0]},
            )
        _require_author([mine], caller, "rename")
        [alias_id] = await self._sequence.take(caller.namespace)
        row = await self._graph.row(
            "entities/rename_entity",
            namespace=caller.namespace,
            name=name,
            new_name=request.new_name,
            new_key=comparison_key(request.new_name),
            alias_id=alias_id,
            reason=request.reason,
        )
        return NamesCorrected(
            name=request.new_name,
            former_name=name,
            change_id=row["change_id"],
            relations=0,
            targets=row["targets"],
            message=f"{name!r} is {request.new_name!r} now, and the old name still finds it. "
            f"undo(change_id={row['change_id']!r}) takes this back.",
        )

    async def merge(self, request: MergeEntities, caller: Principal) -> NamesCorrected:
        """Merge `drop` into `keep`: its relations, the properties that only it has, its targets and its name.

        Raises `NotFound`, `InvalidArgument` for one entity with itself, `Conflict` where a decision is in force for
        each of the two, and `IsolationViolation` where a human stored one and the caller is no admin.
        """
        keep = await self._resolve("keep", request.keep, caller)
        drop = await self._resolve("drop", request.drop, caller)
        if keep == drop:
            raise InvalidArgument("keep and drop are the same entity.", {"field": "drop"})
        both = await self._load([keep, drop], caller)
        in_force = [row["in_force"] for row in both if row["in_force"]]
        if len(set(in_force)) > 1:
            raise Conflict(
                f"CONFLICT: a decision is in force for each of the two, {in_force[0]} and {in_force[1]}. Supersede or "
                "retract one of them first.",
                {"active_decision_ids": in_force},
            )
        _require_author(both, caller, "merge")
        row = await self._graph.row(
            "entities/merge_entities",
            namespace=caller.namespace,
            keep=keep,
            drop=drop,
            bookkeeping=_BOOKKEEPING,
            reason=request.reason,
        )
        return NamesCorrected(
            name=keep,
            former_name=drop,
            change_id=row["change_id"],
            relations=row["relations"],
            targets=row["targets"],
            message=f"{drop!r} is now another name of {keep!r}. undo(change_id={row['change_id']!r}) takes this back.",
        )

    async def list_similar(self, request: SimilarEntities, caller: Principal) -> SimilarPairs:
        """Propose pairs of entities that may be one, by name, meaning and shared neighbours; nothing is changed."""
        if request.name is not None:
            name = await self._resolve("name", request.name, caller)
            similar = await self._names.find_similar([name], caller)
            by_name: dict[Pair, float] = {(name, row["name"]): 1.0 for row in similar if row["kind"] == "entity"}
            names: list[str] = await self._load_names(caller)
            by_meaning = await self._compare_meanings([name, *(each for each in names if each != name)], only=name)
        else:
            names = await self._load_names(caller)
            by_name = dict.fromkeys(_pair_by_name(names), 1.0)
            by_meaning = await self._compare_meanings(names)
        pairs = list(dict.fromkeys([*by_name, *by_meaning]))
        rows = await self._graph.run(
            "entities/shared_neighbors",
            namespace=caller.namespace,
            pairs=[list(pair) for pair in pairs[:_MOST_EMBEDDED]],
            bookkeeping=_BOOKKEEPING,
            most=_MOST_RELATIONS,
        )
        shared = {
            (row["one"], row["other"]): row["shared"] / row["together"] if row["together"] else 0.0 for row in rows
        }
        found = [
            SimilarPair(
                name=pair[0],
                other=pair[1],
                name_similar=pair in by_name,
                meaning=round(by_meaning.get(pair, 0.0), 2),
                shared_neighbors=round(shared.get(pair, 0.0), 2),
            )
            for pair in pairs
        ]
        found.sort(key=lambda each: (-each.name_similar - each.meaning - each.shared_neighbors, each.name, each.other))
        return SimilarPairs(pairs=found[: request.limit], total=len(found))

    async def _resolve(self, field: str, name: str, caller: Principal) -> str:
        node = await self._names.load_node(field, name, caller)
        resolved: str = node["resolved_name"]
        [row] = await self._load([resolved], caller)
        if not row["exists"]:
            raise await self._names.build_not_found(field, name, caller)
        return resolved

    async def _load(self, names: Sequence[str], caller: Principal) -> list[Row]:
        asked = [{"name": name, "key": comparison_key(name)} for name in names]
        return await self._graph.run("entities/names_to_change", namespace=caller.namespace, names=asked)

    async def _load_names(self, caller: Principal) -> list[str]:
        row = await self._graph.row(
            "entities/best_named", namespace=caller.namespace, bookkeeping=_BOOKKEEPING, limit=_MOST_COMPARED
        )
        names: list[str] = row["names"]
        return names

    async def _compare_meanings(self, names: Sequence[str], only: str | None = None) -> dict[Pair, float]:
        """Return the pairs whose names mean nearly the same, with their cosine; numbers in names have to agree."""
        compared = list(names[:_MOST_EMBEDDED])
        vectors = await self._embedder.embed_passages(compared)
        found: dict[Pair, float] = {}
        for (one, vector), (other, other_vector) in combinations(zip(compared, vectors, strict=True), 2):
            if only is not None and only not in (one, other):
                continue
            cosine = sum(a * b for a, b in zip(vector, other_vector, strict=True))
            if cosine >= _LEAST_COSINE and _digits(one) == _digits(other):
                found[(one, other)] = cosine
        return found


def _digits(name: str) -> list[str]:
    return [letter for letter in name if letter.isdigit()]


def _pair_by_name(names: Iterable[str]) -> list[Pair]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        for key in list_spelling_keys(name):
            groups[key].append(name)
    pairs = {pair for group in groups.values() if len(group) > 1 for pair in combinations(group, 2)}
    return sorted(pair for pair in pairs if are_similar(*pair))


def _require_author(rows: Iterable[Row], caller: Principal, verb: str) -> None:
    for row in rows:
        if row["origin"] == "human" and not caller.has_role(Role.ADMIN):
            raise IsolationViolation(
                f"Isolation Violation: a human stored {row['name']!r}; only an admin may {verb} it."
            )
