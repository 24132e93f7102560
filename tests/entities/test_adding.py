from functools import partial
from typing import Any
from uuid import uuid4

import anyio
import pytest
from hypothesis import HealthCheck, given, settings

from server.core.errors import InvalidArgument, NotFound
from server.core.types import Json
from server.entities.properties import decode
from server.graph.vocabulary import RELATION_KEYS
from tests.conftest import Cypher
from tests.entities.conftest import Caller, wait_for_index
from tests.entities.test_properties import documents, same

pytestmark = pytest.mark.anyio

_AWKWARD = [
    "`",
    "``) DETACH DELETE n //",
    "'",
    '"',
    "\\",
    "a b",
    "\n",
    "🧠",
    "é́",
    "",
    "\0",
    "x" * 1000,
    "{}",
    "$name",
    ":",
    "\u2028",
]


async def _properties(caller: Caller, name: str) -> dict[str, Any]:
    """Return the properties of an entity, read as the only neighbour of a probe."""
    await caller.edge("probe", "SEES", name)
    [found] = [row for row in (await caller.neighbors("probe")).neighbors if row.name == name]
    return found.properties


class TestNodes:
    @pytest.mark.proves("ENT-1", "ENT-10")
    async def test_a_new_name_is_created_and_the_same_name_again_is_not(self, caller: Caller) -> None:
        first = await caller.node("Neo4j", "Technology")
        again = await caller.node("Neo4j", "Database")
        assert (first.created, again.created) == (True, False)
        assert again.node_id == first.node_id
        assert (first.label, again.label) == ("Technology", "Technology")
        assert first.model_dump() == {
            "node_id": first.node_id,
            "label": "Technology",
            "name": "Neo4j",
            "created": True,
            "vector_id": None,
            "near": [],
            "message": None,
            "status": "success",
        }

    @pytest.mark.proves("ENT-11")
    async def test_properties_are_merged_and_absent_ones_stay(self, caller: Caller) -> None:
        await caller.node("Neo4j", properties={"version": "4", "open": True})
        await caller.node("Neo4j", properties={"version": [5, 26], "tags": {"a": 1}})
        await caller.node("Neo4j")
        assert await _properties(caller, "Neo4j") == {"version": [5, 26], "open": True, "tags": {"a": 1}}

    @pytest.mark.proves("ENT-6")
    async def test_a_value_that_moves_between_native_and_json_leaves_nothing_behind(
        self, caller: Caller, cypher: Cypher
    ) -> None:
        values: list[Json] = [{"a": 1}, 1, [1, 2.0], "text", None, [], 2**70, False]
        for value in values:
            await caller.node("n", properties={"key": value})
            [row] = await cypher("MATCH (n:Entity {namespace: $namespace, name: 'n'}) RETURN properties(n) AS all")
            assert len({"key", "json:key"} & set(row["all"])) == 1
            assert same((await _properties(caller, "n"))["key"], value)

    @pytest.mark.proves("ENT-8")
    async def test_label_and_properties_are_native_and_the_name_is_the_caption(
        self, caller: Caller, cypher: Cypher
    ) -> None:
        await caller.node("Precedent", "Project", properties={"priority": "high"})
        [row] = await cypher("MATCH (n:Project {namespace: $namespace}) RETURN labels(n) AS labels, n.name, n.priority")
        assert set(row["labels"]) == {"Entity", "Project"}
        assert (row["n.name"], row["n.priority"]) == ("Precedent", "high")

    @pytest.mark.proves("ENT-9")
    async def test_updated_at_changes_only_with_the_entity(self, caller: Caller, cypher: Cypher) -> None:
        stamps = []
        for properties in ({"a": 1}, {}, {"a": 2}):
            await caller.node("n", properties=properties)
            [row] = await cypher("MATCH (n:Entity {namespace: $namespace}) RETURN n.created_at AS c, n.updated_at AS u")
            stamps.append((row["c"], row["u"]))
        assert stamps[0][0] == stamps[0][1] == stamps[1][1] < stamps[2][1]
        assert len({created for created, _ in stamps}) == 1

    @pytest.mark.proves("ENT-64")
    async def test_namespaces_do_not_see_one_another(self, caller: Caller) -> None:
        other = caller.elsewhere(f"{caller.principal.namespace}-other")
        await caller.edge("a", "USES", "b")
        assert (await other.node("a")).created
        assert (await other.neighbors("a")).neighbors == []
        with pytest.raises(NotFound) as refused:
            await other.path("a", "b")
        assert refused.value.details["near_names"] == []

    @pytest.mark.proves("ENT-64")
    @pytest.mark.parametrize("namespace", ["", "`}) //", "🧠 b", "x" * 200])
    async def test_a_namespace_may_be_any_text(self, caller: Caller, cypher: Cypher, namespace: str) -> None:
        other = caller.elsewhere(caller.principal.namespace + namespace)
        await other.edge("PostgreSQL", "USES", "b")
        await wait_for_index(cypher)
        with pytest.raises(NotFound) as refused:
            await other.neighbors("Postgres")
        assert refused.value.details["near_names"] == ["PostgreSQL"]


class TestInsights:
    @pytest.mark.proves("ENT-14")
    async def test_an_existing_insight_is_connected_and_answered(self, caller: Caller, cypher: Cypher) -> None:
        await cypher("UNWIND [7, 8] AS id CREATE (:Insight {namespace: $namespace, id: id, name: 'seen'})")
        assert (await caller.node("a", vector_id=7)).vector_id == 7
        assert (await caller.node("a")).vector_id == 7
        assert (await caller.node("a", vector_id=8)).vector_id == 8
        [row] = await cypher(
            "MATCH (:Entity {namespace: $namespace})-[link:DESCRIBED_BY]->() RETURN count(link) AS links"
        )
        assert row["links"] == 1
        [neighbor] = (await caller.neighbors("a")).neighbors
        assert (neighbor.label, neighbor.node_id, neighbor.relation) == ("Insight", 8, "DESCRIBED_BY")

    @pytest.mark.proves("ENT-15")
    async def test_an_insight_that_does_not_exist_is_an_error_and_nothing_is_written(
        self, caller: Caller, cypher: Cypher
    ) -> None:
        await caller.elsewhere("elsewhere").node("there")
        await cypher("MERGE (:Insight {namespace: 'elsewhere', id: 7})")
        await caller.node("old", properties={"a": 1})
        for name in ("new", "old"):
            with pytest.raises(NotFound, match="vector_id: no insight has the id 7"):
                await caller.node(name, vector_id=7, properties={"a": 2})
        rows = await cypher("MATCH (n:Entity {namespace: $namespace}) RETURN n.name AS name, n.a AS a")
        assert rows == [{"name": "old", "a": 1}]

    @pytest.mark.proves("ENT-14")
    async def test_simultaneous_connections_to_insights_leave_one(self, caller: Caller, cypher: Cypher) -> None:
        await cypher("UNWIND range(1, 12) AS id CREATE (:Insight {namespace: $namespace, id: id})")
        async with anyio.create_task_group() as tasks:
            for number in range(1, 13):
                tasks.start_soon(partial(caller.node, "a", vector_id=number))
        [row] = await cypher(
            "MATCH (:Entity {namespace: $namespace})-[link:DESCRIBED_BY]->() RETURN count(link) AS links"
        )
        assert row["links"] == 1


class TestEdges:
    @pytest.mark.proves("ENT-19", "ENT-20")
    async def test_a_new_edge_creates_its_missing_entities_and_reports_them(self, caller: Caller) -> None:
        await caller.node("PostgreSQL", "Technology")
        added = await caller.edge("Memory", "USES", "PostgreSQL", weight=0.9, source_label="Project")
        assert (added.created, added.source_created, added.target_created) == (True, True, False)
        again = await caller.edge("Memory", "USES", "PostgreSQL", weight=0.8)
        assert (again.created, again.source_created, again.target_created) == (False, False, False)
        assert (again.edge_id, again.weight) == (added.edge_id, 0.8)
        assert again.model_dump() == {
            "edge_id": added.edge_id,
            "source_node_id": added.source_node_id,
            "target_node_id": added.target_node_id,
            "relation": "USES",
            "weight": 0.8,
            "created": False,
            "source_created": False,
            "target_created": False,
            "near": [],
            "message": None,
            "status": "success",
        }

    @pytest.mark.proves("ENT-21")
    async def test_an_omitted_weight_is_one_for_a_new_edge_and_unchanged_later(self, caller: Caller) -> None:
        weights = [
            (await caller.edge("a", "USES", "b", **given)).weight for given in ({}, {"weight": 0.0}, {}, {"weight": 1})
        ]
        assert weights == [1.0, 0.0, 0.0, 1.0]

    @pytest.mark.proves("ENT-23")
    async def test_an_existing_node_keeps_its_label(self, caller: Caller) -> None:
        await caller.node("a", "Project")
        await caller.edge("a", "USES", "b", source_label="Client")
        assert (await caller.node("a", "Other")).label == "Project"

    @pytest.mark.proves("ENT-13")
    async def test_an_entity_labelled_entity_takes_the_first_other_label(self, caller: Caller, cypher: Cypher) -> None:
        await caller.edge("a", "USES", "b")
        assert (await caller.node("b", "Entity")).label == "Entity"
        named = await caller.node("b", "Technology")
        assert (named.created, named.label) == (False, "Technology")
        assert (await caller.node("b", "Other")).label == "Technology"
        [row] = await cypher("MATCH (n:Technology {namespace: $namespace}) RETURN n.name AS name, labels(n) AS labels")
        assert (row["name"], set(row["labels"])) == ("b", {"Entity", "Technology"})

    @pytest.mark.proves("ENT-3")
    @pytest.mark.parametrize("kind", ["decision", "proposal"])
    async def test_the_id_of_a_record_is_refused_as_a_name(self, caller: Caller, cypher: Cypher, kind: str) -> None:
        id_ = f"{kind}_20261121_101500_123456_0a1b2c3d"
        for asked in (caller.node(id_), caller.edge(id_, "AFFECTS", "shop"), caller.edge("shop", "AFFECTED_BY", id_)):
            with pytest.raises(InvalidArgument, match=f"is the id of a {kind}"):
                await asked
        assert await cypher("MATCH (n:Entity {namespace: $namespace}) RETURN n") == []

    @pytest.mark.proves("ENT-22", "ENT-7")
    async def test_properties_of_an_edge_are_merged(self, caller: Caller, cypher: Cypher) -> None:
        await caller.edge("a", "USES", "b", properties={"critical": True, "since": {"year": 2020}})
        await caller.edge("a", "USES", "b", properties={"since": 2021, "weight": "theirs"})
        [row] = await cypher("MATCH (:Entity {namespace: $namespace})-[edge:USES]->() RETURN properties(edge) AS all")
        stored = {key: row["all"][key] for key in ("critical", "since", "json:weight", "weight", "relation")}
        assert stored == {"critical": True, "since": 2021, "json:weight": '"theirs"', "weight": 1.0, "relation": "USES"}
        assert "json:since" not in row["all"]

    @pytest.mark.proves("ENT-20", "ENT-31")
    async def test_parallel_relations_and_opposite_directions_are_kept_apart(self, caller: Caller) -> None:
        ids = {
            (await caller.edge(source, relation, target)).edge_id
            for source, relation, target in (("a", "USES", "b"), ("a", "SOLVES", "b"), ("b", "USES", "a"))
        }
        rows = (await caller.neighbors("a")).neighbors
        assert {row.edge_id for row in rows} == ids
        assert [(row.relation, row.direction) for row in rows] == [
            ("SOLVES", "outgoing"),
            ("USES", "outgoing"),
            ("USES", "incoming"),
        ]

    @pytest.mark.proves("ENT-26")
    async def test_an_entity_may_relate_to_itself(self, caller: Caller) -> None:
        added = await caller.edge("a", "REFERS_TO", "a", source_label="Loop")
        assert (added.source_created, added.target_created) == (True, True)
        assert added.source_node_id == added.target_node_id
        assert (await caller.neighbors("a")).neighbors == []
        assert (await caller.path("a", "a")).path_length == 0

    @pytest.mark.proves("ENT-9")
    async def test_updated_at_changes_only_with_the_edge(self, caller: Caller, cypher: Cypher) -> None:
        stamps = []
        for arguments in ({}, {}, {"weight": 0.5}, {}, {"properties": {"a": 1}}):
            await caller.edge("a", "USES", "b", **arguments)
            [row] = await cypher(
                "MATCH (:Entity {namespace: $namespace})-[e:USES]->() RETURN e.created_at AS c, e.updated_at AS u"
            )
            stamps.append((row["c"], row["u"]))
        created, updated = [stamp[0] for stamp in stamps], [stamp[1] for stamp in stamps]
        assert len(set(created)) == 1
        assert created[0] == updated[0] == updated[1] < updated[2] == updated[3] < updated[4]


class TestAnyWord:
    @pytest.mark.proves("ENT-2", "ENT-4")
    @pytest.mark.parametrize("word", _AWKWARD)
    async def test_any_label_relation_and_name_survive_a_round_trip(
        self, caller: Caller, cypher: Cypher, word: str
    ) -> None:
        name = word or "empty"
        await caller.node(name, word)
        first = await caller.edge("probe", word, name)
        assert not (await caller.edge("probe", word, name)).created
        [row] = (await caller.neighbors("probe", relation_type=word)).neighbors
        assert (row.name, row.label, row.relation, row.edge_id) == (name, word, word, first.edge_id)
        path = await caller.path("probe", name, relation_types=[word])
        assert [(step.name, step.relation_to_next) for step in path.path] == [("probe", word), (name, None)]
        [count] = await cypher("MATCH (n:Entity {namespace: $namespace}) RETURN count(n) AS nodes")
        assert count["nodes"] == 2

    @pytest.mark.proves("ENT-20")
    @pytest.mark.parametrize("length", [10, 300])
    async def test_relations_with_the_same_native_type_stay_two(self, caller: Caller, length: int) -> None:
        one, other = "\0" + "x" * length, "\0" + "x" * length + "y"
        assert (await caller.edge("a", one, "b")).created
        assert (await caller.edge("a", other, "b")).created
        assert [row.relation for row in (await caller.neighbors("a")).neighbors] == [one, other]

    @pytest.mark.proves("ENT-6")
    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(first=documents, second=documents)
    async def test_any_properties_of_a_node_survive_a_round_trip(
        self, caller: Caller, first: dict[str, Json], second: dict[str, Json]
    ) -> None:
        name = f"node {uuid4()}"
        for properties in (first, second):
            await caller.node(name, properties=properties)
        await caller.edge(name, "USES", f"probe of {name}")
        [row] = (await caller.neighbors(f"probe of {name}")).neighbors
        assert same(row.properties, {**first, **second})

    @pytest.mark.proves("ENT-6")
    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(properties=documents)
    async def test_any_properties_of_an_edge_survive_a_round_trip(
        self, caller: Caller, cypher: Cypher, properties: dict[str, Json]
    ) -> None:
        added = await caller.edge(f"node {uuid4()}", "USES", "hub", weight=0.5, properties=properties)
        [row] = await cypher(
            "MATCH (:Entity {namespace: $namespace, name: 'hub'})<-[edge {edge_id: $id}]-() "
            "RETURN properties(edge) AS all",
            id=added.edge_id,
        )
        assert same(decode(row["all"], RELATION_KEYS), properties)
        assert (row["all"]["weight"], row["all"]["relation"]) == (0.5, "USES")

    @pytest.mark.proves("ENT-4")
    async def test_a_label_is_never_executed_as_cypher(self, caller: Caller, cypher: Cypher) -> None:
        await caller.node("a", "X`) SET n.hacked = true //", properties={"x`}) DETACH DELETE (n) //": "y"})
        rows = await cypher("MATCH (n:Entity {namespace: $namespace}) RETURN n.hacked AS hacked, n.label AS label")
        assert rows == [{"hacked": None, "label": "X`) SET n.hacked = true //"}]
