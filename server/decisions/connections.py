"""The links of a decision: entities that it is about, entities that it mentions (docs/decisions/0018)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from anyio import to_thread

from server.core.types import Row
from server.decisions.near_targets import COMPARED, build_near_query
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.retrieval.mentions import MAX_MENTIONS, Spans, choose_longest, find_links, find_possible_names, group_names

_SHORT = 10_000
"""Characters of a text that is searched for names at once; a longer one is searched in a thread."""
NamesByKey = Mapping[str, Sequence[str]]
"""Names of existing entities by their `comparison_key`."""


@dataclass(frozen=True, slots=True)
class EntityLinks:
    """Names that a decision is about (its target's entity first), names that it mentions, and similar targets.

    `target` is the target; where it is a former name of an entity, that entity's name now.
    """

    target: str
    about: list[str]
    mentions: list[str]
    similar_targets: list[Row]

    def build_rows(self, ids: Sequence[int]) -> list[dict[str, Any]]:
        """Return the rows for the statement that stores the links, in one order, so that no two writers deadlock."""
        linked = {**dict.fromkeys(self.mentions, "MENTIONS"), **dict.fromkeys(self.about, "ABOUT")}
        return [
            {"name": name, "key": comparison_key(name), "link": link, "node_id": node_id}
            for (name, link), node_id in zip(sorted(linked.items()), ids, strict=True)
        ]


async def load_entity_links(
    graph: Graph, namespace: str, target: str, about: Sequence[str], texts: Iterable[str], *, now: datetime | None
) -> EntityLinks:
    """Find all links in one read. `texts` are the texts of the decision; `now` also loads similar targets in force."""
    text = "\n\n".join(texts)
    if len(text) <= _SHORT:
        linked, possible = find_names(text)
    else:
        linked, possible = await to_thread.run_sync(find_names, text)
    row = await graph.row(
        "decisions/entity_links",
        namespace=namespace,
        **group_names({*possible, *map(comparison_key, (target, *about, *linked))}),
        query=build_near_query(namespace, target) if now else "",
        now=now,
        limit=COMPARED,
    )
    known: dict[str, list[str]] = {}
    for key, name in row["entities"]:
        known.setdefault(key, []).append(name)
    about_names = list(dict.fromkeys(match_entity(name, known) for name in (target, *about)))
    mentions = (name for name in list_mentions(linked, possible, known) if name not in about_names)
    return EntityLinks(_resolve_alias(target, known), about_names, list(mentions)[:MAX_MENTIONS], row["near"])


def _resolve_alias(name: str, known: NamesByKey) -> str:
    """Return the name that an entity has now, where this is a former one."""
    key = comparison_key(name)
    names = {comparison_key(each): each for each in known.get(key, ())}
    return name if key in names or len(names) != 1 else next(iter(names.values()))


def find_names(text: str) -> tuple[list[str], Spans]:
    """Return the names that a text links to, and by key everything in it that can be the name of an entity."""
    return find_links(text), find_possible_names(text)


def match_entity(name: str, known: NamesByKey) -> str:
    """Return the one existing name that differs by case, width or spacing alone; else the name itself."""
    existing = known.get(comparison_key(name), ())
    return existing[0] if len(existing) == 1 else name


def list_mentions(linked: Sequence[str], possible: Spans, known: NamesByKey) -> list[str]:
    """Return the entities that a text mentions: those that it links to, then those that its prose names."""
    names = dict.fromkeys(match_entity(name, known) for name in linked)
    for key in choose_longest({key: spans for key, spans in possible.items() if key in known}):
        names |= dict.fromkeys(known[key])
    return list(names)
