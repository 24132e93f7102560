"""The words of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.terms import extract_terms, is_common, stem_terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Caroline research?", ["caroline", "research"]),
        ("foo_bar baz-qux 3.14", ["foo", "bar", "baz", "qux", "3", "14"]),
        ("don't can't it's", ["don"]),
        ("Straße ﬁne \uff21\uff22\uff23", ["strasse", "fine", "abc"]),
        ("東京都 हिन्दी", ["東", "京", "都", "हिन्दी"]),
        ("🐶🐱 loves", ["🐶", "🐱", "loves"]),
        ('"quoted" +(a:b)^2 /x/ AND OR', ["quoted", "b", "2", "x"]),
        ("x" * 300, ["x" * 255]),
        ("", []),
        ("the of and — … \u0000", []),
    ],
)
@pytest.mark.proves("RET-5")
def test_words_are_lower_case_whole_and_say_something(text: str, expected: list[str]) -> None:
    assert extract_terms(text) == expected


@given(st.text())
@pytest.mark.proves("RET-5")
def test_a_word_is_free_of_any_query_syntax(text: str) -> None:
    assert not set('+-&|!(){}[]^"~*?:\\/<>= \t\n') & set("".join(extract_terms(text)))
    assert not {"AND", "OR", "NOT"} & set(extract_terms(text))


@given(st.text())
@pytest.mark.proves("RET-5")
def test_the_words_of_words_are_the_same_words(text: str) -> None:
    assert extract_terms(" ".join(extract_terms(text))) == extract_terms(text)


def test_words_come_down_to_stems() -> None:
    assert stem_terms(["painted", "painting", "paints"]) == {"paint"}


@pytest.mark.proves("RET-5")
def test_what_english_says_all_the_time_is_common() -> None:
    assert is_common("It was the")
    assert not is_common("It was the graph")
