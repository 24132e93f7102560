"""What `search` is compared with, bare: the plain retrievers of whole texts, and the parts of a search of our own."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from server.embedding.embedder import Embedder
from server.graph.statements import load
from server.ranking.terms import extract_terms
from server.retrieval.scope import SearchScope
from server.retrieval.search import build_word_parameters
from server.vectors.edge import EdgeStore
from server.vectors.store import Hit, PassageOrigin, Point, VectorStore, point_id

FIRST = 10
_LISTED = 100
_SCANNED = 250
_K = 60
_INDEXES = {
    "Entry": """
CREATE FULLTEXT INDEX bench_texts IF NOT EXISTS FOR (entry:Entry) ON EACH [entry.body, entry.project]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
""",
    "Insight": """
CREATE FULLTEXT INDEX bench_texts IF NOT EXISTS FOR (insight:Insight) ON EACH [insight.content]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
""",
    "Decision": """
CREATE FULLTEXT INDEX bench_texts IF NOT EXISTS FOR (decision:Decision) ON EACH [decision.bench_text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
""",
}
"""Of each label the index of its whole texts, and of what they are narrowed by."""
_TEXTS = {"Entry": "body", "Insight": "content", "Decision": "bench_text"}
_WORDS = """
CALL db.index.fulltext.queryNodes('bench_texts', $query, {limit: $limit}) YIELD node, score
WHERE node.namespace = $namespace AND score > 0
RETURN collect(node.id) AS ids
"""
_PASSAGES = """
MATCH (passage:Passage {namespace: $namespace})
WITH passage, coalesce(passage.text, passage.body) AS text
RETURN passage.id AS id, passage.scope AS scope, passage.at AS at, passage.record AS record, passage.whole AS whole,
  passage.parts AS parts, passage.session AS session, passage.place AS place, passage.last_place AS last_place,
  CASE WHEN text STARTS WITH passage.name THEN text ELSE passage.name + '\\n' + text END AS text
"""


@dataclass(frozen=True, slots=True)
class Whole:
    """A text that was saved as one record; an empty project is any."""

    id: str
    project: str
    text: str


class Baselines:
    """Words alone, meaning alone and reciprocal rank fusion (k = 60) of the two, each over whole texts.

    Words are BM25 of the same Neo4j over an index of their own, stemmed, without stop words, as ours are; meaning is
    cosine in an engine of this process.
    """

    def __init__(self, bench: Bench, embedder: Embedder, namespace: str, label: str = "Entry") -> None:
        self._bench = bench
        self._embedder = embedder
        self._namespace = namespace
        self._label = label
        self._vectors = EdgeStore(bench.folder / f"whole-texts-{label}")

    async def open(self, texts: Sequence[Whole]) -> None:
        """Indexes texts that are saved already."""
        await bare(self._bench, _INDEXES[self._label])
        await bare(self._bench, "CALL db.awaitIndexes(300)")
        await self._vectors.open(self._embedder.dimension, self._embedder.fingerprint)
        embedded = await self._embedder.embed_passages([text.text for text in texts])
        await self._vectors.upsert(
            [
                Point(
                    point_id(self._namespace, "whole", each.id),
                    vector,
                    self._namespace,
                    "whole",
                    each.id,
                    1,
                    [each.project],
                )
                for each, vector in zip(texts, embedded, strict=True)
            ]
        )

    async def close(self) -> None:
        await self._vectors.close()
        await bare(self._bench, "DROP INDEX bench_texts IF EXISTS")

    async def words(self, project: str, question: str) -> list[str]:
        narrow = f'+project:"{project}"^0 ' if project else ""
        query = f"{narrow}+{_TEXTS[self._label]}:({' '.join(extract_terms(question))})"
        [row] = await bare(self._bench, _WORDS, namespace=self._namespace, query=query, limit=_LISTED)
        return [str(id_) for id_ in row["ids"]]

    async def meaning(self, project: str, question: str) -> list[str]:
        return [hit.key for hit in await self.nearest(project, question)]

    async def nearest(self, project: str, question: str) -> list[Hit]:
        """What meaning alone finds, with its cosine."""
        vector = await self._embedder.embed_query(question)
        return await self._vectors.search(
            vector, _LISTED, namespace=self._namespace, kinds=["whole"], scope=project or None
        )

    async def fused(self, project: str, question: str) -> list[str]:
        scores: dict[str, float] = {}
        for ids in await asyncio.gather(self.meaning(project, question), self.words(project, question)):
            for place, id_ in enumerate(ids, start=1):
                scores[id_] = scores.get(id_, 0.0) + 1 / (_K + place)
        return sorted(scores, key=lambda id_: -scores[id_])


class Parts:
    """The calls that a search of ours cannot do without, made bare: embedding, words, vectors, one statement."""

    def __init__(
        self,
        bench: Bench,
        embedder: Embedder,
        vectors: VectorStore,
        namespace: str,
        told: str = "entries/found_passages",
    ) -> None:
        """`told` is the statement that tells what was found."""
        self._bench = bench
        self._embedder = embedder
        self._vectors = vectors
        self._namespace = namespace
        self._told = told

    async def copy(self) -> None:
        """Fills the engine of this process with the same points: what the service holds belongs to it alone."""
        rows = await bare(self._bench, _PASSAGES, namespace=self._namespace)
        embedded = await self._embedder.embed_passages([row["text"] for row in rows])
        await self._vectors.upsert(points(self._namespace, rows, embedded))

    async def search(self, scope: str, question: str) -> None:
        """Everything that carries the word of a scope is looked at."""
        hits = await self.passages(scope, question)
        keys = [hit.key for hit in hits]
        first: list[str] | list[int] = keys[:FIRST]
        if self._told == "cognition/found_insights":
            first = [hit.origin.record for hit in hits[:FIRST] if hit.origin]
        await bare(
            self._bench,
            load(self._told).text,
            namespace=self._namespace,
            ids=first,
            others=keys,
            whole=True,
            scope=scope,
            since="0",
            until="9",
        )

    async def passages(self, scope: str, question: str, *, all_words: bool = False) -> list[Hit]:
        """What proposes: the embedding, the words, the nearest records and passages, and those that words propose."""
        narrow = SearchScope(self._namespace, scope)
        asked = build_word_parameters(narrow, list(dict.fromkeys(extract_terms(question))), all_words=all_words)
        statement = load("retrieval/matching_passages").text
        vector, [row] = await asyncio.gather(
            self._embedder.embed_query(question), bare(self._bench, statement, **asked)
        )
        near = partial(self._vectors.search, vector, namespace=self._namespace, kinds=["passage"], scope=scope)
        records = sorted({origin["record"] for _, _, origin in row["first"]})
        hits = await near(limit=_SCANNED)
        wholes = [hit for hit in hits if hit.origin and hit.origin.whole][:_LISTED]
        if len(wholes) < _LISTED and len(hits) == _SCANNED:
            wholes = await near(limit=_LISTED, wholes=True)
        await near(limit=len(records), wholes=True, records=records)
        return sorted([*wholes, *hits[:_LISTED]], key=lambda hit: -hit.score)


def points(namespace: str, rows: Iterable[dict[str, Any]], embedded: Iterable[Sequence[float]]) -> list[Point]:
    """Passages, by their properties, as the projector stores them."""
    return [
        Point(
            point_id(namespace, "passage", row["id"]),
            vector,
            namespace,
            "passage",
            row["id"],
            1,
            row["scope"].split(),
            int(row["at"]),
            PassageOrigin(row["record"], row["whole"], row["parts"], row["session"], row["place"], row["last_place"]),
        )
        for row, vector in zip(rows, embedded, strict=True)
    ]


async def bare(bench: Bench, text: str, /, **parameters: object) -> list[dict[str, Any]]:
    """Runs a statement by the bare driver."""
    answer = await bench.driver.execute_query(text, parameters_=parameters, database_="neo4j", routing_="w")
    return [record.data() for record in answer.records]
