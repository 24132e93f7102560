"""Uses a Neo4j like the service, so that the class-data archive contains the classes that the service needs."""

import structlog

from server.core.errors import PrecedentError
from server.graph.graph import connect
from server.graph.migrations import migrate
from server.graph.statements import statements
from server.local.neo4j import USER, LocalNeo4j

_log = structlog.get_logger(__name__)

_EACH = 5  # every fifth statement: enough to load nearly all classes
_PATIENCE = 60.0  # seconds for each statement, on a new Neo4j


async def exercise(neo4j: LocalNeo4j) -> None:
    """Migrate the graph and plan some statements; a failure is only logged, because the archive is optional."""
    try:
        async with connect(neo4j.uri, USER, neo4j.password, timeout=_PATIENCE, retry_time=_PATIENCE) as graph:
            await migrate(graph)
            for name in sorted(statements())[::_EACH]:
                await graph.plan(name)
    except PrecedentError as error:
        _log.warning("neo4j_not_exercised", reason=str(error))
