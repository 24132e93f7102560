"""Searching entries among ten thousand and a hundred thousand, with a project's filter and without.

The entries are LoCoMo's turns and paragraphs of PEPs, put together anew over many projects: runs of one source in its
order, people called otherwise in each project, and to each text the beginning of another one of its source. They are
written behind the product's back, in its shape: each distinct text is embedded once, and an entry's vector lies between
those of its two texts, a little beside it.
"""

import random
import re
import shutil
import signal
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from mcp import Client
from numpy.typing import NDArray

from benchmarks.baselines import FIRST, Parts, bare, points
from benchmarks.bench import DATA, Bench, Result, console, opened
from benchmarks.locomo import LOCOMO, Conversation, conversations
from benchmarks.measure import Times, in_turn
from server.composition import load_embedder
from server.core.settings import Settings
from server.embedding.embedder import Embedder
from server.entries.scope import build_scope_tag, list_scope_tags
from server.entries.scope import build_session_key as session_of_entry
from server.retrieval.writing import SessionEnd, build_context_updates, prepare_text
from server.vectors.edge import EdgeStore
from tests.interaction.service import service
from tests.interaction.tools import ask

_NAMESPACE = "bench-scale"
_PROJECT = 1_000
"""Entries of a project."""
_SESSION = 20
_BATCH = 1_000
_TOLD = 10_000
_PEPS = 60
_SHORTEST, _LONGEST = 60, 400
"""Characters of a paragraph that somebody might have said."""
_NOISE = 0.02
_WARMING, _QUESTIONS = 150, 128
"""A server that has just been started compiles what it runs: measured is one that has run for a while."""
_BEGAN = 1_700_000_000_000
_NAMES = [
    "Ada",
    "Alan",
    "Barbara",
    "Claude",
    "Donald",
    "Edsger",
    "Frances",
    "Grace",
    "Hedy",
    "Ivan",
    "Jean",
    "Katherine",
    "Linus",
    "Margaret",
    "Ole",
    "Peter",
    "Radia",
    "Shafi",
    "Tim",
    "Ursula",
    "Vint",
]
_FIRST_SENTENCE = re.compile(r"(.+?[.!?])(\s|$)", re.DOTALL)
_WRITE = """
UNWIND $rows AS row
MERGE (project:EntryProject {namespace: row.entry.namespace, name: row.entry.project})
CREATE (entry:Entry)-[:IN]->(project)
SET entry = row.entry, entry.created_at = datetime({epochMillis: row.at}), entry += row.whole, entry:$(row.labels)
FOREACH (each IN row.passages | CREATE (passage:Passage)-[:PASSAGE_OF]->(entry) SET passage = each)
"""


@dataclass(frozen=True, slots=True)
class Source:
    """One conversation or document: its texts in their order, their vectors, and the people who speak."""

    texts: Sequence[str]
    vectors: NDArray[np.float32]
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Told:
    """A text that was never saved, and its vector."""

    text: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Speed:
    """Searches of all entries and of one project, each beside its parts made bare."""

    entries: int
    everywhere: tuple[Times, Times]
    in_project: tuple[Times, Times]


async def run(folder: Path, sizes: Sequence[int]) -> list[Result]:
    """Measures at each size in turn; each holds the ones before."""
    embedder = await load_embedder(Settings())
    told = conversations(LOCOMO.file)
    questions = [question.text for each in told for question in each.questions]
    random.seed(1)
    random.shuffle(questions)
    sessions = mixed_sessions(await read_sources(embedder, told))
    copy = folder / "bare-vectors"
    vectors = EdgeStore(copy)
    results: list[Result] = []
    smallest: _Speed | None = None
    written = 0
    with service(folder) as made:
        for size in sizes:
            await vectors.open(embedder.dimension, embedder.fingerprint)
            async with opened(made, folder) as bench:
                while written < size:
                    if not written % _TOLD:
                        console.print(f"{written:,} entries …", style="dim")
                    written += await _write(bench, vectors, list(islice(sessions, _BATCH // _SESSION)))
            await made.end(signal.SIGTERM)
            await vectors.close()
            shutil.rmtree(made.home.vectors)
            shutil.copytree(copy, made.home.vectors)
            await vectors.open(embedder.dimension, embedder.fingerprint)
            async with opened(made, folder) as bench:
                speed = await _measure(bench, Parts(bench, embedder, vectors, _NAMESPACE), questions, written)
            results += _rows(speed, smallest)
            smallest = smallest or speed
            await made.end(signal.SIGTERM)
            await vectors.close()
    return results


async def read_sources(embedder: Embedder, told: Sequence[Conversation]) -> list[Source]:
    paragraphs: list[list[str]] = []
    with tarfile.open(DATA / "peps-0001-0499.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            if len(paragraphs) < _PEPS and (opened := archive.extractfile(member)) is not None:
                parts = (" ".join(part.split()) for part in opened.read().decode("utf-8").split("\n\n")[1:])
                paragraphs.append([part for part in parts if _SHORTEST <= len(part) <= _LONGEST])
    texts = [[turn.text for turn in each.turns] for each in told] + [
        each for each in paragraphs if len(each) > _SESSION
    ]
    people: list[list[str]] = [sorted({text.partition(":")[0] for text in each}) for each in texts[: len(told)]]
    embedded = iter(await embedder.embed_passages([text for each in texts for text in each]))
    return [
        Source(each, np.array(list(islice(embedded, len(each))), dtype=np.float32), names)
        for each, names in zip(texts, [*people, *([] for _ in texts)], strict=False)
    ]


def mixed_sessions(sources: Sequence[Source]) -> Iterator[list[Told]]:
    """Entries without end, a session at a time: a run of one source, each text with the beginning of another one."""
    generator = random.Random(2)
    noise = np.random.default_rng(3)
    for number in count():
        source = generator.choice(sources)
        start = generator.randrange(len(source.texts) - _SESSION)
        called = dict(zip(source.names, random.Random(number * _SESSION // _PROJECT).sample(_NAMES, 2), strict=False))
        session: list[Told] = []
        for place in range(start, start + _SESSION):
            other = generator.randrange(len(source.texts))
            beginning = _FIRST_SENTENCE.match(source.texts[other].rpartition(": ")[2])
            text = f"{source.texts[place]} {beginning[1] if beginning else ''}".strip()
            for name, new in called.items():
                text = text.replace(name, new)
            vector = (
                2 * source.vectors[place] + source.vectors[other] + noise.normal(0, _NOISE, source.vectors.shape[1])
            )
            session.append(Told(text, vector / np.linalg.norm(vector)))
        yield session


async def _write(bench: Bench, vectors: EdgeStore, sessions: Sequence[list[Told]]) -> int:
    """Writes sessions into the graph and their vectors beside it; returns how many entries they have."""
    [held] = await bare(bench, "MATCH (entry:Entry {namespace: $namespace}) RETURN count(*) AS n", namespace=_NAMESPACE)
    number = int(held["n"])
    rows: list[dict[str, Any]] = []
    found: list[tuple[dict[str, Any], Sequence[float]]] = []
    stored: dict[str, dict[str, Any]] = {}
    for session in sessions:
        name = f"session-{number // _SESSION}"
        last = SessionEnd()
        for entry in session:
            number += 1
            told, last = _entry_row(entry, number, name, last, stored)
            rows.append(told)
            found += [(each, entry.vector.tolist()) for each in told["passages"] or [told["whole"]]]
    await bare(bench, _WRITE, rows=rows)
    await vectors.upsert(points(_NAMESPACE, [each for each, _ in found], [vector for _, vector in found]))
    return len(rows)


def _entry_row(
    entry: Told, number: int, session: str, last: SessionEnd, stored: dict[str, dict[str, Any]]
) -> tuple[dict[str, Any], SessionEnd]:
    """A row for the graph: the entry, and what it is found by, as server/retrieval/writing.py makes them."""
    project, at = f"project-{number // _PROJECT}", _BEGAN + number * 1_000
    prepared = prepare_text(_NAMESPACE, number, entry.text, None)
    said_in = session_of_entry(project, session)
    found = prepared.found_by(scopes=list_scope_tags(_NAMESPACE, project, "note"), at=at, session=said_in, last=last)
    for added in build_context_updates(last, prepared):
        stored[added["id"]]["around"] += f" {added['words']}"
    stored |= {each["id"]: each for each in found}
    passage = found[0] if len(found) == 1 else {}
    row = {
        "entry": {
            "namespace": _NAMESPACE,
            "project": project,
            "session_id": session,
            "id": found[0]["id"] if passage else str(uuid4()),
            "node_id": number,
            "label": "Entry",
            "name": entry.text[:120],
            "title": entry.text[:120],
            "body": entry.text,
            "type": "note",
            "metadata": "{}",
            "status": "active",
        },
        "at": at,
        "whole": {key: value for key, value in passage.items() if key not in {"name", "text"}},
        "labels": ["Passage"] if passage else [],
        "passages": [] if passage else found,
    }
    return row, last.append(found)


async def _measure(bench: Bench, parts: Parts, questions: Sequence[str], entries: int) -> _Speed:
    projects = [f"project-{number % max(1, entries // _PROJECT)}" for number in range(len(questions))]
    async with bench.service.client(_NAMESPACE) as client:

        async def compared(asked: Sequence[tuple[str, str]]) -> tuple[Times, Times]:
            ours = [partial(_search, client, *each) for each in asked]
            made = [partial(parts.search, build_scope_tag(_NAMESPACE, project, ""), text) for project, text in asked]
            await in_turn(ours[:_WARMING], made[:_WARMING])
            return await in_turn(ours[_WARMING : _WARMING + _QUESTIONS], made[_WARMING : _WARMING + _QUESTIONS])

        everywhere = await compared([("", question) for question in questions])
        # In other words, because the service keeps the vectors of queries.
        other = [f"{question} Tell me." for question in questions]
        return _Speed(entries, everywhere, await compared(list(zip(projects, other, strict=True))))


async def _search(client: Client, project: str, question: str) -> None:
    await ask(client, "search", query=question, project=project, limit=FIRST)


def _rows(speed: _Speed, smallest: _Speed | None) -> list[Result]:
    at = f"at {speed.entries:,} entries"
    rows = []
    for where, (ours, made) in (("", speed.everywhere), (" in a project", speed.in_project)):
        rows += [
            Result(f"search{where} {at}, p95", f"{ours.p95:.0f} ms", "≤ 250 ms", f"bare {made.p95:.0f} ms"),
            Result(
                f"search{where} {at}, p50 / its parts made bare",
                f"{ours.p50 / made.p50:.2f}",
                "≤ 1.5",
                f"{ours.p50:.1f} / {made.p50:.1f} ms",
            ),
        ]
    (everywhere, _), (in_project, _) = speed.everywhere, speed.in_project
    rows.append(
        Result(f"search in a project / everywhere {at}, p50", f"{in_project.p50 / everywhere.p50:.2f}", "≤ 1", "")
    )
    if smallest is not None:
        (before, _), (before_in_project, _) = smallest.everywhere, smallest.in_project
        than = f"{speed.entries:,} / {smallest.entries:,} entries, p50"
        rows += [
            Result(f"search {than}", f"{everywhere.p50 / before.p50:.2f}", "≤ 2", ""),
            Result(f"search in a project {than}", f"{in_project.p50 / before_in_project.p50:.2f}", "≤ 2", ""),
        ]
    return rows
