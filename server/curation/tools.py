"""The tools of the curation family."""

from server.curation.models import Erase, Erased, Retract, Retracted, Undo, Undone
from server.curation.service import CurationService
from server.interface.envelopes import cognitive as envelope
from server.interface.tools import Tool

TOOLS = (
    Tool(
        name="retract",
        description="Take back what was wrong: gone from every answer, kept as history.",
        request=Retract,
        response=Retracted,
        run=CurationService.retract,
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="undo",
        description="Take a change back, unless later ones depend on it: the error names them.",
        request=Undo,
        response=Undone,
        run=CurationService.undo,
        envelope=envelope,
        destructive=True,
    ),
    Tool(
        name="erase",
        description="Admins: delete for good, for secrets and privacy; only that it happened remains.",
        request=Erase,
        response=Erased,
        run=CurationService.erase,
        envelope=envelope,
        destructive=True,
    ),
)
