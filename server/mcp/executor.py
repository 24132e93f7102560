"""Runs tools and reads resources: parse, check the role, run, and give every error the form of its family."""

import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

import structlog
from mcp_types import CallToolResult, ReadResourceResult

from server.access import roles
from server.access.capacity import Capacity
from server.access.rate import RateLimit
from server.core.errors import InternalError, PrecedentError
from server.core.principals import Principal, Role
from server.graph.changes import KeyedCall, audit_context
from server.graph.idempotency import KEY, EarlierCall, IdempotencyKeys, compute_digest, require_key
from server.interface.resources import AnyBoundResource, AnyResource
from server.interface.tools import AnyBoundTool, AnyTool, ToolInput
from server.mcp.answers import Continuation, contents, failure, success
from server.observability.metrics import Metrics

T = TypeVar("T")
_UNLIMITED = 2**31
_log = structlog.get_logger(__name__)


class Executor:
    """Runs tools and resources on the services of their families; `answer_limit` is in bytes."""

    def __init__(
        self,
        tools: Iterable[AnyBoundTool],
        metrics: Metrics,
        *,
        answer_limit: int,
        resources: Iterable[AnyBoundResource] = (),
        rate: RateLimit | None = None,
        capacity: Capacity | None = None,
        keys: IdempotencyKeys | None = None,
    ) -> None:
        self._tools = {bound.tool.name: bound for bound in tools}
        self._resources = {bound.resource.uri: bound for bound in resources}
        self._metrics = metrics
        self._rate = rate or RateLimit(None)
        self._capacity = capacity or Capacity(_UNLIMITED)
        self._answer_limit = answer_limit
        self._keys = keys

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Principal, request: str | None = None
    ) -> CallToolResult:
        """Return the tool's answer, or its error in the form of its family; never raise for a caller's mistake.

        `request` is the id of the HTTP request.
        """
        bound = self._tools.get(name)
        if bound is None:
            known = [each for each in self._tools if caller.has_role(roles.get_tool_role(each))]
            error = {"code": "MethodNotFound", "message": _describe_unknown(name, known), "details": None}
            return failure({"error": error})
        tool = bound.tool

        async def work() -> CallToolResult:
            if self._keys is not None and KEY in arguments and not tool.read_only:
                return await self._run_once(self._keys, tool, arguments, caller, run)
            return await run(arguments)

        async def run(arguments: Mapping[str, Any]) -> CallToolResult:
            asked = tool.request.parse(arguments)
            answer = await bound.run(asked, caller)
            return success(
                answer.model_dump(mode="json"),
                many=tool.many,
                limit=self._answer_limit,
                page=_page(tool, asked),
                texts=tool.texts,
            )

        def to_result(error: PrecedentError) -> CallToolResult:
            return failure(tool.envelope(error, name))

        return await self._execute(name, roles.get_tool_role(name), caller, request, work=work, to_result=to_result)

    async def _run_once(
        self,
        keys: IdempotencyKeys,
        tool: AnyTool,
        arguments: Mapping[str, Any],
        caller: Principal,
        run: Callable[[Mapping[str, Any]], Awaitable[CallToolResult]],
    ) -> CallToolResult:
        """Run a tool with an idempotency key: a repeated call gets the first answer, with `replayed: true`."""
        rest = {name: value for name, value in arguments.items() if name != KEY}
        key = require_key(arguments[KEY])
        call = KeyedCall(caller.namespace, caller.name, tool.name, key, compute_digest(rest))

        def replay(earlier: EarlierCall) -> CallToolResult:
            if earlier.answer is None:
                return success(earlier.describe_lost(), many=None, limit=self._answer_limit)
            answer = {**json.loads(earlier.answer), "replayed": True}
            return success(answer, many=None, limit=self._answer_limit, texts=tool.texts)

        return await keys.run(
            call,
            lambda: run(rest),
            to_stored=lambda result: json.dumps(result.structured_content, ensure_ascii=False),
            replay=replay,
            resumable=tool.resumable,
        )

    async def read(
        self, resource: AnyResource, uri: str, caller: Principal, request: str | None = None
    ) -> ReadResourceResult:
        """Return the items of a resource, or its error in its family's form; never raise for a caller's mistake."""

        async def work() -> ReadResourceResult:
            items = await self._resources[resource.uri].run(resource.parse(uri), caller)
            return contents(uri, resource.answer(uri, items), limit=self._answer_limit)

        def to_result(error: PrecedentError) -> ReadResourceResult:
            return contents(uri, resource.envelope(error, uri), limit=self._answer_limit)

        role = roles.get_resource_role(resource.uri)
        return await self._execute(resource.uri, role, caller, request, work=work, to_result=to_result)

    async def _execute(
        self,
        name: str,
        role: Role,
        caller: Principal,
        request: str | None,
        *,
        work: Callable[[], Awaitable[T]],
        to_result: Callable[[PrecedentError], T],
    ) -> T:
        """Do the work if the caller may, else return the error; measure and log both."""
        started = time.perf_counter()
        try:
            await self._rate.require(caller)
            caller.require(role)
            turn = await self._capacity.take_turn()
            try:
                with audit_context(caller.name, name, request, kind=caller.kind):
                    result, outcome = await work(), "success"
            finally:
                turn.end()
        except PrecedentError as error:
            if isinstance(error, InternalError):
                _log.error("tool_failed", tool=name, exc_info=error)
            result, outcome = to_result(error), error.code
        except Exception:  # noqa: BLE001 - the boundary: logged here, and one sentence for the caller
            _log.exception("tool_crashed", tool=name)
            internal = InternalError(
                "Internal error in Precedent: the operator finds the details in the service's log."
            )
            result, outcome = to_result(internal), internal.code
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


def _page(tool: AnyTool, asked: ToolInput) -> Continuation | None:
    """Return how the list of an answer continues, for a request with an offset."""
    offset: int | None = getattr(asked, "offset", None)
    if offset is None:
        return None
    if tool.resume is not None:
        return Continuation(partial(tool.resume, asked), tool.total)
    return Continuation(lambda items: offset + len(items), tool.total)


def _describe_unknown(name: str, tools: Iterable[str]) -> str:
    return f"Unknown tool {name[:100]!r}; the tools are {', '.join(sorted(tools))}."
