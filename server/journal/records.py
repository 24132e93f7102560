"""What every record of the journal has in common: whose it is, its ids, its moment, its caption."""

import time
from typing import Any
from uuid import uuid4

from server.fields import captioned
from server.graph.sequence import IdSequence
from server.principals import Principal


class Recorder:
    """Gives new records their ids and their moment, so that what this process stores is in the order it was told.

    Records are ordered by (`created_at`, `node_id`): a time to the millisecond, and within one millisecond the
    namespace's sequence. Both only ever grow within a process, also where its clock is set back.
    """

    def __init__(self, sequence: IdSequence) -> None:
        self._sequence = sequence
        self._latest = 0

    async def record(self, caller: Principal, agent_id: str, *caption: str | None) -> dict[str, Any]:
        """Returns the parameters that every storing statement takes; `at` is in epoch milliseconds."""
        (node_id,) = await self._sequence.take(caller.namespace)
        return self.numbered(caller, agent_id, node_id, *caption)

    def numbered(self, caller: Principal, agent_id: str, node_id: int, *caption: str | None) -> dict[str, Any]:
        """The same for a record that has its integer id already."""
        return {
            "namespace": caller.namespace,
            "agent_id": agent_id,
            "id": str(uuid4()),
            "node_id": node_id,
            "at": self.now(),
            "by": caller.name,
            "name": captioned(*caption),
        }

    def now(self) -> int:
        """Now, in epoch milliseconds, never before what it said last."""
        self._latest = max(self._latest, time.time_ns() // 1_000_000)
        return self._latest
