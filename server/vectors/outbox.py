"""The queue of the projection, which is part of the graph."""

from typing import Any

from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_random_exponential

from server.core.errors import Conflict, QueryTimeout, Unavailable
from server.core.types import QueryName
from server.graph.graph import Graph


@retry(
    retry=retry_if_exception_type((Conflict, QueryTimeout, Unavailable)),
    stop=stop_after_delay(10),
    wait=wait_random_exponential(multiplier=0.01, max=0.5),
    reraise=True,
)
async def change_queued(graph: Graph, name: QueryName, **parameters: Any) -> None:
    """Run a statement that changes queued records; repeat it for at most ten seconds where it fails.

    Where one of the records was deleted meanwhile, Neo4j raises an error for the whole statement, and the next run no
    longer finds that record. Giving up early would leave a point whose record another process has deleted.
    """
    await graph.run(name, **parameters)
