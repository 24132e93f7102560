"""Python Enhancement Proposals (PEP 1, PEP 12)."""

from datetime import date
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.records import BadRecord, DecisionRecord, PassedOver, RecordLink, Standing
from ingest.sources.decisions import read_decision
from ingest.sources.text_files import TextFile

HEAD = """PEP: 9001
Title: A better way to
       spell it
Author: Ada Lovelace <ada@example.org>, grace@example.org (Grace Hopper),
        Fred L. Drake, Jr. <fred@example.org>
Status: Final
Type: Standards Track
Created: 07-Jul-2001
Requires: 3, 4
Replaces: 245, 246
Superseded-By: 9002
"""
BODY = """
Abstract
========

Spell it as :pep:`8` and :pep:`the other one <20#zen>` say. See PEP 9001 and PEPs 21 onwards.

Details
-------

More of it.

Rationale
=========

Because.

Backwards Compatibility
=======================

Old code breaks.

New code does not.

Copyright
=========

Public domain.
"""


def document(text: str, name: str = "pep-9001.rst", *, is_explicit: bool = True) -> TextFile:
    return TextFile(PurePosixPath("/peps") / name, text, is_explicit=is_explicit)


def read(text: str) -> DecisionRecord:
    found = read_decision(document(text))
    assert isinstance(found, DecisionRecord), found
    return found


@pytest.mark.proves("ING-18", "ING-20")
def test_a_pep_is_read_whole() -> None:
    record = read(HEAD + BODY)
    assert (record.key, record.title) == ("PEP 9001", "A better way to spell it")
    assert record.authors == ("Ada Lovelace", "Grace Hopper", "Fred L. Drake, Jr.")
    assert (record.source_status, record.standing) == ("Final", Standing.IN_FORCE)
    assert record.created == date(2001, 7, 7)
    assert record.supersedes == ("PEP 245", "PEP 246")
    assert record.superseded_by == ("PEP 9002",)
    assert record.links == (
        RecordLink("REQUIRES", "PEP 3"),
        RecordLink("REQUIRES", "PEP 4"),
        RecordLink("MENTIONS", "PEP 20"),
        RecordLink("MENTIONS", "PEP 21"),
        RecordLink("MENTIONS", "PEP 8"),
    )
    assert record.rationale.startswith("Spell it as PEP 8 and PEP 20 say.")
    assert "More of it." in record.rationale
    assert "Because." in record.rationale
    assert "Public domain" not in record.rationale
    assert record.consequences == ("Old code breaks.", "New code does not.")
    assert record.target is None


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        ("Accepted", Standing.IN_FORCE),
        ("Provisional", Standing.IN_FORCE),
        ("Active", Standing.IN_FORCE),
        ("Superseded", Standing.REPLACED),
        ("Rejected", Standing.DROPPED),
        ("Withdrawn", Standing.DROPPED),
        ("April Fool!", Standing.DROPPED),
        ("Deferred", Standing.PENDING),
        ("Draft", Standing.PENDING),
        ("Incomprehensible", Standing.PENDING),
    ],
)
@pytest.mark.proves("ING-26", "ING-27")
def test_only_what_pep_1_says_is_in_force_is_in_force(status: str, standing: Standing) -> None:
    record = read(HEAD.replace("Final", status) + BODY)
    assert (record.standing, record.source_status) == (standing, status)
    assert bool(record.notes) is (status == "Incomprehensible")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (HEAD.replace("PEP: 9001", "PEP: next"), 1, "not a number"),
        (HEAD.replace("Title:", "X-Title:"), 1, "Title"),
        (HEAD.replace("Status: Final\n", ""), 1, "Status"),
        ("\n\n" + HEAD.replace("Status: Final\n", ""), 3, "Status"),
    ],
)
def test_a_pep_without_what_every_pep_has_is_set_aside_with_its_line(text: str, line: int, reason: str) -> None:
    found = read_decision(document(text + BODY))
    assert isinstance(found, BadRecord)
    assert found.line == line
    assert reason in found.reason


@pytest.mark.proves("ING-24")
def test_a_date_that_cannot_be_read_is_noted_and_not_guessed() -> None:
    record = read(HEAD.replace("07-Jul-2001", "07/08/2001") + BODY)
    assert record.created is None
    assert any("no date" in note for note in record.notes)


@pytest.mark.proves("ING-19")
def test_a_text_file_that_is_no_pep_is_passed_over_in_a_folder_and_bad_when_named() -> None:
    assert isinstance(read_decision(document("Notes\n", "notes.txt", is_explicit=False)), PassedOver)
    assert isinstance(read_decision(document("Notes\n", "notes.txt")), BadRecord)


_PIECES = st.sampled_from(
    ["\n", "\n\n", "====\n", "----\n", ":pep:`8`", "PEP 8", "Abstract\n", "Title: ", "Status: Final\n", " "]
)


@given(st.one_of(st.text(), st.lists(st.one_of(_PIECES, st.text(max_size=5)), max_size=40).map("".join)))
@pytest.mark.proves("ING-12")
def test_no_text_makes_the_reader_fail(text: str) -> None:
    for start in ("", "PEP: 1\n", "PEP: 1\nTitle: A\nStatus: Final\n"):
        found = read_decision(document(start + text))
        assert isinstance(found, DecisionRecord | BadRecord)
        if isinstance(found, DecisionRecord):
            assert found.title
            assert found.rationale
