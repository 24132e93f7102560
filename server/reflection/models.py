"""What reflection did, and what a review shows."""

from dataclasses import dataclass, field
from typing import Literal

from server.reflection.rules import Stance

Action = Literal["created", "updated", "falsified"]
MOST_LISTED = 100
"""Changes that a report lists; it counts all."""


@dataclass(frozen=True, slots=True)
class DraftChange:
    """What a pass did about one draft, or would do; `proposal_id` is None for one that a dry run would create."""

    action: Action
    target: str
    stance: Stance
    title: str
    confidence: float
    hits: int
    misses: int
    ready: bool
    proposal_id: str | None = None
    reason: str | None = None


@dataclass(slots=True)
class ReflectionReport:
    """What one pass over a namespace did. `unchanged` counts drafts whose evidence is the same as before."""

    namespace: str
    dry_run: bool = False
    targets: int = 0
    linked: int = 0
    created: int = 0
    updated: int = 0
    falsified: int = 0
    unchanged: int = 0
    seconds: float = 0.0
    changes: list[DraftChange] = field(default_factory=list)

    def add(self, change: DraftChange) -> None:
        """Count a change; the first hundred are listed."""
        setattr(self, change.action, getattr(self, change.action) + 1)
        if len(self.changes) < MOST_LISTED:
            self.changes.append(change)

    def extend(self, page: "ReflectionReport") -> None:
        """Add what was done about one page of targets."""
        self.targets += page.targets
        self.created += page.created
        self.updated += page.updated
        self.falsified += page.falsified
        self.unchanged += page.unchanged
        self.changes += page.changes[: MOST_LISTED - len(self.changes)]
