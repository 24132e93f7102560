"""`ingest golden` and `ingest ground-truth`: queries, and what a search for them should find."""

import gzip
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from neo4j import AsyncDriver

from ingest.queries import ingest_queries
from ingest.records import BadRecord, ExpectedFinds
from ingest.sources.queries import QueryKind, read_queries
from server.graph.graph import Graph

pytestmark = pytest.mark.anyio
Cypher = Callable[..., Awaitable[list[dict[str, Any]]]]
GOLDEN = """
MATCH (golden:GoldenQuery {namespace: $namespace})
RETURN golden.query AS query, golden.query_type AS type,
  COLLECT { MATCH (golden)-[:SHOULD_FIND]->(i:Insight) RETURN i.id ORDER BY i.id } AS expected
ORDER BY golden.id
"""


@pytest.fixture
def cypher(driver: AsyncDriver, namespace: str) -> Cypher:
    async def run(text: Any) -> list[dict[str, Any]]:
        answer = await driver.execute_query(text, {"namespace": namespace}, database_="neo4j")
        return [record.data() for record in answer.records]

    return run


@pytest.fixture
async def insights(cypher: Cypher) -> None:
    """Insights 1 to 4; 3 and 4 say the same."""
    await cypher(
        "UNWIND [[1, 'Ada keeps a parrot.'], [2, 'It talks.'], [3, 'Twice.'], [4, 'Twice.']] AS row "
        "CREATE (:Insight {namespace: $namespace, id: row[0], content: row[1]}) "
        "CREATE (:Insight {namespace: $namespace + ' other', id: row[0] + 100, content: 'Elsewhere.'})"
    )


def lines(path: Path, *values: object) -> Path:
    path.write_text("".join(f"{value if isinstance(value, str) else json.dumps(value)}\n" for value in values))
    return path


def counts(summary: Any) -> dict[str, int]:
    names = ("created", "updated", "unchanged", "bad")
    return {name: getattr(summary, name) for name in names if getattr(summary, name)}


@pytest.mark.proves("ING-58")
async def test_golden_queries_expect_insights_by_id_and_by_content(
    graph: Graph, namespace: str, tmp_path: Path, insights: None, cypher: Cypher
) -> None:
    file = lines(
        tmp_path / "golden.jsonl",
        {"query": "Who keeps a parrot?", "expected": [1, "It talks.", 1]},
        {"query": "one two three four five six seven eight nine ten eleven", "expected": ["Twice."]},
        {"query": "Said to be long", "expected": [2], "type": "long"},
    )
    summary = await ingest_queries(graph, namespace, file, "golden")
    assert (counts(summary), summary.bad_records, summary.remarks) == ({"created": 3}, [], [])
    assert await cypher(GOLDEN) == [
        {"query": "Who keeps a parrot?", "type": "short", "expected": [1, 2]},
        {"query": "one two three four five six seven eight nine ten eleven", "type": "medium", "expected": [3, 4]},
        {"query": "Said to be long", "type": "long", "expected": [2]},
    ]
    [row] = await cypher(
        "MATCH (g:GoldenQuery {namespace: $namespace})-[:FROM]->(s:Source)-[:PART_OF_RUN]->(r:IngestRun) "
        "RETURN count(g) AS queries, s.kind AS kind, s.state AS state, s.records AS records, r.created AS created"
    )
    assert row == {"queries": 3, "kind": "golden", "state": "done", "records": 3, "created": 3}


@pytest.mark.proves("ING-6", "ING-7", "ING-8", "ING-60")
async def test_a_second_run_changes_nothing_and_a_changed_line_only_its_query(
    graph: Graph, namespace: str, tmp_path: Path, insights: None, cypher: Cypher
) -> None:
    first, second = {"query": "a", "expected": [1]}, {"query": "b", "expected": [2]}
    file = lines(tmp_path / "golden.jsonl", first, second)
    await ingest_queries(graph, namespace, file, "golden")
    assert counts(await ingest_queries(graph, namespace, file, "golden")) == {"unchanged": 2}
    lines(file, first, {"query": "b", "expected": [3, 1], "type": "medium"}, {"query": "c", "expected": [2]})
    dry = await ingest_queries(graph, namespace, file, "golden", dry_run=True)
    assert [row["query"] for row in await cypher(GOLDEN)] == ["a", "b"]
    real = await ingest_queries(graph, namespace, file, "golden")
    assert counts(dry) == counts(real) == {"created": 1, "updated": 1, "unchanged": 1}
    assert [(row["query"], row["type"], row["expected"]) for row in await cypher(GOLDEN)] == [
        ("a", "short", [1]), ("b", "medium", [1, 3]), ("c", "short", [2]),
    ]  # fmt: skip
    # The same bytes under another name are read, and found to be there.
    copy = tmp_path / "golden.jsonl.gz"
    copy.write_bytes(gzip.compress(file.read_bytes()))
    assert counts(await ingest_queries(graph, namespace, copy, "golden")) == {"unchanged": 3}
    assert counts(await ingest_queries(graph, namespace, file, "golden", again=True)) == {"updated": 3}
    [runs] = await cypher("MATCH (r:IngestRun {namespace: $namespace}) RETURN count(r) AS runs")
    assert runs == {"runs": 4}, "what changes nothing leaves a mark only where the file was not known"


@pytest.mark.proves("ING-61")
async def test_a_query_whose_insights_are_not_there_is_set_aside_until_they_are(
    graph: Graph, namespace: str, tmp_path: Path, insights: None, cypher: Cypher
) -> None:
    file = lines(
        tmp_path / "golden.jsonl",
        {"query": "a", "expected": [1, 9]},
        {"query": "b", "expected": ["It  talks."]},
        {"query": "c", "expected": ["Elsewhere."]},
        {"query": "d", "expected": [2]},
    )
    summary = await ingest_queries(graph, namespace, file, "golden")
    assert [(record.line, record.reason) for record in summary.bad_records] == [
        (1, "it expects the insight 9, which is not in the namespace"),
        (2, "no insight has exactly this content: 'It  talks.'"),
        (3, "no insight has exactly this content: 'Elsewhere.'"),
    ]
    await cypher("CREATE (:Insight {namespace: $namespace, id: 9, content: 'It  talks.'})")
    assert counts(await ingest_queries(graph, namespace, file, "golden")) == {"created": 2, "unchanged": 1, "bad": 1}


@pytest.mark.proves("ING-59", "ING-60")
async def test_ground_truth_reports_the_id_by_which_it_is_judged(
    graph: Graph, namespace: str, tmp_path: Path, insights: None, cypher: Cypher
) -> None:
    file = lines(tmp_path / "truth.jsonl", {"query": "Who?", "expected": ["It talks."]}, {"query": "When?"})
    assert (await ingest_queries(graph, namespace, file, "ground-truth", dry_run=True)).remarks == []
    summary = await ingest_queries(graph, namespace, file, "ground-truth")
    rows = await cypher("MATCH (t:GroundTruth {namespace: $namespace}) RETURN t.id AS id, t.query AS query ORDER BY id")
    assert [(remark.about, remark.text) for remark in summary.remarks] == [
        (row["query"], f"its query_id is {row['id']}") for row in rows
    ]
    assert len(rows) == 2
    # What was judged stays when what should be found changes.
    await cypher("MATCH (t:GroundTruth {namespace: $namespace, query: 'Who?'}) SET t.kappa = 0.5")
    lines(file, {"query": "Who?", "expected": [1]})
    assert counts(await ingest_queries(graph, namespace, file, "ground-truth")) == {"updated": 1}
    [row] = await cypher(
        "MATCH (t:GroundTruth {namespace: $namespace})-[:SHOULD_FIND]->(i) RETURN t.kappa AS kappa, i.id AS insight"
    )
    assert row == {"kappa": 0.5, "insight": 1}


@pytest.mark.proves("ING-63")
async def test_one_file_may_hold_both_kinds(graph: Graph, namespace: str, tmp_path: Path, insights: None) -> None:
    file = lines(tmp_path / "queries.jsonl", {"query": "Who?", "expected": [1]})
    for kind in get_args(QueryKind):
        assert counts(await ingest_queries(graph, namespace, file, kind)) == {"created": 1}
        assert counts(await ingest_queries(graph, namespace, file, kind)) == {"unchanged": 1}


async def test_a_file_that_is_not_there_is_set_aside(graph: Graph, namespace: str, tmp_path: Path) -> None:
    summary = await ingest_queries(graph, namespace, tmp_path / "none.jsonl", "golden")
    assert counts(summary) == {"bad": 1}


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("{", "golden", "it is not valid JSON"),
        ("[1]", "golden", "it is not an object with query and expected"),
        ("3", "golden", "it is not an object with query and expected"),
        ('{"expected": [1]}', "golden", "its query is not a text of 1 to 1,000"),
        ('{"query": " ", "expected": [1]}', "golden", "its query is not a text of 1 to 1,000"),
        ('{"query": "\\ud800", "expected": [1]}', "golden", "its query is not a text of 1 to 1,000"),
        ({"query": "x" * 1001, "expected": [1]}, "golden", "its query is not a text of 1 to 1,000"),
        ('{"query": 1, "expected": [1]}', "golden", "its query is not a text of 1 to 1,000"),
        ('{"query": "q"}', "golden", "it expects no insight"),
        ('{"query": "q", "expected": []}', "golden", "it expects no insight"),
        ('{"query": "q", "expected": 1}', "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": null}', "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": [true]}', "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": [0]}', "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": [1.5]}', "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": [9007199254740992]}', "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": [""]}', "ground-truth", "its expected is not a list"),
        ({"query": "q", "expected": list(range(1, 1002))}, "ground-truth", "its expected is not a list"),
        ('{"query": "q", "expected": [1], "type": "huge"}', "golden", "its type is not one of short, medium, long"),
        ('{"query": "q", "expected": [1], "type": ["short"]}', "golden", "its type is not one of short, medium, long"),
        ('{"query": "q", "expected": [1], "type": "short"}', "ground-truth", "it has unknown fields: type"),
        ('{"query": "q", "expectd": [1]}', "golden", "it has unknown fields: expectd"),
        ('{"query": "good", "expected": [1]}', "golden", "line 2 has the same query"),
    ],
)
@pytest.mark.proves("ING-62")
def test_a_line_that_is_no_query_is_set_aside_by_its_number(
    line: object, kind: QueryKind, reason: str, tmp_path: Path
) -> None:
    good = {"query": "good", "expected": [1]}
    records = list(read_queries(lines(tmp_path / "a.jsonl", "", good, line, {**good, "query": "last"}), kind))
    assert [record.query for record in records if isinstance(record, ExpectedFinds)] == ["good", "last"]
    [bad] = [record for record in records if isinstance(record, BadRecord)]
    assert (bad.line, bad.reason[: len(reason)]) == (3, reason)
