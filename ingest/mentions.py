"""The entities that decision records name in their texts. Source: ING-29."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from anyio import to_thread

from ingest.pipeline import batches
from ingest.records import DecisionRecord
from server.decisions.connections import find_names, list_mentions, match_entity
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.retrieval.mentions import MAX_MENTIONS, group_names

_NAMES = 20_000
"""Names that one query looks up, or reads."""
_TIMEOUT = 60.0


def join_texts(record: DecisionRecord) -> str:
    """The texts of a record that may name entities."""
    return "\n\n".join((record.title, record.rationale, *record.consequences))


async def find_entities(graph: Graph, namespace: str, names: Iterable[str]) -> dict[str, str]:
    """The entity of each name: an existing one if only case, width or spacing differ, else a new one of that name."""
    given = list(dict.fromkeys(names))
    known = await _load_names(graph, namespace, {comparison_key(name) for name in given})
    entities: dict[str, str] = {}
    for name in given:
        entities[name] = match_entity(name, known)
        known.setdefault(comparison_key(name), [entities[name]])
    return entities


async def find_mentions(
    graph: Graph, namespace: str, records: Sequence[DecisionRecord], targets: Mapping[str, str]
) -> dict[str, list[str]]:
    """The existing entities that each record mentions, by its key, without the one that it is about."""
    read = {record.key: await to_thread.run_sync(find_names, join_texts(record)) for record in records}
    keys = {comparison_key(name) for name in targets.values()}
    for linked, possible in read.values():
        keys |= {*possible, *map(comparison_key, linked)}
    known = await _load_names(graph, namespace, keys)
    found: dict[str, list[str]] = {}
    for key, (linked, possible) in read.items():
        about = match_entity(targets[key], known)
        names = (name for name in list_mentions(linked, possible, known) if name != about)
        found[key] = list(names)[:MAX_MENTIONS]
    return found


async def _load_names(graph: Graph, namespace: str, keys: Collection[str]) -> dict[str, list[str]]:
    """The names of the entities that have one of these keys, by key."""
    known: dict[str, list[str]] = {}
    for key, name in await _load_pairs(graph, namespace, keys):
        if key in keys:
            known.setdefault(key, []).append(name)
    return {key: sorted(names) for key, names in known.items()}


async def _load_pairs(graph: Graph, namespace: str, keys: Collection[str]) -> list[tuple[str, str]]:
    """Load all names if there are fewer entities than keys: long texts have hundreds of thousands of keys."""
    if len(keys) > _NAMES:
        rows = await graph.run("retrieval/entity_names", namespace=namespace, limit=_NAMES + 1, timeout=_TIMEOUT)
        if len(rows) <= _NAMES:
            return [(row["found"], row["name"]) for row in rows]
    pairs: list[tuple[str, str]] = []
    for some in batches(sorted(keys), _NAMES):
        row = await graph.row("retrieval/named_entities", namespace=namespace, **group_names(some), timeout=_TIMEOUT)
        pairs += [(key, name) for key, name in row["entities"]]
    return pairs
