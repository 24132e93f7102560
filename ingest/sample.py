"""The sample of a first start: the decision records of this project, with their entities and relations."""

from pathlib import Path

from ingest.decisions import ingest_decisions
from ingest.pipeline import IngestSummary
from server.graph.graph import Graph

PROJECT = "Precedent"


async def load_sample(graph: Graph, folder: Path, namespace: str) -> IngestSummary | None:
    """Ingest a folder of decision records into a namespace without decisions and entities; else return None.

    After an interrupted start the rest is left out: from the first record on, the graph belongs to its user.
    Source: ING-32.
    """
    row = await graph.row("ingest/knows_anything", namespace=namespace)
    if row["known"]:
        return None
    return await ingest_decisions(graph, namespace, [folder], project=PROJECT)
