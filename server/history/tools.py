"""The tools of the history family, which the toolset `curation` publishes."""

from server.interface.tools import AnyTool

TOOLS: tuple[AnyTool, ...] = ()
