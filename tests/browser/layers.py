"""A dialogue with its insight, a working memory that overflowed, two lessons: for the saved queries to show."""

from typing import Any

from server.cognition.dialogues import Dialogues
from server.cognition.episodes import Episodes
from server.cognition.insights import Insights
from server.cognition.memory import CAPACITY, WorkingMemory
from server.cognition.models import CompressToL2Insight, StoreEpisode, StoreRawDialogue, UpdateWorkingMemory
from server.core.principals import Principal
from server.embedding.embedder import Embedder
from server.entities.models import AddNode
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.parts import Parts
from server.vectors.projector import Projector
from server.vectors.store import VectorStore


async def keep_layers(graph: Graph, vectors: VectorStore, embedder: Embedder, caller: Principal) -> None:
    """Stores as the tools do; nothing is projected."""
    ids = IdSequence(graph)
    parts = Parts(graph, ids, vectors, embedder, Projector(graph, vectors, embedder), searchable_wait=0)
    said: dict[str, Any] = {"session_id": "trip", "speaker": "Ada", "content": "I sail to Madeira."}
    dialogue = await Dialogues(graph, ids).store(StoreRawDialogue(**said), caller)
    distilled = CompressToL2Insight(content="Ada sails to [[Madeira]].", source_ids=[dialogue.id])
    insight = await Insights(parts, fidelity_threshold=0.5).store(distilled, caller)
    described = AddNode(label="Island", name="Madeira", properties={}, vector_id=insight.id)
    await EntityService(graph, ids).add_node(described, caller)
    for number in range(CAPACITY + 1):
        await WorkingMemory(graph, ids).update(UpdateWorkingMemory(content=f"item {number}"), caller)
    episodes = Episodes(parts)
    for query, reward in (("Sail to Madeira by the stars", 0.9), ("Sail to Madeira by guessing", -0.8)):
        await episodes.store(StoreEpisode(query=query, reward=reward, reflection="Lesson: look it up."), caller)
