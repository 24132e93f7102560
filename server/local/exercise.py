"""Uses a Neo4j as the service will, so that the class-data archive holds what the service's statements need."""

import structlog

from server.errors import PrecedentError
from server.graph.graph import connect
from server.graph.migrations import migrate
from server.graph.statements import statements
from server.local.neo4j import USER, LocalNeo4j

_log = structlog.get_logger(__name__)

_EACH = 5  # every fifth statement loads 99.5 % of the classes that all of them load, and is done seven seconds sooner
_PATIENCE = 60.0  # seconds for each statement: a cold Neo4j on a busy machine


async def exercise(neo4j: LocalNeo4j) -> None:
    """Migrates the graph and has some statements planned; a failure is only logged, for it makes nothing wrong."""
    try:
        async with connect(neo4j.uri, USER, neo4j.password, timeout=_PATIENCE, retry_time=_PATIENCE) as graph:
            await migrate(graph)
            for name in sorted(statements())[::_EACH]:
                await graph.plan(name)
    except PrecedentError as error:
        _log.warning("neo4j_not_exercised", reason=str(error))
