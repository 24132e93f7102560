"""Meaning and words in one order."""

import math
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from server.ranking.fusion import SESSION, WORDS, Candidate, fuse

scores = st.integers(-1000, 1000).map(lambda number: number / 1000)


@st.composite
def candidates(draw: Callable[..., object]) -> list[Candidate]:
    numbers = draw(st.lists(st.integers(0, 30), unique=True, max_size=12))
    assert isinstance(numbers, list)
    return [
        Candidate(
            id=f"p{number}",
            record=number // 2,
            session=draw(st.sampled_from([None, "s", "t"])),  # type: ignore[arg-type]
            at=f"{number:03}",
            words=draw(st.integers(0, 500)) / 10,  # type: ignore[operator]
            cosine=draw(st.none() | scores),  # type: ignore[arg-type]
        )
        for number in numbers
    ]


def _one(id_: str, words: float, cosine: float | None, session: str | None = None, at: str = "0") -> Candidate:
    return Candidate(id_, ord(id_[0]), session, at, words, cosine)


@given(candidates())
def test_every_record_stands_once_and_best_first(proposed: list[Candidate]) -> None:
    ranked = fuse(proposed)
    assert sorted(hit.candidate.record for hit in ranked) == sorted({each.record for each in proposed})
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)
    assert all(math.isfinite(hit.score) for hit in ranked)


@given(candidates())
def test_the_order_does_not_depend_on_who_proposed_first(proposed: list[Candidate]) -> None:
    shuffled = sorted(proposed, key=lambda each: each.id[::-1])
    assert [hit.candidate.id for hit in fuse(proposed)] == [hit.candidate.id for hit in fuse(shuffled)]


@given(candidates(), st.floats(0.1, 10), st.floats(-5, 5))
def test_the_scale_of_the_word_scores_does_not_count(proposed: list[Candidate], factor: float, shift: float) -> None:
    scaled = [
        Candidate(each.id, each.record, each.session, each.at, each.words * factor + shift, each.cosine)
        for each in proposed
    ]
    for one, other in zip(
        sorted(fuse(proposed), key=lambda hit: hit.candidate.record),
        sorted(fuse(scaled), key=lambda hit: hit.candidate.record),
        strict=True,
    ):
        assert math.isclose(one.score, other.score, abs_tol=1e-4)


def test_two_standard_scores_are_added_words_at_seven_tenths() -> None:
    ranked = {hit.candidate.id: hit.score for hit in fuse([_one("a", 4, 0.5), _one("b", 0, 0.7)])}
    assert ranked == {"b": round((1 - WORDS) * (1 + SESSION), 6), "a": round((WORDS - 1) * (1 + SESSION), 6)}


def test_what_is_said_beside_a_good_answer_rises() -> None:
    near = _one("near", 1, 0.3, session="good")
    far = _one("far", 1, 0.3, session="other", at="9")
    best = _one("best", 9, 0.9, session="good")
    assert [hit.candidate.id for hit in fuse([far, near, best])] == ["best", "near", "far"]


def test_what_has_no_vector_yet_counts_as_average_in_meaning() -> None:
    ranked = [hit.candidate.id for hit in fuse([_one("like", 0, 0.9), _one("new", 0, None), _one("unlike", 0, 0.1)])]
    assert ranked == ["like", "new", "unlike"]


def test_of_equal_scores_the_newest_comes_first_then_the_first_id() -> None:
    same = [_one("b", 1, 0.5, at="1"), _one("a", 1, 0.5, at="1"), _one("c", 1, 0.5, at="2")]
    assert [hit.candidate.id for hit in fuse(same)] == ["c", "a", "b"]


def test_nothing_is_ranked_where_nothing_was_proposed() -> None:
    assert fuse([]) == []
