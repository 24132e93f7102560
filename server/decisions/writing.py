"""What the writes of decisions and proposals have in common: ids, the cooldown, replacing, waiting to be searchable.

Source: decisions.md "Error Codes & Status"; design.md sections 3, 4 and 6.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, TypeVar

from server.decisions import refusals
from server.errors import Conflict
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.graph.words import scope_token
from server.principals import Principal
from server.vectors.projector import Projector

AGENT_MARKER = "[via MCP]"
"""Stands at the start of the rationale of what an agent decided; it is for readers, ranking asks the origin."""

T = TypeVar("T")
Clock = Callable[[], datetime]
Record = dict[str, Any]
"""The parameters of a statement that stores a decision or a proposal."""


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """Seconds a principal waits between two writes (0: none), and seconds a write waits to be searchable."""

    cooldown: float
    searchable_wait: float


class DecisionWriter:
    """Steps of writes, each within the transaction of its caller unless it says otherwise."""

    def __init__(
        self, graph: Graph, sequence: IdSequence, projector: Projector, *, settings: DecisionSettings, clock: Clock
    ) -> None:
        self._graph = graph
        self._sequence = sequence
        self._projector = projector
        self._settings = settings
        self.clock = clock

    async def drafted(self, kind: str, caller: Principal, *, title: str, target: str) -> Record:
        """What every new record of a kind has, before its transaction."""
        at = self.clock()
        node_id, entity_node_id = await self._sequence.take(caller.namespace, 2)
        return {
            "namespace": caller.namespace,
            "id": f"{kind}_{at:%Y%m%d_%H%M%S_%f}_{token_hex(4)}",
            "node_id": node_id,
            "title": title,
            "target": target,
            "origin": caller.kind,
            "by": caller.name,
            "at": at,
            "scope": scope_token(caller.namespace),
            "entity_node_id": entity_node_id,
        }

    async def commit(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Runs `work` in one transaction; raises what it raises.

        Where somebody else was faster between its look and its write, it runs again: the second look tells who it was.
        """
        try:
            return await self._graph.transaction(work)
        except Conflict as conflict:
            if conflict.details:
                raise
            return await self._graph.transaction(work)

    async def take_turn(self, transaction: Transaction, caller: Principal) -> None:
        """Holds the cooldown across processes: who fails rolls its turn back with everything else."""
        if self._settings.cooldown == 0:
            return
        who = {"namespace": caller.namespace, "principal": caller.name}
        await transaction.run("decisions/lock_principal", **who)
        turn = await transaction.one("decisions/take_turn", **who, cooldown=math.ceil(self._settings.cooldown * 1000))
        assert turn is not None
        if turn["wait"] > 0:
            raise refusals.rate_limit(turn["wait"])

    async def replace(
        self, transaction: Transaction, decision: Record, old_ids: Sequence[str], caller: Principal
    ) -> None:
        """Puts a decision in force in the place of others; raises why that cannot be."""
        await transaction.run("decisions/lock_decisions", namespace=caller.namespace, ids=old_ids)
        found = await transaction.run(
            "decisions/decisions_to_replace", namespace=caller.namespace, ids=old_ids, target=decision["target"]
        )
        if refusal := refusals.not_replaceable(old_ids, found, decision["target"], caller):
            raise refusal
        await transaction.run("decisions/supersede_decision", old_ids=old_ids, **decision)

    async def searchable(self, kind: str, record: Record) -> bool:
        """Waits, after the transaction and for a bounded time, until what was stored is found by meaning."""
        return await self._projector.wait_until_searchable(
            record["namespace"], kind, record["id"], 1, self._settings.searchable_wait
        )


def marked(rationale: str, caller: Principal) -> str:
    """The rationale as it is stored: an agent's begins with the marker."""
    unmarked = caller.kind == "agent" and not rationale.startswith(AGENT_MARKER)
    return f"{AGENT_MARKER} {rationale}" if unmarked else rationale
