"""How a command that brings in or out many records reaches the graph, and who makes them searchable by meaning."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ingest.console import err
from server.app import load_embedder, vector_store
from server.errors import Unavailable
from server.graph.graph import Graph
from server.settings import Settings
from server.stack import graph_beside
from server.vectors.projector import Projector


@asynccontextmanager
async def connected(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, bool]]:
    """The graph beside the running service or without one; the second value says whether nobody else would project."""
    with err.status("Connecting to the graph …") as waiting:
        async with graph_beside(settings, command) as (graph, ours):
            waiting.stop()
            # With a graph elsewhere, the service that belongs to it projects.
            yield graph, ours and (settings.local or settings.qdrant_url is not None)


async def project(graph: Graph, settings: Settings) -> None:
    """Projects what waits for it, in this process."""
    waiting = await graph.one("projection/lag")
    if waiting is None or not (waiting["records"] or waiting["deletions"]):
        return  # loading the model costs seconds
    vectors = vector_store(settings)
    try:
        with err.status("Making it searchable by meaning …"):
            await Projector(graph, vectors, await load_embedder(settings)).drain()
    except Unavailable as error:
        err.print(f"Stored, and found by words. By meaning once the service runs: {error.message}", highlight=False)
    finally:
        await vectors.close()
