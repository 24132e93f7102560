"""Carries out calls of tools and reads of resources: parse, check the role, run, give every error its family's form."""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import structlog
from mcp_types import CallToolResult, ReadResourceResult

from server.access import roles
from server.access.rate import RateLimit
from server.errors import InternalError, PrecedentError
from server.graph.changes import doing
from server.mcp.answers import contents, failure, success
from server.metrics import Metrics
from server.principals import Principal
from server.resources import Resource
from server.tools import Tool

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class Executor:
    """Runs tools and resources on the services of their families.

    `services` maps a tool's name or a resource's address to the service that its `run` is called with; `answer_limit`
    is in bytes.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        services: Mapping[str, object],
        metrics: Metrics,
        *,
        answer_limit: int,
        rate: RateLimit | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._services = services
        self._metrics = metrics
        self._rate = rate or RateLimit(None)
        self._answer_limit = answer_limit

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Principal, request: str | None = None
    ) -> CallToolResult:
        """Returns the tool's answer, or its error in the family's form; never raises for a caller's mistake.

        `request` is the id of the HTTP request.
        """
        tool = self._tools.get(name)
        if tool is None:
            # journal.md "Error Handling": an unknown tool is MethodNotFound, in an `isError` result.
            return failure(
                {"error": {"code": "MethodNotFound", "message": _unknown(name, self._tools), "details": None}}
            )

        async def work() -> CallToolResult:
            answer = await tool.run(self._services[name], tool.request.parse(arguments), caller)
            return success(answer.model_dump(mode="json"), many=tool.many, limit=self._answer_limit, texts=tool.texts)

        return await self._carried_out(name, caller, request, work, lambda error: failure(tool.envelope(error, name)))

    async def read(
        self, resource: Resource, uri: str, caller: Principal, request: str | None = None
    ) -> ReadResourceResult:
        """Returns what a resource lists, or its error in the family's form; never raises for a caller's mistake."""

        async def work() -> ReadResourceResult:
            items = await resource.run(self._services[resource.uri], resource.parse(uri), caller)
            return contents(uri, resource.answer(uri, items), limit=self._answer_limit)

        def told(error: PrecedentError) -> ReadResourceResult:
            return contents(uri, resource.envelope(error, uri), limit=self._answer_limit)

        return await self._carried_out(resource.uri, caller, request, work, told)

    async def _carried_out(
        self,
        name: str,
        caller: Principal,
        request: str | None,
        work: Callable[[], Awaitable[T]],
        told: Callable[[PrecedentError], T],
    ) -> T:
        """Does the work where the caller may, or tells the error; either is measured and logged."""
        started = time.perf_counter()
        try:
            await self._rate.require(caller)
            roles.require(name, caller)
            with doing(caller.name, name, request):
                result, outcome = await work(), "success"
        except PrecedentError as error:
            if isinstance(error, InternalError):
                _log.error("tool_failed", tool=name, exc_info=error)
            result, outcome = told(error), error.code
        except Exception:  # noqa: BLE001 - the boundary: whatever else happens is ours, logged here and told as a sentence
            _log.exception("tool_crashed", tool=name)
            ours = InternalError(
                "Something went wrong inside Precedent; nothing you can mend. The service's log says what."
            )
            result, outcome = told(ours), ours.code
        seconds = time.perf_counter() - started
        self._metrics.tool_called(name, outcome, seconds)
        _log.info(
            "tool_called",
            request=request,
            caller=caller.name,
            namespace=caller.namespace,
            tool=name,
            outcome=outcome,
            ms=round(seconds * 1000, 1),
        )
        return result


def _unknown(name: str, tools: Iterable[str]) -> str:
    return f"Unknown tool {name[:100]!r}; the tools are {', '.join(sorted(tools))}."
