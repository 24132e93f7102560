"""Fifty clients at once for a minute, reading and writing over REST and MCP: what they are told, and what is lost.

Every answer is counted by its status; whatever was acknowledged is looked for afterwards, through the doors. The limits
are those of a fresh home, except that a writer need not wait between two writes. The clients run in this process, on
the same cores as the service.

`python -m benchmarks.load [--clients N] [--seconds N]`
"""

import argparse
import math
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client

from benchmarks.bench import Bench, Result, console, in_a_throw_away_folder, opened
from benchmarks.locomo import LOCOMO, conversations
from benchmarks.measure import Times
from benchmarks.rest import Resident, door, searchable
from tests.interaction.service import service
from tests.interaction.tools import ask

_NAMESPACE = "bench-load"
_WRITES = 0.3
"""Share of the calls that write."""
_PAGE = 20
"""Entries that are read at once: an answer that grows too large is cut."""
_ACKNOWLEDGED = {"200", "201", "ok"}
_LONGEST_STALL = 0.25
"""Seconds."""
_TO_BE_EXPECTED = {*_ACKNOWLEDGED, "429", "RATE_LIMIT_EXCEEDED"}
Call = Callable[[], Awaitable[str]]
"""One call, which tells its status."""


@dataclass(slots=True)
class Seen:
    """What all clients together saw."""

    turns: list[str]
    questions: list[str]
    numbers: "count[int]" = field(default_factory=count)
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    milliseconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    memories: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By session."""
    entries: set[str] = field(default_factory=set)
    entities: set[str] = field(default_factory=set)

    @property
    def written(self) -> int:
        return sum(map(len, self.memories.values())) + len(self.entries) + len(self.entities)


class Script:
    """A client of REST: memories, entries and relations, written and asked for."""

    door = "REST"

    def __init__(self, http: httpx2.AsyncClient, seen: Seen, number: int) -> None:
        self._http = http
        self._seen = seen
        self._session = f"session-{number}"
        self._hub = False
        self.writes: list[Call] = [self._add_memory, self._save_entry, self._relate]
        self.reads: list[Call] = [self._find_memories, self._list, self._find_entries, self._list_neighbors]

    async def _asked(self, method: str, path: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
        answer = await self._http.request(method, path, **more)
        return str(answer.status_code), answer.json()

    async def _add_memory(self) -> str:
        said = {"prompt": random.choice(self._seen.turns), "thought": "", "response": random.choice(self._seen.turns)}
        status, told = await self._asked("POST", "/memories", json={**said, "sessionId": self._session})
        if status in _ACKNOWLEDGED:
            self._seen.memories[self._session].add(told["id"])
        return status

    async def _save_entry(self) -> str:
        status, told = await self._asked(
            "POST", "/entries", json={"text": random.choice(self._seen.turns), "allow_duplicate": True}
        )
        if status in _ACKNOWLEDGED:
            self._seen.entries.add(told["id"])
        return status

    async def _relate(self) -> str:
        name = f"thing {next(self._seen.numbers)}"
        relation = {"source_name": self._session, "target_name": name, "relation": "KNOWS"}
        status, _ = await self._asked("POST", "/graph/relations", json=relation)
        if status in _ACKNOWLEDGED:
            self._hub = True
            self._seen.entities.add(name)
        return status

    async def _find_memories(self) -> str:
        return await self._find("/memories/query")

    async def _find_entries(self) -> str:
        return await self._find("/entries/query")

    async def _find(self, path: str) -> str:
        return (await self._asked("POST", path, json={"query": random.choice(self._seen.questions)}))[0]

    async def _list(self) -> str:
        return (await self._asked("GET", "/memories", params={"sessionId": self._session, "limit": 20}))[0]

    async def _list_neighbors(self) -> str:
        if not self._hub:  # the first relation makes it
            return await self._relate()
        return (await self._asked("GET", "/graph/neighbors", params={"node_name": self._session, "limit": 20}))[0]


class Agent:
    """A client of MCP: entries and entities, written and asked for."""

    door = "MCP"

    def __init__(self, client: Client, seen: Seen) -> None:
        self._client = client
        self._seen = seen
        self.writes: list[Call] = [self._save, self._add]
        self.reads: list[Call] = [self._search, self._search_decisions]

    async def _asked(self, tool: str, **arguments: Any) -> tuple[str, Mapping[str, Any]]:
        result = await self._client.call_tool(tool, arguments)
        told: dict[str, Any] = dict(result.structured_content or {})
        return (str(told.get("code") or told.get("error") or told) if result.is_error else "ok"), told

    async def _save(self) -> str:
        status, told = await self._asked("save_memory", text=random.choice(self._seen.turns), allow_duplicate=True)
        if status in _ACKNOWLEDGED:
            self._seen.entries.add(told["id"])
        return status

    async def _add(self) -> str:
        name = f"thing {next(self._seen.numbers)}"
        status, _ = await self._asked("graph_add_node", label="Thing", name=name)
        if status in _ACKNOWLEDGED:
            self._seen.entities.add(name)
        return status

    async def _search(self) -> str:
        return (await self._asked("search", query=random.choice(self._seen.questions)))[0]

    async def _search_decisions(self) -> str:
        return (await self._asked("search_decisions", query=random.choice(self._seen.questions)))[0]


async def _work(client: Script | Agent, seen: Seen, until: float) -> None:
    while time.perf_counter() < until:
        writes = random.random() < _WRITES
        started = time.perf_counter()
        status = await random.choice(client.writes if writes else client.reads)()
        seen.milliseconds[f"{client.door} {'writes' if writes else 'reads'}"].append(
            (time.perf_counter() - started) * 1000
        )
        seen.statuses[client.door, status] += 1


async def _run(folder: Path, clients: int, seconds: float) -> list[Result]:
    told = conversations(LOCOMO.file)
    seen = Seen(
        [turn.text for each in told for turn in each.turns],
        [question.text for each in told for question in each.questions],
    )
    random.seed(50)
    with service(folder) as made:
        async with opened(made, folder) as bench:
            async with Resident(made) as resident:
                before = await _count_delays(bench)
                await _all(bench, seen, clients, seconds)
                delays = await _count_delays(bench) - before
                started = time.perf_counter()
                await searchable(made)
                behind = time.perf_counter() - started
            return [
                Result(*row)
                for row in [
                    *_rows(seen, await _lost(bench, seen), seconds, behind),
                    _describe_delays(delays),
                    _memory(resident),
                ]
            ]


async def _count_delays(bench: Bench) -> Counter[float]:
    """How often the event loop of the service was late by at most so many seconds, since its start."""
    async with door(bench.service, _NAMESPACE) as http:
        lines = (await http.get("/metrics")).text
    found = re.findall(r'precedent_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\S+)', lines)
    return Counter({float(bound): int(float(count)) for bound, count in found})


def _describe_delays(delays: Counter[float]) -> tuple[str, str, str, str]:
    looks = delays[math.inf]
    worst = min(bound for bound, count in delays.items() if count == looks)
    return (
        "stalls of the event loop over 250 ms",
        f"{looks - delays[_LONGEST_STALL]}",
        "0",
        f"of {looks:,} looks; none over {worst * 1000:.0f} ms",
    )


async def _all(bench: Bench, seen: Seen, clients: int, seconds: float) -> None:
    console.print(f"{clients} clients, {seconds:.0f} s …", style="dim")
    # A first call of each kind: what the first of a service costs is another figure.
    async with door(bench.service, f"{_NAMESPACE}-warm") as http, bench.service.client(f"{_NAMESPACE}-warm") as client:
        for one in (Script(http, Seen(seen.turns, seen.questions), 0), Agent(client, Seen(seen.turns, seen.questions))):
            for call in [*one.writes, *one.reads]:
                await call()
    until = time.perf_counter() + seconds

    async def script(number: int) -> None:
        async with door(bench.service, _NAMESPACE, f"script-{number}") as http:
            await _work(Script(http, seen, number), seen, until)

    async def agent() -> None:
        async with bench.service.client(_NAMESPACE) as client:
            await _work(Agent(client, seen), seen, until)

    async with anyio.create_task_group() as tasks:
        for number in range(clients):
            tasks.start_soon(*((script, number) if number % 2 else (agent,)))


async def _lost(bench: Bench, seen: Seen) -> dict[str, int]:
    """How many acknowledged writes of each kind the service does not have."""
    lost = {"memories": 0, "entries": 0, "entities": 0}
    async with door(bench.service, _NAMESPACE) as http, bench.service.client(_NAMESPACE) as client:
        for session, ids in seen.memories.items():
            there: set[str] = set()
            while page := await _listed(http, session, len(there)):
                there |= page
            lost["memories"] += len(ids - there)
        entries = sorted(seen.entries)
        for start in range(0, len(entries), _PAGE):
            asked = entries[start : start + _PAGE]
            got = (await ask(client, "get_entries", ids=asked))["items"]
            lost["entries"] += len(set(asked) - {item["id"] for item in got})
    # By name, of the graph itself: through the doors it would be one request each.
    found = await bench.driver.execute_query(
        "UNWIND $names AS name MATCH (e:Entity {namespace: $namespace, name: name}) RETURN count(e) AS found",
        names=sorted(seen.entities),
        namespace=_NAMESPACE,
        database_="neo4j",
    )
    lost["entities"] = len(seen.entities) - int(found.records[0]["found"])
    return lost


async def _listed(http: httpx2.AsyncClient, session: str, offset: int) -> set[str]:
    page = (await http.get("/memories", params={"sessionId": session, "offset": offset})).json()["memories"]
    return {memory["id"] for memory in page}


def _rows(seen: Seen, lost: dict[str, int], seconds: float, behind: float) -> list[tuple[str, str, str, str]]:
    told = ", ".join(f"{where} {status} {times:,}" for (where, status), times in sorted(seen.statuses.items()))
    errors = sum(times for (_, status), times in seen.statuses.items() if status not in _TO_BE_EXPECTED)
    return [
        ("answers that are errors, 429 aside", f"{errors}", "0", told),
        (
            "acknowledged writes that are lost",
            " / ".join(f"{each}" for each in lost.values()),
            "0",
            f"{', '.join(lost)}; of {seen.written:,}; all searchable after {behind:.1f} s",
        ),
        ("calls a second", f"{seen.statuses.total() / seconds:.0f}", "", ""),
        *(
            (
                f"{what}: p50 / p99, ms",
                f"{Times(each).p50:.0f} / {Times(each).p99:.0f}",
                "p99 ≤ 4 p50" if what.endswith("reads") else "p99 ≤ 2,000",
                f"{len(each):,} calls; p99 / p50 {Times(each).p99 / Times(each).p50:.1f}",
            )
            for what, each in sorted(seen.milliseconds.items())
        ),
    ]


def _memory(resident: Resident) -> tuple[str, str, str, str]:
    return ("memory of the service", f"{resident.most:.0f} MB", "≤ 600 MB", str(resident))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    in_a_throw_away_folder(partial(_run, clients=options.clients, seconds=options.seconds))


if __name__ == "__main__":
    main()
