"""What every service works with: the two stores, the embedding model, and the ids."""

from dataclasses import dataclass

from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.vectors.projector import Projector
from server.vectors.store import VectorStore


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that the services share. `searchable_wait` is in seconds: how long a write waits to be searchable."""

    graph: Graph
    sequence: IdSequence
    vectors: VectorStore
    embedder: Embedder
    projector: Projector
    searchable_wait: float
