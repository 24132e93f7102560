"""The properties that all journal records share: owner, ids, time and caption. Source: JRN-8, JRN-17, JRN-51."""

import time
from typing import Any
from uuid import uuid4

from server.core.fields import format_caption
from server.core.principals import Principal
from server.graph.sequence import IdSequence


class Recorder:
    """Assigns ids and times to new records, so that records are listed in the order in which they were stored.

    The order is (`created_at`, `node_id`): the time in milliseconds, then the number from the namespace's sequence.
    Within a process neither ever decreases, also when the clock is set back.
    """

    def __init__(self, sequence: IdSequence) -> None:
        self._sequence = sequence
        self._latest = 0

    async def build_record(self, caller: Principal, agent_id: str, *caption: str | None) -> dict[str, Any]:
        """Return the parameters that every storing statement takes; `at` is in epoch milliseconds."""
        (node_id,) = await self._sequence.take(caller.namespace)
        return self.build_record_with_id(caller, agent_id, node_id, *caption)

    def build_record_with_id(
        self, caller: Principal, agent_id: str, node_id: int, *caption: str | None
    ) -> dict[str, Any]:
        """Return the same parameters for a record that already has its integer id."""
        return {
            "namespace": caller.namespace,
            "agent_id": agent_id,
            "id": str(uuid4()),
            "node_id": node_id,
            "at": self.now(),
            "by": caller.name,
            "name": format_caption(*caption),
        }

    def now(self) -> int:
        """Return the current time in epoch milliseconds, never less than the time returned before."""
        self._latest = max(self._latest, time.time_ns() // 1_000_000)
        return self._latest
