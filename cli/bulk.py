"""How a command for many records reaches the graph, and how they become searchable by meaning."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cli.terminal import err
from server.composition import BATCHES, load_embedder, open_bulk_embedder, vector_store
from server.core.errors import Unavailable
from server.core.settings import Settings
from server.core.types import BulkPlace
from server.graph.graph import Graph
from server.local.connection import open_graph_for_command
from server.vectors.projector import Projector


@asynccontextmanager
async def connect_graph(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, bool]]:
    """The graph, with the running service or without it; the second value is whether no other process projects."""
    with err.status("Connecting to the graph …") as waiting:
        async with open_graph_for_command(settings, command) as (graph, ours):
            waiting.stop()
            # The service of a remote graph projects its records itself.
            yield graph, ours and (settings.local or settings.qdrant_url is not None)


async def project_pending(graph: Graph, settings: Settings, on: BulkPlace = "here") -> None:
    """Project what waits for it, in this process; embedded here or on Ray."""
    waiting = await graph.row("projection/lag")
    if not (waiting["records"] or waiting["deletions"]):
        return  # loading the model takes seconds
    vectors = vector_store(settings)
    try:
        with err.status("Making it searchable by meaning …"):
            async with open_bulk_embedder(await load_embedder(settings, graph), on) as embedder:
                await Projector(graph, vectors, embedder, batch=BATCHES[on]).drain()
    except Unavailable as error:
        err.print(
            f"Stored and found by words; found by meaning once the service runs: {error.message}", highlight=False
        )
    finally:
        await vectors.close()
