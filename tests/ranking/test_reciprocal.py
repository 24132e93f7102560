"""Weighted reciprocal rank fusion."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.reciprocal import fuse_ranks, order_by_meaning, order_by_words
from server.ranking.relevance import Evidence

records = st.lists(st.integers(1, 30), unique=True, max_size=12)
weights = st.floats(0.0, 1.0).map(lambda share: (share, 1.0 - share))
AT = {record: f"{record // 3:03}" for record in range(1, 31)}


def _one(record: int, meaning: float | None, place: int | None = None, words: float = 0.0) -> Evidence:
    session = None if place is None else "s"
    return Evidence(record, f"p{record}", AT[record], meaning, words, session, place, place)


@given(records.filter(bool), records, weights)
@pytest.mark.proves("RET-22")
def test_the_first_of_all_lists_has_the_score_one(one: list[int], other: list[int], both: tuple[float, float]) -> None:
    other = [one[0], *(record for record in other if record != one[0])]
    best = fuse_ranks([(one, both[0]), (other, both[1])], AT)[0]
    assert (best.record, best.score) == (one[0], 1.0)


@given(records, records, weights)
@pytest.mark.proves("RET-22")
def test_scores_are_what_the_formula_says_and_descend(one: list[int], other: list[int], w: tuple[float, float]) -> None:
    fused = fuse_ranks([(one, w[0]), (other, w[1])], AT)
    for hit in fused:
        terms = (
            weight * 61 / (60 + ranks.index(hit.record) + 1)
            for ranks, weight in ((one, w[0]), (other, w[1]))
            if hit.record in ranks
        )
        assert abs(hit.score - sum(terms)) < 1e-6
        assert 0.0 <= hit.score <= 1.0
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
    for before, after in itertools.pairwise(fused):
        if before.score == after.score:
            assert (AT[before.record], before.record) > (AT[after.record], after.record)
    counted = {record for ranks, weight in ((one, w[0]), (other, w[1])) if weight > 0 for record in ranks}
    assert {hit.record for hit in fused} == counted


@given(records, records, records, weights)
@pytest.mark.proves("RET-24")
def test_evidence_of_the_graph_never_takes_a_better_ones_place(
    one: list[int], other: list[int], evidence: list[int], w: tuple[float, float]
) -> None:
    lists = [(one, w[0]), (other, w[1])]
    without, with_ = fuse_ranks(lists, AT), fuse_ranks(lists, AT, evidence)
    assert with_[: len(without)] == without
    rest = with_[len(without) :]
    assert [hit.record for hit in rest] == [each for each in evidence if each not in {hit.record for hit in without}]
    assert {hit.score for hit in rest} <= {0.0}


candidates = st.lists(
    st.builds(_one, st.integers(1, 30), st.none() | st.floats(-1, 1), st.none() | st.integers(0, 9)), max_size=15
)


@given(candidates)
@pytest.mark.proves("RET-17")
def test_the_order_by_meaning_does_not_depend_on_who_proposed_first(proposed: list[Evidence]) -> None:
    proposed = list({each.record: each for each in proposed}.values())
    shuffled = sorted(proposed, key=lambda each: each.passage[::-1])
    ordered = order_by_meaning(proposed)
    assert ordered == order_by_meaning(shuffled)
    assert sorted(ordered) == sorted(each.record for each in proposed if each.meaning is not None)


@pytest.mark.proves("RET-23")
def test_what_stands_next_to_what_is_near_is_nearer() -> None:
    assert order_by_meaning([_one(1, 0.9), _one(2, 0.3), _one(3, 0.2)]) == [1, 2, 3]
    assert order_by_meaning([_one(1, 0.9, 4), _one(2, 0.3), _one(3, 0.2, 5)]) == [1, 3, 2]
    assert order_by_meaning([_one(1, 0.9, 4), _one(2, 0.3), _one(3, 0.2, 6)]) == [1, 3, 2]
    assert order_by_meaning([_one(1, 0.9, 4), _one(2, 0.3), _one(3, 0.2, 7)]) == [1, 2, 3]


@pytest.mark.proves("RET-23")
def test_a_record_of_several_places_is_near_to_what_stands_before_and_after_them() -> None:
    wide = Evidence(3, "w", "0", 0.2, 0.0, "s", 5, 9)
    assert order_by_meaning([_one(1, 0.9, 10), _one(2, 0.3), wide]) == [1, 3, 2]
    assert order_by_meaning([_one(1, 0.9, 4), _one(2, 0.3), wide]) == [1, 3, 2]
    assert order_by_meaning([_one(1, 0.9, 12), _one(2, 0.3), wide]) == [1, 2, 3]


@pytest.mark.proves("RET-23")
def test_words_count_of_the_first_records_alone() -> None:
    many = [Evidence(record, "p", "0", None, record / 100) for record in range(60)]
    assert order_by_words(many) == list(range(59, 9, -1))


@pytest.mark.proves("RET-23")
def test_records_that_only_are_near_stand_after_the_nearest_ten_and_those_that_share_words() -> None:
    alone = [Evidence(record, "p", "0", 0.9 - record / 100, 0.0) for record in range(20)]
    assert order_by_meaning(alone) == list(range(20))
    assert order_by_meaning(alone, by_words=[19, 15]) == [*range(10), 15, 19, *range(10, 15), *range(16, 19)]


@pytest.mark.proves("RET-27")
def test_the_share_of_an_utterance_counts_in_both_lists() -> None:
    found = [replace(_one(1, 0.6, words=0.6), share=0.5), _one(2, 0.5, words=0.5)]
    assert order_by_meaning(found) == [2, 1]
    assert order_by_words(found) == [2, 1]


@pytest.mark.proves("RET-30")
def test_by_meaning_what_follows_a_short_question_comes_before_what_precedes_it() -> None:
    found = [_one(3, 0.3, 1), replace(_one(2, 0.8, 2), asks=True), _one(1, 0.3, 3)]
    assert order_by_meaning(found) == [2, 1, 3]
    assert order_by_meaning([replace(each, asks=False) for each in found]) == [2, 3, 1]
