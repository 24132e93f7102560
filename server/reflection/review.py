"""What an admin reviews: drafts, what contradicts decisions in force, near duplicates, stale decisions.

Source: REF-17.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from server.graph.graph import Graph

STALE = timedelta(days=180)
"""Time without a record that names a decision or its target, after which the decision is stale."""
_MOST = 200
_NAMES = 20_000
"""Entities that are compared with each other."""
_SIGNS = re.compile(r"[\W_]+")


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
    """Everything that a review shows. `duplicates` are groups of names of entities that are almost the same."""

    drafts: Sequence[ReviewedDraft]
    duplicates: Sequence[Sequence[str]]
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
    names = await graph.run("retrieval/entity_names", namespace=namespace, limit=_NAMES)
    return Review(
        drafts=[ReviewedDraft(**_clean(row)) for row in drafts],
        duplicates=group_near_names([row["name"] for row in names])[:_MOST],
        stale=[StaleDecision(**row) for row in stale],
    )


def group_near_names(names: Sequence[str]) -> list[list[str]]:
    """Return the groups of names that differ by case, signs, accents or a plural s alone, each in order."""
    groups: dict[str, list[str]] = {}
    for name in names:
        if key := _simplify(name):
            groups.setdefault(key, []).append(name)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


def _simplify(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    plain = _SIGNS.sub("", "".join(each for each in letters if not unicodedata.combining(each)))
    # C, C++ and C# are not the same: a name of few letters keeps its signs.
    if len(plain) <= 3:  # noqa: PLR2004
        return name.casefold()
    return plain.removesuffix("s")


def _clean(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "supersedes": [title for title in row["supersedes"] if title]}
