"""Relevance: meaning and words on one scale from 0 to 1."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.relevance import WORDS, Evidence, combine_meaning, combine_words, compute_relevance, rank

cosines = st.none() | st.floats(-1, 1)
shares = st.floats(0, 1)


@st.composite
def evidence(draw: Callable[..., object]) -> list[Evidence]:
    numbers = draw(st.lists(st.integers(0, 30), unique=True, max_size=12))
    assert isinstance(numbers, list)
    return [
        Evidence(
            record=number,
            passage=f"p{number}",
            at=f"{number // 3:03}",
            meaning=draw(cosines),  # type: ignore[arg-type]
            words=draw(shares),  # type: ignore[arg-type]
            session=draw(st.sampled_from([None, "s", "t"])),  # type: ignore[arg-type]
            first_place=number,
            last_place=number,
        )
        for number in numbers
    ]


def _one(id_: str, words: float, meaning: float | None, place: int | None = None, at: str = "0") -> Evidence:
    session = None if place is None else "s"
    return Evidence(ord(id_[0]), id_, at, meaning, words, session, place, place)


@given(evidence())
@pytest.mark.proves("RET-12")
def test_every_record_stands_once_best_first_with_a_score_between_0_and_1(found: list[Evidence]) -> None:
    ranked = rank(found)
    assert sorted(hit.evidence.record for hit in ranked) == sorted(each.record for each in found)
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)
    assert all(math.isfinite(hit.score) and 0 <= hit.score <= 1 for hit in ranked)


@given(evidence())
@pytest.mark.proves("RET-17")
def test_the_order_does_not_depend_on_who_proposed_first(found: list[Evidence]) -> None:
    shuffled = sorted(found, key=lambda each: each.passage[::-1])
    assert [hit.evidence.passage for hit in rank(found)] == [hit.evidence.passage for hit in rank(shuffled)]


@given(evidence(), st.integers(0, 11), st.floats(0, 1))
@pytest.mark.proves("RET-12")
def test_more_words_never_lower_a_score(found: list[Evidence], which: int, more: float) -> None:
    if which < len(found):
        raised = [replace(each, words=max(each.words, more)) if n == which else each for n, each in enumerate(found)]
        before, after = ({hit.evidence.record: hit.score for hit in rank(each)} for each in (found, raised))
        assert after[found[which].record] >= before[found[which].record]


@pytest.mark.proves("RET-12")
def test_a_record_alone_that_holds_every_word_scores_high_whatever_its_meaning() -> None:
    [hit] = rank([_one("a", 1.0, 0.0)])
    assert hit.score >= WORDS / (1 + WORDS)


@given(st.floats(0, 0.45))
@pytest.mark.proves("RET-12")
def test_an_exact_word_is_not_beaten_by_a_vague_likeness(vague: float) -> None:
    ranked = rank([_one("exact", 1.0, 0.0), _one("vague", 0.0, vague)])
    assert [hit.evidence.passage for hit in ranked] == ["exact", "vague"]


@given(st.floats(-1, 1), shares)
@pytest.mark.proves("RET-12")
def test_the_same_evidence_scores_the_same_from_query_to_query(meaning: float, words: float) -> None:
    alone = rank([_one("a", words, meaning)])
    beside = rank([_one("a", words, meaning), _one("b", 0.9, 0.9), _one("c", 0.0, 0.1)])
    assert alone[0].score in {hit.score for hit in beside if hit.evidence.passage == "a"}


@pytest.mark.proves("RET-16")
def test_what_is_said_beside_a_good_answer_rises() -> None:
    found = [_one("far", 0.1, 0.3, 9, at="9"), _one("near", 0.1, 0.3, 2), _one("best", 0.9, 0.9, 1)]
    assert [hit.evidence.passage for hit in rank(found)] == ["best", "near", "far"]


@pytest.mark.proves("RET-15")
def test_what_has_no_vector_yet_counts_as_average_in_meaning() -> None:
    ranked = rank([_one("like", 0, 0.9), _one("new", 0, None), _one("unlike", 0, 0.1)])
    assert [hit.evidence.passage for hit in ranked] == ["like", "new", "unlike"]


@pytest.mark.proves("RET-15")
def test_without_meanings_words_alone_are_the_relevance() -> None:
    assert compute_relevance(None, 0.6) == 0.6
    assert [hit.evidence.passage for hit in rank([_one("few", 0.2, None), _one("many", 0.8, None)])] == ["many", "few"]


@pytest.mark.proves("RET-17")
def test_of_equal_scores_the_newest_comes_first_then_the_first_id() -> None:
    same = [_one("b", 0.1, 0.5, at="1"), _one("a", 0.1, 0.5, at="1"), _one("c", 0.1, 0.5, at="2")]
    assert [hit.evidence.passage for hit in rank(same)] == ["c", "a", "b"]


@pytest.mark.proves("RET-13")
def test_a_long_records_best_passage_counts_less_the_more_there_are() -> None:
    assert combine_meaning(0.3, 0.5, 2) == 0.5 - 0.07
    assert combine_meaning(0.3, 0.5, 64) == 0.3
    assert combine_meaning(0.5, 0.5, 1) == 0.5
    assert combine_meaning(None, 0.5, 1) == 0.5
    assert combine_meaning(None, None, 3) is None


@given(shares, shares)
@pytest.mark.proves("RET-14")
def test_words_of_the_whole_and_of_a_passage_stay_between_the_two(whole: float, best: float) -> None:
    assert min(whole, best) - 1e-9 <= combine_words(whole, best) <= max(whole, best) + 1e-9


def test_nothing_is_ranked_where_nothing_was_proposed() -> None:
    assert rank([]) == []


@pytest.mark.proves("RET-27")
def test_an_utterance_keeps_its_share_before_its_session_counts() -> None:
    whole, part = _one("a", 0.8, 0.8), replace(_one("b", 0.8, 0.8), share=0.5)
    scores = {hit.evidence.passage: hit.score for hit in rank([whole, part])}
    own = compute_relevance(0.8, 0.8)
    assert scores["a"] == pytest.approx(own + (1 - own) * 0.2 * own)
    assert scores["b"] == pytest.approx(own / 2 + (1 - own / 2) * 0.2 * own / 2)


@pytest.mark.proves("RET-30")
def test_what_follows_a_short_question_counts_more_than_what_precedes_it() -> None:
    found = [_one("a", 0.1, 0.1, 1), replace(_one("b", 0.9, 0.9, 2), asks=True), _one("c", 0.1, 0.1, 3)]
    scores = {hit.evidence.passage: hit.score for hit in rank(found)}
    assert scores["c"] - scores["a"] == pytest.approx((1 - 0.1) * 0.15 * 0.9)
