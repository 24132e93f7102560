"""Errors as HTTP tells them: `{error, message, code}`, for whatever goes wrong and wherever it does.

Source: memory-core-rest.md "Error Handling"; open-questions.md "memory-core-rest.md", Cross-cutting. The one place
where the error tree becomes status codes.
"""

from collections.abc import Sequence
from http import HTTPStatus
from math import ceil
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from server.errors import (
    Conflict,
    ForeignHost,
    ForeignOrigin,
    GraphUnavailable,
    InvalidArgument,
    IsolationViolation,
    NotFound,
    PermissionDenied,
    PolicyBlocked,
    PrecedentError,
    QueryTimeout,
    RateLimitExceeded,
    ReviewWindow,
    Unauthenticated,
    Unavailable,
)

_log = structlog.get_logger(__name__)
_RETRY_SECONDS = "3"
_MOST_PROBLEMS = 20
_LONGEST_NAME = 100
"""A caller's own names are told back to it, within bounds."""


class Error(BaseModel):
    """What every answer that is no success holds."""

    error: str = Field(description="What kind of failure it is, for people.", examples=["Database connection failed"])
    message: str = Field(description="What is wrong and what to do.")
    code: str = Field(description="The same failure has the same code, always.", examples=["DB_CONNECTION_ERROR"])


STATUSES: dict[type[PrecedentError], tuple[HTTPStatus, str]] = {
    InvalidArgument: (HTTPStatus.BAD_REQUEST, "Invalid request"),
    PolicyBlocked: (HTTPStatus.BAD_REQUEST, "Blocked by policy"),
    Unauthenticated: (HTTPStatus.UNAUTHORIZED, "Authentication needed"),
    PermissionDenied: (HTTPStatus.FORBIDDEN, "Permission denied"),
    ForeignHost: (HTTPStatus.MISDIRECTED_REQUEST, "Host not allowed"),
    ForeignOrigin: (HTTPStatus.FORBIDDEN, "Origin not allowed"),
    NotFound: (HTTPStatus.NOT_FOUND, "Not found"),
    IsolationViolation: (HTTPStatus.FORBIDDEN, "Isolation violation"),
    Conflict: (HTTPStatus.CONFLICT, "Conflict"),
    ReviewWindow: (HTTPStatus.CONFLICT, "Still in its review window"),
    RateLimitExceeded: (HTTPStatus.TOO_MANY_REQUESTS, "Too many requests"),
    QueryTimeout: (HTTPStatus.SERVICE_UNAVAILABLE, "Took too long"),
    GraphUnavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "Database connection failed"),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "Temporarily unavailable"),
}
"""Kinds of error to status and title; a kind below one of these is told as it is."""

CODES: dict[type[PrecedentError], str] = {
    GraphUnavailable: "DB_CONNECTION_ERROR",
}
"""Where the specification has a code of its own."""

HTTP_CODES = {
    HTTPStatus.BAD_REQUEST: ("MALFORMED_BODY", "The body cannot be read as what its Content-Type says it is."),
    HTTPStatus.NOT_FOUND: ("NOT_FOUND", "There is nothing at this path; /docs shows what there is."),
    HTTPStatus.METHOD_NOT_ALLOWED: (
        "METHOD_NOT_ALLOWED",
        "This path takes other methods; the header Allow names them.",
    ),
    HTTPStatus.REQUEST_TIMEOUT: ("REQUEST_TIMEOUT", "The rest of the body did not come; send the request again."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("PAYLOAD_TOO_LARGE", "The body is larger than this path takes."),
}
"""What goes wrong before any use case is asked: status to code and sentence."""

MALFORMED_JSON = "MALFORMED_JSON"
MALFORMED_REQUEST = ("MALFORMED_REQUEST", "This is no HTTP request, or its URL has more than 65,535 bytes.")
"""What goes wrong before there is a request at all."""


def told(error: PrecedentError) -> JSONResponse:
    """The answer for an error of ours."""
    known = next((kind for kind in type(error).__mro__ if kind in STATUSES), None)
    status, title = (HTTPStatus.INTERNAL_SERVER_ERROR, "Internal error") if known is None else STATUSES[known]
    headers = {"Retry-After": _RETRY_SECONDS} if status is HTTPStatus.SERVICE_UNAVAILABLE else None
    if status is HTTPStatus.UNAUTHORIZED:
        headers = {"WWW-Authenticate": "Bearer"}
    if wait := error.details.get("retry_after_seconds"):
        headers = {"Retry-After": str(ceil(wait))}
    return answer(status, title, error.message, CODES.get(type(error), error.code), headers)


def answer(
    status: HTTPStatus, title: str, message: str, code: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """An error in the one form that there is."""
    return JSONResponse(
        Error(error=title, message=message, code=code).model_dump(), status_code=status, headers=headers
    )


def install(app: FastAPI) -> None:
    """Has every failure of an application told in this form."""

    async def ours(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, PrecedentError)
        if error.code == PrecedentError.code:
            _log.error("request_failed", exc_info=error)
        return told(error)

    async def invalid(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        problems = error.errors()
        if any(problem["type"] == "json_invalid" for problem in problems):
            place = problems[0]["loc"][-1]
            return answer(
                HTTPStatus.BAD_REQUEST,
                "Malformed JSON",
                f"The body is no JSON, from character {place} on.",
                MALFORMED_JSON,
            )
        return told(InvalidArgument(f"Invalid request. {_sentence(problems)}."))

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        code, message = HTTP_CODES.get(status, (status.name, str(error.detail)))
        headers = dict(error.headers or {})
        if status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            message = str(error.detail)  # which says how much would be taken
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = ", ".join(allowed(app, request.url.path))
        return answer(status, status.phrase, message, code, headers)

    async def fault(request: Request, error: Exception) -> JSONResponse:
        _log.error("request_failed", path=request.url.path, exc_info=error)
        return answer(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "Internal error",
            "The service failed at this; its log says why.",
            PrecedentError.code,
        )

    app.add_exception_handler(PrecedentError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(Exception, fault)


def allowed(app: FastAPI, path: str) -> list[str]:
    """The methods that a path takes."""
    described = app.openapi()["paths"]
    # A path that stands there as it is goes before one with a parameter in its place, as it does in routing.
    operations: dict[str, Any] = described.get(path) or next(
        (described[each] for each in described if _is(each, path)), {}
    )
    return sorted(method.upper() for method in operations) or ["GET"]


def _is(template: str, path: str) -> bool:
    known, asked = template.split("/"), path.split("/")
    return len(known) == len(asked) and all(
        part.startswith("{") or part == said for part, said in zip(known, asked, strict=True)
    )


def _sentence(problems: Sequence[Any]) -> str:
    told = [_problem(problem) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        told.append(f"and {len(problems) - _MOST_PROBLEMS} more")
    return "; ".join(told)


def _problem(problem: Any) -> str:
    where = ".".join(str(part)[:_LONGEST_NAME] for part in problem["loc"][1:])
    if not where and problem["type"] in {"model_attributes_type", "dict_type", "missing", "model_type"}:
        return "the body has to be a JSON object, sent with Content-Type: application/json"
    said = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {said}" if where else said
