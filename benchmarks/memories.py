"""Does `POST /memories/query` find the evidence? Over REST, with the turns of LoCoMo as memories.

Every conversation is a namespace of its own, as nothing narrower holds several sessions; every turn is one memory of
its session, imported as a script would bring it. Recall as in benchmarks/retrieval.py, on the same turns and questions.

By itself: `python -m benchmarks.memories`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import httpx2

from benchmarks.bench import Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import LOCOMO, Conversation, Corpus, conversations
from benchmarks.rest import door, import_memories, searchable
from tests.interaction.service import service

_FIRST = (5, 10)


async def measure(bench: Bench, most: int | None = None, corpus: Corpus = LOCOMO) -> list[tuple[str, str, str, str]]:
    """Every question of every conversation."""
    if not corpus.file.is_file():
        console.print(f"{corpus.file} is not here: memories are not searched.")
        return []
    told = conversations(corpus.file)[:most]
    recall: dict[int, list[float]] = {first: [] for first in _FIRST}
    for conversation in told:
        async with door(bench.service, f"bench-memories-{conversation.id}") as http:
            await import_memories(http, "\n".join(_lines(conversation)).encode())
            await searchable(bench.service)
            await _ask(http, conversation, recall)
    memories = sum(len(conversation.turns) for conversation in told)
    told_of = f"{corpus.name}, {len(recall[10])} questions, {memories:,} memories"
    return [
        (
            f"POST /memories/query: evidence recall@10 ({told_of})",
            f"{100 * fmean(recall[10]):.1f}",
            "",
            f"recall@5 {100 * fmean(recall[5]):.1f}",
        )
    ]


def _lines(conversation: Conversation) -> Iterator[str]:
    for number, turn in enumerate(conversation.turns):
        said = {"prompt": turn.text, "thought": "", "response": ""}
        at = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
        yield json.dumps({"id": turn.id, "metadata": {"sessionId": turn.session, "timestamp": at, **said}})


async def _ask(http: httpx2.AsyncClient, conversation: Conversation, recall: dict[int, list[float]]) -> None:
    for question in conversation.questions:
        answer = (await http.post("/memories/query", json={"query": question.text, "nResults": max(_FIRST)})).json()
        found = [hit["id"] for hit in answer["results"]]
        for first in _FIRST:
            recall[first].append(len(question.evidence & set(found[:first])) / len(question.evidence))


async def _alone(folder: Path) -> list[Result]:
    with service(folder) as made:
        async with opened(made, folder) as bench:
            return [Result(*row) for row in await measure(bench)]


def main() -> None:
    in_a_throw_away_folder(_alone)


if __name__ == "__main__":
    main()
