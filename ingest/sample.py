"""The sample of a first start: this project's own decision records, with the entities and relations between them."""

from pathlib import Path

from ingest.decisions import ingest_decisions
from ingest.pipeline import Summary
from server.graph.graph import Graph

PROJECT = "Precedent"


async def load_sample(graph: Graph, folder: Path, namespace: str) -> Summary | None:
    """Ingests a folder of decision records into a namespace that holds nothing yet; else does nothing.

    A start that was interrupted here leaves the rest out: the graph belongs to its user from the first record on.
    """
    row = await graph.one("ingest/knows_anything", namespace=namespace)
    if row is None or row["known"]:
        return None
    return await ingest_decisions(graph, namespace, [folder], project=PROJECT)
