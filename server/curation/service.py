"""The use cases that correct what is stored: retract, undo, erase."""

from server.core.principals import Principal
from server.curation.erasure import Erasures
from server.curation.models import Erase, Erased, Retract, Retracted, Undo, Undone
from server.curation.retraction import Retractions
from server.curation.undo import Undos
from server.parts import Parts


class CurationService:
    """Corrections, each limited to the namespace of the caller."""

    def __init__(self, parts: Parts) -> None:
        self._retractions = Retractions(parts.graph, parts.projector)
        self._undos = Undos(parts.graph, parts.projector)
        self._erasures = Erasures(parts.graph, parts.projector)

    async def retract(self, request: Retract, caller: Principal) -> Retracted:
        """Take wrong records, entities and relations out of every current answer; they stay as history."""
        return await self._retractions.retract(request, caller)

    async def undo(self, request: Undo, caller: Principal) -> Undone:
        """Take a change back as a new change, where nothing later depends on it."""
        return await self._undos.undo(request, caller)

    async def erase(self, request: Erase, caller: Principal) -> Erased:
        """Delete records for good, with every copy of their text; who, when and why remain."""
        return await self._erasures.erase(request, caller)
