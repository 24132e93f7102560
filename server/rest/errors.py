"""Errors over HTTP: every error has the form `{error, message, code}`.

Only this module maps classes of errors to status codes.

Source: SVC-54, SVC-56.
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

from server.core.errors import (
    Conflict,
    ForeignHost,
    ForeignOrigin,
    GraphUnavailable,
    InvalidArgument,
    IsolationViolation,
    NotFound,
    OutcomeUnknown,
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
"""Characters of a caller's own name that a message repeats."""


class Error(BaseModel):
    """The body of every answer that is not a success."""

    error: str = Field(description="The kind of error, for people.", examples=["Database connection failed"])
    message: str = Field(description="What is wrong and what to do.")
    code: str = Field(description="The kind of error, for programs.", examples=["DB_CONNECTION_ERROR"])


STATUSES: dict[type[PrecedentError], tuple[HTTPStatus, str]] = {
    InvalidArgument: (HTTPStatus.BAD_REQUEST, "Invalid request"),
    PolicyBlocked: (HTTPStatus.BAD_REQUEST, "Blocked by policy"),
    Unauthenticated: (HTTPStatus.UNAUTHORIZED, "Authentication required"),
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
    OutcomeUnknown: (HTTPStatus.SERVICE_UNAVAILABLE, "Outcome unknown"),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "Temporarily unavailable"),
}
"""Class of error to status and title; a subclass has those of its nearest base class here."""

CODES: dict[type[PrecedentError], str] = {
    GraphUnavailable: "DB_CONNECTION_ERROR",
}
"""Codes that differ over HTTP."""

HTTP_CODES = {
    HTTPStatus.BAD_REQUEST: ("MALFORMED_BODY", "The body cannot be read as its Content-Type says."),
    HTTPStatus.NOT_FOUND: ("NOT_FOUND", "Nothing is at this path; /docs lists all paths."),
    HTTPStatus.METHOD_NOT_ALLOWED: (
        "METHOD_NOT_ALLOWED",
        "This path does not have this method; the header Allow lists its methods.",
    ),
    HTTPStatus.REQUEST_TIMEOUT: ("REQUEST_TIMEOUT", "The rest of the body did not arrive; send the request again."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("PAYLOAD_TOO_LARGE", "The body is larger than this path accepts."),
}
"""Errors of HTTP itself, before any use case runs: status to code and message."""

MALFORMED_JSON = "MALFORMED_JSON"
MALFORMED_REQUEST = ("MALFORMED_REQUEST", "This is not a valid HTTP request, or its URL is longer than 65,535 bytes.")
"""The code and message for bytes that are not an HTTP request."""


def to_response(error: PrecedentError) -> JSONResponse:
    """Return the response for an error."""
    known = next((kind for kind in type(error).__mro__ if kind in STATUSES), None)
    status, title = (HTTPStatus.INTERNAL_SERVER_ERROR, "Internal error") if known is None else STATUSES[known]
    headers = {"Retry-After": _RETRY_SECONDS} if status is HTTPStatus.SERVICE_UNAVAILABLE else None
    if isinstance(error, OutcomeUnknown):
        headers = None  # a client would repeat it by itself
    if status is HTTPStatus.UNAUTHORIZED:
        headers = {"WWW-Authenticate": "Bearer"}
    if wait := error.details.get("retry_after_seconds"):
        headers = {"Retry-After": str(ceil(wait))}
    return answer(status, title, error.message, CODES.get(type(error), error.code), headers)


def answer(
    status: HTTPStatus, title: str, message: str, code: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Return an error response in the form of all errors."""
    return JSONResponse(
        Error(error=title, message=message, code=code).model_dump(), status_code=status, headers=headers
    )


def install(app: FastAPI) -> None:
    """Make an application answer every error in this form."""

    async def on_precedent_error(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, PrecedentError)
        if error.code == PrecedentError.code:
            _log.error("request_failed", exc_info=error)
        return to_response(error)

    async def on_invalid_request(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        problems = error.errors()
        if any(problem["type"] == "json_invalid" for problem in problems):
            position = problems[0]["loc"][-1]
            return answer(
                HTTPStatus.BAD_REQUEST,
                "Malformed JSON",
                f"The body is not valid JSON: the error is at character {position}.",
                MALFORMED_JSON,
            )
        return to_response(InvalidArgument(f"Invalid request. {_describe_problems(problems)}."))

    async def on_http_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        code, message = HTTP_CODES.get(status, (status.name, str(error.detail)))
        headers = dict(error.headers or {})
        if status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            message = str(error.detail)  # it names the limit
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = ", ".join(list_methods(app, request.url.path))
        return answer(status, status.phrase, message, code, headers)

    async def on_unexpected_error(request: Request, error: Exception) -> JSONResponse:
        _log.error("request_failed", path=request.url.path, exc_info=error)
        return answer(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "Internal error",
            "Internal error; the log has the details.",
            PrecedentError.code,
        )

    app.add_exception_handler(PrecedentError, on_precedent_error)
    app.add_exception_handler(RequestValidationError, on_invalid_request)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(Exception, on_unexpected_error)


def list_methods(app: FastAPI, path: str) -> list[str]:
    """List the methods of a path."""
    described = app.openapi()["paths"]
    # As in routing, an exact path comes before a path with parameters.
    operations: dict[str, Any] = described.get(path) or next(
        (described[each] for each in described if _matches(each, path)), {}
    )
    return sorted(method.upper() for method in operations) or ["GET"]


def _matches(template: str, path: str) -> bool:
    known, actual = template.split("/"), path.split("/")
    return len(known) == len(actual) and all(
        part.startswith("{") or part == other for part, other in zip(known, actual, strict=True)
    )


def _describe_problems(problems: Sequence[Any]) -> str:
    described = [_describe_problem(problem) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        described.append(f"and {len(problems) - _MOST_PROBLEMS} more")
    return "; ".join(described)


def _describe_problem(problem: Any) -> str:
    where = ".".join(str(part)[:_LONGEST_NAME] for part in problem["loc"][1:])
    if not where and problem["type"] in {"model_attributes_type", "dict_type", "missing", "model_type"}:
        return "the body must be a JSON object, sent with Content-Type: application/json"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
