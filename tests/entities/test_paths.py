from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.errors import NotFound, QueryTimeout
from server.entities.models import PathStep
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.conftest import Cypher
from tests.entities import reference
from tests.entities.conftest import Caller, Edge, create_graph, wait_for_index

pytestmark = pytest.mark.anyio

_NAMES = ["a", "b", "c", "d", "é", "🧠", "\uffff", "Z", "zz", "10", "9"]
_weights = st.sampled_from([0.1, 0.2, 0.3, 0.7, 0.8, 1.0]) | st.floats(0, 1)
_edges = st.lists(
    st.tuples(st.sampled_from(_NAMES), st.sampled_from(["R", "S"]), st.sampled_from(_NAMES), _weights),
    max_size=26,
    unique_by=lambda edge: edge[:3],
)


def _hops(steps: list[PathStep]) -> reference.Path:
    return tuple(
        (after.name, step.relation_to_next or "", step.direction_to_next == "outgoing", step.weight_to_next or 0.0)
        for step, after in pairwise(steps)
    )


def _weight(path: reference.Path) -> float:
    return sum(reference.units(hop[3]) for hop in path) / 1e15


@pytest.mark.proves("ENT-49", "ENT-50", "ENT-56", "ENT-57")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=_edges,
    options=st.fixed_dictionaries(
        {"max_depth": st.integers(1, 10), "max_paths": st.sampled_from([1, 1, 2, 10])},
        optional={"relation_types": st.sampled_from([["R"], ["S"], ["R", "S", "?"]])},
    ),
)
async def test_the_path_is_the_best_by_hops_then_weight_then_names(
    caller: Caller, cypher: Cypher, edges: list[Edge], options: dict[str, Any]
) -> None:
    await cypher("MATCH (n:Entity {namespace: $namespace}) DETACH DELETE n")
    await create_graph(cypher, edges, _NAMES)
    count = options.pop("max_paths")
    answer = await caller.path("a", "b", **options, max_paths=count)
    expected = reference.best_paths(edges, "a", "b", **options)
    best = expected[0] if expected else ()
    assert answer.path_found == bool(expected)
    assert _hops(answer.path) == best
    assert answer.path_length == len(best)
    assert answer.path_weight == _weight(best)
    assert answer.search_depth == (len(best) if expected else options["max_depth"])
    assert [_hops(each.path) for each in answer.paths] == expected[1:count]
    assert [each.path_weight for each in answer.paths] == [_weight(path) for path in expected[1:count]]


@st.composite
def _layered(draw: st.DrawFn) -> list[Edge]:
    """Layers of nodes with every relation between neighbouring layers, in any direction, often of equal weight."""
    layers, width = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    levels = [["s"], *([f"{level}{place}" for place in range(width)] for level in range(layers)), ["t"]]
    edges = []
    for here, there in pairwise(levels):
        for one in here:
            for other in there:
                for relation in draw(st.sampled_from([["R"], ["R", "S"]])):
                    source, target = draw(st.sampled_from([(one, other), (other, one)]))
                    edges.append((source, relation, target, draw(st.sampled_from([0.1, 0.2, 0.3]))))
    return edges


@pytest.mark.proves("ENT-50", "ENT-59")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edges=_layered())
async def test_among_many_equally_short_paths_the_best_is_found(
    caller: Caller, cypher: Cypher, edges: list[Edge]
) -> None:
    await cypher("MATCH (n:Entity {namespace: $namespace}) DETACH DELETE n")
    await create_graph(cypher, edges)
    expected = reference.best_paths(edges, "s", "t", 10)
    assert _hops((await caller.path("s", "t", max_depth=10)).path) == expected[0]
    answer = await caller.path("s", "t", max_depth=10, max_paths=10)
    assert [_hops(answer.path), *(_hops(each.path) for each in answer.paths)] == expected[:10]


@st.composite
def _with_hubs(draw: st.DrawFn) -> list[Edge]:
    """Hubs in a row with many common neighbours, some of which are related to each other; `s` and `t` are anywhere."""
    hubs = [f"hub{number}" for number in range(draw(st.integers(1, 4)))]
    spokes = [*(f"n{number:02}" for number in range(draw(st.integers(1, 25)))), "s", "t"]
    relations, weights = st.sampled_from(["R", "S"]), st.sampled_from([0.1, 0.2, 0.3])
    edges = {}
    for spoke in spokes:
        for hub in draw(st.lists(st.sampled_from(hubs), max_size=2, unique=True)):
            for relation in draw(st.sampled_from([["R"], ["S"], ["R", "S"]])):
                source, target = draw(st.sampled_from([(hub, spoke), (spoke, hub)]))
                edges[source, relation, target] = draw(weights)
    pairs = st.tuples(st.sampled_from(spokes), relations, st.sampled_from([*spokes, *hubs]))
    edges |= {pair: draw(weights) for pair in draw(st.lists(pairs, max_size=8))}
    return [(*pair, weight) for pair, weight in edges.items()]


@pytest.mark.proves("ENT-49", "ENT-50", "ENT-56", "ENT-59")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edges=_with_hubs(), max_depth=st.integers(1, 7), count=st.sampled_from([1, 2, 10]))
async def test_the_path_through_hubs_is_the_best_one(
    caller: Caller, cypher: Cypher, edges: list[Edge], max_depth: int, count: int
) -> None:
    await cypher("MATCH (n:Entity {namespace: $namespace}) DETACH DELETE n")
    await create_graph(cypher, edges, ["s", "t"])
    answer = await caller.path("s", "t", max_depth=max_depth, max_paths=count)
    expected = reference.best_paths(edges, "s", "t", max_depth)
    assert answer.path_found == bool(expected)
    found = [_hops(answer.path), *(_hops(each.path) for each in answer.paths)]
    assert found == (expected[:count] or [()])


@pytest.mark.proves("ENT-59")
async def test_millions_of_equally_short_paths_are_compared_without_being_listed(
    caller: Caller, cypher: Cypher
) -> None:
    """9 hops through 8 layers of 30: 656,100,000,000 paths. The planted one is the best by a hair."""
    levels = [["s"], *([f"{level}-{place:02}" for place in range(30)] for level in range(8)), ["t"]]
    planted = ["s", *(f"{level}-{(7 * level + 3) % 30:02}" for level in range(8)), "t"]
    edges = [
        (one, "R", other, 0.5000000001 if (one, other) in pairwise(planted) else 0.5)
        for here, there in pairwise(levels)
        for one in here
        for other in there
    ]
    await create_graph(cypher, edges)
    answer = await caller.path("s", "t", max_depth=10)
    assert [step.name for step in answer.path] == planted
    assert answer.path_weight == pytest.approx(4.5000000009, abs=1e-12)
    more = await caller.path("s", "t", max_depth=10, max_paths=10)
    assert more.path == answer.path
    weights = [round(each.path_weight, 12) for each in more.paths]
    # The next best leave the planted path where it costs two of its relations, at one of eight places.
    assert weights == [4.5000000007, 4.5000000007, *[4.5000000007] * 7]
    back = await caller.path("t", "s", max_depth=9)
    assert [step.name for step in back.path] == planted[::-1]
    assert not (await caller.path("s", "t", max_depth=8)).path_found


@pytest.mark.proves("ENT-51", "ENT-52")
async def test_the_answer_has_every_specified_field(caller: Caller) -> None:
    await caller.edge("Memory", "USES", "PostgreSQL", weight=0.9, source_label="Project", target_label="Technology")
    await caller.edge("Vector Storage", "SOLVED_BY", "PostgreSQL", weight=0.5, source_label="Problem")
    ids = [(await caller.node(name)).node_id for name in ("Memory", "PostgreSQL", "Vector Storage")]
    answer = await caller.path("Memory", "Vector Storage")
    assert answer.model_dump() == {
        "path_found": True,
        "path_length": 2,
        "path_weight": 1.4,
        "path": [
            {
                "node_id": ids[0],
                "label": "Project",
                "name": "Memory",
                "status": None,
                "relation_to_next": "USES",
                "direction_to_next": "outgoing",
                "weight_to_next": 0.9,
            },
            {
                "node_id": ids[1],
                "label": "Technology",
                "name": "PostgreSQL",
                "status": None,
                "relation_to_next": "SOLVED_BY",
                "direction_to_next": "incoming",
                "weight_to_next": 0.5,
            },
            {
                "node_id": ids[2],
                "label": "Problem",
                "name": "Vector Storage",
                "status": None,
                "relation_to_next": None,
                "direction_to_next": None,
                "weight_to_next": None,
            },
        ],
        "paths": [],
        "start_node": "Memory",
        "end_node": "Vector Storage",
        "search_depth": 2,
        "status": "success",
    }


@pytest.mark.proves("ENT-53")
@pytest.mark.parametrize(("kind", "status"), [("Decision", "active"), ("Proposal", "draft")])
async def test_a_path_may_run_through_a_decision_or_a_proposal_and_start_at_one(
    caller: Caller, cypher: Cypher, kind: str, status: str
) -> None:
    for name in ("Precedent", "Neo4j"):
        await caller.node(name, "Thing")
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: 'Precedent'}) "
        "MATCH (b:Entity {namespace: $namespace, name: 'Neo4j'}) "
        "CREATE (a)<-[:ABOUT]-(:$($kind) {namespace: $namespace, id: 'd-1', node_id: 900, name: 'Use Neo4j', "
        "status: $status})-[:MENTIONS]->(b)",
        kind=kind,
        status=status,
    )
    through = await caller.path("Precedent", "Neo4j")
    assert [(step.name, step.label, step.status, step.relation_to_next) for step in through.path] == [
        ("Precedent", "Thing", None, "ABOUT"),
        ("Use Neo4j", kind, status, "MENTIONS"),
        ("Neo4j", "Thing", None, None),
    ]
    assert (through.path_weight, through.path[1].node_id) == (2.0, 900)
    assert [step.name for step in (await caller.path("d-1", "Neo4j")).path] == ["Use Neo4j", "Neo4j"]
    alone = await caller.path("d-1", "d-1")
    assert [(step.name, step.status) for step in alone.path] == [("Use Neo4j", status)]


@pytest.mark.proves("ENT-54")
async def test_a_path_to_itself_has_one_step_and_no_hop(caller: Caller) -> None:
    await caller.node("a", "Project")
    answer = await caller.path("a", "a")
    assert (answer.path_found, answer.path_length, answer.search_depth, answer.path_weight) == (True, 0, 0, 0.0)
    assert [(step.name, step.label, step.relation_to_next) for step in answer.path] == [("a", "Project", None)]


@pytest.mark.proves("ENT-30")
@pytest.mark.parametrize(
    ("start", "end", "end_name"), [("Ms", "b", "Start"), ("b", "Ms", "End"), ("Ms", "Ms", "Start")]
)
async def test_an_unknown_end_is_an_error_with_similar_names(
    caller: Caller, cypher: Cypher, start: str, end: str, end_name: str
) -> None:
    await caller.edge("Mississippi", "R", "b")
    await caller.node("Mrs")
    await wait_for_index(cypher)
    with pytest.raises(NotFound, match=f"{end_name} node not found: no entity or record is named 'Ms'") as refused:
        await caller.path(start, end)
    assert refused.value.details == {"field": f"{end_name.lower()}_node", "near_names": []}
    with pytest.raises(NotFound, match="Similar names: 'Mississippi'"):
        await caller.path("b", "Missisippi")


@pytest.mark.proves("ENT-55")
async def test_no_path_within_the_depth_is_an_answer_not_an_error(caller: Caller) -> None:
    for number in range(4):
        await caller.edge(f"n{number}", "R", f"n{number + 1}")
    await caller.node("island")
    for end in ("n4", "island"):
        answer = await caller.path("n0", end, max_depth=3)
        assert (answer.path_found, answer.path_length, answer.path, answer.search_depth) == (False, 0, [], 3)
    assert (await caller.path("n0", "n4", max_depth=4)).path_length == 4


@pytest.mark.proves("ENT-58")
async def test_a_search_past_its_time_limit_is_stopped_with_an_error(
    graph: Graph, caller: Caller, cypher: Cypher
) -> None:
    """Neo4j looks every two seconds for what runs too long, so it takes some calls to be caught."""
    names = [f"n{number}" for number in range(300)]
    await create_graph(
        cypher, [(one, "R", two, 0.5) for at, one in enumerate(names) for two in names[at + 1 : at + 60]]
    )
    hasty = Caller(EntityService(graph, IdSequence(graph), path_timeout=0.001), caller.principal)
    with pytest.raises(QueryTimeout, match=r"exceeded 0.001 seconds.+max_depth"):
        for _ in range(500):
            await hasty.path("n0", "n299", max_depth=10)
    assert (await caller.path("n0", "n299", max_depth=10)).path_found
