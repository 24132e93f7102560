"""A golden query, a ground-truth query that was judged, and two days of measuring: for the saved queries to show."""

import json
from pathlib import Path
from typing import Any

from neo4j import AsyncDriver

from ingest.queries import ingest_queries
from server.graph.graph import Graph

_JUDGED = ((1, 0.9, 0.1), (2, 0.8, 0.7))
"""An insight, and the scores of the two judges."""


async def evaluate(graph: Graph, driver: AsyncDriver, namespace: str, folder: Path) -> None:
    """Two insights by hand, whatever belongs to evaluation as the product writes it."""
    await driver.execute_query(
        "UNWIND [1, 2] AS id "
        "CREATE (:Insight {namespace: $namespace, id: id, name: 'insight ' + id, content: 'i' + id})",
        namespace=namespace,
        database_="neo4j",
    )
    file = folder / "queries.jsonl"
    file.write_text(json.dumps({"query": "Who keeps a parrot?", "expected": [1]}))
    await ingest_queries(graph, namespace, file, "golden")
    summary = await ingest_queries(graph, namespace, file, "ground-truth")
    rows: list[dict[str, Any]] = [
        {"document_id": id_, "judge1_score": one, "judge2_score": two, "judge1_seconds": 0.1, "judge2_seconds": 0.1}
        for id_, one, two in _JUDGED
    ]
    await graph.run(
        "evaluation/record_evaluation",
        namespace=namespace,
        query_id=int(summary.remarks[0].text.split()[-1]),
        id=4_000_000,
        query="Who keeps a parrot?",
        judge1_model="openai:gpt-4o",
        judge2_model="anthropic:claude-haiku-4-5",
        judge1_score=0.85,
        judge2_score=0.4,
        kappa=0.0,
        agreement="slight",
        seconds=1.0,
        by="ada",
        judgements=rows,
        not_evaluated=[],
    )
    for day, precision, baseline, drifted in (("2026-01-01", 0.8, None, False), ("2026-01-02", 0.5, 0.8, True)):
        await graph.run(
            "evaluation/record_day",
            namespace=namespace,
            today=day,
            precision=precision,
            baseline=baseline,
            drifted=drifted,
            queries=1,
            seconds=0.1,
            embedding_model="model 1",
            by="ada",
            by_type={"short_count": 1, "short_precision_at_5": precision},
        )
