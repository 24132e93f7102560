"""Names records of other families that match better: decisions in force, insights, messages. Source: RET-18."""

from collections.abc import Collection
from dataclasses import dataclass

from server.core.errors import VectorsUnavailable
from server.graph.graph import Graph
from server.retrieval.search import KIND, Candidates
from server.vectors.store import VectorStore

_LOOKED_AT = 10
_ALIKE = 0.38
"""The least cosine of a record that is named beside an answer without it."""
_NAMED = 3
_TOOLS = {
    "decision": ("decision in force", "decisions in force", "search_decisions"),
    "insight": ("insight", "insights", "hybrid_search"),
    "message": ("message", "messages", "search_conversations"),
}


@dataclass(frozen=True, slots=True)
class OtherFamilies:
    """Searches the nearest records of every family, whichever family was asked."""

    graph: Graph
    vectors: VectorStore

    async def build_hint(self, namespace: str, proposed: Candidates, own: Collection[int]) -> str | None:
        """Return a sentence that names what matches better in other families; None if nothing does.

        `own` are the records of the answer. While Qdrant is unavailable, nothing is compared.
        """
        if proposed.vector is None or proposed.near is None:
            return None
        least = max([_ALIKE, *(score for record, score in proposed.collect_cosines().items() if record in own)])
        try:
            hits = await self.vectors.search(
                proposed.vector, _LOOKED_AT, namespace=namespace, kinds=[KIND], wholes=True
            )
        except VectorsUnavailable:
            return None
        near = [hit.origin.record for hit in hits if hit.origin and hit.score > least and hit.origin.record not in own]
        if not near:
            return None
        known = await self.graph.run("retrieval/describe_records", namespace=namespace, records=near)
        rows = {row["record"]: row for row in known}
        ordered = [rows[record] for record in near if record in rows]
        sentences = [
            _build_sentence(kind, [row["name"] for row in ordered if row["kind"] == kind])
            for kind in dict.fromkeys(row["kind"] for row in ordered)
        ]
        return " ".join(sentences) or None


def _build_sentence(kind: str, names: list[str]) -> str:
    one, many, tool = _TOOLS[kind]
    listed = "; ".join(f'"{name[:80]}"' for name in names[:_NAMED])
    count = f"1 {one} matches" if len(names) == 1 else f"{len(names)} {many} match"
    return f"{count} better: {listed}. {tool} finds {'it' if len(names) == 1 else 'them'}."
