"""The right to reflect on a namespace: one run at a time, across processes, until it ends or its process dies.

Source: REF-14. Each write of a run renews the lease in its own transaction, so a run that lost it writes nothing more.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex

from server.core.errors import Conflict
from server.graph.graph import Graph, Transaction

_SECONDS = 120
"""How long a lease lasts after its last renewal. A page of a pass takes less than its transaction's time limit."""


@dataclass(slots=True)
class Lease:
    """The lease of one run. `position` is where an interrupted pass goes on; `linked_until` is up to when it linked."""

    namespace: str
    owner: str
    position: int = -1
    linked_until: datetime | None = None
    is_complete: bool = False

    async def renew(self, transaction: Transaction, position: int | None = None) -> None:
        """Renew the lease in a transaction, and note how far the pass is; raise `Conflict` where another run has it."""
        await transaction.run("reflection/lock", namespace=self.namespace)
        row = await transaction.one(
            "reflection/claim", namespace=self.namespace, owner=self.owner, seconds=_SECONDS, position=position
        )
        if row is None:
            raise Conflict(
                f"CONFLICT: another process reflects on the namespace {self.namespace!r} at the moment; "
                "run it again in a few minutes."
            )
        self.position = row["position"]
        self.linked_until = None if row["linked_until"] is None else row["linked_until"].to_native()


@asynccontextmanager
async def hold_lease(graph: Graph, namespace: str) -> AsyncIterator[Lease]:
    """Hold the lease of a namespace for the block; raise `Conflict` while another run has it."""
    lease = Lease(namespace, token_hex(16))
    await graph.transaction(lease.renew)
    try:
        yield lease
    finally:
        await graph.run("reflection/release", namespace=namespace, owner=lease.owner, complete=lease.is_complete)
