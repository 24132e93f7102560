"""The drafts of reflection: what the evidence about a target creates, updates or falsifies. Source: REF-3, REF-8."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, Self

from server.core.types import Row
from server.graph.graph import Transaction
from server.graph.lucene import namespace_tag
from server.graph.sequence import IdSequence
from server.reflection.models import Action, DraftChange, ReflectionReport
from server.reflection.rules import (
    EVIDENCE,
    MIN_CONFIDENCE,
    Stance,
    Weight,
    compute_confidence,
    find_falsification,
    is_ready,
)
from server.reflection.wording import build_rationale, build_title

AUTHOR = "reflection"
"""The author of the drafts."""
_MOST_EVIDENCE = 100
"""Pieces of evidence that a draft is linked to, the newest; it counts all."""
_OUTCOMES: Mapping[Stance, int] = {"change": -1, "keep": 1}


@dataclass(frozen=True, slots=True)
class TargetEvidence:
    """The unanswered evidence about an entity, what is in force for it, and reflection's drafts about it."""

    number: int
    element: str
    target: str
    target_key: str
    in_force: list[str]
    decision: str | None
    drafts: dict[Stance, Row]
    weights: dict[Stance, Weight]

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """Return a row of `reflection/weigh`."""
        return cls(
            number=row["number"],
            element=row["element"],
            target=row["target"],
            target_key=row["target_key"],
            in_force=row["in_force"],
            decision=row["decision_title"],
            drafts={draft["stance"]: draft for draft in row["drafts"]},
            weights={"change": Weight.from_row(row["change"]), "keep": Weight.from_row(row["keep"])},
        )


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """What is to be done about one stance on a target; without an action only the confidence of its draft changes."""

    target: TargetEvidence
    stance: Stance
    weight: Weight
    confidence: float
    action: Action | None
    reason: str | None = None

    @property
    def draft(self) -> Row | None:
        return self.target.drafts.get(self.stance)

    @property
    def is_ready(self) -> bool:
        return is_ready(self.weight, self.confidence)

    @property
    def title(self) -> str:
        return build_title(self.stance, self.target.target, self.target.decision)

    def to_change(self, action: Action, proposal_id: str | None) -> DraftChange:
        """Return the line of the report about this."""
        return DraftChange(
            action=action,
            target=self.target.target,
            stance=self.stance,
            title=self.title,
            confidence=self.confidence,
            hits=self.weight.hits,
            misses=self.weight.misses,
            ready=self.is_ready,
            proposal_id=proposal_id,
            reason=self.reason,
        )


def build_plans(target: TargetEvidence, at: datetime) -> Iterator[DraftPlan]:
    """Yield what is to be done about a target, for each stance that has a draft or enough evidence for one."""
    for stance, weight in target.weights.items():
        confidence = compute_confidence(weight, at)
        draft = target.drafts.get(stance)
        if draft is not None:
            reason = find_falsification(weight, _find_later_decision(target, draft))
            action: Action | None = "falsified" if reason else "updated" if _is_new(target, weight, draft) else None
            yield DraftPlan(target, stance, weight, confidence, action, reason)
        # What is in force needs no proposal to keep it.
        elif weight.is_enough() and confidence >= MIN_CONFIDENCE and not (stance == "keep" and target.in_force):
            yield DraftPlan(target, stance, weight, confidence, "created")


def _find_later_decision(target: TargetEvidence, draft: Row) -> str | None:
    """Return the title of what is in force, if it was decided after the draft was made."""
    return target.decision if set(target.in_force) - set(draft["supersedes"]) else None


def _is_new(target: TargetEvidence, weight: Weight, draft: Row) -> bool:
    """Whether the evidence differs from what the draft was last updated with."""
    seen = draft["evidence_until"].to_native() if draft["evidence_until"] else None
    return (draft["hit_count"], draft["miss_count"], draft["supersedes"], seen) != (
        weight.hits,
        weight.misses,
        target.in_force,
        weight.until,
    )


class DraftWriter:
    """Writes the drafts of one page of targets, in the transaction of the page."""

    def __init__(self, report: ReflectionReport, at: datetime) -> None:
        self._report = report
        self._namespace = report.namespace
        self._at = at

    def preview(self, targets: Sequence[TargetEvidence]) -> None:
        """Report what `write` would do."""
        for plan in self._list_plans(targets):
            if plan.action is None:
                self._report.unchanged += 1
            else:
                self._report.add(plan.to_change(plan.action, plan.draft["id"] if plan.draft else None))

    async def write(self, transaction: Transaction, targets: Sequence[TargetEvidence], sequence: IdSequence) -> None:
        """Create, update and falsify the drafts about these targets, and report it."""
        plans = self._list_plans(targets)
        evidence = await self._load_evidence(transaction, [p for p in plans if p.action in {"created", "updated"}])
        for plan in plans:
            latest = evidence.get((plan.target.number, _OUTCOMES[plan.stance]), [])
            if plan.draft is None:
                proposal_id = await self._create(transaction, plan, latest, sequence)
            else:
                proposal_id = plan.draft["id"]
                await self._change(transaction, plan, plan.draft, latest)
            if plan.action is None:
                self._report.unchanged += 1
            else:
                self._report.add(plan.to_change(plan.action, proposal_id))

    def _list_plans(self, targets: Sequence[TargetEvidence]) -> list[DraftPlan]:
        return [plan for target in targets for plan in build_plans(target, self._at)]

    async def _load_evidence(
        self, transaction: Transaction, plans: list[DraftPlan]
    ) -> dict[tuple[int, int], list[Row]]:
        """Return the newest evidence for each plan, by the number of its entity and its outcome."""
        if not plans:
            return {}
        asked = [
            {"number": plan.target.number, "outcome": _OUTCOMES[plan.stance], "since": plan.weight.since}
            for plan in plans
        ]
        rows = await transaction.run(
            "reflection/newest_evidence", namespace=self._namespace, rows=asked, limit=_MOST_EVIDENCE, **EVIDENCE
        )
        return {(row["number"], row["outcome"]): row["evidence"] for row in rows}

    async def _create(self, transaction: Transaction, plan: DraftPlan, latest: list[Row], sequence: IdSequence) -> str:
        [number] = await sequence.take(self._namespace)
        proposal_id = f"proposal_{datetime.now(UTC):%Y%m%d_%H%M%S_%f}_{token_hex(4)}"
        await transaction.row(
            "reflection/create_draft",
            id=proposal_id,
            node_id=number,
            element=plan.target.element,
            stance=plan.stance,
            title=plan.title,
            target=plan.target.target,
            target_key=plan.target.target_key,
            by=AUTHOR,
            at=self._at,
            scope=namespace_tag(self._namespace),
            **self._build_content(plan, latest),
        )
        return proposal_id

    async def _change(self, transaction: Transaction, plan: DraftPlan, draft: Row, latest: list[Row]) -> None:
        """Update, fade or falsify a draft; one that a person closed at this moment stays as it is."""
        key = {"namespace": self._namespace, "id": draft["id"]}
        weight = plan.weight
        if plan.action == "falsified":
            await transaction.run(
                "reflection/falsify_draft",
                **key,
                reason=plan.reason,
                hits=weight.hits,
                misses=weight.misses,
                evidence_until=weight.until,
                by=AUTHOR,
                at=self._at,
            )
        elif plan.action == "updated":
            await transaction.run("reflection/update_draft", id=draft["id"], **self._build_content(plan, latest))
        elif (draft["confidence"], draft["ready"]) != (plan.confidence, plan.is_ready):
            await transaction.run("reflection/fade_draft", **key, confidence=plan.confidence, ready=plan.is_ready)

    def _build_content(self, plan: DraftPlan, latest: list[Row]) -> dict[str, Any]:
        weight, target = plan.weight, plan.target
        names = [row["name"] for row in latest]
        return {
            "namespace": self._namespace,
            "rationale": build_rationale(plan.stance, target.target, weight, names, target.decision),
            "supersedes": target.in_force,
            "confidence": plan.confidence,
            "hits": weight.hits,
            "misses": weight.misses,
            "ready": plan.is_ready,
            "evidence_from": weight.first,
            "evidence_until": weight.until,
            "last_observed_at": weight.last,
            "evidence": [row["element"] for row in latest],
        }
