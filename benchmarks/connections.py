"""What others notice of idle connections, slow senders, slow readers and large answers.

One caller searches, first alone, then beside each kind of crowd: a thousand idle connections, 150 requests that arrive
at a byte a second, 50 readers of an export at 4 KB a second, two callers who export all of it again and again.

`python -m benchmarks.connections [--searches N]`
"""

import argparse
import json
import resource
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import anyio
import httpx2
from anyio.abc import SocketStream

from benchmarks.bench import Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import LOCOMO, conversations
from benchmarks.measure import Times, timed
from benchmarks.rest import Resident, door, format_lines, import_memories
from server.access.bearer import CALLER_HEADER
from tests.interaction.service import service

_NAMESPACE = "bench-connections"
_MEMORIES = 3_000
_IDLE, _SENDERS, _READERS, _EXPORTERS = 1_000, 150, 50, 2
_SECOND = 1.0
Crowd = Callable[[Bench], AbstractAsyncContextManager[None]]


async def _connect(bench: Bench) -> SocketStream:
    return await anyio.connect_tcp("127.0.0.1", bench.service.port)


def _begin(bench: Bench, request: str, *more: str) -> bytes:
    secret = bench.service.home.agent_memory_secret.read_text().strip()
    caller = json.dumps({"name": "crowd", "kind": "human", "role": "admin", "namespace": _NAMESPACE})
    who = (f"Authorization: Bearer {secret}", f"{CALLER_HEADER}: {caller}")
    lines = [f"{request} HTTP/1.1", "Host: 127.0.0.1", *who, *more, "", ""]
    return "\r\n".join(lines).encode()


@asynccontextmanager
async def _nobody(_: Bench) -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def _idle(bench: Bench) -> AsyncIterator[None]:
    """Connections that were used once and are kept."""
    kept = []
    for _ in range(_IDLE):
        kept.append(connection := await _connect(bench))
        await connection.send(_begin(bench, "GET /"))
    try:
        yield
    finally:
        for connection in kept:
            await connection.aclose()


@asynccontextmanager
async def _slow_senders(bench: Bench) -> AsyncIterator[None]:
    async def send() -> None:
        async with await _connect(bench) as connection:
            head = _begin(bench, "POST /memories", "Content-Type: application/json", "Content-Length: 5000")
            await connection.send(head)
            while True:
                await connection.send(b" ")
                await anyio.sleep(_SECOND)

    async with _crowd(send, _SENDERS):
        yield


@asynccontextmanager
async def _slow_readers(bench: Bench) -> AsyncIterator[None]:
    async def read() -> None:
        async with await _connect(bench) as connection:
            await connection.send(_begin(bench, "GET /db/export"))
            while True:
                await connection.receive(4096)
                await anyio.sleep(_SECOND)

    async with _crowd(read, _READERS):
        yield


@asynccontextmanager
async def _exporters(bench: Bench) -> AsyncIterator[None]:
    async def export() -> None:
        async with door(bench.service, _NAMESPACE) as http:
            while True:
                async for _ in _export(http):
                    pass

    async with _crowd(export, _EXPORTERS):
        yield


@asynccontextmanager
async def _crowd(act: Callable[[], Coroutine[Any, Any, None]], size: int) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        for _ in range(size):
            tasks.start_soon(act)
        await anyio.sleep(2)
        yield
        tasks.cancel_scope.cancel()


_CROWDS: dict[str, Crowd] = {
    "alone": _nobody,
    f"beside {_IDLE:,} idle connections": _idle,
    f"beside {_SENDERS} slow senders": _slow_senders,
    f"beside {_READERS} slow readers of an export": _slow_readers,
    f"beside {_EXPORTERS} exports without a pause": _exporters,
    "alone again": _nobody,
}


async def _run(folder: Path, searches: int) -> list[Result]:
    told = conversations(LOCOMO.file)
    turns = [turn.text for each in told for turn in each.turns]
    questions = [question.text for each in told for question in each.questions]
    with service(folder) as made:
        async with opened(made, folder) as bench, Resident(made) as resident:
            said = islice(((one, other * 5) for other, one in product(turns, turns) if one != other), _MEMORIES)
            async with door(made, _NAMESPACE) as http:
                await import_memories(http, b"".join(format_lines(said, vectors=True)))
                await _wait_until_linked(bench)
                size = sum([len(part) async for part in _export(http)]) / 1e6
                console.print(f"an export has {size:.0f} MB", style="dim")
                results: list[Result] = []
                first: Times | None = None
                for name, crowd in _CROWDS.items():
                    async with crowd(bench):
                        times = await _search(http, [f"{each} ({name})" for each in questions[:searches]])
                    first = first or times
                    figure = f"{times.p50:.1f} / {times.p99:.1f} ms"
                    ratio = f"p50 {times.p50 / first.p50:.2f}, p99 {times.p99 / first.p99:.2f} of that alone"
                    results.append(Result(f"search {name}: p50 / p99", figure, "", ratio))
            resident.after = resident.most
            return [*results, Result("memory of the service", f"{resident.most:.0f} MB", "≤ 600 MB", "at most")]


async def _wait_until_linked(bench: Bench) -> None:
    """Wait until nothing of the import is left to do: it would cost the first searches more than others."""
    left = "RETURN COUNT { (:Unlinked) } + COUNT { (:Unprojected) } AS left"
    while (await bench.driver.execute_query(left, database_="neo4j")).records[0]["left"]:
        await anyio.sleep(1)


async def _export(http: httpx2.AsyncClient) -> AsyncIterator[bytes]:
    async with http.stream("GET", "/db/export") as answer:
        async for part in answer.aiter_bytes():
            yield part


async def _search(http: httpx2.AsyncClient, questions: list[str]) -> Times:
    async def search(question: str) -> None:
        answer = await http.post("/memories/query", json={"query": question})
        assert answer.status_code == 200, answer.text

    for question in questions[:20]:
        await search(f"{question} first")
    return Times([await timed(partial(search, question)) for question in questions])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.connections", description=__doc__)
    parser.add_argument("--searches", type=int, default=200)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    in_a_throw_away_folder(partial(_run, searches=options.searches))


if __name__ == "__main__":
    main()
