"""What an admin reviews: drafts, what contradicts decisions in force, stale decisions.

Source: REF-17.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from server.graph.graph import Graph

STALE = timedelta(days=180)
"""Time without a record that names a decision or its target, after which the decision is stale."""
_MOST = 200


@dataclass(frozen=True, slots=True)
class ReviewedDraft:
    """A draft that waits, with the titles of what it would supersede, its evidence and its rivals."""

    id: str
    title: str
    target: str
    rationale: str
    confidence: float | None
    ready: bool
    stance: str | None
    by: str
    supersedes: Sequence[str]
    evidence: Sequence[str]
    rivals: Sequence[str]


@dataclass(frozen=True, slots=True)
class StaleDecision:
    """A decision in force that nothing has named for long."""

    id: str
    title: str
    target: str
    rationale: str
    at: str
    by: str


@dataclass(frozen=True, slots=True)
class Review:
    """What reflection has for a review."""

    drafts: Sequence[ReviewedDraft]
    stale: Sequence[StaleDecision]

    @property
    def ready(self) -> list[ReviewedDraft]:
        """The drafts that are ready for a decision."""
        return [draft for draft in self.drafts if draft.ready]

    @property
    def contradictions(self) -> list[ReviewedDraft]:
        """The drafts whose evidence speaks against what is in force, ready or not."""
        return [draft for draft in self.drafts if draft.supersedes]


async def load_review(graph: Graph, namespace: str, *, at: datetime | None = None) -> Review:
    """Load what there is to review in a namespace."""
    before = (at or datetime.now(UTC)) - STALE
    drafts = await graph.run("reflection/drafts_to_review", namespace=namespace, limit=_MOST)
    stale = await graph.run("reflection/stale_decisions", namespace=namespace, before=before, limit=_MOST)
    return Review(
        drafts=[ReviewedDraft(**_clean(row)) for row in drafts],
        stale=[StaleDecision(**row) for row in stale],
    )


def _clean(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "supersedes": [title for title in row["supersedes"] if title]}
