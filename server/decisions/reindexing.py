"""Indexing of decisions and proposals without passages: ingested, written by hand, or stored by an older release."""

from server.core.types import Row
from server.decisions.passages import build_passages, format_decision
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.retrieval.writing import prepare_text

_PAGE = 50


async def reindex_decisions(graph: Graph, sequence: IdSequence) -> int:
    """Store the passages of all decisions and proposals that wait for them; return how many there were."""
    total = 0
    while rows := await graph.run("decisions/outdated_decisions", limit=_PAGE):
        await graph.run("decisions/reindex_decisions", decisions=[await _build(row, sequence) for row in rows])
        total += len(rows)
    return total


async def _build(row: Row, sequence: IdSequence) -> dict[str, object]:
    number = row["node_id"]
    if number is None:
        [number] = await sequence.take(row["namespace"])
    prepared = prepare_text(row["namespace"], number, format_decision(row), row["title"])
    return {"element": row["element"], "node_id": number, "passages": build_passages(prepared, row)}
