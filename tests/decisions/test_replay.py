"""Any history of decisions, asked about any time, is what a plain model of it says."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.principals import Role
from server.decisions.reading_models import GetDecisions, ListDecisions
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Clock, Make
from tests.decisions.retraction import retract
from tests.histories import HISTORIES

pytestmark = pytest.mark.anyio
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_TARGETS = ("cache", "queue")
_numbers = itertools.count()


@dataclass
class _Decided:
    id: str
    target: str
    recorded: datetime
    begins: datetime
    ends: datetime | None
    replaced: list[tuple[datetime, "_Decided"]] = field(default_factory=list)
    retracted: datetime | None = None

    def was_known(self, known_at: datetime) -> bool:
        return self.recorded <= known_at and (self.retracted is None or self.retracted > known_at)

    def was_replaced(self, as_of: datetime, known_at: datetime) -> bool:
        return any(
            at <= known_at and (other.begins <= as_of or other.was_replaced(as_of, known_at))
            for at, other in self.replaced
        )

    def status(self, as_of: datetime, known_at: datetime) -> str | None:
        if not self.was_known(known_at) or self.begins > as_of:
            return None
        if self.was_replaced(as_of, known_at):
            return "superseded"
        return "expired" if self.ends is not None and self.ends <= as_of else "active"


class _Model:
    def __init__(self) -> None:
        self.decided: list[_Decided] = []
        self.holders: dict[str, _Decided] = {}

    def find_holder(self, target: str, at: datetime) -> _Decided | None:
        holder = self.holders.get(target)
        return None if holder is None or (holder.ends is not None and holder.ends <= at) else holder

    def retract(self, decided: _Decided, at: datetime) -> None:
        decided.retracted = at
        if self.holders.get(decided.target) is decided:
            del self.holders[decided.target]

    def answer(self, as_of: datetime, known_at: datetime) -> dict[str, str]:
        states = {each.id: each.status(as_of, known_at) for each in self.decided}
        return {id_: status for id_, status in states.items() if status is not None}


_hours = st.integers(-4, 6)
_step = st.tuples(
    st.sampled_from(["write", "write", "write", "retract", "wait"]),
    st.sampled_from(_TARGETS),
    st.none() | _hours,
    st.none() | st.integers(1, 8),
)
_steps = st.lists(_step, min_size=2, max_size=9)


@settings(max_examples=HISTORIES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_steps, st.lists(st.tuples(st.integers(-6, 30), st.integers(0, 30)), min_size=4, max_size=6))
@pytest.mark.proves("DEC-82", "DEC-83", "DEC-84")
async def test_any_history_asked_about_any_time_is_that_of_the_model(  # noqa: PLR0917 - fixtures, and what is drawn
    make: Make,
    cypher: Cypher,
    namespace: str,
    caller: Callable[..., Caller],
    steps: list[tuple[str, str, int | None, int | None]],
    asked: list[tuple[int, int]],
) -> None:
    clock, model = Clock(), _Model()
    clock.at = _BEGAN
    within = f"{namespace}-replay-{next(_numbers)}"
    admin = caller("barbara", kind="human", role=Role.ADMIN, within=within, through=make(clock=clock))
    for act, target, begins, lasts in steps:
        clock.passes(hours=1)
        match act:
            case "write":
                await _write(admin, model, clock.at, target, begins, lasts)
            case "retract":
                await _retract_latest(cypher, within, model, clock.at, target)
            case _:
                clock.passes(hours=3)
    moments = [(_BEGAN + timedelta(hours=at), _BEGAN + timedelta(hours=known)) for at, known in asked]
    for as_of, known_at in [*moments, *((at, at) for at, _ in moments), (clock.at, clock.at)]:
        times = {"as_of": as_of.isoformat(), "known_at": known_at.isoformat()}
        expected = model.answer(as_of, known_at)
        listed = await admin.service.list_decisions(
            ListDecisions.parse({"status": "all", "limit": 100, **times}), admin.principal
        )
        assert {each.id: each.status for each in listed.decisions} == expected, times
        if expected:
            read = await admin.service.get(GetDecisions.parse({"ids": [*expected], **times}), admin.principal)
            assert {each.id: each.status for each in read.decisions} == expected
    now = await admin.service.list_decisions(ListDecisions.parse({"status": "all", "limit": 100}), admin.principal)
    present = model.answer(clock.at, clock.at)
    began = {each.id for each in model.decided if each.begins <= clock.at}
    assert {each.id: each.status for each in now.decisions if each.id in began} == present


async def _write(  # noqa: PLR0917 - one step of a history
    admin: Caller, model: _Model, at: datetime, target: str, begins: int | None, lasts: int | None
) -> None:
    """Record a decision, or supersede the one that holds the target."""
    starts = at if begins is None else at + timedelta(hours=begins, minutes=30)
    ends = None if lasts is None else max(at, starts) + timedelta(hours=lasts, minutes=15)
    times = {} if begins is None else {"effective_at": starts.isoformat()}
    times |= {} if ends is None else {"valid_until": ends.isoformat()}
    holder = model.find_holder(target, at)
    if holder is None:
        id_ = await admin.record(target, **times)
    else:
        id_ = await admin.supersede(target, holder.id, **times)
    decided = _Decided(id_, target, at, starts, ends)
    if holder is not None:
        holder.replaced.append((at, decided))
    model.decided.append(decided)
    model.holders[target] = decided


async def _retract_latest(cypher: Cypher, namespace: str, model: _Model, at: datetime, target: str) -> None:
    """Retract the decision that holds a target, or else the first one."""
    known = [each for each in model.decided if each.target == target and each.retracted is None]
    holder = model.holders.get(target)
    # A plan that was itself replaced is left alone.
    known = [each for each in known if each is holder or each.begins <= at]
    if known:
        chosen = holder if holder in known and holder is not None else known[0]
        await retract(cypher, chosen.id, at, namespace)
        model.retract(chosen, at)
