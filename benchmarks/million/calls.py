"""What agents do, in a home of full size, in one of a tenth and in an empty one, in turn."""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

from mcp import Client

from benchmarks.bench import Bench, Result, console
from benchmarks.locomo import LOCOMO, conversations
from benchmarks.measure import Call, Times, timed
from benchmarks.million.homes import NAMESPACE
from tests.interaction.tools import ask

_WARMING, _MEASURED = 40, 100
_MOST_CONNECTED = """
MATCH (entity:Entity {namespace: $namespace})
WITH entity, COUNT { (entity)--() } AS degree ORDER BY degree DESC LIMIT $limit
RETURN collect([entity.name, degree]) AS found
"""
_RANDOM = """
MATCH (entity:Entity {namespace: $namespace}) WHERE rand() < $share AND entity.node_id < 100000000
RETURN collect([entity.name, COUNT { (entity)--() }])[..$limit] AS found
"""
_TARGETS = """
MATCH (decision:Decision {namespace: $namespace})
WHERE decision.active_target IS NOT NULL AND decision.node_id > 100000000
WITH decision LIMIT $limit
RETURN collect([decision.target, 0]) AS found
"""


class Caller:
    """A client of one home, and what its graph has to ask about."""

    def __init__(self, bench: Bench, client: Client, apart: Sequence[str]) -> None:
        self.bench, self.client, self.apart = bench, client, apart
        self.hubs: list[tuple[str, int]] = []
        self.some: list[tuple[str, int]] = []
        self.targets: list[str] = []

    @classmethod
    @asynccontextmanager
    async def connect(cls, bench: Bench, apart: Sequence[str], entities: int) -> AsyncIterator["Caller"]:
        async with bench.service.client(NAMESPACE, role="admin") as client:
            caller = cls(bench, client, apart)
            if apart:
                caller.hubs = await caller._find(_MOST_CONNECTED, limit=10)
                caller.some = await caller._find(_RANDOM, share=min(1.0, 6_000 / entities), limit=5_000)
                caller.targets = [name for name, _ in await caller._find(_TARGETS, limit=1_000)]
            yield caller

    async def _find(self, text: str, **parameters: object) -> list[tuple[str, int]]:
        answer = await self.bench.driver.execute_query(
            text, parameters_={"namespace": NAMESPACE, **parameters}, database_="neo4j"
        )
        return [(name, degree) for name, degree in answer.records[0]["found"]]

    def ask(self, tool: str, **arguments: Any) -> Call:
        return partial(ask, self.client, tool, **arguments)

    @property
    def median(self) -> tuple[str, int]:
        ordered = sorted(self.some, key=lambda each: each[1])
        return ordered[len(ordered) // 2]


async def measure_reads(full: Caller, tenth: Caller) -> list[Result]:
    """Paths, neighbours, searches, histories: at full size, most beside the tenth of it."""
    questions = [question.text for each in conversations(LOCOMO.file) for question in each.questions]
    random.Random(1).shuffle(questions)
    rows = [*await _measure_paths(full), *await _measure_neighbours(full, tenth)]
    as_of, today = "2025-06-01", datetime.now(UTC).date().isoformat()

    def search(caller: Caller, number: int) -> Call:
        return caller.ask("search", query=questions[number], project="", limit=10)

    def search_project(caller: Caller, number: int) -> Call:
        return caller.ask("search", query=f"{questions[number]} Tell me.", project=f"project-{number % 30}", limit=10)

    def search_decisions(caller: Caller, number: int) -> Call:
        return caller.ask("search_decisions", query=f"Why {questions[number]}")

    def search_past(caller: Caller, number: int) -> Call:
        return caller.ask("search_decisions", query=f"When {questions[number]}", as_of=as_of)

    def why(caller: Caller, number: int) -> Call:
        return caller.ask("why", of=caller.targets[number % len(caller.targets)])

    def why_past(caller: Caller, number: int) -> Call:
        return caller.ask("why", of=caller.targets[number % len(caller.targets)], as_of=as_of)

    def neighbours_past(caller: Caller, number: int) -> Call:
        some, _ = caller.some[number % len(caller.some)]
        return caller.ask("graph_query_neighbors", node_name=some, as_of=today)

    for what, aim, make in (
        ("search", "≤ 2", search),
        ("search in a project", "≤ 2", search_project),
        ("search_decisions", "≤ 1.5", search_decisions),
        ("search_decisions as_of", "≤ 1.5", search_past),
        ("why", "≤ 1.5", why),
        ("why as_of", "≤ 1.5", why_past),
        ("graph_query_neighbors as_of", "", neighbours_past),
    ):
        rows.append(await _compare(what, aim, make, (full, tenth), "a tenth"))
    return rows


async def measure_writes(full: Caller, empty: Caller) -> list[Result]:
    """Writes at full size beside those in an empty home; they stay."""
    serial = random.randrange(10**9)

    def save_memory(_: Caller, number: int) -> Call:
        return _.ask("save_memory", text=f"Note {serial} {number}: the ledger of team {number} feeds the queue.")

    def add_edge(_: Caller, number: int) -> Call:
        names = {"source_name": f"Source {serial} {number}", "target_name": f"Target {serial} {number}"}
        return _.ask("graph_add_edge", relation="USES", **names)

    def add_edge_to_hub(_: Caller, number: int) -> Call:
        hub = _.hubs[0][0] if _.hubs else "Hub Zero"
        return _.ask("graph_add_edge", relation="USES", source_name=f"Spoke {serial} {number}", target_name=hub)

    def add_node(_: Caller, number: int) -> Call:
        return _.ask("graph_add_node", label="Thing", name=f"Thing {serial} {number}")

    def record_decision(_: Caller, number: int) -> Call:
        target = f"target {serial} {number}"
        return _.ask("record_decision", title=f"Use the queue {number}", target=target, rationale="It is the fastest.")

    return [
        await _compare(what, "≤ 1.5", make, (full, empty), "an empty home")
        for what, make in (
            ("save_memory", save_memory),
            ("graph_add_edge", add_edge),
            ("graph_add_edge to the hub", add_edge_to_hub),
            ("graph_add_node", add_node),
            ("record_decision", record_decision),
        )
    ]


async def _compare(
    what: str, aim: str, make: Callable[[Caller, int], Call], sides: tuple[Caller, Caller], than: str
) -> Result:
    both: tuple[list[float], list[float]] = ([], [])
    for number in range(_WARMING + _MEASURED):
        for place, caller in enumerate(sides):
            both[place].append(await timed(make(caller, number)))
    ours, theirs = (Times(each[_WARMING:]) for each in both)
    figures = f"{ours.p50:.1f} / {theirs.p50:.1f} ms; p99 {ours.p99:.0f} / {theirs.p99:.0f} ms"
    return _show(Result(f"{what} p50 / in {than}", f"{ours.p50 / theirs.p50:.2f}", aim, figures))


async def _measure_paths(full: Caller) -> list[Result]:
    names = [name for name, _ in full.some]
    hubs = [name for name, _ in full.hubs]
    choose = random.Random(20261122)
    kinds: dict[str, list[tuple[str, str]]] = {
        "two of all": [(choose.choice(names), choose.choice(names)) for _ in range(_WARMING + 300)],
        "a hub and one of all": [(choose.choice(hubs), choose.choice(names)) for _ in range(_WARMING + 100)],
        "two hubs": [(one, other) for one in hubs for other in hubs if one != other],
        "no path": [(choose.choice(names), choose.choice(full.apart)) for _ in range(_WARMING + 100)],
        "no path from a hub": [(choose.choice(hubs), choose.choice(full.apart)) for _ in range(_WARMING + 100)],
    }
    rows = []
    for kind, pairs in kinds.items():
        found = [
            await timed(full.ask("graph_find_path", start_node=start, end_node=end, max_depth=6))
            for start, end in pairs
        ]
        times = Times(found[_WARMING:])
        sides = f"p50 {times.p50:.1f}, p95 {times.p95:.0f}, longest {max(times.milliseconds):.0f} ms"
        rows.append(_show(Result(f"graph_find_path, {kind}, p99", f"{times.p99:.0f} ms", "≤ 50 ms", sides)))
    return rows


async def _measure_neighbours(full: Caller, tenth: Caller) -> list[Result]:
    rows = []
    for caller, size in ((full, "full"), (tenth, "a tenth")):
        (hub, degree), (ordinary, few) = caller.hubs[0], caller.median
        calls: list[Call] = [caller.ask("graph_query_neighbors", node_name=name, limit=50) for name in (hub, ordinary)]
        both: list[list[float]] = [[], []]
        for _ in range(60):
            for place, call in enumerate(calls):
                both[place].append(await timed(call))
        large, small = (Times(each[20:]) for each in both)
        rows.append(
            _show(
                Result(
                    f"neighbours of the {degree:,}-degree hub / of a median node ({few}), {size}",
                    f"{large.p50 / small.p50:.2f}",
                    "≤ 3",
                    f"{large.p50:.1f} / {small.p50:.1f} ms",
                )
            )
        )
    return rows


async def measure_others(full: Caller, _: Caller) -> list[Result]:
    """Each of the other tools that read, three times: what takes long at this size."""
    hub, some = full.hubs[0][0], full.some[0][0]
    today = datetime.now(UTC).date().isoformat()
    rows = []
    for tool, arguments in (
        ("overview", {}),
        ("list_decisions", {}),
        ("list_decisions", {"status": "all"}),
        ("get_decisions", {"targets": [full.targets[0]]}),
        ("impact", {"of": full.targets[0]}),
        ("impact", {"of": hub}),
        ("graph_list_entities", {}),
        ("graph_list_entities", {"name_contains": some[:6]}),
        ("graph_list_entities", {"label": "Thing"}),
        ("similar_entities", {}),
        ("timeline", {"project": "project-3"}),
        ("resume", {"agent_id": "tester"}),
        ("changes", {"since": "today"}),
        ("list_proposals", {}),
        ("retention_dry_run", {"max_age_days": 1}),
        ("hybrid_search", {"query_text": "which queue feeds the ledger?"}),
        ("graph_query_neighbors", {"node_name": hub, "limit": 50, "offset": 20_000}),
        ("graph_query_neighbors", {"node_name": some, "depth": 2, "limit": 50}),
        ("graph_query_neighbors", {"node_name": some, "depth": 3, "limit": 50}),
        ("graph_query_neighbors", {"node_name": hub, "limit": 50, "as_of": today}),
        ("graph_find_path", {"start_node": some, "end_node": full.some[1][0], "as_of": today}),
        ("graph_find_path", {"start_node": some, "end_node": full.some[1][0], "max_paths": 5}),
    ):
        times, failed = [], ""
        for _attempt in range(3):
            try:
                times.append(await timed(full.ask(tool, **arguments)))
            except AssertionError as error:
                failed = str(error).replace("\n", " ")[:160]
                break
        best = f"{min(times):.0f} ms" if times else "failed"
        rows.append(_show(Result(f"{tool} {arguments or ''}", best, "", failed)))
    return rows


def _show(row: Result) -> Result:
    console.print("  ", row.what, row.figure, row.sides, style="dim")
    return row
