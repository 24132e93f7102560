"""Does `search_decisions` find the decision that answers a question? Over MCP HTTP, beside the plain retrievers.

The records are real decisions of four projects (benchmarks/decision_files.py), the questions are ours, written by hand
after reading them (decision_questions.jsonl). Their kinds:

- `paraphrase`: what the record decides, without the words of its title; `deep`: told far down, or in a consequence.
- `keywords`: one to three words. `exact`: a target, a number or an id, in other capitals or inside a sentence.
- `successor`: in the words of a decision that was replaced; the answer is what replaced it.
- `oblique`: a paraphrase of whose words fewer than half stand in the record; shown, and in no average.
- `unanswerable`: nothing answers it; `near` asks about software, `far` about anything else.

Every question is asked in balanced mode with a limit of 10, of all projects at once. Beside it stand words alone (BM25
over title, target, rationale and consequences), meaning alone (cosine of the beginning) and their plain fusion, bare,
in the same run on the same data. Who tunes by some projects looks at the others: each has its own line.

By itself: `python -m benchmarks.decision_search [--all] [--misses]`.
"""

import argparse
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

import anyio
from mcp import Client
from rich.table import Table

from benchmarks.baselines import FIRST, Baselines, Whole, bare
from benchmarks.bench import Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.decision_files import OTHERS, PEPS, chosen, unpack
from ingest.decisions import ingest_decisions
from server.composition import load_embedder
from server.core.settings import Settings
from tests.interaction.service import service
from tests.interaction.tools import ask

_QUESTIONS = Path(__file__).with_name("decision_questions.jsonl")
_NAMESPACE = "bench-decision-search"
_UNANSWERABLE, _OBLIQUE = "unanswerable", "oblique"
_TEXTS = """
MATCH (decision:Decision {namespace: $namespace})
SET decision.bench_text = reduce(
  text = decision.title + '\\n' + decision.target + '\\n' + decision.rationale,
  part IN coalesce(decision.consequences, []) | text + '\\n' + part
)
RETURN decision.id AS id, decision.title + '\\n' + decision.target + '\\n' + decision.rationale AS text
"""
_AGENTS = """
MATCH (decision:Decision {namespace: $namespace})
WHERE toInteger(split(decision.id, ' ')[-1]) % 2 = 1
SET decision.origin = 'agent'
"""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the ids of the decisions that answer it."""

    text: str
    kind: str
    subkind: str
    project: str
    answers: frozenset[str]
    deep: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What one retriever found for a question, best first; how sure it is of the first, from 0."""

    question: Question
    ids: Sequence[str]
    sure: float

    @property
    def place(self) -> int:
        """Of the first right decision, counted from 1; 0 where none is among those found."""
        return next((place for place, id_ in enumerate(self.ids, start=1) if id_ in self.question.answers), 0)


@dataclass(frozen=True, slots=True)
class Answers:
    """All that one retriever answered."""

    answers: Sequence[Answer]
    milliseconds: Sequence[float] = field(default=())

    def of(self, wanted: Callable[[Question], bool]) -> "Answers":
        return Answers([answer for answer in self.answers if wanted(answer.question)])

    def __len__(self) -> int:
        return len(self.answers)

    def hit(self, first: int) -> float:
        """Percent of the questions with a right decision among the first."""
        return 100 * fmean(0 < answer.place <= first for answer in self.answers)

    @property
    def reciprocal_rank(self) -> float:
        return 100 * fmean(1 / answer.place if answer.place else 0 for answer in self.answers)

    @property
    def empty(self) -> float:
        """Percent of the questions to which nothing was found."""
        return 100 * fmean(not answer.ids for answer in self.answers)

    @property
    def separation(self) -> float:
        """The area under the curve: how often an answerable question has a surer first hit than one that is not."""
        right = [answer.sure for answer in self.of(_is_average).answers]
        wrong = [answer.sure for answer in self.of(_is_unanswerable).answers]
        return fmean((one > other) + (one == other) / 2 for one in right for other in wrong)


Retriever = Callable[[str], Awaitable[tuple[Sequence[str], float]]]
"""From a question to ids of decisions, best first, and how sure the first is."""


def questions() -> list[Question]:
    """Every question of the file."""
    rows = map(json.loads, _QUESTIONS.read_text(encoding="utf-8").splitlines())
    return [
        Question(
            row["question"],
            row["kind"],
            row.get("subkind", ""),
            row["project"],
            frozenset(row["answers"]),
            row.get("deep", False),
        )
        for row in rows
    ]


async def measure(bench: Bench) -> list[tuple[str, str, str, str]]:
    """The records chosen, and every question of every retriever."""
    return await _measured(bench, all_of_them=False, told=False, misses=False)


async def _measured(bench: Bench, *, all_of_them: bool, told: bool, misses: bool) -> list[tuple[str, str, str, str]]:
    if not (PEPS.is_file() and OTHERS.is_file()):
        console.print(f"{PEPS} and {OTHERS} are not here: the search of decisions is not measured.")
        return []
    decisions = await _ingest(bench, all_of_them=all_of_them)
    baselines = Baselines(bench, await load_embedder(Settings()), _NAMESPACE, "Decision")
    texts = await bare(bench, _TEXTS, namespace=_NAMESPACE)
    await baselines.open([Whole(row["id"], "", row["text"]) for row in texts])
    asked = questions()
    assert {id_ for question in asked for id_ in question.answers} <= {row["id"] for row in texts}
    async with bench.service.client(_NAMESPACE) as client:
        retrievers: dict[str, Retriever] = {
            "search": partial(_search, client),
            "words": partial(_unsure, baselines.words),
            "meaning": partial(_nearest, baselines),
            "RRF(60)": partial(_unsure, baselines.fused),
        }
        found = {name: await _ask(asked, retriever) for name, retriever in retrievers.items()}
        await bare(bench, _AGENTS, namespace=_NAMESPACE)
        mixed = await _ask(asked, retrievers["search"])
    await baselines.close()
    if told:
        _print(found)
    if misses:
        _print_misses(found["search"])
    return _rows(found, mixed, decisions)


async def _ingest(bench: Bench, *, all_of_them: bool) -> int:
    """Ingests each project under its name, waits until all is searchable, and returns how many decisions there are."""
    folder = bench.folder / "decision-records"
    for collection in await anyio.to_thread.run_sync(partial(unpack, folder, chosen(), all_of_them=all_of_them)):
        summary = await ingest_decisions(bench.graph, _NAMESPACE, [collection.folder], project=collection.project)
        assert not summary.bad and not summary.passed_over, (summary.bad_records, summary.passed_over)
    with anyio.fail_after(900):
        while bench.service.status()["unprojected"]:
            await anyio.sleep(1)
    [row] = await bare(
        bench, "MATCH (d:Decision {namespace: $namespace}) RETURN count(d) AS count", namespace=_NAMESPACE
    )
    return int(row["count"])


async def _search(client: Client, question: str) -> tuple[Sequence[str], float]:
    answer = await ask(client, "search_decisions", query=question, limit=FIRST)
    results: list[dict[str, Any]] = answer["results"]
    why = results[0]["why"] if results else []
    similarities = [reason["amount"] for reason in why if reason["part"] == "similarity"]
    assert bool(similarities) == bool(results), why
    return [result["id"] for result in results], sum(similarities)


async def _nearest(baselines: Baselines, question: str) -> tuple[Sequence[str], float]:
    hits = await baselines.nearest("", question)
    return [hit.key for hit in hits[:FIRST]], hits[0].score if hits else 0.0


async def _unsure(retriever: Callable[[str, str], Awaitable[list[str]]], question: str) -> tuple[Sequence[str], float]:
    return (await retriever("", question))[:FIRST], 0.0


async def _ask(asked: Iterable[Question], retriever: Retriever) -> Answers:
    answers: list[Answer] = []
    milliseconds: list[float] = []
    for question in asked:
        started = time.perf_counter()
        ids, sure = await retriever(question.text)
        milliseconds.append((time.perf_counter() - started) * 1000)
        answers.append(Answer(question, ids, sure))
    return Answers(answers, milliseconds)


def _is_average(question: Question) -> bool:
    return question.kind not in {_UNANSWERABLE, _OBLIQUE}


def _is_unanswerable(question: Question) -> bool:
    return question.kind == _UNANSWERABLE


def _groups() -> dict[str, Callable[[Question], bool]]:
    """The lines of the table: what is shown of all questions, by name."""

    def kind(name: str, subkind: str = "") -> Callable[[Question], bool]:
        return lambda question: question.kind == name and (not subkind or question.subkind == subkind)

    def project(name: str) -> Callable[[Question], bool]:
        return lambda question: _is_average(question) and question.project == name

    return {
        "paraphrase": kind("paraphrase"),
        "  of these deep": lambda question: question.kind == "paraphrase" and question.deep,
        "keywords": kind("keywords"),
        "exact": kind("exact"),
        **{f"  of these {name}": kind("exact", name) for name in ("target", "number", "id")},
        "successor": kind("successor"),
        "all of these": _is_average,
        **{f"  of these {name}": project(name) for name in ("PEP", "NATS", "OTEP", "SE")},
        "oblique": kind(_OBLIQUE),
    }


def _print(found: Mapping[str, Answers]) -> None:
    table = Table(title="hit@1 / hit@5 / MRR@10")
    for column in ("asked by", "questions", *found):
        table.add_column(column)
    for name, wanted in _groups().items():
        parts = [answers.of(wanted) for answers in found.values()]
        figures = (f"{part.hit(1):.1f} / {part.hit(5):.1f} / {part.reciprocal_rank:.1f}" for part in parts)
        table.add_row(name, str(len(parts[0])), *figures)
    console.print(table)


def _print_misses(search: Answers) -> None:
    for answer in search.answers:
        if _is_unanswerable(answer.question):
            if answer.ids:
                console.print(f"not empty {answer.sure:.3f}: {answer.question.text} -> {answer.ids[0]}", markup=False)
        elif answer.place != 1:
            wanted = ", ".join(sorted(answer.question.answers))
            told = f"{answer.question.kind}, {answer.place or '-'}: {answer.question.text} ({wanted})"
            console.print(f"{told} -> {', '.join(answer.ids[:3])}", markup=False)


def _rows(found: Mapping[str, Answers], mixed: Answers, decisions: int) -> list[tuple[str, str, str, str]]:
    groups = _groups()
    search, *others = found.items()

    def row(what: str, group: str, aim: str, figure: Callable[[Answers], float]) -> tuple[str, str, str, str]:
        wanted = groups[group]
        beside = ", ".join(f"{name} {figure(answers.of(wanted)):.1f}" for name, answers in others)
        return f"search_decisions: {what}", f"{figure(search[1].of(wanted)):.1f}", aim, beside

    def hit(part: Answers) -> float:
        return part.hit(1)

    ours, unanswerable = search[1], search[1].of(_is_unanswerable)
    lost, all_of_them = ours.of(_is_average), f"({len(ours.of(_is_average))} questions, {decisions} decisions)"
    return [
        row(f"hit@1 {all_of_them}", "all of these", "≥ 88", hit),
        row("MRR@10", "all of these", "≥ 92", lambda part: part.reciprocal_rank),
        *(row(f"hit@1, {kind}", kind, aim, hit) for kind, aim in _AIMS.items()),
        (
            "search_decisions: hit@1, every second decision an agent's",
            f"{mixed.of(_is_average).hit(1):.1f}",
            "",
            f"all of people {lost.hit(1):.1f}",
        ),
        (
            "search_decisions: AUC, answerable against not",
            f"{ours.separation:.2f}",
            "≥ 0.88",
            f"meaning {found['meaning'].separation:.2f}",
        ),
        (
            "search_decisions: empty where nothing answers / where something does",
            f"{unanswerable.empty:.1f} / {lost.empty:.1f} %",
            "≥ 50 / ≤ 3 %",
            f"{len(unanswerable)} / {len(lost)} questions",
        ),
        (
            "search_decisions p50, among these",
            f"{median(ours.milliseconds):.1f} ms",
            "",
            f"RRF(60) {median(found['RRF(60)'].milliseconds):.1f} ms",
        ),
    ]


_AIMS = {"paraphrase": "≥ 75", "keywords": "≥ 92", "exact": "≥ 98", "successor": "≥ 95"}


async def _alone(folder: Path, *, all_of_them: bool, misses: bool) -> list[Result]:
    with service(folder) as made:
        async with opened(made, folder) as bench:
            rows = await _measured(bench, all_of_them=all_of_them, told=True, misses=misses)
            return [Result(*row) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decision_search", description=__doc__)
    parser.add_argument("--all", action="store_true", help="among all 638 records of the archives, not those chosen")
    parser.add_argument("--misses", action="store_true", help="also print every question that is not answered rightly")
    options = parser.parse_args()
    in_a_throw_away_folder(partial(_alone, all_of_them=options.all, misses=options.misses))


if __name__ == "__main__":
    main()
