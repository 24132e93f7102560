"""The queue of the projection, which is the graph itself: how it is changed."""

from typing import Any

from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random

from server.errors import Conflict
from server.graph.graph import Graph
from server.types import QueryName


@retry(retry=retry_if_exception_type(Conflict), stop=stop_after_attempt(10), wait=wait_random(max=0.05), reraise=True)
async def change(graph: Graph, name: QueryName, **parameters: Any) -> None:
    """Runs a statement on queued records, again where one of them was deleted between being found and being changed.

    Neo4j answers that with an error for the whole statement; found anew, the record is gone and no trouble.
    """
    await graph.run(name, **parameters)
