"""Which record is in force, and what is reported, by the rules of `ingest.resolution`."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.decision_writer import hash_verdict
from ingest.records import DecisionRecord, RecordLink, Standing
from ingest.resolution import Claims, Resolution, Verdict, resolve
from ingest.sources.decisions import read_decisions

PEPS = Path(__file__).parents[3] / "shared/data/peps-0001-0499.tar.gz"


def claims(key: str, standing: Standing = Standing.IN_FORCE, **values: object) -> Claims:
    return Claims(key, standing, standing.value, **values)  # type: ignore[arg-type]


def findings_of(resolution: Resolution, key: str) -> list[str]:
    return [finding.text for finding in resolution.findings if finding.key == key]


@pytest.mark.proves("ING-38")
def test_a_chain_that_both_sides_state_shares_its_target_and_needs_no_remark() -> None:
    found = resolve(
        [
            claims("PEP 1", Standing.REPLACED, superseded_by=("PEP 2",)),
            claims("PEP 2", Standing.REPLACED, supersedes=("PEP 1",), superseded_by=("PEP 10",)),
            claims("PEP 10", supersedes=("PEP 2",)),
        ]
    )
    assert found.findings == ()
    assert [(key, verdict.status, verdict.target) for key, verdict in found.verdicts.items()] == [
        ("PEP 1", "superseded", "PEP 1"),
        ("PEP 2", "superseded", "PEP 1"),
        ("PEP 10", "active", "PEP 1"),
    ]
    assert found.verdicts["PEP 10"].supersedes == ("PEP 2",)


@pytest.mark.parametrize("side", ["new", "old"])
@pytest.mark.proves("ING-33", "ING-34")
def test_one_side_naming_the_other_is_enough_and_is_reported(side: str) -> None:
    found = resolve(
        [
            claims("old", superseded_by=("new",) if side == "old" else ()),
            claims("new", supersedes=("old",) if side == "new" else ()),
        ]
    )
    assert found.verdicts["old"].status == "superseded"
    assert found.verdicts["new"].supersedes == ("old",)
    assert any("does not say so" in text for text in findings_of(found, side))
    assert any("supersedes it" in text for text in findings_of(found, "old"))


@pytest.mark.parametrize("standing", [Standing.PENDING, Standing.DROPPED])
@pytest.mark.proves("ING-35")
def test_what_never_came_into_force_replaces_nothing(standing: Standing) -> None:
    found = resolve([claims("old"), claims("new", standing, supersedes=("old",))])
    assert found.verdicts["old"].status == "active"
    assert found.verdicts["new"].supersedes == ()
    assert found.verdicts["new"].links == (("WOULD_SUPERSEDE", "old"),)
    assert findings_of(found, "new")


@pytest.mark.proves("ING-37")
def test_a_successor_we_do_not_have_takes_the_record_out_of_force_by_its_own_word() -> None:
    found = resolve([claims("PEP 333", superseded_by=("PEP 3333",))])
    assert found.verdicts["PEP 333"].status == "superseded"
    assert findings_of(found, "PEP 333") == ["it names PEP 3333 as its successor, which is not among the records"]


def test_a_superseded_record_whose_successor_nobody_names_is_reported() -> None:
    found = resolve([claims("PEP 6", Standing.REPLACED)])
    assert found.verdicts["PEP 6"].status == "superseded"
    assert findings_of(found, "PEP 6") == ["it is superseded, and no record names its successor"]


@pytest.mark.proves("ING-37")
def test_a_rejected_record_stays_rejected_when_a_later_one_replaces_it() -> None:
    found = resolve([claims("old", Standing.DROPPED), claims("new", supersedes=("old",))])
    assert found.verdicts["old"].status == "deprecated"
    assert found.verdicts["new"].supersedes == ("old",)


@pytest.mark.proves("ING-36")
def test_a_claim_that_closes_a_cycle_is_omitted_the_weakest_first() -> None:
    found = resolve(
        [
            claims("A", supersedes=("B",), superseded_by=("C",)),
            claims("B", superseded_by=("A",)),
            claims("C", supersedes=("A",), superseded_by=("B",)),
        ]
    )
    assert found.verdicts["A"].supersedes == ("B",)
    assert found.verdicts["C"].supersedes == ("A",)
    assert found.verdicts["B"].supersedes == ()
    assert any("cycle" in text for text in findings_of(found, "B"))
    assert [key for key, verdict in found.verdicts.items() if verdict.status == "active"] == ["C"]


@pytest.mark.proves("ING-38")
def test_two_that_replace_the_same_one_are_both_in_force_for_targets_of_their_own() -> None:
    found = resolve(
        [
            claims("PEP 381", Standing.DROPPED),
            claims("PEP 449", supersedes=("PEP 381",)),
            claims("PEP 464", supersedes=("PEP 381",)),
        ]
    )
    assert (found.verdicts["PEP 449"].status, found.verdicts["PEP 449"].target) == ("active", "PEP 381")
    assert (found.verdicts["PEP 464"].status, found.verdicts["PEP 464"].target) == ("active", "PEP 464")


@pytest.mark.proves("ING-39", "ING-40")
def test_a_later_record_for_a_target_that_is_taken_is_refused_and_takes_its_claims_with_it() -> None:
    found = resolve(
        [
            claims("ADR 1", target="storage", created=date(2020, 1, 1)),
            claims("ADR 2", created=date(2020, 1, 1)),
            claims("ADR 3", target="storage", created=date(2024, 1, 1), supersedes=("ADR 2",)),
        ]
    )
    assert set(found.refused) == {"ADR 3"}
    assert "CONFLICT: ADR 1 is in force" in found.refused["ADR 3"]
    assert found.verdicts["ADR 2"].status == "active"


@pytest.mark.proves("ING-39", "ING-40")
def test_a_decision_that_is_in_force_already_is_not_displaced_by_a_file() -> None:
    found = resolve([claims("PEP 8")], {"PEP 8": "decision_1"})
    assert "decision_1" in found.refused["PEP 8"]


@pytest.mark.proves("ING-39")
def test_a_record_that_is_in_force_in_the_graph_goes_before_an_older_file() -> None:
    older, newer = (claims(key, target="storage", created=date(int(key), 1, 1)) for key in ("2020", "2024"))
    found = resolve([older, newer], {"storage": "2024"}, {"2024": newer})
    assert set(found.refused) == {"2020"}
    assert found.verdicts["2024"].status == "active"


@pytest.mark.proves("ING-40")
def test_a_changed_record_that_is_refused_stays_as_the_graph_has_it() -> None:
    one, before = claims("ADR 1", target="storage"), claims("ADR 2", target="queues")
    found = resolve(
        [one, claims("ADR 2", target="storage")], {"storage": "ADR 1", "queues": "ADR 2"}, {"ADR 2": before}
    )
    assert set(found.refused) == {"ADR 2"}
    assert (found.verdicts["ADR 2"].status, found.verdicts["ADR 2"].target) == ("active", "queues")


@pytest.mark.proves("ING-41")
def test_what_was_superseded_in_the_service_stays_superseded() -> None:
    found = resolve([claims("PEP 8", replaced_in_service=True)])
    assert found.verdicts["PEP 8"].status == "superseded"
    assert found.findings == ()


def test_amended_by_is_the_other_ones_amends() -> None:
    found = resolve([claims("old", links=(RecordLink("AMENDED_BY", "new"),)), claims("new")])
    assert found.verdicts["new"].links == (("AMENDS", "old"),)
    assert found.verdicts["old"].links == ()


def test_a_mention_says_nothing_where_a_stronger_link_exists() -> None:
    links = (
        RecordLink("MENTIONS", "old"),
        RecordLink("MENTIONS", "other"),
        RecordLink("REQUIRES", "other"),
        RecordLink("MENTIONS", "missing"),
    )
    found = resolve([claims("old"), claims("other"), claims("new", supersedes=("old",), links=links)])
    assert found.verdicts["new"].links == (("MENTIONS", "other"), ("REQUIRES", "other"))


@pytest.mark.proves("ING-7")
def test_the_digest_of_a_verdict_is_the_one_that_earlier_releases_stored() -> None:
    verdict = Verdict("superseded", "a", "b", ("c",), (("MENTIONS", "d"),))
    assert hash_verdict(verdict) == "0678f0813b1fa69d17188f4ac23dbbf1"


@pytest.mark.skipif(not PEPS.exists(), reason="shared/data/peps-0001-0499.tar.gz is not beside this repository")
def test_the_318_peps_come_out_as_their_headers_say() -> None:
    records = [record for record in read_decisions([PEPS]) if isinstance(record, DecisionRecord)]
    assert len(records) == 318
    assert all(record.created and record.authors for record in records)
    found = resolve(map(Claims.of, records))
    assert found.refused == {}
    statuses = [verdict.status for verdict in found.verdicts.values()]
    assert {status: statuses.count(status) for status in set(statuses)} == {
        "active": 168, "superseded": 20, "deprecated": 106, "draft": 24,
    }  # fmt: skip
    replaced = {(new, old) for new, verdict in found.verdicts.items() for old in verdict.supersedes}
    assert len(replaced) == 19
    assert {("PEP 387", "PEP 5"), ("PEP 387", "PEP 291"), ("PEP 452", "PEP 247"), ("PEP 443", "PEP 245")} <= replaced
    assert found.verdicts["PEP 426"].links[-1] == ("WOULD_SUPERSEDE", "PEP 345")
    for key in ("PEP 248", "PEP 247", "PEP 409", "PEP 333"):  # "Final", and replaced all the same
        assert found.verdicts[key].status == "superseded"
        assert findings_of(found, key)


_KEYS = [f"PEP {number}" for number in range(1, 8)]
_NAMES = st.lists(st.sampled_from([*_KEYS, "PEP 99"]), max_size=3, unique=True).map(tuple)
_RECORDS = st.lists(
    st.builds(
        Claims,
        key=st.sampled_from(_KEYS),
        standing=st.sampled_from(Standing),
        source_status=st.just("x"),
        target=st.sampled_from([None, None, None, "storage", "PEP 1"]),
        created=st.sampled_from([None, date(2020, 1, 1), date(2021, 1, 1)]),
        supersedes=_NAMES,
        superseded_by=_NAMES,
        links=st.lists(
            st.builds(RecordLink, st.sampled_from(["REQUIRES", "MENTIONS"]), st.sampled_from(_KEYS)), max_size=3
        ).map(tuple),
    ),
    max_size=7,
    unique_by=lambda record: record.key,
)


@given(_RECORDS, st.randoms(use_true_random=False), st.sampled_from([{}, {"PEP 2": "decision_1", "storage": "d"}]))
@pytest.mark.proves("ING-33", "ING-36", "ING-37", "ING-39")
def test_whatever_files_say_the_promises_hold(records: list[Claims], random: object, holders: dict[str, str]) -> None:
    found = resolve(records, holders)
    known = {record.key: record for record in records}
    assert set(found.verdicts) | set(found.refused) == set(known)
    assert not set(found.verdicts) & set(found.refused)

    in_force = [verdict.target for verdict in found.verdicts.values() if verdict.status == "active"]
    assert len(in_force) == len(set(in_force))
    assert not set(in_force) & set(holders)

    replaced = {old for verdict in found.verdicts.values() for old in verdict.supersedes}
    for key, verdict in found.verdicts.items():
        if verdict.status == "active":
            assert known[key].standing is Standing.IN_FORCE
            assert key not in replaced
        if verdict.supersedes:
            assert known[key].standing.came_into_force
        assert {other for _, other in verdict.links} | set(verdict.supersedes) <= set(found.verdicts)

    settled: set[str] = set()  # acyclic: what replaces nothing unsettled can be settled, until all are
    while len(settled) < len(found.verdicts):
        ready = {key for key, verdict in found.verdicts.items() if set(verdict.supersedes) <= settled} - settled
        assert ready, "the supersede graph has a cycle"
        settled |= ready

    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert resolve(shuffled, holders) == found
