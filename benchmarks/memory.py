"""Working memory under eight clients at once: a thousand updates over MCP HTTP, and every one accounted for."""

import time
from typing import Any

import anyio

from benchmarks.bench import Bench
from tests.interaction.tools import ask

_NAMESPACE = "bench-memory"
_CLIENTS, _EACH = 8, 125
_WARMING = 100
_KEPT = """
MATCH (item {namespace: $namespace})
WHERE item:WorkingItem OR item:StaleItem
RETURN item:WorkingItem AS working, coalesce(item.item_id, item.id) AS id, item.content AS content
"""


async def measure(bench: Bench) -> list[tuple[str, str, str, str]]:
    """Each update is an item of its own; each but the last ten has to be stale, once, and nothing else."""
    added: dict[int, str] = {}

    async def update(number: int) -> None:
        async with bench.service.client(_NAMESPACE) as client:
            for step in range(_EACH):
                content = f"client {number}, thought {step}"
                answer = await ask(client, "update_working_memory", content=content, importance=step % 11 / 10)
                added[answer["added_id"]] = content

    async with bench.service.client(f"{_NAMESPACE}-warm") as client:
        for step in range(_WARMING):
            await ask(client, "update_working_memory", content=f"thought {step}")
    started = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for number in range(_CLIENTS):
            tasks.start_soon(update, number)
    seconds = time.perf_counter() - started
    rows = await _kept(bench)
    kept = {row["id"]: row["content"] for row in rows}
    lost, extra = len(added.items() - kept.items()), len(rows) - len(added)
    working = sum(row["working"] for row in rows)
    return [
        (
            f"working memory, {_CLIENTS * _EACH:,} updates by {_CLIENTS} clients: lost / extra / items",
            f"{lost} / {extra} / {working}",
            "0 / 0 / 10",
            f"{_CLIENTS * _EACH / seconds:.0f} updates/s",
        )
    ]


async def _kept(bench: Bench) -> list[dict[str, Any]]:
    answer = await bench.driver.execute_query(_KEPT, namespace=_NAMESPACE, database_="neo4j")
    return [record.data() for record in answer.records]
