"""Carries out a tool call: parse, check the role, run, and give every error its family's form."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

import structlog
from mcp_types import CallToolResult

from server.errors import InternalError, PrecedentError
from server.mcp.answers import failure, success
from server.metrics import Metrics
from server.principals import Principal
from server.tools import Tool

_log = structlog.get_logger(__name__)


class Executor:
    """Runs tools on the services of their families.

    `services` maps a tool's name to the service that its `run` is called with; `answer_limit` is in bytes.
    """

    def __init__(
        self, tools: Iterable[Tool], services: Mapping[str, object], metrics: Metrics, *, answer_limit: int
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._services = services
        self._metrics = metrics
        self._answer_limit = answer_limit

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Principal) -> CallToolResult:
        """Returns the tool's answer, or its error in the family's form; never raises for a caller's mistake."""
        tool = self._tools.get(name)
        if tool is None:
            # journal.md "Error Handling": an unknown tool is MethodNotFound, in an `isError` result.
            return failure(
                {"error": {"code": "MethodNotFound", "message": _unknown(name, self._tools), "details": None}}
            )
        started = time.perf_counter()
        try:
            caller.require(tool.role)
            answer = await tool.run(self._services[name], tool.request.parse(arguments), caller)
            result = success(answer.model_dump(mode="json"), many=tool.many, limit=self._answer_limit, texts=tool.texts)
            outcome = "success"
        except PrecedentError as error:
            if isinstance(error, InternalError):
                _log.error("tool_failed", tool=name, exc_info=error)
            result, outcome = failure(tool.envelope(error, name)), error.code
        except Exception:  # noqa: BLE001 - the boundary: whatever else happens is ours, logged here and told as a sentence
            _log.exception("tool_crashed", tool=name)
            ours = InternalError(
                "Something went wrong inside Precedent; nothing you can mend. The service's log says what."
            )
            result, outcome = failure(tool.envelope(ours, name)), ours.code
        seconds = time.perf_counter() - started
        self._metrics.tool_called(name, outcome, seconds)
        _log.info("tool_called", tool=name, caller=caller.name, outcome=outcome, ms=round(seconds * 1000, 1))
        return result


def _unknown(name: str, tools: Iterable[str]) -> str:
    return f"Unknown tool {name[:100]!r}; the tools are {', '.join(sorted(tools))}."
