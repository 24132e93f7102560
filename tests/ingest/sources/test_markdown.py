"""Markdown decision records: MADR 2, 3, 4, Nygard's form, and this project's own."""

from datetime import date
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.records import BadRecord, DecisionRecord, PassedOver, RecordLink, Standing
from ingest.sources.decisions import read_decisions
from ingest.sources.markdown import read_markdown
from ingest.sources.outline import Outline, Role
from ingest.sources.text_files import TextFile

NYGARD = """# 2. Use PostgreSQL

Date: 2016-02-12

## Status

Superseded by [3. Use SQLite](0003-use-sqlite.md)

Supersedes [1. Use files](0001-use-files.md)

Amends [ADR-4](0004-backups.md)

## Context

We need to store orders. See [the log format](0007-log-format.md#rotation) and PEP 249.

## Decision

We will use PostgreSQL.

## Consequences

Somebody must run a server.

Backups become possible.
"""

MADR_4 = """---
status: "superseded by [ADR-0005](0005-example.md)"
date: 2024-05-31
decision-makers: [Ada Lovelace, "Grace Hopper"]
consulted: nobody
---
# Use Markdown Any Decision Records

## Context and Problem Statement

Where do decisions live? <!-- This is an optional element. -->

## Considered Options

* MADR
* Nothing

## Decision Outcome

Chosen option: "MADR", because it is lean.

### Consequences

* Good, because it is in version control
* Bad, because
  it must be learned

### Confirmation

A review.

## More Information

Depends on [ADR-0001](0001-record.md), ADR-0002 and ADR 3.
"""

MADR_2 = """# Use Kafka

* Status: accepted
* Deciders: Ada Lovelace, Grace Hopper
* Date: 2021-03-04

Technical Story: orders get lost

## Context and Problem Statement

Orders get lost.

## Decision Outcome

Chosen option: "Kafka".

### Positive Consequences

* Nothing is lost

### Negative Consequences

* One more thing to run

## Links

* Refines [ADR-0005](0005-queues.md)
* [Refined by] nothing
"""


def document(text: str, name: str = "0002-a.md", *, is_explicit: bool = True) -> TextFile:
    return TextFile(PurePosixPath("/home/ada/shop/docs/adr") / name, text, is_explicit=is_explicit)


def read(text: str, name: str = "0002-a.md") -> DecisionRecord:
    found = read_markdown(document(text, name))
    assert isinstance(found, DecisionRecord), found
    return found


@pytest.mark.proves("ING-18", "ING-30")
def test_nygards_form_is_read_whole() -> None:
    record = read(NYGARD)
    assert (record.key, record.title) == ("shop ADR 2", "Use PostgreSQL")
    assert record.standing is Standing.REPLACED
    assert record.created == date(2016, 2, 12)
    assert record.supersedes == ("shop ADR 1",)
    assert record.superseded_by == ("shop ADR 3",)
    assert record.links == (
        RecordLink("AMENDS", "shop ADR 4"),
        RecordLink("MENTIONS", "shop ADR 7"),
        RecordLink("MENTIONS", "PEP 249"),
    )
    assert record.rationale.startswith("We will use PostgreSQL.\n\nWe need to store orders.")
    assert record.consequences == ("Somebody must run a server.", "Backups become possible.")
    assert record.notes == ()


@pytest.mark.proves("ING-18")
def test_madr_4_with_front_matter_is_read_whole() -> None:
    record = read(MADR_4, "0004-use-madr.md")
    assert (record.key, record.title) == ("shop ADR 4", "Use Markdown Any Decision Records")
    assert record.source_status == "superseded by [ADR-0005](0005-example.md)"
    assert record.standing is Standing.REPLACED
    assert record.superseded_by == ("shop ADR 5",)
    assert record.authors == ("Ada Lovelace", "Grace Hopper")
    assert record.created == date(2024, 5, 31)
    assert record.rationale == ('Chosen option: "MADR", because it is lean.\n\nA review.\n\nWhere do decisions live?')
    assert record.consequences == (
        "Good, because it is in version control",
        "Bad, because\n  it must be learned",
    )
    assert record.links == tuple(RecordLink("REQUIRES", f"shop ADR {number}") for number in (1, 2, 3))


@pytest.mark.proves("ING-18")
def test_madr_2_with_a_list_under_the_title_is_read_whole() -> None:
    record = read(MADR_2)
    assert (record.source_status, record.standing) == ("accepted", Standing.IN_FORCE)
    assert record.authors == ("Ada Lovelace", "Grace Hopper")
    assert record.created == date(2021, 3, 4)
    assert record.consequences == ("Positive: Nothing is lost", "Negative: One more thing to run")
    assert record.links == (RecordLink("AMENDS", "shop ADR 5"),)


@pytest.mark.proves("ING-18")
def test_our_own_records_bring_their_target_and_the_relations_between_entities() -> None:
    record = read(
        "---\nstatus: accepted\ndate: 2026-11-21\ntarget: system of record\n"
        "supersedes: [1, 0003-x.md, ADR-4, 0005-y]\n"
        "relations:\n  - [Precedent, STORES_IN, Neo4j]\nlabels:\n  Neo4j: Technology\n---\n"
        "# Neo4j\n\n## Decision\n\nYes.\n"
    )
    assert record.target == "system of record"
    assert record.relations == (("Precedent", "STORES_IN", "Neo4j"),)
    assert record.labels == (("Neo4j", "Technology"),)
    assert record.supersedes == tuple(f"shop ADR {number}" for number in (1, 3, 4, 5))


def test_every_decision_record_of_this_project_is_read_without_a_remark() -> None:
    found = list(read_decisions([Path("docs/decisions")], project="Precedent"))
    assert len(found) >= 9
    for record in found:
        assert isinstance(record, DecisionRecord)
        assert record.key.startswith("Precedent ADR ")
        assert record.target
        assert record.notes == ()


@pytest.mark.parametrize(
    ("status", "standing", "noted"),
    [
        ("Accepted", Standing.IN_FORCE, False),
        ("✅ **Accepted** on 2020-01-01", Standing.IN_FORCE, False),
        ("~~Accepted~~ Deprecated", Standing.RETIRED, False),
        ("Rejected", Standing.DROPPED, False),
        ("Proposed", Standing.PENDING, False),
        ("Superseded by ADR-7", Standing.REPLACED, False),
        ("Not accepted", Standing.PENDING, True),
        ("proposed | rejected | accepted", Standing.PENDING, True),
        ("Angenommen", Standing.PENDING, True),
    ],
)
@pytest.mark.proves("ING-26", "ING-27")
def test_a_status_is_read_by_its_first_word_and_never_guessed(status: str, standing: Standing, noted: bool) -> None:
    record = read(f"# A\n\nDate: 2020-01-01\n\n## Status\n\n{status}\n\n## Decision\n\nWe do it.\n")
    assert record.standing is standing
    assert bool(record.notes) is noted


@pytest.mark.proves("ING-27")
def test_a_record_without_a_status_is_in_force_and_that_is_noted() -> None:
    record = read("# A\n\n## Decision Outcome\n\nChosen: this.\n")
    assert record.standing is Standing.IN_FORCE
    assert any("no status" in note for note in record.notes)


@pytest.mark.proves("ING-30")
def test_prose_about_superseding_is_a_mention_and_no_claim() -> None:
    record = read("# A\n\nStatus: accepted\n\n## Context\n\nNobody wants one that supersedes ADR-3.\n")
    assert record.supersedes == ()
    assert record.links == (RecordLink("MENTIONS", "shop ADR 3"),)


def test_a_fenced_heading_is_no_section() -> None:
    record = read("# A\n\nStatus: accepted\n\n## Decision\n\n```\n## Consequences\n- no\n```\n")
    assert record.consequences == ()
    assert "## Consequences" in record.rationale


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("0002-a.md", "shop ADR 2"),
        ("adr-12-use-it.md", "shop ADR 12"),
        ("ADR_7.md", "shop ADR 7"),
        ("use-postgres.md", "shop use-postgres"),
        ("2024-01-31-use-postgres.md", "shop 2024-01-31-use-postgres"),
    ],
)
@pytest.mark.proves("ING-20")
def test_a_record_is_named_by_its_project_and_number(name: str, key: str) -> None:
    assert read("# A\n\nStatus: accepted\n\nWe do it.\n", name).key == key


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("---\nstatus: accepted\n: [\n---\n# A\n", 3, "not valid YAML"),
        ("---\nstatus: accepted\nx: " + "[" * 5000 + "\n---\n# A\n", 1, "not valid YAML"),
        ("---\nstatus: accepted\n---\n\nNo heading here.\n", 5, "no title"),
        ("# A\n\n## Status\n\nAccepted\n", 1, "no text besides"),
        ("---\nstatus: accepted\nrelations: [[a, b]]\n---\n# A\n\nText.\n", 1, "relations"),
        ("---\nstatus: accepted\nlabels: [a]\n---\n# A\n\nText.\n", 1, "labels"),
        ('---\nstatus: accepted\ntarget: "\\ud800"\n---\n# A\n\nText.\n', 5, "Unicode"),
        (f"# {'a' * 1001}\n\nStatus: accepted\n\nText.\n", 1, "1,000"),
    ],
)
@pytest.mark.proves("ING-22")
def test_a_broken_record_is_set_aside_with_its_line_and_reason(text: str, line: int, reason: str) -> None:
    found = read_markdown(document(text))
    assert isinstance(found, BadRecord)
    assert found.line == line
    assert reason in found.reason


@pytest.mark.proves("ING-19")
def test_a_file_without_any_sign_of_a_decision_is_passed_over_in_a_folder_and_bad_when_named() -> None:
    text = "# Decisions\n\nA list of what we decided.\n"
    assert isinstance(read_markdown(document(text, "README.md", is_explicit=False)), PassedOver)
    assert isinstance(read_markdown(document(text, "README.md")), BadRecord)


_PIECES = st.sampled_from(
    ["---\n", "# ", "## Status\n", "## Decision\n", "Superseded by ", "supersedes: ", "[a](0001-b.md)", "ADR-3", ", ",
     "status: accepted\n", "relations:\n", "- [a, b, c]\n", "\n", "* ", "<!--", "-->", "```\n", "&a *a", "[", "](",
     "~~"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=40).map("".join)))
@pytest.mark.proves("ING-12")
def test_no_text_makes_the_reader_fail(text: str) -> None:
    for is_explicit in (True, False):
        found = read_markdown(document(text, is_explicit=is_explicit))
        assert isinstance(found, DecisionRecord | BadRecord | PassedOver)
        if isinstance(found, DecisionRecord):
            assert found.title
            assert found.rationale


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(["Status", "Decision", "Notes", "x"])), max_size=12))
def test_every_line_of_text_belongs_to_one_section(headings: list[tuple[int, str]]) -> None:
    text = "".join(f"{'#' * level} {name}\n\nline{index}\n\n" for index, (level, name) in enumerate(headings))
    outline = Outline(text)
    roles: tuple[Role, ...] = ("", "status", "decision", "links")
    found = [*outline.texts(*roles), outline.preamble()[1]]
    assert sorted("\n".join(found).split()) == sorted(f"line{index}" for index in range(len(headings)))
