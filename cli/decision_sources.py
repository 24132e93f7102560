"""Where the commands that read decisions read from: the running service over HTTP, or else the graph of this home."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol
from urllib.parse import quote

import httpx2
from rich.console import Console

from server.access.header import CALLER_HEADER
from server.core import errors
from server.core.errors import GraphUnavailable, InternalError, NotFound, PrecedentError, SetupError
from server.core.fields import encode_json
from server.core.principals import Principal, Role
from server.core.settings import Settings
from server.local.connection import add_secrets, find_service, open_graph_for_command

_HTTP_TIMEOUT = 30.0
_COLD_TIMEOUT = 120.0
"""Seconds that a statement may take in a Neo4j that has just been started."""
_MOST_SHOWN = 5
"""Decisions or drafts that are shown for one target."""
Answer = dict[str, Any]


class AnswerSource(Protocol):
    """A source of decisions, in the JSON of the tools. Every method raises `PrecedentError`."""

    async def list(self, asked: Mapping[str, Any]) -> Answer:
        """Return one page of decisions."""
        ...

    async def show(self, name: str, times: Mapping[str, str]) -> Answer:
        """Return the decision or proposal of an id, or what is in force for a target."""
        ...

    async def why(self, asked: Mapping[str, Any]) -> Answer:
        """Return what is in force for a target, and what led to it."""
        ...

    async def ask(self, asked: Mapping[str, Any]) -> Answer:
        """Return the decisions that answer a question best."""
        ...

    async def changes(self, asked: Mapping[str, Any]) -> Answer:
        """Return one page of changes."""
        ...


@asynccontextmanager
async def open_source(settings: Settings, namespace: str | None, console: Console) -> AsyncIterator[AnswerSource]:
    """Open the running service of the home, or its graph, which is started if nothing runs.

    The caller is a viewer, so nothing is written. Raise `SetupError`, `HomeInUse`.
    """
    if (running := find_service(settings)) is not None:
        headers = _build_headers(running, namespace)
        async with httpx2.AsyncClient(base_url=running.service_url, headers=headers, timeout=_HTTP_TIMEOUT) as http:
            yield _ServiceSource(http)
        return
    settings = settings.model_copy(update={"query_timeout": max(_COLD_TIMEOUT, settings.query_timeout)})
    if settings.local:
        console.print("No service runs on this home: starting its graph for this command.", style="dim")
    caller = Principal(settings.principal, settings.kind, Role.VIEWER, namespace or settings.namespace)
    # Imported here, because the use cases take a second to import.
    from cli.local_source import GraphSource

    async with open_graph_for_command(settings, "ask") as (graph, _):
        yield GraphSource(graph, settings, caller)


def _build_headers(settings: Settings, namespace: str | None) -> dict[str, str]:
    """Build the headers that name the caller; without a secret only the default namespace can be read."""
    secret = add_secrets(settings).agent_memory_secret
    if secret is None:
        if namespace not in {None, settings.namespace}:
            raise SetupError(
                "Another namespace needs the operator's secret: set AGENT_MEMORY_SECRET, or leave --namespace out."
            )
        return {}
    caller = {
        "name": settings.principal,
        "kind": settings.kind,
        "role": "viewer",
        "namespace": namespace or settings.namespace,
    }
    return {"Authorization": f"Bearer {secret.get_secret_value()}", CALLER_HEADER: encode_json(caller)}


class _ServiceSource:
    """Reads from the routes of the running service."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def list(self, asked: Mapping[str, Any]) -> Answer:
        return await self._request("GET", "/decisions", params=asked)

    async def show(self, name: str, times: Mapping[str, str]) -> Answer:
        try:
            return {"decisions": [await self._load_by_id(name, times)]}
        except NotFound as unknown:
            for path, many, asked in (
                ("/decisions", "decisions", {"target": name, "limit": _MOST_SHOWN, **times}),
                ("/decisions", "decisions", {"target": name, "limit": 1, "status": "all", **times}),
                ("/decisions/proposals", "proposals", {"target": name, "limit": _MOST_SHOWN}),
            ):
                found = (await self._request("GET", path, params=asked))[many]
                if found:
                    return {"decisions": [await self._load_by_id(each["id"], times) for each in found]}
            raise unknown from None

    async def ask(self, asked: Mapping[str, Any]) -> Answer:
        return await self._request("POST", "/decisions/query", json=dict(asked))

    async def changes(self, asked: Mapping[str, Any]) -> Answer:
        return await self._request("GET", "/changes", params=asked)

    async def why(self, asked: Mapping[str, Any]) -> Answer:
        return await self._request("GET", "/why", params=asked)

    async def _load_by_id(self, id_: str, times: Mapping[str, str]) -> Answer:
        return await self._request("GET", f"/decisions/{quote(id_, safe='')}", params=times)

    async def _request(self, method: str, path: str, **more: Any) -> Answer:
        try:
            answer = await self._http.request(method, path, **more)
            content: Answer = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise GraphUnavailable(
                f"The service of this home does not answer at {self._http.base_url}: it may be starting or stopping. "
                "`precedent status` shows its state."
            ) from error
        if answer.status_code >= httpx2.codes.BAD_REQUEST:
            raise _parse_error(content)
        return content


def _parse_error(content: Mapping[str, Any]) -> PrecedentError:
    """Return the error of an answer as the exception that the service raised."""
    code, message = str(content.get("code")), str(content.get("message"))
    if code == "DB_CONNECTION_ERROR":
        return GraphUnavailable(message)
    kind = next((kind for kind in _list_error_types(PrecedentError) if kind.code == code), InternalError)
    return kind(message)


def _list_error_types(parent: type[PrecedentError]) -> Iterator[type[PrecedentError]]:
    for kind in parent.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield kind
            yield from _list_error_types(kind)
