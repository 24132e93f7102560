"""Any sequence of events leaves each proposal in the state that a model of the rules computes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.errors import Conflict, NotFound, PrecedentError, ReviewWindow
from server.core.principals import Role
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Clock, Make

pytestmark = pytest.mark.anyio
_TARGETS = ("one", "two")
_namespaces = count()
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("propose"), st.sampled_from(_TARGETS)),
        st.tuples(st.just("record"), st.sampled_from(_TARGETS)),
        st.tuples(st.sampled_from(["accept", "accept", "reject"]), st.integers(0, 3)),
        st.tuples(st.just("pass"), st.sampled_from([10, 59, 60])),
    ),
    min_size=4,
    max_size=14,
)


@dataclass
class _Draft:
    target: str
    supersedes: list[str]
    since: object
    status: str = "draft"
    became: str | None = None


@dataclass
class _Model:
    """What should be: the decision in force of each target, all decisions in order, and every proposal."""

    in_force: dict[str, str] = field(default_factory=dict)
    decisions: list[str] = field(default_factory=list)
    drafts: dict[str, _Draft] = field(default_factory=dict)

    def refusal(self, act: str, id_: str | None, clock: Clock) -> type[PrecedentError] | None:
        """The error that deciding about this proposal now should end in."""
        draft = self.drafts.get(id_ or "")
        if draft is None:
            return NotFound
        if draft.status != "draft":
            return Conflict
        if act == "reject":
            return None
        if clock.at - draft.since < timedelta(hours=1):  # type: ignore[operator]
            return ReviewWindow
        return None if [self.in_force[draft.target]] == draft.supersedes else Conflict

    def decided(self, target: str, id_: str) -> None:
        self.in_force[target] = id_
        self.decisions.append(id_)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_steps)
@pytest.mark.proves("DEC-61", "DEC-62")
async def test_any_history_of_proposals_is_that_of_the_model(
    make: Make, cypher: Cypher, namespace: str, caller: Callable[..., Caller], steps: list[tuple[str, object]]
) -> None:
    clock, model = Clock(), _Model()
    within = f"{namespace}-{next(_namespaces)}"
    admin = caller("barbara", kind="human", role=Role.ADMIN, within=within, through=make(clock=clock))
    for target in (*_TARGETS, "evidence"):
        model.decided(target, await admin.record(target))
    for act, what in steps:
        known = list(model.drafts)
        match act, what:
            case "pass", int(minutes):
                clock.passes(minutes=minutes)
            case "record", str(target):
                model.decided(target, await admin.supersede(target, model.in_force[target]))
            case "propose", str(target):
                old = model.in_force[target]
                # The same one again would need new evidence after its rejection.
                title = f"Proposed as number {len(model.drafts)}"
                id_ = await admin.propose(target, *model.decisions[:3], title=title, supersedes=[old])
                model.drafts[id_] = _Draft(target, [old], clock.at)
            case _, int(number):
                id_ = known[number] if number < len(known) else "none of them"
                refusal = model.refusal(act, id_, clock)
                became = None
                try:
                    if act == "accept":
                        became = await admin.accept(id_)
                    else:
                        await admin.reject(id_)
                except PrecedentError as error:
                    assert type(error) is refusal, error.message
                    continue
                assert refusal is None
                draft = model.drafts[id_]
                draft.status = f"{act}ed"
                if became is not None:
                    draft.became = became
                    model.decided(draft.target, became)
    rows = await cypher(
        "MATCH (p:Proposal {namespace: $within}) "
        "RETURN p.id AS id, p.status AS status, [(p)-[:BECAME]->(d) | d.id] AS became",
        within=within,
    )
    assert {row["id"]: (row["status"], row["became"]) for row in rows} == {
        id_: (draft.status, [draft.became] if draft.became else []) for id_, draft in model.drafts.items()
    }
    decisions = await cypher(
        "MATCH (d:Decision {namespace: $within}) RETURN d.id AS id, d.target AS target, d.status AS status",
        within=within,
    )
    assert sorted(row["id"] for row in decisions) == sorted(model.decisions)
    assert {row["target"]: row["id"] for row in decisions if row["status"] == "active"} == model.in_force
