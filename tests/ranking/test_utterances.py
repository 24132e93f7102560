"""Utterances: who is named, what says little, and what is a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.utterances import OTHERS, SHORT, Utterance, compute_shares, parse_utterance

LONG = SHORT
_speakers = st.sampled_from(["ada", "tom reed", "user", "assistant"])
_utterances = st.builds(Utterance, _speakers, st.integers(1, SHORT), st.booleans())


def _build_utterances(*speakers: str) -> dict[int, Utterance]:
    return {number: Utterance(speaker, LONG, asks=False) for number, speaker in enumerate(speakers)}


@given(
    st.text(max_size=200),
    st.dictionaries(st.integers(0, 9), _utterances),
    st.dictionaries(st.integers(0, 9), st.just("s")),
)
@pytest.mark.proves("RET-27")
def test_each_record_of_a_session_keeps_a_share_above_0_and_at_most_1(
    query: str, said: dict[int, Utterance], sessions: dict[int, str]
) -> None:
    shares = compute_shares(query, said, sessions)
    assert shares.keys() == sessions.keys()
    assert all(0 < share <= 1 for share in shares.values())


@pytest.mark.proves("RET-27")
@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Ada: We chose the graph.", "ada"),
        ("Tom Reed: Yes.", "tom reed"),
        ("We chose the graph: it joins.", None),
        ("Ada:no space", None),
        ("12: 30 is the time", None),
        ("First line\nAda: second", None),
        (f"{'A' * 41}: hello", None),
        ("No colon at all", None),
    ],
)
def test_an_utterance_begins_with_a_name_a_colon_and_a_space(text: str, speaker: str | None) -> None:
    found = parse_utterance(text, is_long=False)
    assert (found.speaker if found else None) == speaker


@pytest.mark.proves("RET-28")
def test_what_others_say_counts_less_where_the_query_names_a_speaker() -> None:
    shares = compute_shares("What did Ada's team choose?", _build_utterances("ada", "tom reed"), {0: "s", 1: "s"})
    assert shares == {0: 1.0, 1: OTHERS}


@pytest.mark.proves("RET-28")
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What did Tom say?", False),  # Tom Reed has two terms
        ("What did Reed, Tom say?", True),
        ("What did TOM REED say?", True),
        ("What was said?", False),
    ],
)
def test_a_query_names_a_speaker_by_all_terms_of_the_name(query: str, named: bool) -> None:
    shares = compute_shares(query, _build_utterances("ada", "tom reed"), {0: "s", 1: "s"})
    assert shares == ({0: OTHERS, 1: 1.0} if named else {0: 1.0, 1: 1.0})


@pytest.mark.proves("RET-28")
@pytest.mark.parametrize("query", ["When is my visit?", "When I\u2019m away, who feeds the cat?", "Where did we go"])
def test_the_first_person_names_the_user_of_an_assistant(query: str) -> None:
    assert compute_shares(query, _build_utterances("user", "assistant"), {0: "s", 1: "s"}) == {0: 1.0, 1: OTHERS}
    assert compute_shares(query, _build_utterances("ada", "tom reed"), {0: "s", 1: "s"}) == {0: 1.0, 1: 1.0}


@pytest.mark.proves("RET-28")
def test_other_sessions_are_not_affected_by_a_speaker_who_is_not_in_them() -> None:
    shares = compute_shares(
        "What did Ada choose?", _build_utterances("ada", "note", "tom reed"), {0: "s", 1: "t", 2: "s"}
    )
    assert shares == {0: 1.0, 1: 1.0, 2: OTHERS}


@pytest.mark.proves("RET-27")
def test_a_record_whose_speaker_is_not_known_keeps_the_average_and_one_without_a_session_all() -> None:
    shares = compute_shares("What did Ada choose?", _build_utterances("ada", "tom reed"), {0: "s", 1: "s", 7: "s"})
    assert shares[7] == pytest.approx((1 + OTHERS) / 2)
    assert compute_shares("What did Ada choose?", _build_utterances("ada", "tom reed"), {0: "s"}) == {0: 1.0}


@given(st.integers(1, SHORT - 1))
@pytest.mark.proves("RET-29")
def test_a_shorter_utterance_keeps_less(length: int) -> None:
    said = {0: Utterance("ada", length, asks=False), 1: Utterance("ada", length + 1, asks=False)}
    shares = compute_shares("What was chosen?", said, {0: "s", 1: "s"})
    assert shares[0] < shares[1] <= 1


@pytest.mark.proves("RET-29")
def test_half_the_length_keeps_nine_tenths_and_a_long_text_all() -> None:
    parsed = [parse_utterance("Ada: ".ljust(75, "x"), is_long=False), parse_utterance("Ada: beginning", is_long=True)]
    said = {number: each for number, each in enumerate(parsed) if each}
    assert compute_shares("What?", said, {0: "s", 1: "s"}) == pytest.approx({0: 0.9, 1: 1.0})


@pytest.mark.proves("RET-30")
@pytest.mark.parametrize(
    ("text", "is_long", "asks"),
    [
        ("Ada: When did you move? ", False, True),
        ("Ada: I moved.", False, False),
        ("Ada: Did you", True, False),
        (f"Ada: {'I moved there long ago. ' * 7}And you?", False, False),
    ],
)
def test_only_a_short_text_that_ends_with_a_question_mark_asks(text: str, *, is_long: bool, asks: bool) -> None:
    found = parse_utterance(text, is_long=is_long)
    assert found is not None
    assert found.asks is asks
