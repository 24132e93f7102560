"""The OpenAPI description: what FastAPI derives from the routes, and the errors of every route."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI

from server.access.idempotency import HEADER, Replay, accepts_key
from server.graph.idempotency import LONGEST_KEY
from server.interface.tools import without_null
from server.rest.errors import HTTP_CODES, Error
from server.rest.links import LINKS

TAGS: list[dict[str, Any]] = [
    {"name": "health", "description": "Health and metrics of the service."},
    {"name": "memories", "description": "Questions, thoughts and answers: store, list and find them."},
    {"name": "summaries", "description": "Summaries of sessions."},
    {"name": "sessions", "description": "Summarise sessions."},
    {"name": "decisions", "description": "Decisions and proposals, what they replaced and why."},
    {"name": "graph", "description": "Things, their relations, and the paths between them."},
    {"name": "entries", "description": "Saved memories: store, find and read them."},
    {"name": "curation", "description": "Corrections: retract, undo, erase."},
    {"name": "history", "description": "The past: what changed and why, what depends on it, where an agent was."},
    {"name": "database", "description": "Export and import of memories and summaries."},
]
_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of `precedent token create`, or the operator's secret; required once a token exists.",
    }
}
_EXAMPLES: dict[int, tuple[str, Error]] = {
    400: (
        "The request is not valid.",
        Error(
            error="Invalid request",
            message="Invalid request. limit: Input should be less than or equal to 1000.",
            code="INVALID_ARGUMENT",
        ),
    ),
    401: (
        "A bearer token is required, or this one is unknown.",
        Error(
            error="Authentication required",
            message="A bearer token is required: `Authorization: Bearer …`.",
            code="UNAUTHENTICATED",
        ),
    ),
    403: (
        "The caller's role is too low, or the request comes from a web page of an unknown origin.",
        Error(
            error="Permission denied", message="Permission denied: this needs the role admin.", code="PERMISSION_DENIED"
        ),
    ),
    404: (
        "Not found.",
        Error(error="Not found", message="No session of this id has memories.", code="NOT_FOUND"),
    ),
    409: (
        "The request conflicts with something that exists.",
        Error(
            error="Conflict",
            message='CONFLICT: decision_20261121_101500_123456_0a1b2c3d is in force for "cart cache".',
            code="CONFLICT",
        ),
    ),
    408: (
        "The body stopped arriving.",
        Error(
            error="Request Timeout",
            message=HTTP_CODES[HTTPStatus.REQUEST_TIMEOUT][1],
            code="REQUEST_TIMEOUT",
        ),
    ),
    413: (
        "The body is too large.",
        Error(
            error="Request Entity Too Large",
            message=HTTP_CODES[HTTPStatus.REQUEST_ENTITY_TOO_LARGE][1],
            code="PAYLOAD_TOO_LARGE",
        ),
    ),
    421: (
        "The header Host names an unknown host.",
        Error(
            error="Host not allowed",
            message="The header Host names an unknown host; add it to PRECEDENT_ALLOWED_HOSTS to allow it.",
            code="HOST_NOT_ALLOWED",
        ),
    ),
    429: (
        "Too many requests; the header Retry-After says when to try again.",
        Error(
            error="Too many requests",
            message="Rate limit exceeded: please wait 1.3 s before the next write of a decision.",
            code="RATE_LIMIT_EXCEEDED",
        ),
    ),
    500: (
        "Internal error.",
        Error(error="Internal error", message="Internal error; the log has the details.", code="INTERNAL_ERROR"),
    ),
    503: (
        "A part of the service is not available; the same request may succeed later.",
        Error(
            error="Database connection failed",
            message="The graph is not available; nothing was stored. Retry in a few seconds.",
            code="DB_CONNECTION_ERROR",
        ),
    ),
}


def describe(app: FastAPI) -> None:
    """Add every error to an application's OpenAPI description."""
    derived = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _complete(derived())
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    _describe_keys(description["paths"], schemas)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Error"] = Error.model_json_schema()
    description["components"]["securitySchemes"] = _SCHEMES
    description["security"] = [{}, {"bearer": []}]  # on loopback no token is needed until one exists
    for operations in description["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                without_null(parameter["schema"])  # a query string cannot express null
            if operation["operationId"] == "checkHealth":
                operation["security"] = []
            responses = operation["responses"]
            responses.pop("422", None)
            for status in _statuses(operation):
                responses.setdefault(str(status), {})
            for status, response in responses.items():
                if int(status) >= HTTPStatus.BAD_REQUEST and "content" not in response:
                    _add_example(int(status), response)
            for succeeded, links in LINKS.get(operation["operationId"], {}).items():
                responses[succeeded]["links"] = links
            operation["responses"] = dict(sorted(responses.items()))


def _describe_keys(paths: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Add the header, its conflict and the replay to the routes that write."""
    schemas["Replay"] = Replay.model_json_schema()
    replay = {"$ref": "#/components/schemas/Replay"}
    header = {
        "name": HEADER,
        "in": "header",
        "description": "The same key again within 24 hours gets the first answer, and nothing is changed.",
        "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
    }
    for path, operations in paths.items():
        for method, operation in operations.items():
            if not accepts_key(f"{method.upper()} {path}"):
                continue
            operation.setdefault("parameters", []).append(header)
            operation["responses"].setdefault("409", {})
            lost = operation["responses"].setdefault("200", {"description": "Repeated, and its answer was lost."})
            content = lost.setdefault("content", {}).setdefault("application/json", {})
            content["schema"] = {"anyOf": [content["schema"], replay]} if "schema" in content else replay


def _statuses(operation: dict[str, Any]) -> list[int]:
    if operation["tags"] == ["health"]:
        return [400, 403, 421, 500] if operation["operationId"] == "checkHealth" else [400, 401, 403, 421, 429, 500]
    body = [408, 413] if "requestBody" in operation else []
    return [400, 401, 403, *body, 421, 429, 500, 503]


def _add_example(status: int, response: dict[str, Any]) -> None:
    meaning, example = _EXAMPLES[status]
    response.setdefault("description", meaning)
    response["content"] = {
        "application/json": {"schema": {"$ref": "#/components/schemas/Error"}, "example": example.model_dump()}
    }
    if status in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS}:
        response["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "string"}}}
