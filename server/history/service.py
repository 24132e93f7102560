"""The use cases that ask about the past: what changed, why, what depends on it, where an agent was."""

from server.core.principals import Principal
from server.history.change_models import Changes, ListChanges
from server.history.changes import list_changes
from server.history.resume import load_resume
from server.history.resume_models import Resume, ResumeAnswer
from server.parts import Parts


class HistoryService:
    """Questions about the past, each limited to the namespace of the caller."""

    def __init__(self, parts: Parts) -> None:
        self._graph = parts.graph

    async def changes(self, request: ListChanges, caller: Principal) -> Changes:
        """List what was changed, by whom and when, newest first. Raises `InvalidArgument` or `NotFound`."""
        return await list_changes(self._graph, request, caller)

    async def resume(self, request: Resume, caller: Principal) -> ResumeAnswer:
        """Return where an agent or a session was, in 8 kB at most. Raises `InvalidArgument` or `NotFound`."""
        return await load_resume(self._graph, request, caller)
