"""Decisions in chains behind the product's back, in exactly its shape."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from neo4j import AsyncDriver

from benchmarks.baselines import points
from benchmarks.million.entries import BY, build_change
from benchmarks.million.homes import NAMESPACE
from benchmarks.scale import Source
from server.decisions.passages import build_passages, format_decision
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.retrieval.writing import prepare_text
from server.vectors.edge import EdgeStore

_BATCH = 100
"""Chains of one transaction."""
_MEAN, _LONGEST = 4, 25
"""Decisions of a chain."""
_LONG, _SHORT = 250, 60
"""Characters of a rationale, and of a consequence."""
_FIRST_ID = 200_000_000
_BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
_WRITE = """
UNWIND $rows AS row
MERGE (who:Principal {namespace: $namespace, name: row.decision.created_by})
CREATE (decision:Decision)
SET decision = row.decision
CREATE (who)-[:DID]->(change:Change)-[:CHANGED {created: true}]->(decision)
SET change = row.change
FOREACH (each IN row.passages | CREATE (passage:Passage)-[:PASSAGE_OF]->(decision) SET passage = each)
WITH row, decision, change
CALL (row, decision) {
  UNWIND row.links AS link
  MATCH (entity:Entity {namespace: $namespace, name: link[0]})
  CREATE (decision)-[:$(link[1])]->(entity)
}
WITH row, decision, change
UNWIND row.old AS former
MATCH (old:Decision {namespace: $namespace, id: former.id})
CREATE (decision)-[supersedes:SUPERSEDES]->(old)
CREATE (change)-[:CHANGED]->(old)
CREATE (change)-[was:WAS]->(old)
SET supersedes = row.supersedes, was = former
"""


async def write_decisions(
    driver: AsyncDriver, vectors: EdgeStore, sources: Sequence[Source], names: Sequence[str], decisions: int
) -> dict[str, Any]:
    """Write chains of decisions about these entities; return how many passages and chains they have."""
    chains = _chains(sources, names, decisions)
    passages = number = 0
    while batch := [chain for _, chain in zip(range(_BATCH), chains, strict=False)]:
        number += len(batch)
        rows = [row for chain in batch for row in _build_rows(chain)]
        await driver.execute_query(_WRITE, parameters_={"rows": rows, "namespace": NAMESPACE}, database_="neo4j")
        found = [(each, record["vector"]) for chain in batch for record in chain for each in record["passages"]]
        await vectors.upsert(points(NAMESPACE, [each for each, _ in found], [vector for _, vector in found]))
        passages += len(found)
    return {"decision_passages": passages, "chains": number}


def _build_rows(chain: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a chain, as `record_decision` and `supersede_decision` leave it: the next replaces each decision."""
    for place, record in enumerate(chain):
        former = _build_decision(chain[place - 1]) if place else {}
        successor = chain[place + 1] if place + 1 < len(chain) else None
        decision = _build_decision(record)
        if successor:
            decision |= {"status": "superseded", "superseded_by": successor["id"], "superseded_at": successor["at"]}
            del decision["active_target"]
        yield {
            "decision": decision,
            "passages": record["passages"],
            "links": [[each["name"], each["link"]] for each in record["things"]],
            "change": build_change("supersede_decision" if place else "record_decision") | {"at": record["at"]},
            "old": [former] if place else [],
            "supersedes": {"reason": record["rationale"], "at": record["at"], "by": BY},
        }


def _build_decision(record: dict[str, Any]) -> dict[str, Any]:
    """Its properties while it is in force."""
    given = {name: value for name, value in record.items() if name not in {"passages", "things", "vector", "at", "by"}}
    return given | {
        "name": record["title"],
        "status": "active",
        "active_target": record["target_key"],
        "created_by": BY,
        "created_at": record["at"],
        "revision": 1,
    }


def _chains(sources: Sequence[Source], names: Sequence[str], decisions: int) -> Iterator[list[dict[str, Any]]]:
    generator, noise = random.Random(5), np.random.default_rng(6)
    number = 0
    for target in names:
        if number >= decisions:
            return
        length = min(_LONGEST, decisions - number, 1 + int(generator.expovariate(1 / (_MEAN - 1))))
        chain = []
        for place in range(length):
            source = generator.choice(sources)
            first, second = generator.sample(range(len(source.texts)), 2)
            vector = 2 * source.vectors[first] + source.vectors[second]
            vector = vector + noise.normal(0, 0.02, vector.shape)
            at = _BEGAN + timedelta(seconds=number * 300 + place * 86_400)
            about = generator.choice(names)
            record = _build_record(number, target, about, (source.texts[first], source.texts[second]), at)
            chain.append(record | {"vector": (vector / np.linalg.norm(vector)).tolist()})
            number += 1
        yield chain


def _build_record(number: int, target: str, about: str, texts: tuple[str, str], at: datetime) -> dict[str, Any]:
    text, more = texts
    record: dict[str, Any] = {
        "namespace": NAMESPACE,
        "id": f"decision_{at:%Y%m%d_%H%M%S}_{number:08x}",
        "node_id": _FIRST_ID + number,
        "title": text[:100],
        "target": target,
        "target_key": comparison_key(target),
        "rationale": f"[via MCP] {text[:_LONG]}",
        "consequences": [more[:_SHORT]],
        "alternatives": [about],
        "alternatives_why_not": [text[-_SHORT:]],
        "origin": "agent",
        "by": BY,
        "at": at,
        "effective_at": None,
        "valid_until": None,
        "scope": namespace_tag(NAMESPACE),
    }
    links = {about: "MENTIONS"} | {target: "ABOUT"}
    record["things"] = [
        {"name": name, "key": comparison_key(name), "link": link, "node_id": _FIRST_ID * 2 + 2 * number + place}
        for place, (name, link) in enumerate(sorted(links.items()))
    ]
    prepared = prepare_text(NAMESPACE, record["node_id"], format_decision(record), record["title"])
    return {**record, "passages": build_passages(prepared, record)}
