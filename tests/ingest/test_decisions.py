"""`ingest.decisions` on a real Neo4j."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver, GraphDatabase

from ingest.decisions import ingest_decisions
from ingest.pipeline import IngestSummary
from ingest.sample import load_sample
from server.core.errors import Conflict
from server.graph.graph import Graph
from tests.ingest.dump import dump, ids

pytestmark = pytest.mark.anyio
PEPS = Path(__file__).parents[3] / "shared/data/peps-0001-0499.tar.gz"


def counts(summary: IngestSummary) -> tuple[int, int, int, int]:
    return summary.created, summary.updated, summary.unchanged, summary.bad


def write(folder: Path, number: int, body: str = "We do it.", **matter: str) -> Path:
    """A decision record `NNNN-record.md` with front matter."""
    values = {"status": "accepted", "date": f"2024-01-{number:02}", **matter}
    lines = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in values.items())
    file = folder / f"{number:04}-record.md"
    file.write_text(f"---\n{lines}---\n# Record {number}\n\n## Decision\n\n{body}\n")
    return file


async def decision(driver: AsyncDriver, namespace: str, key: str) -> dict[str, Any]:
    found = await driver.execute_query(
        "MATCH (d:Decision {namespace: $n, id: $id}) RETURN d {.*, labels: labels(d)} AS d", n=namespace, id=key
    )
    return dict(found.records[0]["d"])


async def edges(driver: AsyncDriver, namespace: str, *types: str) -> set[tuple[str, str, str]]:
    found = await driver.execute_query(
        "MATCH (a:Decision {namespace: $n})-[r]->(b) WHERE type(r) IN $types "
        "RETURN a.id AS a, type(r) AS r, coalesce(b.id, b.name) AS b",
        n=namespace,
        types=list(types),
    )
    return {(record["a"], record["r"], record["b"]) for record in found.records}


async def supersede_in_service(driver: AsyncDriver, namespace: str, old: str) -> None:
    """What `supersede_decision` leaves behind when a person replaces an ingested decision."""
    await driver.execute_query(
        "MATCH (old:Decision {namespace: $n, id: $old}) "
        "SET old.status = 'superseded', old.superseded_by = 'decision_1' "
        "WITH old, old.target AS target REMOVE old.active_target "
        "CREATE (:Decision {namespace: $n, id: 'decision_1', node_id: -1, status: 'active', target: target, "
        "active_target: target, name: 'new', title: 'new'})-[:SUPERSEDES]->(old)",
        n=namespace,
        old=old,
    )


@pytest.mark.proves("ING-25")
async def test_a_record_becomes_a_decision_by_humans_of_its_own_date(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    folder = tmp_path / "shop/docs/adr"
    folder.mkdir(parents=True)
    write(folder, 1, "PostgreSQL.\n\n## Consequences\n\n- One server", target="storage", deciders="[Ada, Grace]")
    assert counts(await ingest_decisions(graph, namespace, [folder])) == (1, 0, 0, 0)
    found = await decision(driver, namespace, "shop ADR 1")
    assert found["created_at"].iso_format() == "2024-01-01T00:00:00.000000000+00:00"
    expected = {
        "name": "shop ADR 1: Record 1", "title": "Record 1", "target": "storage", "target_key": "storage",
        "active_target": "storage",
        "rationale": "PostgreSQL.", "consequences": ["One server"], "status": "active", "source_status": "accepted",
        "origin": "human", "created_by": "Ada, Grace", "revision": 1, "labels": ["Decision"],
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    assert await edges(driver, namespace, "ABOUT", "DECIDED_BY", "FROM") == {
        ("shop ADR 1", "ABOUT", "storage"),
        ("shop ADR 1", "DECIDED_BY", "Ada"),
        ("shop ADR 1", "DECIDED_BY", "Grace"),
        ("shop ADR 1", "FROM", "0001-record.md"),
    }


@pytest.mark.proves("ING-28")
async def test_relations_of_front_matter_join_entities_and_the_decision_mentions_them(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1, target="storage", relations="[[Shop, USES, Neo4j]]", labels="{Neo4j: Technology}")
    await ingest_decisions(graph, namespace, [tmp_path], project="shop")
    found = await driver.execute_query(
        "MATCH (a:Entity {namespace: $n})-[r:USES]->(b:Technology) RETURN a.name AS a, b.name AS b, b.label AS label, "
        "r.relation AS relation, r.weight AS weight",
        n=namespace,
    )
    assert [record.data() for record in found.records] == [
        {"a": "Shop", "b": "Neo4j", "label": "Technology", "relation": "USES", "weight": 1.0}
    ]
    assert await edges(driver, namespace, "MENTIONS") == {
        ("shop ADR 1", "MENTIONS", "Shop"),
        ("shop ADR 1", "MENTIONS", "Neo4j"),
    }


@pytest.mark.proves("ING-31")
async def test_a_changed_file_updates_its_record_and_what_bears_on_it(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1, deciders="Ada")
    write(tmp_path, 2, "See ADR-1.")
    write(tmp_path, 3, "Alone.")
    assert counts(await ingest_decisions(graph, namespace, [tmp_path], project="p")) == (3, 0, 0, 0)
    write(tmp_path, 2, "Otherwise.", supersedes="1", deciders="Grace")
    assert counts(await ingest_decisions(graph, namespace, [tmp_path], project="p")) == (0, 2, 1, 0)
    one, two = await decision(driver, namespace, "p ADR 1"), await decision(driver, namespace, "p ADR 2")
    assert (one["status"], one["superseded_by"], one.get("active_target")) == ("superseded", "p ADR 2", None)
    assert one["superseded_at"] == two["created_at"]
    assert (two["status"], two["target"], two["active_target"]) == ("active", "p ADR 1", "p adr 1")
    assert (one["revision"], two["revision"]) == (1, 2)
    links = await edges(driver, namespace, "SUPERSEDES", "MENTIONS", "DECIDED_BY", "ABOUT")
    assert links == {
        ("p ADR 2", "SUPERSEDES", "p ADR 1"),
        ("p ADR 1", "DECIDED_BY", "Ada"),
        ("p ADR 2", "DECIDED_BY", "Grace"),
        ("p ADR 1", "ABOUT", "p ADR 1"),
        ("p ADR 2", "ABOUT", "p ADR 1"),
        ("p ADR 3", "ABOUT", "p ADR 3"),
    }
    write(tmp_path, 2, "Otherwise.", deciders="Grace")  # and back
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    one = await decision(driver, namespace, "p ADR 1")
    assert (one["status"], one["active_target"], one.get("superseded_by")) == ("active", "p adr 1", None)
    assert await edges(driver, namespace, "SUPERSEDES") == set()


@pytest.mark.proves("ING-33")
async def test_records_read_in_parts_and_in_any_order_give_the_graph_of_one_run(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    files = [
        write(tmp_path, 1, "See ADR-3.", status="superseded by ADR-2"),
        write(tmp_path, 2, "See ADR-4.", supersedes="1"),
        write(tmp_path, 3, "Then.", supersedes="[2, 4]", requires="1"),
        write(tmp_path, 4, "Now.", status="rejected", superseded_by="3"),
    ]
    await ingest_decisions(graph, namespace, files, project="p")
    for number, order in enumerate([(3, 2, 1, 0), (2, 0, 3, 1)]):
        other = f"{namespace}-{number}"
        for index in order:
            await ingest_decisions(graph, other, [files[index]], project="p")
        together, parts = await dump(driver, namespace), await dump(driver, other)
        assert parts["edges"] == together["edges"]
        # A target that a record had in between is an entity of its own now, and stays one.
        assert [node for node in parts["nodes"] if "Entity" not in node] == [
            node for node in together["nodes"] if "Entity" not in node
        ]


@pytest.mark.proves("ING-42")
async def test_two_records_trade_their_targets_in_one_run(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1, target="storage")
    write(tmp_path, 2, target="queues")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    write(tmp_path, 1, target="queues")
    write(tmp_path, 2, target="storage")
    summary = await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert counts(summary) == (0, 2, 0, 0)
    held = [(await decision(driver, namespace, f"p ADR {number}"))["active_target"] for number in (1, 2)]
    assert held == ["queues", "storage"]


@pytest.mark.proves("ING-3", "ING-40")
async def test_a_record_for_a_target_that_an_agent_decided_is_set_aside_and_the_rest_goes_on(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    await driver.execute_query(
        "CREATE (:Decision {namespace: $n, id: 'decision_1', node_id: -1, status: 'active', target: 'storage', "
        "active_target: 'storage'})",
        n=namespace,
    )
    file = write(tmp_path, 1, target="storage")
    write(tmp_path, 2)
    summary = await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert counts(summary) == (1, 0, 0, 1)
    assert summary.bad_records[0].file == str(file)
    assert "decision_1 is in force" in summary.bad_records[0].reason


class _Meanwhile:
    """Lets somebody else act in the moment between reading the graph and writing to it, once."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act: Callable[[], object] | None = act

    def report(self, stage: str, records: int, share: float) -> None:
        if self._act is not None:
            act, self._act = self._act, None
            act()


@pytest.mark.proves("ING-42")
async def test_a_decision_made_while_records_are_being_written_wins_and_the_rest_goes_on(
    graph: Graph, driver: AsyncDriver, neo4j: tuple[str, str, str], namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1, target="storage")
    write(tmp_path, 2)

    def decide() -> None:
        uri, user, password = neo4j
        with GraphDatabase.driver(uri, auth=(user, password)) as other:
            other.execute_query(
                "CREATE (:Decision {namespace: $n, id: 'decision_1', node_id: -1, status: 'active', "
                "target: 'storage', active_target: 'storage'})",
                n=namespace,
            )

    summary = await ingest_decisions(graph, namespace, [tmp_path], project="p", progress=_Meanwhile(decide))
    assert counts(summary) == (1, 0, 0, 1)
    assert "decision_1 is in force" in summary.bad_records[0].reason
    assert (await decision(driver, namespace, "p ADR 2"))["status"] == "active"


@pytest.mark.proves("ING-42")
async def test_a_run_gives_up_after_five_attempts(graph: Graph, namespace: str, tmp_path: Path) -> None:
    attempts = []

    class Busy:
        def report(self, stage: str, records: int, share: float) -> None:
            attempts.append(stage)
            raise Conflict("CONFLICT: somebody else decides.")

    write(tmp_path, 1)
    with pytest.raises(Conflict, match="somebody else"):
        await ingest_decisions(graph, namespace, [tmp_path], project="p", progress=Busy())
    assert len(attempts) == 5


@pytest.mark.proves("ING-41")
async def test_what_was_superseded_in_the_service_is_not_put_in_force_again(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1)
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    await supersede_in_service(driver, namespace, "p ADR 1")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    write(tmp_path, 1, "Said better.")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    found = await decision(driver, namespace, "p ADR 1")
    assert (found["status"], found["superseded_by"]) == ("superseded", "decision_1")
    assert found["rationale"] == "Said better."
    assert counts(await ingest_decisions(graph, namespace, [tmp_path], project="p")) == (0, 0, 1, 0)


@pytest.mark.proves("ING-23")
async def test_two_projects_of_one_name_do_not_overwrite_each_other(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    for owner in ("ada", "grace"):
        (tmp_path / owner / "shop").mkdir(parents=True)
        file = write(tmp_path / owner / "shop", 1)
        file.write_text(file.read_text().replace("Record 1", f"{owner}'s"))
    assert counts(await ingest_decisions(graph, namespace, [tmp_path / "ada"])) == (1, 0, 0, 0)
    summary = await ingest_decisions(graph, namespace, [tmp_path / "grace"])
    assert counts(summary) == (0, 0, 0, 1)
    assert "--project" in summary.bad_records[0].reason
    assert counts(await ingest_decisions(graph, namespace, [tmp_path / "grace"], project="other")) == (1, 0, 0, 0)
    assert (await decision(driver, namespace, "shop ADR 1"))["title"] == "ada's"


@pytest.mark.proves("ING-23")
async def test_of_one_number_twice_in_a_run_the_first_one_is_taken(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1).rename(tmp_path / "0001-a.md")
    write(tmp_path, 1)
    summary = await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert counts(summary) == (1, 0, 0, 1)
    assert "0001-a.md" in summary.bad_records[0].reason


@pytest.mark.proves("ING-6")
async def test_a_dry_run_reports_what_a_run_then_does_and_writes_nothing(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1)
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    write(tmp_path, 2, supersedes="1")
    (tmp_path / "0003-bad.md").write_text("---\n: [\n---\n")
    before = await dump(driver, namespace)
    dry = await ingest_decisions(graph, namespace, [tmp_path], project="p", dry_run=True)
    assert await dump(driver, namespace) == before
    done = await ingest_decisions(graph, namespace, [tmp_path], project="p")
    assert counts(dry) == counts(done) == (1, 1, 0, 1)


@pytest.mark.proves("ING-10")
async def test_a_file_that_is_gone_leaves_its_record_as_it_was(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    write(tmp_path, 1)
    gone = write(tmp_path, 2, supersedes="1")
    await ingest_decisions(graph, namespace, [tmp_path], project="p")
    gone.unlink()
    before = await dump(driver, namespace)
    assert counts(await ingest_decisions(graph, namespace, [tmp_path], project="p")) == (0, 0, 1, 0)
    assert await dump(driver, namespace) == before


@pytest.mark.skipif(not PEPS.exists(), reason="shared/data/peps-0001-0499.tar.gz is not beside this repository")
@pytest.mark.proves("ING-7")
async def test_the_318_peps_are_taken_whole_and_a_second_run_changes_nothing(
    graph: Graph, driver: AsyncDriver, namespace: str
) -> None:
    assert counts(await ingest_decisions(graph, namespace, [PEPS])) == (318, 0, 0, 0)
    before = await dump(driver, namespace)
    again = await ingest_decisions(graph, namespace, [PEPS])
    assert counts(again) == (0, 0, 318, 0)
    assert len(again.remarks) == 21
    assert await dump(driver, namespace) == before
    found = await driver.execute_query(
        "MATCH (d:Decision {namespace: $n}) RETURN d.status AS status, count(*) AS decisions, "
        "count(d.active_target) AS held, count(DISTINCT d.active_target) AS targets",
        n=namespace,
    )
    counted = {record["status"]: record.values()[1:] for record in found.records}
    assert counted == {"active": [168] * 3, "superseded": [20, 0, 0], "deprecated": [106, 0, 0], "draft": [24, 0, 0]}
    assert len(await edges(driver, namespace, "SUPERSEDES")) == 19
    assert ("PEP 258", "REQUIRES", "PEP 256") in await edges(driver, namespace, "REQUIRES")
    assert ("PEP 20", "DECIDED_BY", "Tim Peters") in await edges(driver, namespace, "DECIDED_BY")
    circles = await driver.execute_query(
        "MATCH (d:Decision {namespace: $n})-[:SUPERSEDES*1..]->(d) RETURN d", n=namespace
    )
    assert circles.records == []
    numbers = await ids(driver, namespace)
    assert len(numbers) == len(set(numbers))


@pytest.mark.proves("ING-32")
async def test_the_sample_is_this_projects_own_decisions_and_is_loaded_into_an_empty_namespace_only(
    graph: Graph, driver: AsyncDriver, namespace: str
) -> None:
    summary = await load_sample(graph, Path("docs/decisions"), namespace)
    assert summary is not None
    assert summary.created >= 9
    assert summary.bad_records == []
    assert await edges(driver, namespace, "SUPERSEDES") >= {("Precedent ADR 7", "SUPERSEDES", "Precedent ADR 6")}
    assert await load_sample(graph, Path("docs/decisions"), namespace) is None
