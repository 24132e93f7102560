"""Triples from TSV, CSV and JSON Lines."""

import csv
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.records import BadRecord, Triple
from ingest.sources.lines import MAX_LINE
from ingest.sources.triples import TripleFormat, read_triples

CODEX = Path(__file__).parents[4] / "shared/data/codex-s.tsv.gz"


def read(tmp_path: Path, name: str, content: str | bytes) -> tuple[list[Triple], list[tuple[int, str]]]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = list(read_triples(path))
    good = [part for part in found if isinstance(part, Triple)]
    return good, [(part.line, part.reason) for part in found if isinstance(part, BadRecord)]


@pytest.mark.proves("ING-51", "ING-52")
def test_tsv_is_taken_as_it_is(tmp_path: Path) -> None:
    good, bad = read(tmp_path, "a.tsv", '"Ada"\tKNOWS\tGrace, H.\r\n\nb\tR\tc\t0.5\t{"since": 1}\tPerson\n')
    assert good == [
        Triple('"Ada"', "KNOWS", "Grace, H.", line=1),
        Triple("b", "R", "c", 0.5, {"since": 1}, "Person", line=3),
    ]
    assert bad == []


@pytest.mark.proves("ING-52")
def test_csv_fields_may_hold_commas_quotes_and_line_breaks(tmp_path: Path) -> None:
    good, bad = read(tmp_path, "a.csv", 'a,R,"b, ""c""\nd"\ne,R,f,,"{""k"": [1, null]}"\n')
    assert good == [
        Triple("a", "R", 'b, "c"\nd', line=1),
        Triple("e", "R", "f", properties={"k": [1, None]}, line=3),
    ]
    assert bad == []


@pytest.mark.proves("ING-51")
def test_a_header_sets_the_order(tmp_path: Path) -> None:
    good, _ = read(tmp_path, "a.csv", "Object,Subject,predicate,weight\nb,a,R,0.25\n")
    assert good == [Triple("a", "R", "b", 0.25, line=2)]


@pytest.mark.proves("ING-52")
def test_json_lines_are_objects_or_arrays(tmp_path: Path) -> None:
    lines = [{"head": "a", "relation": "R", "tail": "b", "properties": {"x": {}}}, ["c", "R", "d", 1]]
    good, _ = read(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines)))
    assert good == [Triple("a", "R", "b", properties={"x": {}}, line=1), Triple("c", "R", "d", 1.0, line=2)]


@pytest.mark.proves("ING-50")
def test_a_gzipped_file_is_read_as_it_is_whatever_its_name(tmp_path: Path) -> None:
    content = gzip.compress(b"a\tR\tb\n")
    assert (
        read(tmp_path, "a.tsv.gz", content)[0] == read(tmp_path, "b.tsv", content)[0] == [Triple("a", "R", "b", line=1)]
    )


@pytest.mark.parametrize(
    ("name", "lines", "reason"),
    [
        ("a.tsv", b"a\tR", "2 fields"),
        ("a.tsv", b"a\tR\tb\t1\t{}\tA\tB\tC", "8 fields"),
        ("a.tsv", b"\tR\tb", "head"),
        ("a.tsv", b"a\t \tb", "relation"),
        ("a.tsv", b"a\tR\tb\theavy", "weight"),
        ("a.tsv", b"a\tR\tb\t1.5", "weight"),
        ("a.tsv", b"a\tR\tb\tnan", "weight"),
        ("a.tsv", b"a\tR\tb\t1\t[1]", "properties"),
        ("a.tsv", b"a\tR\t\xff", "UTF-8"),
        ("a.tsv", b"a\tR\t" + b"x" * 1001, "1,000"),
        ("a.tsv", b"a\tR\t" + b"x" * MAX_LINE, "longer than"),
        ("a.csv", b'a,"R"x,b', "CSV"),
        ("a.jsonl", b'{"head": "a"', "JSON"),
        ("a.jsonl", b"3", "neither"),
        ("a.jsonl", b'{"head": "a", "relation": "R", "tail": 3}', "tail"),
        ("a.jsonl", b'{"head": "a", "relation": "R", "tail": "b", "colour": 1}', "colour"),
        ("a.jsonl", b'["a", "R", "b", NaN]', "NaN"),
        ("a.jsonl", b'["a", "R", "b", true]', "weight"),
        ("a.jsonl", b'["\\ud800", "R", "b"]', "Unicode"),
        ("a.jsonl", b"[" * 100_000, "JSON"),
    ],
)
@pytest.mark.proves("ING-54", "ING-55")
def test_a_bad_record_is_set_aside_with_its_line_and_the_rest_goes_on(
    tmp_path: Path, name: str, lines: bytes, reason: str
) -> None:
    fine = {"a.tsv": b"%s\tR\tb", "a.csv": b"%s,R,b", "a.jsonl": b'["%s", "R", "b"]'}[name]
    good, bad = read(tmp_path, name, b"\n".join([fine % b"first", lines, fine % b"last"]))
    assert [triple.head for triple in good] == ["first", "last"]
    assert [line for line, _ in bad] == [2]
    assert reason in bad[0][1]


@pytest.mark.proves("ING-55")
def test_a_compressed_file_that_is_cut_off_yields_its_rows_and_the_line_where_it_ends(tmp_path: Path) -> None:
    rows = b"".join(b"a%d\tR\tb\n" % number for number in range(20_000))
    good, bad = read(tmp_path, "a.tsv.gz", gzip.compress(rows)[:-2000])
    assert 0 < len(good) < 20_000
    assert len(bad) == 1
    assert bad[0][0] == len(good) + 1


@pytest.mark.proves("ING-50")
def test_a_name_that_shows_no_format_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, "a.parquet", b"")[1][0][0] == 0


@pytest.mark.skipif(not CODEX.exists(), reason="shared/data/codex-s.tsv.gz is not beside this repository")
def test_codex_s_is_read_whole() -> None:
    found = list(read_triples(CODEX))
    assert len(found) == 36_543
    assert all(isinstance(part, Triple) for part in found)
    assert len({name for part in found if isinstance(part, Triple) for name in (part.head, part.tail)}) == 2_034


_WORD = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(lambda text: text.strip() != "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_WORD, _WORD, _WORD, st.floats(0, 1)), max_size=20), st.sampled_from(["csv", "jsonl"]))
def test_what_was_written_is_what_is_read(
    tmp_path: Path, rows: list[tuple[str, str, str, float]], form: TripleFormat
) -> None:
    path = tmp_path / f"a.{form}"
    with path.open("w", encoding="utf-8", newline="") as file:
        if form == "csv":
            csv.writer(file).writerows([("head", "relation", "tail", "weight"), *rows])
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    found = list(read_triples(path))
    assert [(t.head, t.relation, t.tail, t.weight) for t in found if isinstance(t, Triple)] == rows
    assert len(found) == len(rows)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(st.binary(), st.text('ab",\t\n\r[]{}:1\x00é').map(str.encode)), st.sampled_from(["tsv", "csv", "jsonl"])
)
@pytest.mark.proves("ING-12")
def test_no_bytes_make_the_reader_fail(tmp_path: Path, content: bytes, form: TripleFormat) -> None:
    path = tmp_path / f"a.{form}"
    path.write_bytes(content)
    for part in read_triples(path):
        assert isinstance(part, Triple | BadRecord)
        assert 0 <= part.line <= content.count(b"\n") + content.count(b"\r") + 1
