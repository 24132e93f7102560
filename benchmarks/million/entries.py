"""Memories behind the product's back, in exactly its shape: `save_memory` would embed 150 passages a second."""

from collections.abc import Sequence
from itertools import islice
from typing import Any
from uuid import uuid4

import numpy as np
from neo4j import AsyncDriver

from benchmarks.baselines import points
from benchmarks.million.homes import NAMESPACE
from benchmarks.scale import Source, Told, mixed_sessions
from server.core.fields import encode_json
from server.entries.models import LONGEST_TITLE
from server.entries.recognition import compute_text_key
from server.entries.scope import build_session_key, list_scope_tags
from server.graph.keys import content_key
from server.retrieval.writing import SessionEnd, build_context_updates, prepare_text
from server.vectors.edge import EdgeStore

BY = "tester"
_SESSIONS = 50
"""Sessions of one transaction, of twenty entries each."""
_PROJECT = 1_000
"""Entries of a project."""
_NOISE = 0.01
_BEGAN = 1_700_000_000_000
FIRST_ID = 100_000_000
"""Far above the ids that the product gives meanwhile."""
_WRITE = """
UNWIND $rows AS row
MERGE (project:EntryProject {namespace: $namespace, name: row.entry.project})
MERGE (session:Session {namespace: $namespace, id: row.entry.session_id})
ON CREATE SET session.name = row.entry.session_id, session.created_at = datetime({epochMillis: row.at})
MERGE (who:Principal {namespace: $namespace, name: row.entry.created_by})
CREATE (entry:Entry)-[:IN]->(project)
CREATE (entry)-[:IN]->(session)
SET entry = row.entry, entry.created_at = datetime({epochMillis: row.at}), entry += row.whole, entry:$(row.labels)
FOREACH (each IN row.passages | CREATE (passage:Passage)-[:PASSAGE_OF]->(entry) SET passage = each)
CREATE (who)-[:DID]->(change:Change)-[:CHANGED {created: true}]->(entry)
SET change = row.change, change.at = datetime({epochMillis: row.at})
WITH row, entry
MATCH (last:Entry {namespace: $namespace, node_id: row.after})
CREATE (last)-[:NEXT]->(entry)
"""


async def write_entries(
    driver: AsyncDriver, vectors: EdgeStore, sources: Sequence[Source], passages: int
) -> dict[str, int]:
    """Write sessions of entries until they have so many passages; return how many of both there are."""
    sessions, noise = mixed_sessions(sources), np.random.default_rng(4)
    number, written = 0, 0
    while written < passages:
        rows: list[dict[str, Any]] = []
        near: list[tuple[dict[str, Any], Any]] = []
        stored: dict[str, dict[str, Any]] = {}
        for session in islice(sessions, _SESSIONS):
            last = SessionEnd()
            for told in session:
                row, found, last = _build_row(told, number, last, stored)
                number += 1
                rows.append(row)
                near += [(each, told.vector) for each in found]
        await driver.execute_query(_WRITE, parameters_={"rows": rows, "namespace": NAMESPACE}, database_="neo4j")
        matrix = np.array([vector for _, vector in near])
        matrix += noise.normal(0, _NOISE, matrix.shape)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        await vectors.upsert(points(NAMESPACE, [each for each, _ in near], matrix.tolist()))
        written += len(near)
    return {"entries": number, "passages": written}


def _build_row(
    told: Told, number: int, last: SessionEnd, stored: dict[str, dict[str, Any]]
) -> tuple[dict[str, Any], list[dict[str, Any]], SessionEnd]:
    """A row for the graph, the passages that the entry is found by, and how its session then ends."""
    project, session = f"project-{number // _PROJECT}", f"session-{number // 20}"
    at, node_id = _BEGAN + number * 1_000, FIRST_ID + number
    prepared = prepare_text(NAMESPACE, node_id, told.text, None)
    key = build_session_key(project, session)
    found = prepared.found_by(scopes=list_scope_tags(NAMESPACE, project, "note"), at=at, session=key, last=last)
    for added in build_context_updates(last, prepared):
        stored[added["id"]]["around"] += f" {added['words']}"
    stored |= {each["id"]: each for each in found}
    passage = found[0] if len(found) == 1 else {}
    id_ = found[0]["id"] if passage else str(uuid4())
    row = {
        "entry": {
            "namespace": NAMESPACE,
            "id": id_,
            "node_id": node_id,
            "label": "Entry",
            "name": told.text[:LONGEST_TITLE],
            "title": told.text[:LONGEST_TITLE],
            "body": told.text,
            "content_key": content_key(told.text),
            # Texts may come again: each is one that was stored although it is a duplicate.
            "text_key": f"{compute_text_key(told.text)}:{id_}",
            "type": "note",
            "project": project,
            "metadata": encode_json({}),
            "session_id": session,
            "status": "active",
            "created_by": BY,
        },
        "at": at,
        "after": last.passages[0]["record"] if last else None,
        "whole": {name: value for name, value in passage.items() if name not in {"name", "text"}},
        "labels": ["Passage"] if passage else [],
        "passages": [] if passage else found,
        "change": build_change("save_memory"),
    }
    return row, found, last.append(found)


def build_change(tool: str) -> dict[str, Any]:
    """The entry of the audit trail, without its time."""
    ids = {"id": uuid4().hex, "operation": uuid4().hex, "request": uuid4().hex}
    return ids | {"namespace": NAMESPACE, "name": tool, "by": BY, "kind": "agent"}
