"""The use cases that ask about the past: what changed, why, what depends on it, where an agent was."""

from server.core.principals import Principal
from server.history.change_models import Changes, ListChanges
from server.history.changes import list_changes
from server.history.impact import find_impact
from server.history.impact_models import FindImpact, Impact
from server.history.resume import load_resume
from server.history.resume_models import Resume, ResumeAnswer
from server.history.why import explain
from server.history.why_models import Explanation, Why
from server.interface.times import Clock, now
from server.parts import Parts


class HistoryService:
    """Questions about the past, each limited to the namespace of the caller."""

    def __init__(self, parts: Parts, *, clock: Clock = now) -> None:
        self._graph = parts.graph
        self._clock = clock

    async def changes(self, request: ListChanges, caller: Principal) -> Changes:
        """List what was changed, by whom and when, newest first. Raises `InvalidArgument` or `NotFound`."""
        return await list_changes(self._graph, request, caller)

    async def resume(self, request: Resume, caller: Principal) -> ResumeAnswer:
        """Return where an agent or a session was, in 8 kB at most. Raises `InvalidArgument` or `NotFound`."""
        return await load_resume(self._graph, request, caller)

    async def why(self, request: Why, caller: Principal) -> Explanation:
        """Return what is in force for a target, and what led to it, in at most 12 kB; raise `NotFound`."""
        return await explain(self._graph, request, caller.namespace, self._clock())

    async def impact(self, request: FindImpact, caller: Principal) -> Impact:
        """Return what depends on a thing or record, nearest first; raise `NotFound`."""
        return await find_impact(self._graph, request, caller.namespace, self._clock())
