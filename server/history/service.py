"""The use cases that ask about the past: what changed, why, what depends on it, where an agent was."""

from server.parts import Parts


class HistoryService:
    """Questions about the past, each limited to the namespace of the caller."""

    def __init__(self, parts: Parts) -> None:
        self._graph = parts.graph
