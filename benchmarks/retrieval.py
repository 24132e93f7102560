"""Does `search` find the evidence? Over MCP HTTP, beside words alone, meaning alone and their plain fusion.

Every turn of LoCoMo is saved as one entry through the real tool: its conversation is the project, its session the
session. Then every question is asked with the project's filter, all retrievers in turn, in the same run on the same
data (benchmarks/baselines.py). Recall is a question's share of evidence among the first five or ten entries, averaged
over the questions. Insights and messages have doors of their own (benchmarks/insights.py, benchmarks/messages.py).

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
from benchmarks.bench import DATA, Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import Conversation, conversations
from benchmarks.measure import Times, in_turn
from server.app import load_embedder
from server.entries.scope import narrowest
from server.settings import Settings
from server.vectors.edge import EdgeStore
from tests.interaction.service import service
from tests.interaction.tools import ask

FILE = DATA / "locomo-3.json"
_NAMESPACE = "bench-locomo"
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
    """All questions to all retrievers; then once more, in turn with the parts of a search made bare."""
    if not FILE.is_file():
        console.print(f"{FILE} is not here: retrieval is not measured.")
        return []
    told = conversations(FILE)[:most]
    embedder = await load_embedder(Settings())
    baselines = Baselines(bench, embedder, _NAMESPACE)
    vectors = EdgeStore(bench.folder / "bare-passages")
    await vectors.open(embedder.dimension, embedder.fingerprint)
    parts = Parts(bench, embedder, vectors, _NAMESPACE)
    async with bench.service.client(_NAMESPACE) as client:
        turns = await _save(bench, client, told)
        await baselines.open([Whole(id_, *whole[:2]) for id_, whole in turns.items()])
        await parts.copy()
        search = partial(_search, client)
        retrievers: dict[str, Retriever] = {
            "search": search,
            "words": baselines.words,
            "meaning": baselines.meaning,
            "RRF(60)": baselines.fused,
        }
        named = {id_: turn for id_, (_, _, turn) in turns.items()}
        found = await _ask(told, retrievers, named)
        asked = [(each.id, question.text) for each in told for question in each.questions]
        ours = [partial(search, *question) for question in asked]
        bare = [partial(parts.search, narrowest(_NAMESPACE, project, ""), text) for project, text in asked]
        await in_turn(ours[:_WARMING], bare[:_WARMING])
        both = await in_turn(ours[_WARMING:], bare[_WARMING:])
    await baselines.close()
    await vectors.close()
    return _rows(found, *both, entries=len(turns))


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
                metadata={"date": turn.date, "turn": turn.id},
            )
            saved[answer["id"]] = (conversation.id, turn.text, turn.id)

    async with anyio.create_task_group() as tasks:
        for conversation in told:
            tasks.start_soon(save, conversation)
    with anyio.fail_after(300):
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


def _rows(found: dict[str, Found], ours: Times, bare: Times, *, entries: int) -> list[tuple[str, str, str, str]]:
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
            f"search: evidence recall@10 (LoCoMo, {questions} questions, {entries:,} entries)",
            percent(search[1].at_10),
            "≥ 78",
            beside(lambda each: percent(each.at_10)),
        ),
        ("search: evidence recall@5", percent(search[1].at_5), "", beside(lambda each: percent(each.at_5))),
        ("search p50 / p95, ms", times(search[1]), "p95 ≤ 250", beside(times)),
        (
            "search p50 / its parts made bare",
            f"{ours.p50 / bare.p50:.2f}",
            "≤ 1.5",
            f"{ours.p50:.1f} / {bare.p50:.1f} ms",
        ),
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
