"""The queue of the projection, which is part of the graph."""

from typing import Any

from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random

from server.core.errors import Conflict
from server.core.types import QueryName
from server.graph.graph import Graph


@retry(retry=retry_if_exception_type(Conflict), stop=stop_after_attempt(10), wait=wait_random(max=0.05), reraise=True)
async def change_queued(graph: Graph, name: QueryName, **parameters: Any) -> None:
    """Run a statement that changes queued records; repeat it where one of them was deleted meanwhile.

    Neo4j then raises an error for the whole statement. The next run no longer finds the deleted record.
    """
    await graph.run(name, **parameters)
