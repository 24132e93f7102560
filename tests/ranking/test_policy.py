"""The ranking policy of decisions, for any candidates."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.policy import Candidate, Mode, Predecessor, Ranked, rank

_DAY = datetime(2026, 2, 15, tzinfo=UTC)
_MODES: tuple[Mode, ...] = ("strict", "balanced", "audit")

similarities = st.floats(0.96, 1) | st.sampled_from([0.96, 0.97005, 0.98, 0.98001, 1.0])
"""Of what answers nearly as well as the best: versions of the same knowledge."""
candidates = st.builds(
    Candidate,
    id=st.uuids().map(str),
    target=st.sampled_from(["database", "queue", "cache"]),
    status=st.sampled_from(["superseded", "deprecated", "draft", "retracted"]),
    origin=st.sampled_from(["human", "agent"]),
    created_at=st.sampled_from([_DAY, _DAY + timedelta(days=1)]),
    similarity=similarities,
    replaced=st.none() | st.builds(Predecessor, id=st.just("old"), similarity=similarities),
)


@st.composite
def graphs(draw: st.DrawFn) -> list[Candidate]:
    """Candidates as a graph can hold them: ids differ, and at most one is active for a target."""
    found = draw(st.lists(candidates, unique_by=lambda each: each.id, max_size=12))
    in_force = draw(st.sets(st.sampled_from(["database", "queue", "cache"])))
    actives = {target: next((each for each in found if each.target == target), None) for target in in_force}
    return [replace(each, status="active") if actives.get(each.target) is each else each for each in found]


def _ids(ranked: Sequence[Ranked]) -> list[str]:
    return [hit.candidate.id for hit in ranked]


def _amount(hit: Ranked, part: str) -> Decimal:
    return sum((_decimal(each.amount) for each in hit.why if each.part == part), Decimal())


def _decimal(shown: float) -> Decimal:
    """The number that JSON shows."""
    return Decimal(repr(shown))


def _one(status: str, similarity: float, replaced: Predecessor | None = None) -> Candidate:
    return Candidate("id", "target", status, "agent", _DAY, similarity, replaced)


@given(graphs())
@pytest.mark.proves("DEC-31")
def test_strict_never_returns_what_is_not_active(found: list[Candidate]) -> None:
    assert {hit.candidate.status for hit in rank(found, "strict")} <= {"active"}


@given(graphs())
@pytest.mark.proves("DEC-31")
def test_strict_returns_everything_that_is_active(found: list[Candidate]) -> None:
    assert set(_ids(rank(found, "strict"))) == {each.id for each in found if each.status == "active"}


@given(graphs())
@pytest.mark.proves("DEC-32")
def test_balanced_puts_what_is_active_before_what_was_superseded_or_is_a_draft(found: list[Candidate]) -> None:
    known = [each for each in found if each.status != "retracted"]
    active = [hit.candidate.status == "active" for hit in rank(known, "balanced")]
    assert active == sorted(active, reverse=True)


@given(graphs(), st.sampled_from(["strict", "balanced"]))
@pytest.mark.proves("DEC-35")
def test_a_target_answers_once_and_by_its_active_decision(found: list[Candidate], mode: Mode) -> None:
    ranked = rank(found, mode)
    targets = [hit.candidate.target for hit in ranked]
    assert len(targets) == len(set(targets))
    active = {each.target: each.id for each in found if each.status == "active"}
    assert all(active.get(hit.candidate.target, hit.candidate.id) == hit.candidate.id for hit in ranked)


@given(graphs())
@pytest.mark.proves("DEC-35")
def test_balanced_leaves_no_target_out(found: list[Candidate]) -> None:
    assert {hit.candidate.target for hit in rank(found, "balanced")} == {each.target for each in found}


@given(graphs())
@pytest.mark.proves("DEC-35")
def test_without_an_active_decision_a_target_answers_by_its_best(found: list[Candidate]) -> None:
    over = [each for each in found if each.status != "active"]
    every = {hit.candidate.id: hit.score for target in over for hit in rank([target], "balanced")[:1]}
    for hit in rank(over, "balanced"):
        assert hit.score == max(every[each.id] for each in over if each.target == hit.candidate.target)


@given(graphs())
@pytest.mark.proves("DEC-36")
def test_audit_shows_all(found: list[Candidate]) -> None:
    assert sorted(_ids(rank(found, "audit"))) == sorted(each.id for each in found)


@given(graphs(), st.sampled_from(["active", "superseded", "deprecated", "draft"]))
@pytest.mark.proves("DEC-36")
def test_status_moves_nothing_in_audit(found: list[Candidate], status: str) -> None:
    same = [replace(each, status=status) for each in found]
    before, after = rank(found, "audit"), rank(same, "audit")
    assert [(hit.candidate.id, hit.score) for hit in before] == [(hit.candidate.id, hit.score) for hit in after]


@given(candidates, st.sampled_from(["active", "superseded", "deprecated", "draft"]), st.sampled_from(_MODES))
@pytest.mark.proves("DEC-34")
def test_a_human_beats_an_agent_by_exactly_a_tenth(any_one: Candidate, status: str, mode: Mode) -> None:
    scores = [
        _decimal(hit.score)
        for origin in ("human", "agent")
        for hit in rank([replace(any_one, origin=origin, status=status)], mode)[:1]
    ]
    assert scores == [] or scores[0] - scores[1] == Decimal("0.1")


@given(candidates, similarities)
@pytest.mark.proves("DEC-32")
def test_active_is_lifted_by_exactly_one(any_one: Candidate, similarity: float) -> None:
    [active] = rank([replace(any_one, status="active", similarity=similarity)], "balanced")[:1]
    [other] = rank([replace(any_one, status="retracted", similarity=similarity)], "balanced")[:1]
    assert _decimal(active.score) - _decimal(other.score) == 1


@pytest.mark.parametrize(("status", "factor"), [("superseded", "0.2"), ("deprecated", "0.05"), ("draft", "0.4")])
@given(similarity=st.floats(0.5, 1))
@pytest.mark.proves("DEC-32")
def test_balanced_keeps_the_specified_part_of_the_similarity(status: str, factor: str, similarity: float) -> None:
    [hit] = rank([_one(status, similarity)], "balanced")[:1]
    assert _decimal(hit.score) == _amount(hit, "similarity") * Decimal(factor)
    assert abs(hit.score - similarity * float(factor)) <= 0.00005


@given(graphs(), st.sampled_from(_MODES))
@pytest.mark.proves("DEC-41")
def test_the_contributions_shown_add_up_to_the_score_shown(found: list[Candidate], mode: Mode) -> None:
    for hit in rank(found, mode):
        assert sum((_decimal(each.amount) for each in hit.why), Decimal()) == _decimal(hit.score)


@given(graphs(), st.sampled_from(_MODES), st.randoms())
@pytest.mark.proves("DEC-41")
def test_the_order_does_not_depend_on_the_order_of_the_candidates(
    found: list[Candidate], mode: Mode, random: Random
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert rank(shuffled, mode) == rank(found, mode)


@given(graphs(), st.sampled_from(_MODES))
@pytest.mark.proves("DEC-41")
def test_the_order_is_by_score_then_newest_then_id(found: list[Candidate], mode: Mode) -> None:
    keys = [(-hit.score, -hit.candidate.created_at.timestamp(), hit.candidate.id) for hit in rank(found, mode)]
    assert keys == sorted(keys)


@given(st.floats(0.5, 1), st.floats(0.5, 1))
@pytest.mark.proves("DEC-38")
def test_who_replaced_a_match_scores_as_high_as_the_better_of_the_two_matches(own: float, old: float) -> None:
    successor = _one("active", own, Predecessor("decision_old", old))
    [hit] = rank([successor], "balanced")[:1]
    [better] = rank([_one("active", max(own, old))], "balanced")[:1]
    assert hit.score == better.score
    assert "decision_old" in str(hit.why[0].because)


@given(st.lists(st.floats(0, 0.5), max_size=200), st.sampled_from(["draft", "superseded", "deprecated"]))
@pytest.mark.proves("DEC-33")
def test_an_exact_match_that_is_not_in_force_stands_before_what_has_nothing_to_do_with_it(
    unrelated: list[float], status: str
) -> None:
    others = [
        Candidate(f"other{n}", f"target {n}", "active", "human", _DAY, similarity)
        for n, similarity in enumerate(unrelated)
    ]
    assert _ids(rank([_one(status, 0.84), *others], "balanced"))[0] == "id"


@given(st.lists(st.floats(0, 0.25), max_size=20), st.sampled_from(_MODES))
@pytest.mark.proves("DEC-29")
def test_where_nothing_is_similar_enough_nothing_answers(similar: list[float], mode: Mode) -> None:
    found = [Candidate(str(n), str(n), "active", "human", _DAY, similarity) for n, similarity in enumerate(similar)]
    assert rank(found, mode) == []


@pytest.mark.proves("DEC-30")
def test_what_is_far_less_relevant_than_the_best_is_not_shown() -> None:
    found = [_one("active", 0.9), replace(_one("active", 0.3), id="far", target="far")]
    assert _ids(rank(found, "balanced")) == ["id"]


@pytest.mark.proves("DEC-34")
def test_being_human_breaks_a_near_tie_and_decides_nothing_else() -> None:
    agent = _one("active", 0.60)
    near = replace(agent, id="near", target="near", origin="human", similarity=0.58)
    less = replace(agent, id="less", target="less", origin="human", similarity=0.54)
    assert _ids(rank([agent, near, less], "balanced")) == ["near", "id", "less"]


@pytest.mark.proves("DEC-33")
def test_what_is_less_relevant_follows_and_says_so() -> None:
    found = [_one("draft", 0.8), replace(_one("active", 0.5), id="beside", target="beside")]
    best, beside = rank(found, "balanced")
    assert (best.candidate.id, best.score) == ("id", 0.32)
    assert (beside.candidate.id, beside.score) == ("beside", 0.02)
    assert [each.part for each in beside.why] == ["similarity", "less_relevant"]


@pytest.mark.proves("DEC-38")
def test_an_inherited_similarity_says_where_it_comes_from_and_what_the_own_one_is() -> None:
    [hit] = rank([_one("active", 0.25, Predecessor("decision_old", 0.75))], "balanced")[:1]
    assert hit.why[0].amount == 0.75
    assert hit.why[0].because == "raised from 0.25: it superseded decision_old, which matches the query better"


@given(st.floats(0.5, 1), st.floats(0.5, 1))
@pytest.mark.proves("DEC-36")
def test_audit_ranks_a_successor_by_its_own_words(own: float, old: float) -> None:
    [hit] = rank([_one("active", own, Predecessor("old", old))], "audit")[:1]
    assert hit.score == rank([_one("active", own)], "audit")[:1][0].score


@pytest.mark.parametrize(("similarity", "shown"), [(1.0000001, 1.0), (0.423449, 0.4234), (0.27, 0.27)])
@pytest.mark.proves("DEC-28")
def test_a_similarity_is_at_most_one_and_has_four_decimals(similarity: float, shown: float) -> None:
    [hit] = rank([_one("draft", similarity)], "audit")[:1]
    assert hit.score == shown
