"""Does `search` find the evidence? Over MCP HTTP, beside words alone, meaning alone and their plain fusion.

Every turn of LoCoMo, or of BEAM (benchmarks/recall.py), is saved as one entry by the real tool: its conversation is
the project, its session the session. Then every question is asked with the project's filter, all retrievers in turn, in
the same run on the same data (benchmarks/baselines.py). Recall is a question's share of evidence among the first five
or ten entries, averaged over the questions. Insights and messages have doors of their own (benchmarks/insights.py,
benchmarks/messages.py).

By itself: `python -m benchmarks.retrieval [--conversations N]`; at scale: `--scale 10000 100000` (benchmarks/scale.py);
insights alone: `--insights`, and at scale `--insights 10000`; messages alone: `--messages`.
"""

import argparse
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean

import anyio
from mcp import Client

from benchmarks import insights, messages, scale
from benchmarks.baselines import FIRST, Baselines, Parts, Whole
from benchmarks.bench import Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import LOCOMO, Conversation, Corpus, conversations
from benchmarks.measure import Times, in_turn
from server.composition import load_embedder
from server.core.settings import Settings
from server.entries.scope import build_scope_tag
from server.vectors.edge import EdgeStore
from tests.interaction.service import service
from tests.interaction.tools import ask

_WARMING = 28
Retriever = Callable[[str, str], Awaitable[list[str]]]
"""From a project and a question to entries' ids, best first."""
Measured = Callable[[Bench, int | None], Awaitable[list[tuple[str, str, str, str]]]]


@dataclass(frozen=True, slots=True)
class Found:
    """What one retriever did: each question's recall at 5 and at 10, and milliseconds."""

    at_5: list[float] = field(default_factory=list)
    at_10: list[float] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    @property
    def times(self) -> Times:
        return Times(self.milliseconds)


async def measure(bench: Bench, most: int | None = None) -> list[tuple[str, str, str, str]]:
    """All questions of LoCoMo to all retrievers; then once more, in turn with the parts of a search made bare."""
    if rows := await recall(bench, most):
        told = conversations(LOCOMO.file)[:most]
        rows += await _speed(bench, [(each.id, question.text) for each in told for question in each.questions])
    return rows


async def recall(bench: Bench, most: int | None = None, corpus: Corpus = LOCOMO) -> list[tuple[str, str, str, str]]:
    """All questions of a corpus to all retrievers."""
    if not corpus.file.is_file():
        console.print(f"{corpus.file} is not here: retrieval is not measured.")
        return []
    told, namespace = conversations(corpus.file)[:most], _namespace(corpus)
    baselines = Baselines(bench, await load_embedder(Settings()), namespace)
    async with bench.service.client(namespace) as client:
        turns = await _save(bench, client, told)
        await baselines.open([Whole(id_, *whole[:2]) for id_, whole in turns.items()])
        retrievers: dict[str, Retriever] = {
            "search": partial(_search, client),
            "words": baselines.words,
            "meaning": baselines.meaning,
            "RRF(60)": baselines.fused,
        }
        found = await _ask(told, retrievers, {id_: turn for id_, (_, _, turn) in turns.items()})
    await baselines.close()
    return _rows(corpus, found, entries=len(turns))


async def _speed(bench: Bench, asked: Sequence[tuple[str, str]]) -> list[tuple[str, str, str, str]]:
    """The questions once more, in turn with the parts of a search made bare, after some to warm both."""
    namespace, embedder = _namespace(LOCOMO), await load_embedder(Settings())
    vectors = EdgeStore(bench.folder / "bare-passages")
    await vectors.open(embedder.dimension, embedder.fingerprint)
    parts = Parts(bench, embedder, vectors, namespace)
    await parts.copy()
    async with bench.service.client(namespace) as client:
        # In other words than before: the service keeps the vectors of queries.
        asked = [(project, f"{text} Tell me.") for project, text in asked]
        ours = [partial(_search, client, *question) for question in asked]
        bare = [partial(parts.search, build_scope_tag(namespace, project, ""), text) for project, text in asked]
        await in_turn(ours[:_WARMING], bare[:_WARMING])
        one, other = await in_turn(ours[_WARMING:], bare[_WARMING:])
    await vectors.close()
    sides = f"{one.p50:.1f} / {other.p50:.1f} ms"
    return [("search p50 / its parts made bare", f"{one.p50 / other.p50:.2f}", "≤ 1.5", sides)]


def _namespace(corpus: Corpus) -> str:
    return f"bench-{corpus.name.lower()}"


async def _save(bench: Bench, client: Client, told: Sequence[Conversation]) -> dict[str, tuple[str, str, str]]:
    """Saves every turn, each conversation in its order; returns the entries' project, text and turn."""
    saved: dict[str, tuple[str, str, str]] = {}

    async def save(conversation: Conversation) -> None:
        for turn in conversation.turns:
            answer = await ask(
                client,
                "save_memory",
                text=turn.text,
                project=conversation.id,
                session_id=turn.session,
                allow_duplicate=True,
                metadata={"date": turn.date, "turn": turn.id},
            )
            saved[answer["id"]] = (conversation.id, turn.text, turn.id)

    async with anyio.create_task_group() as tasks:
        for conversation in told:
            tasks.start_soon(save, conversation)
    with anyio.fail_after(900):
        while bench.service.status()["unprojected"]:
            await anyio.sleep(1)
    return saved


async def _search(client: Client, project: str, question: str) -> list[str]:
    answer = await ask(client, "search", query=question, project=project, limit=FIRST)
    return [item["id"] for item in answer["items"]]


async def _ask(
    told: Sequence[Conversation], retrievers: dict[str, Retriever], turns: dict[str, str]
) -> dict[str, Found]:
    found = {name: Found() for name in retrievers}
    for conversation in told:
        for question in conversation.questions:
            for name, retriever in retrievers.items():
                started = time.perf_counter()
                said = [turns[id_] for id_ in await retriever(conversation.id, question.text)]
                found[name].milliseconds.append((time.perf_counter() - started) * 1000)
                for first, recall in ((5, found[name].at_5), (10, found[name].at_10)):
                    recall.append(len(question.evidence & set(said[:first])) / len(question.evidence))
    return found


def _rows(corpus: Corpus, found: dict[str, Found], *, entries: int) -> list[tuple[str, str, str, str]]:
    search, *others = found.items()
    questions = len(search[1].at_10)

    def beside(figure: Callable[[Found], str]) -> str:
        return ", ".join(f"{name} {figure(each)}" for name, each in others)

    def percent(recall: list[float]) -> str:
        return f"{100 * fmean(recall):.1f}"

    def times(each: Found) -> str:
        return f"{each.times.p50:.1f} / {each.times.p95:.1f}"

    return [
        (
            f"search: evidence recall@10 ({corpus.name}, {questions} questions, {entries:,} entries)",
            percent(search[1].at_10),
            corpus.aim,
            beside(lambda each: percent(each.at_10)),
        ),
        ("search: evidence recall@5", percent(search[1].at_5), "", beside(lambda each: percent(each.at_5))),
        ("search p50 / p95, ms", times(search[1]), "p95 ≤ 250", beside(times)),
    ]


async def _alone(folder: Path, measured: Measured, most: int | None) -> list[Result]:
    with service(folder) as made:
        async with opened(made, folder) as bench:
            return [Result(*row) for row in await measured(bench, most)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--conversations", type=int, help="only the first so many of LoCoMo, for a quick look")
    parser.add_argument("--scale", type=int, nargs="+", metavar="N", help="speed at so many entries, instead of recall")
    parser.add_argument(
        "--insights", type=int, nargs="?", const=0, metavar="N", help="insights alone; N: speed at so many"
    )
    parser.add_argument("--messages", action="store_true", help="the journal's messages alone")
    options = parser.parse_args()
    if options.insights:
        in_a_throw_away_folder(partial(insights.at_scale, size=options.insights))
    elif options.insights is not None:
        in_a_throw_away_folder(partial(_alone, measured=insights.measure, most=options.conversations))
    elif options.scale:
        in_a_throw_away_folder(partial(scale.run, sizes=sorted(options.scale)))
    else:
        measured = messages.measure if options.messages else measure
        in_a_throw_away_folder(partial(_alone, measured=measured, most=options.conversations))


if __name__ == "__main__":
    main()
