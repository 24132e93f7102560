"""Claims of projectors on queued records, so that replicas of the service share the work of one projection.

A projector claims a batch before it embeds it. Others leave these records to it until it releases the claim or, where
its process was killed, until the claim expires. They also wait with the deletion of such a record, because its point
may still be stored. Claims only save work: without them, projectors converge likewise (server/vectors/projector.py).

Source: SVC-92.
"""

from collections.abc import Sequence
from contextlib import suppress
from secrets import token_hex

import anyio

from server.core.errors import PrecedentError
from server.graph.graph import Graph

_SECONDS = 5
"""How long a claim lasts; a batch takes about a second, and after a kill the records wait this long."""
_RELEASE_SECONDS = 2.0


class ProjectionClaims:
    """The claim of one projector on a batch of queued records."""

    def __init__(self, graph: Graph) -> None:
        self.owner = token_hex(16)
        self._graph = graph
        self._is_held = False

    async def take(self, elements: Sequence[str], limit: int) -> list[str]:
        """Claim these records, or any if none are given, instead of the last ones; return the claimed element ids."""
        self._is_held = True
        row = await self._graph.row(
            "projection/claim", owner=self.owner, elements=elements, limit=limit, seconds=_SECONDS
        )
        claimed: list[str] = row["elements"]
        return claimed

    async def release(self) -> None:
        """Release the claim, also when this task is being cancelled; do nothing without one."""
        if self._is_held:
            # Where the graph is away, the claim expires by itself.
            with suppress(PrecedentError), anyio.move_on_after(_RELEASE_SECONDS, shield=True):
                await self._graph.run("projection/release_claim", owner=self.owner)
                self._is_held = False

    async def others_exist(self) -> bool:
        """Return whether other projectors have claimed records."""
        return bool((await self._graph.row("projection/other_claims", owner=self.owner))["projectors"])
