"""One round: clients of both transports, one fault among them, and what the oracle finds afterwards."""

import random
import signal
import time
from dataclasses import dataclass

import anyio
from neo4j import AsyncGraphDatabase

from benchmarks.chaos.clients import ChaosAgent, ChaosScript
from benchmarks.chaos.faults import Breaking, Fault
from benchmarks.chaos.history import History
from benchmarks.chaos.oracle import Verdict, judge
from server.local.neo4j import USER
from tests.interaction.service import Service
from tests.qdrant import Qdrant

_AGENTS, _SCRIPTS = 4, 3
_PATIENCE = 120.0
"""Seconds that it waits for them at most."""


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round; `recovery` is in seconds, None where nothing was acknowledged after the fault."""

    fault: str
    seed: int
    acknowledged: int
    calls: int
    verdict: Verdict
    recovery: float | None


async def play(
    service: Service,
    name: str,
    fault: Fault,
    seed: int,
    *,
    seconds: float,
    writes: int,
    verify: bool = True,
    qdrant: Qdrant | None = None,
) -> Round:
    """Run clients, break the service once, wait until the projection is complete, and judge.

    `seconds` is how long a fault lasts that has a length; `writes` are acknowledged before the fault at least,
    and after it.
    """
    chosen = random.Random(seed)
    history = History(f"chaos-{seed}")
    if service.process is None or service.process.poll() is not None:
        await service.start()
    stopped = anyio.Event()
    async with anyio.create_task_group() as tasks:
        for number in range(_AGENTS):
            tasks.start_soon(ChaosAgent(service, history, number, seed).run, stopped)
        for number in range(_SCRIPTS):
            tasks.start_soon(ChaosScript(service, history, number, seed).run, stopped)
        await history.wait_for_writes(writes + chosen.randrange(writes), 0, _PATIENCE)
        broken = time.monotonic()
        problem: str | None = None
        try:
            await fault(Breaking(service, chosen, seconds, seed, qdrant))
        except AssertionError as error:
            problem = f"{name}: {error}"
        await history.wait_for_writes(writes, broken, _PATIENCE)
        stopped.set()
    await service.projected()
    uri = f"bolt://127.0.0.1:{service.environment['PRECEDENT_BOLT_PORT']}"
    password = service.home.neo4j_password.read_text().strip()
    async with AsyncGraphDatabase.driver(uri, auth=(USER, password), notifications_min_severity="OFF") as driver:
        verdict = await judge(driver, history)
    if problem:
        verdict.wrong.append(problem)
    if verify:
        await _verify(service, verdict)
    return Round(name, seed, history.acknowledged, len(history.calls), verdict, history.find_recovery(broken))


async def _verify(service: Service, verdict: Verdict) -> None:
    """Stop the service and compare vectors and graph, as an operator would."""
    code = await service.end(signal.SIGTERM)
    if code != 0:
        verdict.wrong.append(f"the service ended with {code}")
    compared = await anyio.to_thread.run_sync(service.command, "verify")
    if compared.returncode != 0:
        verdict.wrong.append(f"verify: {compared.stdout} {compared.stderr}")
