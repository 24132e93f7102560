"""The use cases that correct what is stored: retract, undo, erase."""

from collections.abc import Callable

from server.core.principals import Principal
from server.curation.erasure import Erasures
from server.curation.models import Erase, Erased, Retract, Retracted, Undo, Undone
from server.curation.retraction import Retractions
from server.curation.undo import Undos
from server.graph.graph import Graph


class CurationService:
    """Corrections, each limited to the namespace of the caller."""

    def __init__(self, graph: Graph, wake: Callable[[], None]) -> None:
        """`wake` tells the projector that points have to change; without one, the next projector finds them."""
        self._retractions = Retractions(graph, wake)
        self._undos = Undos(graph, wake)
        self._erasures = Erasures(graph, wake)

    async def retract(self, request: Retract, caller: Principal) -> Retracted:
        """Take wrong records, entities and relations out of every current answer; they stay as history."""
        return await self._retractions.retract(request, caller)

    async def undo(self, request: Undo, caller: Principal) -> Undone:
        """Take a change back as a new change, where nothing later depends on it."""
        return await self._undos.undo(request, caller)

    async def erase(self, request: Erase, caller: Principal) -> Erased:
        """Delete records for good, with every copy of their text; who, when and why remain."""
        return await self._erasures.erase(request, caller)
