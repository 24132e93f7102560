"""Does `hybrid_search` find the evidence, and how fast among ten thousand? Over MCP HTTP, at its default weights.

Every turn of LoCoMo is distilled into one insight, all conversations in one pool, and every question is asked of all
of them. There are two ways: with the turn as a dialogue of its session that the insight has as its source, and
without sources. Beside them stand words alone, meaning alone and their plain fusion over the same texts, bare
(benchmarks/baselines.py). At scale, insights with their dialogues are written behind the product's back, in its shape.

By itself: `python -m benchmarks.retrieval --insights [N]`.
"""

import shutil
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import anyio
from mcp import Client

from benchmarks.baselines import FIRST, Baselines, Parts, Whole, bare, points
from benchmarks.bench import Bench, Result, console, opened
from benchmarks.locomo import LOCOMO, Conversation, Corpus, Turn, conversations
from benchmarks.measure import Times, in_turn
from benchmarks.scale import Told, mixed_sessions, read_sources
from server.cognition.insights import build_scope_tag, list_scope_tags
from server.composition import load_embedder
from server.core.settings import Settings
from server.embedding.embedder import Embedder
from server.ranking.terms import extract_terms
from server.retrieval.passages import take_lead
from server.retrieval.scope import build_family_tag, mark_session_key
from server.retrieval.writing import prepare_text
from server.vectors.edge import EdgeStore
from tests.interaction.service import service
from tests.interaction.tools import ask

_SOURCES, _ALONE, _SCALE = "bench-insights", "bench-insights-alone", "bench-insights-scale"
_TOLD = "cognition/found_insights"
_BATCH = 50
"""Sessions that are written at once."""
_WARMING, _QUESTIONS = 150, 128
_BEGAN = 1_700_000_000_000
_WRITE = """
UNWIND $rows AS row
CREATE (dialogue:Dialogue) SET dialogue = row.dialogue, dialogue.created_at = datetime({epochMillis: row.at})
CREATE (insight:Insight)-[:DISTILLED_FROM]->(dialogue)
SET insight = row.insight, insight.created_at = datetime({epochMillis: row.at})
FOREACH (each IN row.passages | CREATE (passage:Passage)-[:PASSAGE_OF]->(insight) SET passage = each)
"""


@dataclass(frozen=True, slots=True)
class Recall:
    """A retriever's recall at 5 and at 10, question by question."""

    at_5: list[float] = field(default_factory=list)
    at_10: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{100 * fmean(self.at_10):.1f}"


Retriever = Callable[[str], Awaitable[Sequence[str]]]
"""From a question to ids of insights, best first."""


async def measure(bench: Bench, most: int | None = None, corpus: Corpus = LOCOMO) -> list[tuple[str, str, str, str]]:
    """Both ways, and the plain retrievers on the texts of the first one."""
    if not corpus.file.is_file():
        console.print(f"{corpus.file} is not here: the retrieval of insights is not measured.")
        return []
    told = conversations(corpus.file)[:most]
    sources, without = f"{_SOURCES}-{corpus.name.lower()}", f"{_ALONE}-{corpus.name.lower()}"
    baselines = Baselines(bench, await load_embedder(Settings()), sources, "Insight")
    async with bench.service.client(sources) as client:
        turns = await _store(bench, client, told, sources=True)
        await baselines.open([Whole(id_, "", turn.text) for id_, (_, turn) in turns.items()])
        retrievers: dict[str, Retriever] = {
            "search": partial(_search, client),
            "words": partial(baselines.words, ""),
            "meaning": partial(baselines.meaning, ""),
            "RRF(60)": partial(baselines.fused, ""),
        }
        found = {name: await _asked(told, turns, retriever) for name, retriever in retrievers.items()}
        await baselines.close()
    async with bench.service.client(without) as client:
        turns = await _store(bench, client, told, sources=False)
        alone = await _asked(told, turns, partial(_search, client))
    questions = sum(len(each.questions) for each in told)
    plain = fmean(found["RRF(60)"].at_10)
    beside = ", ".join(f"{name} {recall}" for name, recall in found.items() if name != "search")
    aim = f"≥ {100 * plain + 5:.1f}"
    told_of = f"{corpus.name} in one pool, {questions} questions, {len(turns):,} insights"
    return [
        (
            f"hybrid_search: evidence recall@10 ({told_of})",
            str(found["search"]),
            aim,
            beside,
        ),
        (f"hybrid_search: recall@10 of insights without sources ({corpus.name})", str(alone), aim, beside),
    ]


async def _store(
    bench: Bench, client: Client, told: Sequence[Conversation], *, sources: bool
) -> dict[str, tuple[str, Turn]]:
    """Stores every turn in its order; returns each insight's conversation and turn."""
    stored: dict[str, tuple[str, Turn]] = {}

    async def store(conversation: Conversation) -> None:
        for turn in conversation.turns:
            ids: list[int] = []
            if sources:
                speaker, _, content = turn.text.partition(": ")
                session = f"{conversation.id} {turn.session}"
                said = await ask(client, "store_raw_dialogue", session_id=session, speaker=speaker, content=content)
                ids = [said["id"]]
            answer = await ask(client, "compress_to_l2_insight", content=turn.text, source_ids=ids)
            stored[str(answer["id"])] = (conversation.id, turn)

    # With sources the order is the session's; without, what one principal stores stands in the order of storing.
    limit = anyio.CapacityLimiter(len(told) if sources else 1)
    async with anyio.create_task_group() as tasks:
        for conversation in told:
            tasks.start_soon(_run_limited, limit, store, conversation)
    with anyio.fail_after(900):
        while bench.service.status()["unprojected"]:
            await anyio.sleep(1)
    return stored


async def _run_limited(
    limit: anyio.CapacityLimiter, work: Callable[[Conversation], Awaitable[None]], conversation: Conversation
) -> None:
    async with limit:
        await work(conversation)


async def _search(client: Client, question: str) -> list[str]:
    answer = await ask(client, "hybrid_search", query_text=question, top_k=FIRST)
    return [str(hit["id"]) for hit in answer["results"]]


async def _asked(told: Sequence[Conversation], turns: dict[str, tuple[str, Turn]], retriever: Retriever) -> Recall:
    recall = Recall()
    for conversation in told:
        for question in conversation.questions:
            evidence = {(conversation.id, turn) for turn in question.evidence}
            said = [(of, turn.id) for of, turn in (turns[id_] for id_ in await retriever(question.text))]
            recall.at_5.append(len(evidence & set(said[:5])) / len(evidence))
            recall.at_10.append(len(evidence & set(said[:10])) / len(evidence))
    return recall


async def at_scale(folder: Path, size: int) -> list[Result]:
    """How fast a search among so many insights is, beside its parts made bare."""
    embedder = await load_embedder(Settings())
    told = conversations(LOCOMO.file)
    questions = [question.text for each in told for question in each.questions]
    Random(1).shuffle(questions)
    copy = folder / "bare-vectors"
    vectors = EdgeStore(copy)
    await vectors.open(embedder.dimension, embedder.fingerprint)
    with service(folder) as made:
        async with opened(made, folder) as bench:
            await _fill(bench, vectors, embedder, told, size)
        await made.end(signal.SIGTERM)
        await vectors.close()
        shutil.rmtree(made.home.vectors)
        shutil.copytree(copy, made.home.vectors)
        await vectors.open(embedder.dimension, embedder.fingerprint)
        async with opened(made, folder) as bench, bench.service.client(_SCALE) as client:
            parts = Parts(bench, embedder, vectors, _SCALE, _TOLD)
            ours = [partial(_search, client, question) for question in questions]
            plain = [partial(parts.search, build_scope_tag(_SCALE, None), question) for question in questions]
            await in_turn(ours[:_WARMING], plain[:_WARMING])
            end = _WARMING + _QUESTIONS
            both = await in_turn(ours[_WARMING:end], plain[_WARMING:end])
    await vectors.close()
    return _rows(*both, size)


def _rows(ours: Times, plain: Times, size: int) -> list[Result]:
    return [
        Result(
            f"hybrid_search at {size:,} insights, {name} / its parts made bare",
            f"{one / other:.2f}",
            "≤ 1.5",
            f"{one:.1f} / {other:.1f} ms",
        )
        for name, one, other in (("p50", ours.p50, plain.p50), ("p95", ours.p95, plain.p95))
    ]


async def _fill(bench: Bench, vectors: EdgeStore, embedder: Embedder, told: Sequence[Conversation], size: int) -> None:
    sessions = mixed_sessions(await read_sources(embedder, told))
    number = 0
    while number < size:
        rows: list[dict[str, Any]] = []
        found: list[tuple[dict[str, Any], Sequence[float]]] = []
        for session in islice(sessions, _BATCH):
            for place in range(len(session)):
                number += 1
                row = _row(session, place, number)
                rows.append(row)
                found += [(each, session[place].vector.tolist()) for each in row["passages"]]
        await bare(bench, _WRITE, rows=rows)
        await vectors.upsert(points(_SCALE, [each for each, _ in found], [vector for _, vector in found]))


def _row(session: Sequence[Told], place: int, number: int) -> dict[str, Any]:
    """A dialogue and the insight distilled from it, as server/cognition/insights.py makes them."""
    text, name = session[place].text, f"session-{(number - 1) // len(session)}"
    at = _BEGAN + number * 1_000
    nearby = " ".join(take_lead(each.text) for each in session[max(0, place - 2) : place + 3])
    passages = prepare_text(_SCALE, 2 * number, text, None).found_by(
        scopes=list_scope_tags(_SCALE, 0.5),
        at=at,
        session=mark_session_key(build_family_tag("dialogue", _SCALE, name)),
        first_place=place,
        last_place=place,
        nearby=nearby,
    )
    common = {"namespace": _SCALE, "name": text[:80]}
    return {
        "at": at,
        "dialogue": {**common, "id": 2 * number + 1, "session_id": name, "place": place, "content": text},
        "insight": {
            **common,
            "id": 2 * number,
            "content": text,
            "source_ids": [2 * number + 1],
            "fidelity_score": len(set(extract_terms(text))) / len(text.split()),
            "fidelity_warning": False,
        },
        "passages": passages,
    }
