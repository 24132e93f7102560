"""The tools of the curation family."""

from server.interface.tools import AnyTool

TOOLS: tuple[AnyTool, ...] = ()
