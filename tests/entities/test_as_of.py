"""Neighbours and paths at a time, compared with a model of the history."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.errors import InvalidArgument, NotFound
from server.entities.models import Neighbors
from tests.clock import take_time
from tests.conftest import Cypher
from tests.entities import reference
from tests.entities.conftest import Caller, Edge
from tests.entities.corrections import merge, rename, retract_entity, retract_relation
from tests.histories import HISTORIES

pytestmark = pytest.mark.anyio

_NAMES = ["a", "b", "c", "d", "e"]
_RELATIONS = ["R", "SUPERSEDES"]
_name = st.sampled_from(_NAMES)
_relation = st.tuples(_name, st.sampled_from(_RELATIONS), _name)
_weight = st.sampled_from([0.25, 0.5, 1.0])
_step = st.one_of(
    st.tuples(st.just("relate"), _relation, _weight),
    st.tuples(st.just("relate"), _relation, _weight),
    st.tuples(st.just("relate"), _relation, _weight),
    st.tuples(st.just("forget relation"), _relation, _weight),
    st.tuples(st.just("forget entity"), st.tuples(_name), _weight),
)


@dataclass
class _History:
    """What was known after each step."""

    names: set[str] = field(default_factory=set)
    edges: dict[tuple[str, ...], float] = field(default_factory=dict)
    states: list[tuple[str, set[str], list[Edge]]] = field(default_factory=list)

    async def take(self, caller: Caller, cypher: Cypher, step: str, what: tuple[str, ...], weight: float) -> None:
        if step == "relate":
            await caller.edge(*what, weight=weight)
            self.names |= {what[0], what[2]}
            self.edges[what] = weight
        elif step == "forget relation":
            await retract_relation(cypher, *what)
            self.edges.pop(what, None)
        else:
            await retract_entity(cypher, what[0])
            self.names.discard(what[0])
            self.edges = {edge: old for edge, old in self.edges.items() if what[0] not in (edge[0], edge[2])}
        edges = [(edge[0], edge[1], edge[2], old) for edge, old in self.edges.items()]
        self.states.append((await take_time(cypher), set(self.names), edges))


@pytest.mark.proves("ENT-66", "ENT-67")
@settings(max_examples=HISTORIES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(_step, min_size=4, max_size=10), depth=st.integers(1, 4))
async def test_at_each_time_neighbors_and_paths_are_those_of_then(
    caller: Caller, cypher: Cypher, steps: list[tuple[str, tuple[str, ...], float]], depth: int
) -> None:
    await cypher("MATCH (n {namespace: $namespace}) DETACH DELETE n")
    history = _History()
    for step, what, weight in steps:
        await history.take(caller, cypher, step, what, weight)
    for then, names, edges in history.states:
        for name in ("a", "b"):
            if name not in names:
                with pytest.raises(NotFound):
                    await caller.neighbors(name, as_of=then)
                continue
            answer = await caller.neighbors(name, depth=depth, as_of=then)
            assert _rows(answer) == reference.neighbors(edges, name, depth, "both")
        if {"a", "c"} <= names:
            path = await caller.path("a", "c", as_of=then, max_depth=4, max_paths=3)
            expected = reference.best_paths(edges, "a", "c", 4)[:3]
            found = [path.path, *(each.path for each in path.paths)] if path.path_found else []
            assert [[(step.name, step.relation_to_next) for step in each] for each in found] == [
                [*zip(["a", *(hop[0] for hop in way)], [*(hop[1] for hop in way), None], strict=True)]
                for way in expected
            ]


def _rows(answer: Neighbors) -> list[tuple[int, float, str, str, str]]:
    return [(row.distance, row.weight, row.name, row.relation, row.direction) for row in answer.neighbors]


async def _know(caller: Caller, cypher: Cypher) -> str:
    """Store a small graph and return the time after it."""
    await caller.node("Redis", "Technology", properties={"version": "6"})
    await caller.edge("Shop", "USES", "Redis", weight=0.9, properties={"for": "carts"})
    await caller.edge("Redis", "RUNS_ON", "Linux")
    return await take_time(cypher)


@pytest.mark.proves("ENT-66", "ENT-67")
async def test_what_was_retracted_since_is_answered_as_it_was(caller: Caller, cypher: Cypher) -> None:
    then = await _know(caller, cypher)
    before = await caller.neighbors("Shop", depth=2), await caller.path("Shop", "Linux")
    await retract_entity(cypher, "Redis")
    assert (await caller.neighbors("Shop")).neighbors == []
    with pytest.raises(NotFound):
        await caller.neighbors("Redis")
    assert (
        await caller.neighbors("Shop", depth=2, as_of=then),
        await caller.path("Shop", "Linux", as_of=then),
    ) == before
    found = await caller.neighbors("Redis", as_of=then)
    assert found.start is not None
    assert (found.start.label, found.start.properties) == ("Technology", {"version": "6"})
    assert not (await caller.path("Shop", "Linux", as_of=await take_time(cypher))).path_found


@pytest.mark.proves("ENT-68")
async def test_properties_and_names_are_those_of_then_where_the_audit_trail_has_them(
    caller: Caller, cypher: Cypher
) -> None:
    then = await _know(caller, cypher)
    await caller.node("Redis", "Technology", properties={"version": "7"})
    between = await take_time(cypher)
    await rename(cypher, "Redis", "Valkey")
    for at, version in ((then, "6"), (between, "7")):
        for name in ("Redis", "redis", "Valkey"):
            answer = await caller.neighbors(name, as_of=at)
            assert answer.start is not None
            assert (answer.start.name, answer.start.properties) == ("Redis", {"version": version})
        [row] = (await caller.neighbors("Shop", as_of=at)).neighbors
        assert (row.name, row.properties) == ("Redis", {"version": version})
        path = await caller.path("Shop", "Linux", as_of=at)
        assert [step.name for step in path.path] == ["Shop", "Redis", "Linux"]
    assert [row.name for row in (await caller.neighbors("Shop")).neighbors] == ["Valkey"]


@pytest.mark.proves("ENT-66", "ENT-68")
async def test_entities_that_were_merged_since_were_two_then(caller: Caller, cypher: Cypher) -> None:
    await _know(caller, cypher)
    await caller.edge("Redis DB", "RUNS_ON", "Linux")
    await caller.edge("Blog", "USES", "Redis DB")
    then = await take_time(cypher)
    await merge(cypher, "Redis", "Redis DB")

    async def list_near(name: str, as_of: str) -> list[str]:
        return sorted(row.name for row in (await caller.neighbors(name, as_of=as_of)).neighbors)

    assert (await list_near("Redis", then), await list_near("Redis DB", then)) == (["Linux", "Shop"], ["Blog", "Linux"])
    assert await list_near("Linux", then) == ["Redis", "Redis DB"]
    now = await take_time(cypher)
    assert await list_near("Redis DB", now) == await list_near("Redis", now) == ["Blog", "Linux", "Shop"]
    assert [step.name for step in (await caller.path("Blog", "Shop", as_of=now)).path] == ["Blog", "Redis", "Shop"]
    assert (await caller.path("Blog", "Shop", as_of=then)).path_length == 4


@pytest.mark.proves("ENT-68")
async def test_weights_and_properties_of_relations_are_those_of_then(caller: Caller, cypher: Cypher) -> None:
    then = await _know(caller, cypher)
    await caller.edge("Shop", "USES", "Redis", weight=0.1, properties={"for": "sessions"})
    [row] = (await caller.neighbors("Shop", as_of=then)).neighbors
    assert (row.weight, row.edge_properties) == (0.9, {"for": "carts"})
    [row] = (await caller.neighbors("Shop", as_of=await take_time(cypher))).neighbors
    assert (row.weight, row.edge_properties) == (0.1, {"for": "sessions"})
    path = await caller.path("Shop", "Redis", as_of=then, max_paths=3)
    assert (path.path_weight, path.paths) == (0.9, [])


@pytest.mark.proves("ENT-66", "ENT-68")
async def test_a_decision_that_was_replaced_since_was_active_then(caller: Caller, cypher: Cypher) -> None:
    await caller.node("db", "Technology")
    await cypher(
        "MATCH (db:Entity {namespace: $namespace, name: 'db'}) "
        "UNWIND [1, 2] AS number "
        "CREATE (decision:Decision {namespace: $namespace, id: 'd-' + number, name: 'd' + number, "
        "  node_id: 900 + number, status: CASE number WHEN 1 THEN 'superseded' ELSE 'active' END, "
        "  created_at: datetime() + duration({hours: number}), "
        "  superseded_at: CASE number WHEN 1 THEN datetime() + duration({hours: 2}) END})-[:ABOUT]->(db) "
        "WITH collect(decision) AS all UNWIND [all[1]] AS new UNWIND [all[0]] AS old "
        "CREATE (new)-[:SUPERSEDES {at: new.created_at, by: 'ada'}]->(old)"
    )

    async def at(hours: float) -> list[tuple[str, Any]]:
        answer = await caller.neighbors("db", as_of=(datetime.now(UTC) + timedelta(hours=hours)).isoformat())
        return [(row.name, row.properties["status"]) for row in answer.neighbors]

    assert await at(0.5) == []
    assert await at(1.5) == [("d1", "active")]
    assert await at(2.5) == [("d2", "active"), ("d1", "superseded")]
    then = (datetime.now(UTC) + timedelta(hours=1.5)).isoformat()
    assert (await caller.neighbors("d-1", as_of=then)).start.status == "active"  # type: ignore[union-attr]
    with pytest.raises(NotFound, match=r"d-2.* at 20"):
        await caller.neighbors("d-2", as_of=then)


@pytest.mark.proves("ENT-66")
async def test_a_time_is_iso_text_a_date_is_its_end_and_others_do_not_see_it(caller: Caller, cypher: Cypher) -> None:
    await _know(caller, cypher)
    today = datetime.now(UTC).date()
    assert len((await caller.neighbors("Shop", as_of=today.isoformat())).neighbors) == 1
    with pytest.raises(NotFound, match="Start node not found"):
        await caller.neighbors("Shop", as_of=(today - timedelta(days=1)).isoformat())
    with pytest.raises(InvalidArgument, match="as_of"):
        await caller.neighbors("Shop", as_of="once")
    with pytest.raises(NotFound):
        await caller.elsewhere("another").neighbors("Shop", as_of=await take_time(cypher))
    with pytest.raises(NotFound, match="End node not found"):
        await caller.path("Shop", "Nowhere", as_of=await take_time(cypher))
    same = await caller.path("Shop", "shop", as_of=await take_time(cypher))
    assert (same.path_found, same.path_length) == (True, 0)
    now = await take_time(cypher)
    pages = [await caller.neighbors("Redis", as_of=now, limit=1, offset=offset) for offset in (0, 1)]
    assert [page.next_offset for page in pages] == [1, None]
    assert [row.name for page in pages for row in page.neighbors] == ["Linux", "Shop"]
