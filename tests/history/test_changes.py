"""`changes`: what was changed, by whom and when."""

from datetime import datetime
from typing import Any

import pytest
from neo4j import AsyncDriver

from server.core.errors import InvalidArgument, NotFound
from server.core.principals import Principal, Role
from server.entities.models import AddEdge, AddNode
from server.entities.service import EntityService
from server.graph.changes import audit_context
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.graph.statements import load
from server.history.change_models import Changes, ListChanges
from server.history.changes import list_changes
from tests.conftest import Cypher
from tests.entities.corrections import retract_entity

pytestmark = pytest.mark.anyio


class Reader:
    """Changes made and listed in one namespace."""

    def __init__(self, graph: Graph, namespace: str) -> None:
        self._graph = graph
        self._namespace = namespace
        self._entities = EntityService(graph, IdSequence(graph))

    async def relate(self, source: str, target: str, by: str = "ada") -> None:
        request = AddEdge.parse({"source_name": source, "relation": "USES", "target_name": target})
        with audit_context(by, "graph_add_edge"):
            await self._entities.add_edge(request, self._as(by))

    async def add(self, name: str, by: str = "ada") -> None:
        with audit_context(by, "graph_add_node"):
            await self._entities.add_node(AddNode.parse({"label": "Tool", "name": name}), self._as(by))

    async def list(self, **more: Any) -> Changes:
        return await list_changes(self._graph, ListChanges.parse(more), self._as("viewer"))

    def _as(self, name: str) -> Principal:
        return Principal(name, "agent", Role.AGENT, self._namespace)


@pytest.fixture
def reader(graph: Graph, namespace: str) -> Reader:
    return Reader(graph, namespace)


def _names(answer: Changes) -> list[str]:
    return [", ".join(sorted(record.name for record in each.records)) for each in answer.changes]


@pytest.mark.proves("HIS-11", "HIS-12")
async def test_changes_are_listed_newest_first_with_who_made_them_and_how(reader: Reader, cypher: Cypher) -> None:
    await reader.add("Redis")
    await reader.add("Neo4j", by="grace")
    await cypher(
        "MATCH (thing:Entity {namespace: $namespace}) WITH collect(thing) AS things "
        "MATCH (n:Entity {namespace: $namespace, name: 'Redis'}) "
        "CREATE (change:Change {namespace: $namespace, id: 'c1', name: 'retract', by: 'grace', "
        "  at: datetime() + duration('PT1S'), reason: 'A test.'})-[:CHANGED]->(n) "
        "FOREACH (thing IN things | MERGE (change)-[:CHANGED]->(thing)) "
        "FOREACH (i IN range(1, 3) | CREATE (change)-[:CHANGED]->(:Decision {namespace: $namespace, id: 'd-' + i, "
        "  name: 'd' + i}))"
    )
    answer = await reader.list()
    newest, second, first = answer.changes
    assert (newest.id, newest.by, newest.operation, newest.reason) == ("c1", "grace", "retract", "A test.")
    assert (len(newest.records), newest.more) == (3, 2)
    assert [(each.by, each.operation, each.reason, each.more) for each in (second, first)] == [
        ("grace", "graph_add_node", None, 0),
        ("ada", "graph_add_node", None, 0),
    ]
    assert second.records[0].model_dump() == {"kind": "entity", "id": None, "name": "Neo4j"}
    assert first.id is not None
    assert len(first.id) == 32
    kinds = {(each.kind, each.id) for each in newest.records}
    assert kinds <= {("entity", None), ("decision", "d-1"), ("decision", "d-2"), ("decision", "d-3")}


@pytest.mark.proves("HIS-12")
async def test_a_client_that_follows_next_offset_meets_each_change_once(reader: Reader, cypher: Cypher) -> None:
    await cypher(
        "UNWIND range(1, 25) AS n CREATE (:Change {namespace: $namespace, id: toString(n), name: 'x', by: 'ada', "
        "  at: datetime('2026-01-01T00:00:00Z') + duration({seconds: n / 5})})"
    )
    seen: list[str | None] = []
    offset: int | None = 0
    while offset is not None:
        page = await reader.list(limit=4, offset=offset)
        seen += [each.id for each in page.changes]
        offset = page.next_offset
    assert len(seen) == len(set(seen)) == 25
    assert (await reader.list(offset=30)).message == "No change at offset 30 or after."


@pytest.mark.proves("HIS-14")
async def test_changes_are_filtered_by_principal_kind_time_and_what_they_are_about(
    reader: Reader, cypher: Cypher
) -> None:
    await reader.add("Redis")
    await reader.relate("Shop", "Neo4j", by="grace")
    await cypher(
        "MATCH (n:Entity {namespace: $namespace, name: 'Redis'}) "
        "CREATE (:Change {namespace: $namespace, id: 'c1', name: 'record_decision', by: 'grace', "
        "  at: datetime() + duration('PT1S')})"
        "-[:CHANGED]->(:Decision {namespace: $namespace, id: 'd-1', name: 'Cache'})-[:ABOUT]->(n)"
    )
    assert _names(await reader.list(by="grace")) == ["Cache", "Neo4j, Shop"]
    assert _names(await reader.list(kind="decision")) == ["Cache"]
    assert _names(await reader.list(kind="entity", by="ada")) == ["Redis"]
    for name in ("Redis", "redis"):
        assert _names(await reader.list(about=name)) == ["Cache", "Redis"]
    assert _names(await reader.list(about="Redis", kind="entity")) == ["Redis"]
    assert _names(await reader.list(about="d-1")) == ["Cache"]
    assert len((await reader.list(since="today")).changes) == 3
    nothing = await reader.list(until="yesterday", by="ada")
    assert (nothing.changes, nothing.message) == ([], "No change matches; omit until or by.")
    with pytest.raises(InvalidArgument, match="since is after until"):
        await reader.list(since="today", until="7d")
    with pytest.raises(NotFound, match="about: no entity is named 'Nothing'"):
        await reader.list(about="Nothing")
    with pytest.raises(InvalidArgument, match="kind"):
        await reader.list(kind="thing")


@pytest.mark.proves("HIS-14")
async def test_what_was_retracted_keeps_its_kind_and_is_found_by_its_name(reader: Reader, cypher: Cypher) -> None:
    await reader.add("Redis")
    await retract_entity(cypher, "Redis")
    retracted, added = (await reader.list(about="Redis", kind="entity")).changes
    assert (retracted.by, retracted.reason, retracted.undone_by) == ("tester", "It was wrong.", None)
    assert [each.records[0].kind for each in (retracted, added)] == ["entity", "entity"]


@pytest.mark.proves("HIS-12")
async def test_a_page_is_read_from_an_index_however_many_changes_there_are(
    reader: Reader, cypher: Cypher, driver: AsyncDriver, namespace: str
) -> None:
    statement = load("history/changes")
    hits: list[int] = []
    for many in (200, 20_000):
        await cypher(
            "UNWIND range(1, $many) AS n CREATE (:Change {namespace: $namespace, id: randomUUID(), name: 'x', "
            "  by: 'p' + n % 2, at: datetime() - duration({seconds: n})})",
            many=many,
        )
        for by in (None, "p1"):
            given = {"since": _time("0001"), "until": _time("9999"), "by": by, "about": None, "labels": None}
            bound = statement.bind({"namespace": namespace, **given, "offset": 0, "limit": 51, "records": 3})
            answer = await driver.execute_query(f"PROFILE {statement.query}", bound, database_="neo4j")
            hits.append(_hits(answer.summary.profile))
    assert max(hits[2:]) < 2 * min(hits[:2]), hits


def _time(year: str) -> datetime:
    return datetime.fromisoformat(f"{year}-01-01T00:00:00+00:00")


def _hits(part: Any) -> int:
    return int(part.get("dbHits", 0)) + sum(_hits(each) for each in part.get("children", []))


@pytest.mark.proves("HIS-20")
async def test_no_change_of_another_namespace_is_listed(reader: Reader, graph: Graph) -> None:
    await reader.add("Redis")
    other = Reader(graph, "another namespace of changes")
    assert (await other.list()).message == "Nothing was changed here yet."
    with pytest.raises(NotFound):
        await other.list(about="Redis")
