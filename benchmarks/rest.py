"""REST beside MCP, and memories out and in again: how fast, and in how much memory.

The same questions are asked of the same turns of LoCoMo, which are there as entries and as memories: `POST
/entries/query` is the very use case of the MCP tool `search`, so the two differ by their doors alone; `POST
/memories/query` has no tool of its own, and `search` is the nearest there is.

By itself, and with more memories: `python -m benchmarks.rest [--memories 10000]`. Most of the time goes into waiting
until the imported ones are embedded; `--vectors` gives them made-up ones, for 100,000 memories in ten minutes.
"""

import argparse
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import anyio
import httpx2
import numpy as np
import psutil
from mcp import Client

from benchmarks.bench import Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import LOCOMO, conversations
from benchmarks.measure import in_turn
from server.access.bearer import CALLER_HEADER
from tests.interaction.service import Service, service
from tests.interaction.tools import ask

_NAMESPACE = "bench-rest"
_TURNS, _QUESTIONS, _WARMING = 500, 200, 28
_MEMORIES, _TO_A_SESSION = 1_000, 50
_WRITERS, _LIMIT = 8, 10
_DIMENSION = 384


@asynccontextmanager
async def door(made: Service, namespace: str, name: str = "tester") -> AsyncIterator[httpx2.AsyncClient]:
    """A script's client of REST, in a namespace of its own; each has a connection of its own."""
    caller = {"name": name, "kind": "human", "role": "admin", "namespace": namespace}
    secret = made.home.agent_memory_secret.read_text().strip()
    headers = {"Authorization": f"Bearer {secret}", CALLER_HEADER: json.dumps(caller)}
    async with httpx2.AsyncClient(base_url=made.url, headers=headers, timeout=600) as http:
        yield http


class Resident:
    """Megabytes that the service takes: before, at most, and after what is measured."""

    def __init__(self, made: Service) -> None:
        assert made.process is not None
        self._process = psutil.Process(made.process.pid)
        self.before = self.most = self.after = self._now()

    def _now(self) -> float:
        return float(self._process.memory_info().rss / 1e6)

    def __str__(self) -> str:
        return f"{self.before:.0f} → at most {self.most:.0f} → {self.after:.0f} MB"

    async def _watch(self) -> None:
        while True:
            self.most = max(self.most, self._now())
            await anyio.sleep(0.05)

    async def __aenter__(self) -> "Resident":
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._watch)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(None, None, None)
        self.after = self._now()
        self.most = max(self.most, self.after)


async def measure(bench: Bench, memories: int = _MEMORIES, *, vectors: bool = False) -> list[tuple[str, str, str, str]]:
    """Searches through both doors in turn; then so many memories imported, exported and imported in their place."""
    if not LOCOMO.file.is_file():
        console.print(f"{LOCOMO.file} is not here: REST is not measured.")
        return []
    told = conversations(LOCOMO.file)
    turns = [turn.text for each in told for turn in each.turns]
    questions = [question.text for each in told for question in each.questions][:_QUESTIONS]
    async with door(bench.service, _NAMESPACE) as http, bench.service.client(_NAMESPACE) as client:
        await _store(bench, http, turns[:_TURNS])
        rows = [await _search(http, client, path, questions) for path in ("/entries/query", "/memories/query")]
    async with door(bench.service, f"{_NAMESPACE}-many") as http:
        return [*rows, *await _out_and_in(bench, http, turns, memories, vectors=vectors)]


async def _store(bench: Bench, http: httpx2.AsyncClient, turns: list[str]) -> None:
    """Every turn, as an entry and as a memory."""

    async def save(some: list[str]) -> None:
        for turn in some:
            assert (await http.post("/entries", json={"text": turn, "allow_duplicate": True})).status_code == 201

    async with anyio.create_task_group() as tasks:
        for number in range(_WRITERS):
            tasks.start_soon(save, turns[number::_WRITERS])
    await import_memories(http, b"".join(format_lines((turn, "") for turn in turns)))
    await searchable(bench.service)


async def searchable(made: Service) -> None:
    """Waits until everything is found by meaning."""
    async with httpx2.AsyncClient(timeout=60) as http:
        with anyio.fail_after(600):
            while (await http.get(f"{made.url}/healthcheck")).json()["unprojected"]:
                await anyio.sleep(0.25)


async def _search(
    http: httpx2.AsyncClient, client: Client, path: str, questions: list[str]
) -> tuple[str, str, str, str]:
    most = "nResults" if path == "/memories/query" else "limit"

    async def rest(question: str) -> None:
        answer = (await http.post(path, json={"query": question, most: _LIMIT})).json()
        assert answer["results" if most == "nResults" else "items"]

    # Each side asks in its own words, because the service keeps the vectors of queries.
    tools = [partial(ask, client, "search", query=f"{question} {path}", limit=_LIMIT) for question in questions]
    ours = [partial(rest, f"{question} {path} now") for question in questions]
    await in_turn(ours[:_WARMING], tools[:_WARMING])
    one, other = await in_turn(ours, tools)
    return (
        f"POST {path} p50 / MCP `search` p50, same {_TURNS} turns",
        f"{one.p50 / other.p50:.2f}",
        "0.5 to 1.2",
        f"{one.p50:.1f} / {other.p50:.1f} ms",
    )


async def _out_and_in(
    bench: Bench, http: httpx2.AsyncClient, turns: list[str], memories: int, *, vectors: bool
) -> list[tuple[str, str, str, str]]:
    """Import, export with vectors, import of that in the place of all: records a second each."""
    said = islice(((one, other) for other, one in product(turns, turns) if one != other), memories)
    fresh = bench.folder / "fresh.jsonl"
    with fresh.open("wb") as opened_file:
        opened_file.writelines(format_lines(said, vectors=vectors))
    async with Resident(bench.service) as first:
        bare = await import_memories(http, fresh)
        if not vectors:
            await searchable(bench.service)
    file = bench.folder / "export.jsonl"
    async with Resident(bench.service) as exporting:
        out = await _export(http, file)
    async with Resident(bench.service) as importing:
        replaced = await import_memories(http, file, mode="replace")
    again = bench.folder / "again.jsonl"
    await _export(http, again)
    assert again.read_bytes() == file.read_bytes()
    size, brought = file.stat().st_size / 1e6, "made-up vectors" if vectors else "no vectors"
    return [
        (
            f"import of {memories:,} memories, {brought}",
            f"{memories / bare:,.0f} a second",
            "",
            str(first),
        ),
        (f"export of them, {size:.0f} MB", f"{memories / out:,.0f} a second", "memory flat", str(exporting)),
        ("import of that, mode replace", f"{memories / replaced:,.0f} a second", "memory flat", str(importing)),
    ]


def format_lines(said: Iterator[tuple[str, str]], *, vectors: bool = False) -> Iterator[bytes]:
    """Memories as an archive has them, a second after each other."""
    chance = np.random.default_rng(7)
    for number, (prompt, response) in enumerate(said):
        when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_760_000_000 + number))
        metadata = {
            "sessionId": f"session_{number // _TO_A_SESSION}",
            "timestamp": when,
            "prompt": prompt,
            "thought": "",
            "response": response,
        }
        line: dict[str, Any] = {"id": f"mem_{when}", "metadata": metadata}
        if vectors:
            vector = chance.standard_normal(_DIMENSION)
            line["embedding"] = (vector / np.linalg.norm(vector)).tolist()
        yield json.dumps(line).encode() + b"\n"


async def import_memories(http: httpx2.AsyncClient, lines: bytes | Path, mode: str = "merge") -> float:
    """Seconds until the answer."""
    content: Any = lines.open("rb") if isinstance(lines, Path) else lines
    started = time.perf_counter()
    answer = await http.post("/db/import", files={"file": ("backup.jsonl", content)}, data={"mode": mode})
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - started


async def _export(http: httpx2.AsyncClient, file: Path) -> float:
    """Seconds until all of it is on the disk."""
    started = time.perf_counter()
    with file.open("wb") as to:
        async with http.stream("GET", "/db/export") as answer:
            assert answer.status_code == 200
            async for part in answer.aiter_bytes():
                to.write(part)
    return time.perf_counter() - started


async def _alone(folder: Path, memories: int, *, vectors: bool) -> list[Result]:
    with service(folder) as made:
        async with opened(made, folder) as bench:
            return [Result(*row) for row in await measure(bench, memories, vectors=vectors)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rest", description=__doc__)
    parser.add_argument("--memories", type=int, default=_MEMORIES)
    parser.add_argument("--vectors", action="store_true", help="import them with vectors, which are made up")
    options = parser.parse_args()
    in_a_throw_away_folder(partial(_alone, memories=options.memories, vectors=options.vectors))


if __name__ == "__main__":
    main()
