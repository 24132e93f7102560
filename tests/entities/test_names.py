"""Resolving names, and the answers about similar names. Source: ENT-16, ENT-28."""

import random

import pytest

from server.core.errors import NotFound
from server.entities.models import NearName
from server.graph.lucene import namespace_tag
from tests.conftest import Cypher
from tests.entities.conftest import Caller, create_graph, wait_for_index

pytestmark = pytest.mark.anyio


async def _create_decision(cypher: Cypher, namespace: str, title: str, target: str, kind: str = "Decision") -> None:
    await cypher(
        "CREATE (:$($kind) {namespace: $namespace, id: 'decided', node_id: 900, name: $title, title: $title, "
        "target: $target, status: 'active', scope: $scope})",
        kind=kind,
        title=title,
        target=target,
        scope=namespace_tag(namespace),
    )
    await wait_for_index(cypher)


class TestReading:
    @pytest.mark.proves("ENT-28")
    @pytest.mark.parametrize(
        "asked",
        ["message queue", "MESSAGE  QUEUE", " Message\tQueue\n", "\uff2d\uff45\uff53\uff53\uff41\uff47\uff45 Queue"],
    )
    async def test_a_name_is_found_without_regard_to_case_width_and_spacing(self, caller: Caller, asked: str) -> None:
        await caller.edge("Message Queue", "USES", "RabbitMQ")
        around = await caller.neighbors(asked)
        assert (around.start_node, [row.name for row in around.neighbors]) == ("Message Queue", ["RabbitMQ"])
        for ends in ((asked, "rabbitmq"), (asked, "RabbitMQ")):
            path = await caller.path(*ends)
            assert (path.start_node, path.end_node, path.path_length) == ("Message Queue", "RabbitMQ", 1)
            back = await caller.path(*ends[::-1], max_paths=3)
            assert (back.start_node, back.end_node, back.path_length) == ("RabbitMQ", "Message Queue", 1)

    @pytest.mark.proves("ENT-28")
    async def test_the_exact_name_comes_first(self, caller: Caller) -> None:
        await caller.edge("Redis", "IS", "a cache")
        await caller.edge("redis", "IS", "a package")
        assert [row.name for row in (await caller.neighbors("redis")).neighbors] == ["a package"]
        assert (await caller.path("Redis", "a cache")).path_length == 1

    @pytest.mark.proves("ENT-29")
    async def test_an_ambiguous_name_is_refused_with_all_candidates(self, caller: Caller) -> None:
        await caller.edge("Redis", "IS", "a cache")
        await caller.edge("redis", "IS", "a package")
        with pytest.raises(NotFound, match="Start node not found: no entity or record is named 'REDIS'") as refused:
            await caller.neighbors("REDIS")
        assert sorted(refused.value.details["near_names"]) == ["Redis", "redis"]
        with pytest.raises(NotFound, match="End node not found"):
            await caller.path("a cache", "REDIS")

    @pytest.mark.proves("ENT-28")
    async def test_the_id_of_a_record_comes_before_a_name_with_the_same_key(
        self, caller: Caller, cypher: Cypher
    ) -> None:
        await caller.edge("DECIDED", "IS", "a word")
        await cypher("CREATE (:Decision {namespace: $namespace, id: 'decided', node_id: 9, name: 'Use Neo4j'})")
        start = (await caller.neighbors("decided")).start
        assert start is not None
        assert start.name == "Use Neo4j"

    @pytest.mark.proves("ENT-54")
    async def test_two_spellings_of_one_name_are_a_path_of_length_0(self, caller: Caller) -> None:
        await caller.edge("Redis", "IS", "a cache")
        for ends in (("Redis", "redis"), ("redis", "Redis"), ("REDIS", "redis"), ("redis", "redis")):
            for count in (1, 5):
                path = await caller.path(*ends, max_paths=count)
                assert (path.path_found, path.path_length, path.paths) == (True, 0, [])
                assert (path.start_node, path.end_node) == ("Redis", "Redis")
                assert [step.name for step in path.path] == ["Redis"]

    @pytest.mark.proves("ENT-64")
    async def test_a_name_of_another_namespace_is_unknown(self, caller: Caller) -> None:
        await caller.elsewhere(f"{caller.principal.namespace}-b").edge("Redis", "IS", "a cache")
        with pytest.raises(NotFound) as refused:
            await caller.neighbors("redis")
        assert refused.value.details["near_names"] == []

    @pytest.mark.proves("ENT-30")
    async def test_an_unknown_name_that_is_a_title_is_answered_with_the_id(
        self, caller: Caller, cypher: Cypher, namespace: str
    ) -> None:
        await _create_decision(cypher, namespace, "Cache carts in Redis", "cart cache")
        with pytest.raises(NotFound, match="'Cache carts in Redis' is the title of decided"):
            await caller.neighbors("cache carts in redis")


class TestCreating:
    @pytest.mark.proves("ENT-16")
    @pytest.mark.parametrize(
        ("stored", "asked"),
        [
            ("Redis", "redis"),
            ("Message Queue", "message  queue"),
            ("Checkout Service", "CheckoutService"),
            ("Checkout Service", "checkoutservice"),
            ("checkoutservice", "checkout-service"),
            ("Order", "Orders"),
        ],
    )
    async def test_a_new_name_is_answered_with_its_other_spelling(
        self, caller: Caller, stored: str, asked: str
    ) -> None:
        await caller.node(stored, "Technology")
        added = await caller.node(asked, "Technology")
        assert (added.created, added.name) == (True, asked)
        assert added.near == [NearName(name=stored, label="Technology", kind="entity")]
        assert added.message == (
            f"{asked!r} was created. Similar: {stored!r} (Technology). "
            "If you mean one of these, use its name; for a decision, its target."
        )
        again = await caller.node(asked, "Technology")
        assert (again.created, again.near, again.message) == (False, [], None)

    @pytest.mark.proves("ENT-16", "ENT-25")
    @pytest.mark.parametrize("asked", ["PostgreSLQ", "Postgres", "PostgresSQL"])
    async def test_a_misspelt_name_is_answered_with_the_similar_one(
        self, caller: Caller, cypher: Cypher, asked: str
    ) -> None:
        for name in ("PostgreSQL", "Neo4j", "RabbitMQ"):
            await caller.node(name, "Technology")
        await wait_for_index(cypher)
        edge = await caller.edge("Memory", "USES", asked)
        assert (edge.source_created, edge.target_created) == (True, True)
        assert [each.name for each in edge.near] == ["PostgreSQL"]
        assert edge.message is not None
        assert edge.message.startswith(f"{asked!r} was created. Similar: 'PostgreSQL' (Technology).")

    @pytest.mark.proves("ENT-16", "ENT-25")
    @pytest.mark.parametrize("kind", ["Decision", "Proposal"])
    @pytest.mark.parametrize("asked", ["Cache carts in Redis", "cache carts in redis", "Cache cart in Redis"])
    async def test_a_new_name_that_is_a_title_is_answered_with_the_target(
        self, caller: Caller, cypher: Cypher, namespace: str, kind: str, asked: str
    ) -> None:
        await _create_decision(cypher, namespace, "Cache carts in Redis", "cart cache", kind)
        edge = await caller.edge("Checkout", "FOLLOWS", asked)
        assert edge.near == [NearName(name="Cache carts in Redis", label=kind, kind=kind.lower())]
        assert edge.message is not None
        assert "'Cache carts in Redis' (the title of decided, target 'cart cache')" in edge.message

    @pytest.mark.proves("ENT-25")
    async def test_similar_names_of_both_ends_are_answered(self, caller: Caller) -> None:
        await caller.edge("Checkout", "USES", "Redis")
        edge = await caller.edge("checkout", "USES", "redis", source_label="Service")
        assert [each.name for each in edge.near] == ["Checkout", "Redis"]
        assert edge.message is not None
        assert "'checkout' was created. Similar: 'Checkout'" in edge.message
        assert "'redis' was created. Similar: 'Redis'" in edge.message

    @pytest.mark.proves("ENT-18")
    async def test_two_names_that_one_call_creates_are_not_reported_as_similar(self, caller: Caller) -> None:
        edge = await caller.edge("redis", "SAME_AS", "Redis")
        assert (edge.near, edge.message) == ([], None)

    @pytest.mark.proves("ENT-16")
    async def test_at_most_five_similar_names_are_answered(self, caller: Caller) -> None:
        for name in ("REDIS", "Redis", "ReDiS", "rediS", "rEDIS", "re dis", "re-dis"):
            await caller.node(name)
        near = (await caller.node("redis")).near
        assert len(near) == 5
        assert {each.name for each in near} <= {"REDIS", "Redis", "ReDiS", "rediS", "rEDIS", "re dis", "re-dis"}

    @pytest.mark.proves("ENT-64")
    async def test_similar_names_of_another_namespace_are_not_answered(
        self, caller: Caller, cypher: Cypher, namespace: str
    ) -> None:
        other = caller.elsewhere(f"{namespace}-b")
        await other.node("Redis")
        await other.node("PostgreSQL")
        await _create_decision(cypher, f"{namespace}-b", "Use files", "storage")
        await cypher("MATCH (d:Decision {namespace: $namespace}) SET d.namespace = $namespace + '-b'")
        for name in ("redis", "PostgreSLQ", "Use files"):
            assert (await caller.node(name)).near == []

    @pytest.mark.proves("ENT-18")
    async def test_among_a_thousand_unrelated_names_none_is_reported_as_similar(
        self, caller: Caller, cypher: Cypher, namespace: str
    ) -> None:
        chosen = random.Random(20261122)
        colours = ("amber", "copper", "ember", "indigo", "jasper", "marble", "nectar", "opal", "silver", "umber")
        places = ("dune", "fjord", "granite", "harbor", "island", "kelp", "lagoon", "meadow", "quarry", "tundra")
        kinds = ("service", "team", "project", "client", "error", "design", "meeting", "release", "board", "pipeline")
        names = sorted(f"{colour} {place} {kind}" for colour in colours for place in places for kind in kinds)
        numbered = [f"ticket {number}" for number in range(500)]
        await create_graph(cypher, [], [*names[::2], *numbered[::2]])
        await cypher(
            "MATCH (n:Entity {namespace: $namespace}) SET n.scope = $scope, n.node_id = -n.node_id",
            scope=namespace_tag(namespace),
        )
        await wait_for_index(cypher)
        new = [*chosen.sample(names[1::2], 30), *chosen.sample(numbered[1::2], 10)]
        answers = [await caller.node(name) for name in new]
        assert [each.name for each in answers if each.near or each.message] == []
        slip = await caller.node(names[0].replace("service", "servise") + "s")
        assert [each.name for each in slip.near] == [names[0]]

    @pytest.mark.proves("ENT-4")
    async def test_any_name_may_be_new(self, caller: Caller) -> None:
        for name in ("知" * 1000, "a b c d e " * 100, "🧠" * 1000, "+", "AND OR NOT", "a" * 1000, "\0", "*:*", "~2 ^3"):
            assert (await caller.node(name)).near == []


class TestLabels:
    @pytest.mark.proves("ENT-12", "ENT-23")
    async def test_an_ignored_label_is_reported(self, caller: Caller) -> None:
        await caller.node("Redis", "Technology")
        kept = await caller.node("Redis", "Database")
        assert (kept.label, kept.near) == ("Technology", [])
        assert kept.message == "'Redis' already has the label 'Technology' and keeps it instead of 'Database'."
        edge = await caller.edge("Checkout", "USES", "Redis", source_label="Service", target_label="Cache")
        assert edge.message == "'Redis' already has the label 'Technology' and keeps it instead of 'Cache'."
        again = await caller.edge("Checkout", "USES", "Redis", source_label="Service", target_label="Technology")
        assert again.message is None

    async def test_an_omitted_label_is_not_reported(self, caller: Caller) -> None:
        await caller.node("Redis", "Technology")
        assert (await caller.edge("Redis", "IS", "quick")).message is None


class TestCreatingNothing:
    @pytest.mark.proves("ENT-24")
    async def test_missing_entities_are_refused_with_similar_names_and_nothing_changes(
        self, caller: Caller, cypher: Cypher
    ) -> None:
        await caller.node("Redis", "Technology")
        await wait_for_index(cypher)
        everything = "MATCH (n {namespace: $namespace}) OPTIONAL MATCH (n)-[r]->() RETURN n, r ORDER BY elementId(n)"
        before = await cypher(everything)
        for source, target, field, missing in (
            ("redis", "Redis", "source_name", "redis"),
            ("Redis", "redis", "target_name", "redis"),
            ("Redsi", "redis", "source_name", "Redsi"),
        ):
            with pytest.raises(
                NotFound, match=f"not found: no entity or record is named '{missing}'. Similar names: 'Redis'"
            ) as no:
                await caller.edge(source, "USES", target, create_missing=False)
            assert no.value.details == {"field": field, "near_names": ["Redis"]}
            assert "Nothing was written" in no.value.message
        assert await cypher(everything) == before

    @pytest.mark.proves("ENT-24")
    async def test_existing_entities_are_related(self, caller: Caller) -> None:
        await caller.node("Redis")
        await caller.node("Checkout")
        edge = await caller.edge("Checkout", "USES", "Redis", create_missing=False)
        assert (edge.created, edge.source_created, edge.target_created) == (True, False, False)
        assert not (await caller.edge("Checkout", "USES", "Redis", create_missing=False)).created
        assert (await caller.edge("Redis", "IS", "Redis", create_missing=False)).created
