"""A graph that was written before targets were compared by a key opens, and nothing in it is decided anew."""

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest
from neo4j import AsyncDriver

from server.graph.graph import Graph
from server.graph.lucene import namespace_tag
from server.graph.migrations import list_migrations, load_applied_versions, migrate
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_VERSION = next(migration.version for migration in list_migrations() if migration.name == "target_keys")


@pytest.fixture
async def before(graph: Graph, driver: AsyncDriver) -> AsyncIterator[None]:
    """The schema as it was before; the test migrates it."""
    for statement in (
        "DROP INDEX decision_target_key",
        "DROP INDEX proposal_target_key",
        "DROP INDEX targets_in_force",
        "MATCH (migration:Migration) WHERE migration.version >= $version DELETE migration",
    ):
        await driver.execute_query(statement, version=_VERSION, database_="neo4j")
    yield
    await migrate(graph)


async def _lay(cypher: Cypher, namespace: str, *decisions: dict[str, Any]) -> None:
    """Decisions as the release before wrote them, and the entities of their targets."""
    rows = [
        {"id": f"d{place}", "status": "active", "active_target": each.get("target"), "at": place, **each}
        for place, each in enumerate(decisions)
    ]
    await cypher(
        "UNWIND $rows AS row "
        "CREATE (d:Decision {namespace: $namespace, id: row.id, title: row.id, target: row.target, status: row.status, "
        "active_target: row.active_target, scope: $scope, created_at: datetime({epochSeconds: row.at})})",
        rows=rows,
        scope=namespace_tag(namespace),
    )


async def _held(cypher: Cypher) -> dict[str, tuple[str | None, str | None, str]]:
    rows = await cypher(
        "MATCH (d:Decision {namespace: $namespace}) "
        "RETURN d.id AS id, d.target_key AS key, d.active_target AS held, d.status AS status"
    )
    return {row["id"]: (row["key"], row["held"], row["status"]) for row in rows}


@pytest.mark.usefixtures("before")
async def test_a_decision_in_force_has_the_key_of_its_target(graph: Graph, cypher: Cypher, namespace: str) -> None:
    await _lay(
        cypher,
        namespace,
        {"target": " Message\u00a0 Queue"},
        {"target": "cart cache"},
        {"target": "Cart Cache", "status": "superseded", "active_target": None},
        {"target": None, "active_target": None, "status": "draft"},
    )
    await migrate(graph)
    assert await _held(cypher) == {
        "d0": ("message queue", "message queue", "active"),
        "d1": ("cart cache", "cart cache", "active"),
        "d2": ("cart cache", None, "superseded"),
        "d3": (None, None, "draft"),
    }


@pytest.mark.usefixtures("before")
async def test_of_several_in_force_with_one_key_one_holds_it_and_all_stay_in_force(
    graph: Graph, cypher: Cypher, namespace: str
) -> None:
    await _lay(
        cypher,
        namespace,
        {"target": "Message Queue", "at": 5},
        {"target": "message queue", "at": 9},
        {"target": "MESSAGE QUEUE", "at": 1},
        {"target": "Cart Cache", "at": 8},
        {"target": "Cart  cache", "at": 7},
    )
    for _ in range(2):
        await migrate(graph)
        assert await _held(cypher) == {
            "d0": ("message queue", "Message Queue", "active"),
            "d1": ("message queue", "message queue", "active"),  # it had the key already
            "d2": ("message queue", "MESSAGE QUEUE", "active"),
            "d3": ("cart cache", "Cart Cache", "active"),
            "d4": ("cart cache", "cart cache", "active"),  # the oldest
        }
        await cypher("MATCH (migration:Migration {version: $version}) DELETE migration", version=_VERSION)


@pytest.mark.usefixtures("before")
async def test_other_namespaces_do_not_collide(graph: Graph, cypher: Cypher, namespace: str) -> None:
    await _lay(cypher, namespace, {"target": "Queue"})
    await cypher("CREATE (:Decision {namespace: $namespace + '-b', id: 'b', target: 'queue', active_target: 'queue'})")
    await migrate(graph)
    assert await _held(cypher) == {"d0": ("queue", "queue", "active")}


@pytest.mark.usefixtures("before")
async def test_nodes_that_a_person_wrote_do_not_stop_the_migration(
    graph: Graph, cypher: Cypher, namespace: str
) -> None:
    await _lay(
        cypher,
        namespace,
        {"target": "Queue", "active_target": "Queue"},
        {"target": "another", "active_target": "queue"},
        {"target": 7, "active_target": "seven"},
        {"target": ["a", "b"], "active_target": None},
    )
    await migrate(graph)
    held = await _held(cypher)
    assert held["d0"] == ("queue", "Queue", "active")
    assert held["d1"] == ("another", "another", "active")
    assert held["d2"] == ("7", "7", "active")


@pytest.mark.usefixtures("before")
async def test_proposals_and_entities_have_the_key_too(graph: Graph, cypher: Cypher) -> None:
    await cypher(
        "CREATE (:Proposal {namespace: $namespace, id: 'p', target: 'Cart\\tCache', status: 'draft'}) "
        "CREATE (:Entity {namespace: $namespace, name: '\uff32edis  Cluster', name_key: '\uff52edis  cluster'}) "
        "CREATE (:Entity {namespace: $namespace, name: 'Neo4j'}) "
        "CREATE (:Entity {namespace: $namespace})"
    )
    await migrate(graph)
    found = await cypher(
        "MATCH (n {namespace: $namespace}) WHERE n:Proposal OR n:Entity "
        "RETURN coalesce(n.target_key, n.name_key) AS key ORDER BY key"
    )
    assert [row["key"] for row in found] == ["cart cache", "neo4j", "redis cluster", None]


@pytest.mark.usefixtures("before")
async def test_two_processes_that_open_an_old_home_at_once_both_succeed(
    graph: Graph, cypher: Cypher, namespace: str
) -> None:
    targets = [f"{word} {number}" for number in range(50) for word in ("Old", "OLD", "old" if number % 2 else "oLd")]
    await _lay(cypher, namespace, *({"target": target, "at": place} for place, target in enumerate(targets)))
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(migrate, graph)
    assert _VERSION in await load_applied_versions(graph)
    held = await _held(cypher)
    assert all(status == "active" and active for _, active, status in held.values())
    keys = [active for key, active, _ in held.values() if active is not None and key == active]
    assert sorted(keys) == sorted(f"old {number}" for number in range(50))
