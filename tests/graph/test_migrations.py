"""The schema arrives in order, once, whoever starts at the same time."""

import re

import anyio
import pytest
from neo4j import AsyncDriver

from server.core.errors import SchemaTooNew
from server.graph.graph import Graph
from server.graph.migrations import list_migrations, load_applied_versions, migrate

pytestmark = pytest.mark.anyio


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [migration.version for migration in list_migrations()] == list(range(1, len(list_migrations()) + 1))


def test_every_statement_of_a_migration_can_run_twice() -> None:
    for migration in list_migrations():
        for statement in migration.statements:
            # What fills in a property looks for nodes that lack it; what makes room finds nothing to move any more.
            assert re.search("IF NOT EXISTS|IF EXISTS|IS NULL|NOT EXISTS \\{|\\nREMOVE|\\nDELETE", statement), statement


async def test_a_migrated_graph_has_its_version_and_is_not_migrated_twice(graph: Graph) -> None:
    assert await load_applied_versions(graph) == [migration.version for migration in list_migrations()]
    assert await migrate(graph) == []


@pytest.mark.proves("SVC-13")
async def test_two_processes_that_start_at_once_both_succeed(graph: Graph, driver: AsyncDriver) -> None:
    await driver.execute_query("MATCH (migration:Migration) DELETE migration", database_="neo4j")
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(migrate, graph)
    assert await load_applied_versions(graph) == [migration.version for migration in list_migrations()]


@pytest.mark.proves("SVC-13")
async def test_a_newer_schema_is_refused_and_left_alone(graph: Graph, driver: AsyncDriver) -> None:
    newer = list_migrations()[-1].version + 1
    await graph.run("migrations/record", version=newer, name="from_the_future")
    try:
        with pytest.raises(SchemaTooNew, match=str(newer)):
            await migrate(graph)
        assert (await load_applied_versions(graph))[-1] == newer
    finally:
        await driver.execute_query(
            "MATCH (migration:Migration {version: $version}) DELETE migration", version=newer, database_="neo4j"
        )
