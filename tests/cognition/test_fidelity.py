"""The fidelity of a text, and its warning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cognition.fidelity import build_warning, compute_fidelity


@pytest.mark.proves("COG-17")
@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("", 0.0),
        (" \n ", 0.0),
        ("Ada chose Neo4j yesterday", 0.75),
        ('Neo4j, Qdrant; "Lucene"!', 1.0),
        ("THAT THIS Nicht Über", 0.0),
        ("it is as it was", 0.0),
        ("cat. dogs.", 0.5),
        ("!!!!!! words", 0.5),
    ],
)
def test_it_is_the_share_of_words_that_carry_information(text: str, score: float) -> None:
    assert compute_fidelity(text) == score


@pytest.mark.proves("COG-17")
@given(st.text(max_size=200))
def test_it_is_a_share_of_any_text(text: str) -> None:
    assert 0.0 <= compute_fidelity(text) <= 1.0


@pytest.mark.proves("COG-18")
def test_it_warns_below_the_threshold_and_not_at_it() -> None:
    assert build_warning(0.5, 0.5) is None
    assert "49%" in str(build_warning(0.49, 0.5))
