"""Uses a Neo4j as the service will, so that the class-data archive holds what the service's statements need."""

import structlog
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from server.errors import PrecedentError
from server.graph.graph import connect
from server.graph.migrations import migrate
from server.graph.statements import statements
from server.local.neo4j import USER, LocalNeo4j

_log = structlog.get_logger(__name__)

_PATIENCE = 60.0  # seconds for each statement: a cold Neo4j on a busy machine


async def exercise(neo4j: LocalNeo4j) -> None:
    """Migrates the graph and has every statement planned; a failure is only logged, for it makes nothing wrong."""
    try:
        async with connect(neo4j.uri, USER, neo4j.password, timeout=_PATIENCE, retry_time=_PATIENCE) as graph:
            await migrate(graph)
        async with AsyncGraphDatabase.driver(
            neo4j.uri, auth=(USER, neo4j.password), notifications_min_severity="OFF", telemetry_disabled=True
        ) as driver:
            for statement in statements().values():
                # A fixed word before a fixed text: nothing of a caller's becomes Cypher here.
                await driver.execute_query(f"EXPLAIN {statement.text}", database_="neo4j")
    except (PrecedentError, DriverError, Neo4jError) as error:
        _log.warning("neo4j_not_exercised", reason=str(error))
