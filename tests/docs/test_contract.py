"""The contract, the tests that prove it and the code that cites it agree: each row is proved, each citation exists.

Run `pytest tests/docs/test_contract.py` alone for the whole answer: it reads files and starts nothing.
"""

from collections.abc import Iterable

import pytest

from tests.docs import contract

_PREFIXES = {
    "DEC": "decisions",
    "RET": "retrieval",
    "ENT": "entities",
    "MEM": "entries",
    "JRN": "journal",
    "COG": "cognition",
    "EVA": "evaluation",
    "SES": "sessions",
    "SVC": "service",
    "ING": "ingestion",
    "REF": "reflection",
    "HIS": "history",
    "CUR": "curation",
}
_WRITTEN = (*contract.CODE, "docs/contract", "docs/how-to", "docs/architecture.md", "CONTRIBUTING.md", "README.md")
_DEFAULT_SOURCES = {"docs/session-log.md", "docs/decisions.md", "docs/requirements.md"}
"""The files that `ingest_docs` reads by default: in the caller's folder, not in this repository."""


def _require_none(citations: Iterable[contract.Citation]) -> None:
    """Fails with the whole list: pytest would cut it."""
    lines = [f"{citation.path}: {citation.cited}" for citation in citations]
    assert not lines, "\n".join(lines)


def _ids() -> set[str]:
    return {row.id for row in contract.load_rows()}


@pytest.mark.parametrize("prefix", _PREFIXES)
def test_the_rows_of_a_family_are_numbered_from_1_without_gaps(prefix: str) -> None:
    numbers = contract.group_numbers(contract.load_rows()).get(prefix, [])
    assert numbers, f"docs/contract/{_PREFIXES[prefix]}.md is missing or has no rows"
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


def test_each_family_has_one_page_and_no_other_prefix_is_used() -> None:
    pages = {(row.prefix, row.page.stem) for row in contract.load_rows()}
    assert pages <= set(_PREFIXES.items())


def test_no_two_rows_promise_the_same_in_the_same_words() -> None:
    promises = [row.promise for row in contract.load_rows()]
    assert [promise for promise in promises if promises.count(promise) > 1] == []


def test_each_row_is_proved_by_a_test() -> None:
    proved = {mark.cited for mark in contract.load_marks()}
    _require_none(contract.Citation(row.id, row.page) for row in contract.load_rows() if row.id not in proved)


def test_each_mark_of_a_test_names_a_row() -> None:
    _require_none(mark for mark in contract.load_marks() if mark.cited not in _ids())


def test_each_cited_row_exists() -> None:
    cited = [
        contract.Citation(name, path)
        for folders, prefixes in ((_WRITTEN, set(_PREFIXES)), (("tests",), set[str]()))
        for path, text in contract.load_texts(*folders)
        for name in contract.find_sources(text, prefixes)
    ]
    _require_none(citation for citation in cited if citation.cited not in _ids())


def test_each_file_that_is_named_by_its_path_exists() -> None:
    named = [
        contract.Citation(name, path)
        for path, text in contract.load_texts(*_WRITTEN, "tests")
        for name in contract.find_paths(text)
        # Tests make up documents to read, and tests of code that does not exist.
        if path.parts[0] != "tests" or not name.startswith(("docs/", "tests/")) or "docs/decisions/0" in name
    ]
    _require_none(_find_unknown(named))


def test_code_names_a_page_by_its_path() -> None:
    named = [
        contract.Citation(name, path)
        for path, text in contract.load_texts(*contract.CODE)
        for name in contract.find_pages(text)
        if path.suffix != ".md"
    ]
    _require_none(_find_unknown(named))


def _find_unknown(named: list[contract.Citation]) -> list[contract.Citation]:
    return [each for each in named if not contract.is_file(each.cited) and each.cited not in _DEFAULT_SOURCES]


def test_nothing_cites_a_page_or_an_issue_outside_of_the_repository() -> None:
    cited = [
        contract.Citation(name, path)
        for path, text in contract.load_texts(*contract.CODE, "tests", "docs")
        for name in contract.find_outside(text, links=path.suffix == ".md")
    ]
    _require_none(cited)


def test_the_readers_find_what_they_look_for() -> None:
    assert list(contract.find_marks('@pytest.mark.proves("DEC-1", "RET-2")\ndef test(): ...')) == ["DEC-1", "RET-2"]
    listed = "DEC-1, XYZ-2. A digest (SHA-256); see `docs/decisions/0020` and RET-9."
    assert contract.find_sources(f"Source: {listed}", {"RET"}) == {"DEC-1", "XYZ-2", "RET-9"}
    assert contract.find_paths(listed) == {"docs/decisions/0020"}
    assert contract.is_file("docs/decisions/0020")
    page, issue = "design" + ".md", "issue" + " 6"
    assert contract.find_outside(f"Source: {page}, {issue}") == {page, issue}
    assert contract.find_pages("See notes.md and docs/a.md, not docs/*.md.") == {"notes.md", "docs/a.md"}
