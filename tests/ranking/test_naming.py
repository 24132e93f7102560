"""What a question names exactly: a target, an id, a title, a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.naming import compute_named_share, compute_numbered_share, find_numbers, list_phrases

names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


@given(st.lists(names, min_size=1, max_size=5).map(" ".join))
@pytest.mark.proves("RET-19", "RET-20")
def test_a_name_names_itself_wholly_whatever_its_case_and_spacing(name: str) -> None:
    if any(character.isalnum() for character in name):
        assert compute_named_share(f"  {name.upper()} ", [name.upper().lower()]) in {0.0, 1.0}
        assert compute_named_share(name, [name]) == 1.0


@pytest.mark.parametrize(
    ("question", "name", "share"),
    [
        ("message queue", "message queue", 1.0),
        ("Message  Queue?", "message queue", 1.0),
        ("why did we choose this message queue", "message queue", 2 / 3),
        ("language", "language", 1.0),
        ("which language is the parser written in", "language", 1 / 3),
        ("message queues", "message queue", 0.0),
        ("queue", "message queue", 0.0),
    ],
)
@pytest.mark.proves("RET-19")
def test_a_name_counts_by_its_share_of_the_question(question: str, name: str, share: float) -> None:
    assert compute_named_share(question, [name]) == pytest.approx(share)


@pytest.mark.parametrize(
    ("question", "name", "share"),
    [
        ("PEP 585", "PEP 585", 1.0),
        ("pep-0585", "PEP 585", 1.0),
        ("pep585", "PEP 585", 1.0),
        ("585", "PEP 585", 1.0),
        ("why did we do PEP 572?", "PEP 572", 1.0),
        ("ADR 12", "shop ADR 12", 1.0),
        ("what does PEP 440 say", "PEP 440", 2 / 3),
        ("PEP 58", "PEP 585", 0.0),
        ("in 12 months", "shop ADR 12", 0.0),
        ("RFC 560", "Messages", 0.0),
    ],
)
@pytest.mark.proves("RET-20")
def test_a_number_names_its_record(question: str, name: str, share: float) -> None:
    assert compute_numbered_share(question, name) == pytest.approx(share)


@pytest.mark.proves("RET-20")
def test_a_number_is_found_without_the_zeros_before_it() -> None:
    assert find_numbers("SE-0155, adr012 and 0") == ["155", "12", "0"]


@pytest.mark.proves("RET-21")
def test_every_run_of_words_may_be_a_target() -> None:
    assert {"cache carts in redis", "redis", "carts in"} <= set(list_phrases("Cache carts  in Redis?"))
    assert list_phrases("   ") == []


@given(st.text(max_size=300))
@pytest.mark.proves("RET-19", "RET-21")
def test_any_text_is_a_question(text: str) -> None:
    assert 0.0 <= compute_named_share(text, [text, "message queue"]) <= 1.0
    assert 0.0 <= compute_numbered_share(text, "PEP 585") <= 1.0
    assert len(list_phrases(text)) <= 200
