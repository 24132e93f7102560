"""Decisions in chains, by the product's own statements, with their vectors beside them."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from anyio import lowlevel

from benchmarks.baselines import points
from benchmarks.million.entries import BY
from benchmarks.million.homes import NAMESPACE
from benchmarks.scale import Source
from server.core.principals import Principal, Role
from server.decisions.passages import build_passages, format_decision
from server.graph.changes import audit_context
from server.graph.graph import Graph, Transaction
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.retrieval.writing import prepare_text
from server.vectors.edge import EdgeStore

CALLER = Principal(name=BY, kind="agent", role=Role.AGENT, namespace=NAMESPACE)
_BATCH = 200
"""Chains of one transaction."""
_MEAN, _LONGEST = 4, 25
"""Decisions of a chain."""
_FIRST_ID = 200_000_000
_BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
_PROJECTED = "MATCH (passage:Passage:Unprojected) CALL (passage) { REMOVE passage:Unprojected } IN TRANSACTIONS"


async def write_decisions(
    graph: Graph, vectors: EdgeStore, sources: Sequence[Source], names: Sequence[str], decisions: int
) -> dict[str, Any]:
    """Write chains of decisions about these entities; return how many passages and chains they have."""
    chains = _chains(sources, names, decisions)
    passages = number = 0
    while batch := [chain for _, chain in zip(range(_BATCH), chains, strict=False)]:
        number += len(batch)

        async def work(transaction: Transaction, batch: Sequence[list[dict[str, Any]]] = batch) -> None:
            for chain in batch:
                old: list[str] = []
                for record in chain:
                    statement = "supersede_decision" if old else "record_decision"
                    given = {name: value for name, value in record.items() if name != "vector"}
                    with audit_context(BY, statement, "0" * 32, kind="agent"):
                        parameters = given | ({"old_ids": old} if old else {})
                        await transaction.run(f"decisions/{statement}", requires=[], evidence=[], **parameters)
                    old = [record["id"]]

        await graph.transaction(work, timeout=600)
        found = [(each, record["vector"]) for chain in batch for record in chain for each in record["passages"]]
        await vectors.upsert(points(NAMESPACE, [each for each, _ in found], [vector for _, vector in found]))
        passages += len(found)
        await lowlevel.checkpoint()
    return {"decision_passages": passages, "chains": number}


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
        "rationale": f"[via MCP] {text} {more}",
        "consequences": [more[:200]],
        "alternatives": [about],
        "alternatives_why_not": [text[-80:]],
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
