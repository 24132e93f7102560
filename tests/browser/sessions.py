"""A session over HTTP, for the queries that look at one."""

from server.core.principals import Principal
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.retrieval.writing import PassageWriter
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.memories import Interaction, MemoryWriter
from server.sessions.summaries import SummaryWriter
from server.sessions.summarising import Turn


async def remember(graph: Graph, embedder: Embedder, caller: Principal) -> None:
    """Stores two memories of a session, and its summary."""
    sequence = IdSequence(graph)
    passages = PassageWriter(graph, sequence)
    turns = [Turn("Who keeps [[Neo4j]] up?", "", "The service does."), Turn("And backs it up?", "", "We do.")]
    for turn in turns:
        interaction = Interaction("chat", turn.prompt, turn.thought, turn.response)
        stored = await MemoryWriter(graph, passages).add(interaction, caller.namespace, caller.name)
    digest = await ExtractiveSummariser(embedder).summarise(turns, [])
    await SummaryWriter(graph, sequence, passages).store(
        "chat", digest, count=2, at=stored.at, namespace=caller.namespace, by=caller.name
    )
