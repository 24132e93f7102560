"""How a text is cut, and what each part is found by."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranking.terms import extract_terms
from server.retrieval.passages import Passage, build_contexts, build_whole, find_first_heading, split_text

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=2_000).filter(str.strip)
prose = st.lists(st.sampled_from(["Ada met Grace.", "So it was decided", "知。", "a" * 400, "#", "\n\n", "- x"])).map(
    " ".join
)


def _letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(texts)
@pytest.mark.proves("RET-1")
def test_a_short_text_is_one_passage_as_it_is(text: str) -> None:
    if len(text) <= 200:
        assert split_text(text, None) == [Passage(text, None, text)]
        assert split_text(text, "Title") == [Passage("Title", None, text)]


@given((prose | texts).filter(str.strip))
@pytest.mark.proves("RET-1")
def test_what_a_text_says_stands_in_its_passages_once_and_in_order(text: str) -> None:
    without_headings = [passage.text for passage in split_text(text, None) if passage.heading is None]
    if not any(passage.heading for passage in split_text(text, None)):
        assert _letters("".join(without_headings)) == _letters(text)


@given((prose | texts).filter(str.strip))
@pytest.mark.proves("RET-1")
def test_every_passage_says_something_and_none_is_long(text: str) -> None:
    passages = split_text(text, None)
    assert passages
    assert all(passage.text.strip() for passage in passages)
    assert max(len(passage.text) for passage in passages) <= 250


@pytest.mark.proves("RET-1")
def test_passages_end_where_sentences_do() -> None:
    text = " ".join(f"This is sentence number {number} of them all." for number in range(30))
    passages = split_text(text, None)
    assert len(passages) > 3
    assert all(passage.text.endswith(".") for passage in passages)


@pytest.mark.proves("RET-2")
def test_later_passages_are_captioned_by_the_title_or_by_how_the_text_begins() -> None:
    said = "Caroline: " + "I went to the mountains with my whole family. " * 20
    assert {passage.caption for passage in split_text(said, None)} == {"Caroline: I went to the mountains with"}
    assert "caroline" in split_text(said, None)[-1].words()
    assert {passage.caption for passage in split_text(said, "A trip")} == {"A trip"}


DOCUMENT = """\
An introduction that is long enough to count, so that it is a passage of its own and not nothing at all.

# Guide to *Precedent*

Before the first section.

## Install `it`

```
# no heading
make run
```

### On Windows

It does not run there.

Setext heading
--------------

The end of the guide. """ + ("It goes on for a while. " * 10)


@pytest.mark.proves("RET-2")
def test_markdown_is_cut_at_its_headings_and_each_part_knows_its_own() -> None:
    parts = [(passage.heading, passage.caption) for passage in split_text(DOCUMENT, "Guide to Precedent")]
    assert list(dict.fromkeys(parts)) == [
        (None, "Guide to Precedent"),
        ("Guide to Precedent", "Guide to Precedent"),
        ("Install it", "Guide to Precedent › Install it"),  # noqa: RUF001
        ("On Windows", "Guide to Precedent › Install it › On Windows"),  # noqa: RUF001
        ("Setext heading", "Guide to Precedent › Setext heading"),  # noqa: RUF001
    ]
    [install] = [passage for passage in split_text(DOCUMENT, None) if passage.heading == "Install it"]
    assert "# no heading" in install.text
    assert {"windows", "install", "guide"} <= set(
        next(passage for passage in split_text(DOCUMENT, None) if passage.heading == "On Windows").words().split()
    )


@pytest.mark.proves("RET-2")
def test_a_heading_with_nothing_below_it_is_found_by_itself() -> None:
    text = "x " * 200 + "\n\n## Conclusion\n\n## Thanks\n"
    assert [(passage.heading, passage.text) for passage in split_text(text, None)][-2:] == [
        ("Conclusion", "Conclusion"),
        ("Thanks", "Thanks"),
    ]


@pytest.mark.parametrize("text", ["# a\n" * 60_000, "# a\n\nb\n" * 5_000, "word " * 200_000, "x" * 1_000_000])
@pytest.mark.proves("RET-1")
def test_a_text_of_any_size_has_a_bounded_number_of_passages(text: str) -> None:
    assert len(split_text(text, None)) <= 4_000


@pytest.mark.parametrize(
    ("text", "heading"),
    [("x\n\n# One\n\n# Two", "One"), ("## Second only", None), ("Under\n=====\n", "Under"), ("```\n# x\n```", None)],
)
def test_the_first_heading_of_the_first_level_is_a_title(text: str, heading: str | None) -> None:
    assert find_first_heading(text) == heading


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8), st.integers(0, 2))
@pytest.mark.proves("RET-4")
def test_around_a_passage_are_its_words_and_those_of_two_on_either_side(letters: list[str], before: int) -> None:
    words = [f"word{letter}{place}" for place, letter in enumerate(letters)]
    passages = [Passage(word, None, word) for word in words]
    told = ["earlier0", "earlier1"][2 - before :]
    line = [*told, *words]
    for place, text in enumerate(build_contexts(passages, told), start=len(told)):
        assert sorted(extract_terms(text)) == sorted(line[max(0, place - 2) : place + 3])


@pytest.mark.proves("RET-4")
def test_a_long_neighbour_gives_no_more_than_forty_words() -> None:
    long = Passage("x", None, " ".join(f"w{number}" for number in range(100)))
    [first, _] = build_contexts([Passage("mine", None, "mine"), long], [])
    assert first.split() == ["mine", *(f"w{number}" for number in range(40))]


@pytest.mark.proves("RET-3")
def test_a_text_of_several_passages_has_one_more_for_the_record_as_a_whole() -> None:
    text = " ".join(f"Sentence number {number} is about herons{number}." for number in range(200))
    whole = build_whole(text, "Birds", split_text(text, "Birds"))
    assert whole is not None
    assert whole.caption == "Birds"
    assert whole.text == text[:1_600]
    assert whole.opening().split() == extract_terms(f"Birds {text}")[:40]
    assert build_whole("Short.", None, split_text("Short.", None)) is None
