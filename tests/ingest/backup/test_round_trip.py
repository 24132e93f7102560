"""What was exported and imported is the same graph."""

import itertools
import json
import stat
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from ingest.backup.survey import Survey
from server.core.errors import Conflict, NotFound
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.ingest.backup.snapshot import cypher, exported, imported, take_snapshot

pytestmark = pytest.mark.anyio
_copies = itertools.count(1)
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_word = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
# Those with names are below: the driver cannot send all that Neo4j knows.
_zones = st.sampled_from([UTC, timezone(timedelta(minutes=345))])
_years = (datetime(1800, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001 - their zones are drawn
_values = (
    _text
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.datetimes(*_years, timezones=_zones)
    | st.datetimes(*_years)
    | st.dates(date(1, 1, 1))
    | st.times()
    | st.binary(max_size=4)
    | st.lists(_text, max_size=3)
    | st.lists(st.floats(), max_size=3)
    | st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3)
    | st.lists(st.datetimes(*_years, timezones=_zones), max_size=2)
)
_properties = st.dictionaries(_word.filter(lambda key: key not in {"uid", "namespace"}), _values, max_size=4)


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Small graphs with loops, parallel relationships, nodes alike and nodes without a label."""
    nodes = draw(st.lists(st.tuples(st.sets(_word, max_size=2), _properties), min_size=1, max_size=5))
    ends = st.integers(0, len(nodes) - 1)
    relations = draw(st.lists(st.tuples(ends, _word, ends, _properties), max_size=6))
    return {
        "nodes": [
            {"uid": uid, "labels": list(labels), "p": properties} for uid, (labels, properties) in enumerate(nodes)
        ],
        "relations": [{"a": a, "type": type_, "b": b, "p": properties} for a, type_, b, properties in relations],
    }


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


_CREATE = """
UNWIND $nodes AS node CREATE (n:$(node.labels)) SET n = node.p, n.uid = node.uid, n.namespace = $n
WITH count(*) AS made
UNWIND $relations AS each
MATCH (a {namespace: $n, uid: each.a}), (b {namespace: $n, uid: each.b})
CREATE (a)-[r:$(each.type)]->(b) SET r = each.p
"""


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(held=graphs())
@pytest.mark.proves("ING-64", "ING-70", "ING-74")
async def test_any_graph_comes_back_exactly_also_under_another_name(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path, held: dict[str, Any]
) -> None:
    source = f"{namespace}-{next(_copies)}"
    file = tmp_path / "a.jsonl"
    await cypher(driver, _CREATE, n=source, **held)
    before = await exported(graph, source, file)
    await imported(graph, file, f"{source}-copy")
    assert await take_snapshot(driver, f"{source}-copy") == await take_snapshot(driver, source)
    after = await exported(graph, f"{source}-copy", tmp_path / "b.jsonl.gz")
    assert after.manifest.content == before.manifest.content
    assert (before.manifest.nodes, before.manifest.relations) == (len(held["nodes"]), len(held["relations"]))


@pytest.mark.proves("ING-64")
async def test_values_that_only_neo4j_knows_come_back_to_the_last_second(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    await cypher(
        driver,
        """
        CREATE (a:Thing {namespace: $n, uid: 1,
          old: datetime({year: 1800, timezone: 'Europe/Berlin'}), far: datetime({year: 12345, timezone: 'UTC'}),
          second: datetime('2025-10-26T02:30:00+01:00[Europe/Berlin]'),
          odd: datetime({year: 2020, timezone: '-00:00:01'}),
          zulu: datetime('2020-01-01T00:00:00.000000001Z'), utc: datetime('2020-01-01T00:00:00Z[UTC]'),
          at: time({hour: 1, timezone: '+01:00:30'}), span: duration({months: -14, seconds: 0, nanoseconds: -1}),
          flat: point({x: 1.5, y: -0.0}), globe: point({longitude: 1, latitude: 2, height: 3}),
          places: [point({x: 1, y: 2, z: 3})], spans: [duration('P1D')], dates: [date({year: -999999999})]})
        CREATE (a)-[:IS {at: localtime('01:02:03.000000004'), when: [datetime('2020-01-01T00:00:00+18:00')]}]->(a)
        """,
        n=namespace,
    )
    before = await exported(graph, namespace, tmp_path / "a.jsonl")
    await imported(graph, tmp_path / "a.jsonl", f"{namespace}-copy")
    assert await take_snapshot(driver, f"{namespace}-copy") == await take_snapshot(driver, namespace)
    assert before.manifest.relations == 1


@pytest.mark.proves("ING-79")
async def test_numbers_continue_after_those_of_the_backup(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    taken = await IdSequence(graph).take(namespace, 250)
    await cypher(driver, "CREATE (:Entity {namespace: $n, name: 'a', node_id: $id})", n=namespace, id=taken[-1])
    await exported(graph, namespace, tmp_path / "a.jsonl")
    await imported(graph, tmp_path / "a.jsonl", f"{namespace}-copy")
    assert min(await IdSequence(graph).take(f"{namespace}-copy", 3)) > taken[-1]


@pytest.mark.proves("ING-66", "ING-67", "ING-80")
async def test_what_no_search_of_this_namespace_needs_stays_where_it_is(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    await cypher(
        driver,
        """
        CREATE (:Passage:Unprojected {namespace: $n, id: 'p', record: 1, text: 't', revision: 1, vector: $v})
          -[:PASSAGE_OF]->(:Decision {namespace: $n, id: 'd', uid: 1, title: 't', rationale: 'r', revision: 1})
        CREATE (:Token {namespace: $n, digest: $n, name: $n}), (:Tombstone {namespace: $n, kind: 'passage', key: 'k'})
        CREATE (inside:Entity {namespace: $n, name: 'a', uid: 2})-[:R]->(:Entity {namespace: $n + '-else', name: 'b'})
        CREATE (inside)<-[:R]-(:Stray)
        """,
        n=namespace,
        v=b"\0\1",
    )
    original = await exported(graph, namespace, tmp_path / "a.jsonl")
    assert original.manifest.labels == {"Decision": 1, "Entity": 1, "Passage": 1}
    assert (original.manifest.relations, original.left_out) == (1, 2)
    text = (tmp_path / "a.jsonl").read_text()
    assert not [word for word in ("Token", "digest", "Tombstone", "Unprojected", "vector") if word in text]
    assert stat.S_IMODE((tmp_path / "a.jsonl").stat().st_mode) == 0o600
    done = await imported(graph, tmp_path / "a.jsonl", f"{namespace}-copy")
    assert done.queued == 1
    found = await cypher(driver, "MATCH (p:Passage:Unprojected {namespace: $n}) RETURN p.id", n=f"{namespace}-copy")
    assert found == [["p"]]
    assert await cypher(driver, "MATCH (n:Arriving|ArchiveImport) RETURN n.namespace") == []
    await cypher(driver, "MATCH (n {namespace: $n}) DETACH DELETE n", n=namespace)


@pytest.mark.proves("ING-69")
async def test_a_backup_has_a_manifest_then_nodes_then_relationships_and_a_checksum_each_thousand_lines(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    made = "UNWIND range(1, 1200) AS id CREATE (:Thing {namespace: $n, uid: id})-[:R]->(:Thing {namespace: $n})"
    await cypher(driver, made, n=namespace)
    await exported(graph, namespace, tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    checksums = [number for number, line in enumerate(lines) if "sha256" in line]
    assert checksums == [1000, 2001, 3002, len(lines) - 1]
    kinds = [kind for line in lines for kind in ("archive", "node", "relation") if kind in line]
    assert kinds == ["archive", *["node"] * 2400, *["relation"] * 1200]


@pytest.mark.proves("ING-68")
async def test_an_empty_namespace_is_refused_and_leaves_no_file(graph: Graph, namespace: str, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=namespace):
        await exported(graph, namespace, tmp_path / "a.jsonl")
    assert _files(tmp_path) == []


@pytest.mark.proves("ING-65", "ING-66")
async def test_a_write_during_an_export_is_in_the_backup_or_refuses_it(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two readings something is written: twice, and then it rests; or without an end."""
    await cypher(driver, "CREATE (:Thing {namespace: $n, uid: 0})", n=namespace)
    run, writes = Survey.run, [2]

    async def disturbed(survey: Survey, *given: Any) -> Survey:
        if writes[0] > 0:
            writes[0] -= 1
            made = "MATCH (a {namespace: $n, uid: 0}) CREATE (a)-[:R]->(:Thing {namespace: $n, uid: $id})"
            await cypher(driver, made, n=namespace, id=writes[0] + 1)
        return await run(survey, *given)

    monkeypatch.setattr(Survey, "run", disturbed)
    file = tmp_path / "a.jsonl"
    original = await exported(graph, namespace, file)
    assert (original.manifest.nodes, original.manifest.relations) == (3, 2)
    monkeypatch.setattr(Survey, "run", run)
    await imported(graph, file, f"{namespace}-copy")
    kept = file.read_bytes()
    monkeypatch.setattr(Survey, "run", disturbed)
    writes[0] = 1000
    with pytest.raises(Conflict, match="written to"):
        await exported(graph, namespace, file)
    assert file.read_bytes() == kept
    assert _files(tmp_path) == ["a.jsonl"]


@pytest.mark.proves("ING-71")
async def test_a_namespace_that_holds_anything_or_did_is_not_imported_into(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    await cypher(driver, "CREATE (:Thing {namespace: $n, uid: 0})", n=namespace)
    await exported(graph, namespace, tmp_path / "a.jsonl")
    before = await take_snapshot(driver, namespace)
    with pytest.raises(Conflict, match="not empty"):
        await imported(graph, tmp_path / "a.jsonl")
    assert await take_snapshot(driver, namespace) == before
    await IdSequence(graph).take(f"{namespace}-used")
    with pytest.raises(Conflict, match="given out"):
        await imported(graph, tmp_path / "a.jsonl", f"{namespace}-used")
    assert await cypher(driver, "MATCH (n:Arriving|ArchiveImport) RETURN n.namespace") == []


@pytest.mark.proves("ING-78")
async def test_of_two_imports_at_once_one_brings_all_and_the_other_ends(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    nodes = "UNWIND range(1, 600) AS id CREATE (:Thing {namespace: $n, uid: id})-[:R]->(:Other {namespace: $n})"
    await cypher(driver, nodes, n=namespace)
    file = tmp_path / "a.jsonl"
    original = await exported(graph, namespace, file)
    ends: list[str] = []

    async def bring() -> None:
        try:
            await imported(graph, file, f"{namespace}-copy")
        except Conflict:
            ends.append("refused")
        else:
            ends.append("imported")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bring)
        tasks.start_soon(bring)
    assert sorted(ends) == ["imported", "refused"]
    assert (await exported(graph, f"{namespace}-copy", file)).manifest.content == original.manifest.content
    assert await cypher(driver, "MATCH (n:Arriving|ArchiveImport) RETURN n.namespace") == []


@pytest.mark.proves("ING-74", "ING-77")
async def test_who_writes_while_it_is_filled_keeps_what_was_written_and_ends_the_import(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cypher(driver, "CREATE (:Thing {namespace: $n, uid: 0})", n=namespace)
    await exported(graph, namespace, tmp_path / "a.jsonl")
    run, copy = Survey.run, f"{namespace}-copy"

    async def disturbed(survey: Survey, *given: Any) -> Survey:
        await cypher(driver, "CREATE (:Entity {namespace: $n, name: 'mine', uid: 1})", n=copy)
        return await run(survey, *given)

    monkeypatch.setattr(Survey, "run", disturbed)
    with pytest.raises(Conflict, match="somebody wrote"):
        await imported(graph, tmp_path / "a.jsonl", copy)
    assert await cypher(driver, "MATCH (n {namespace: $n}) RETURN labels(n), n.name", n=copy) == [[["Entity"], "mine"]]
