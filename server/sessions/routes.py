"""The ten REST endpoints for memories, summaries, exports and imports; each parses, calls and answers.

`server/rest` formats the errors.

Source: SES-1, SES-4.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, File, Form, Query, Request, UploadFile
from fastapi.responses import StreamingResponse
from starlette.datastructures import FormData

from server.access.caller import Caller
from server.access.idempotency import KeyedRoute
from server.core.errors import InvalidArgument
from server.interface.state import StateKey
from server.sessions.collections import Collection
from server.sessions.models import (
    AddMemory,
    FoundMemories,
    FoundSummaries,
    Imported,
    ListMemories,
    ListSummaries,
    Memories,
    MemoryAdded,
    Mode,
    QueryMemories,
    QuerySummaries,
    Summaries,
    SummariesDeleted,
    Summarization,
    Summarize,
)
from server.sessions.service import SessionService

IMPORT = "/db/import"
_JSONL = "application/x-jsonlines"
_LINE = (
    '{"collection": "memories", "id": "mem_2025-10-08T12:00:00.000Z", "metadata": {"timestamp": '
    '"2025-10-08T12:00:00.000Z", "sessionId": "session_1696800000000", "prompt": "Why Neo4j?", "thought": "", '
    '"response": "It holds relations."}}'
)
_ALL: tuple[Collection, ...] = ("memories", "summaries")
SERVICE = StateKey[SessionService]("sessions")
Service = Annotated[SessionService, Depends(SERVICE.load)]


def build_routes() -> APIRouter:
    """Build the routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(route_class=KeyedRoute)
    _add_memories(router)
    _add_summaries(router)
    _add_database(router)
    return router


def _add_memories(router: APIRouter) -> None:
    @router.post("/memories", status_code=201, tags=["memories"], operation_id="addMemory")
    async def add_memory(request: AddMemory, service: Service, caller: Caller) -> MemoryAdded:
        """Adds a memory: what was asked, thought and answered in one interaction."""
        return await service.add_memory(request, caller)

    @router.get("/memories", tags=["memories"], operation_id="listMemories")
    async def list_memories(request: Annotated[ListMemories, Query()], service: Service, caller: Caller) -> Memories:
        """Lists a session's memories, oldest first; an unknown session has none."""
        return await service.memories(request, caller)

    @router.post("/memories/query", tags=["memories"], operation_id="queryMemories")
    async def query_memories(request: QueryMemories, service: Service, caller: Caller) -> FoundMemories:
        """Finds the best memories of one session or of all, by ascending distance.

        Relevance selects them, by meaning, words and neighbours in the session together; so the memory of the least
        distance may be missing from a short list.
        """
        return await service.query_memories(request, caller)


def _add_summaries(router: APIRouter) -> None:
    @router.get("/summaries", tags=["summaries"], operation_id="listSummaries")
    async def list_summaries(request: Annotated[ListSummaries, Query()], service: Service, caller: Caller) -> Summaries:
        """Lists summaries of sessions, newest first."""
        return await service.summaries(request, caller)

    @router.delete("/summaries", tags=["summaries"], operation_id="deleteSummaries")
    async def delete_summaries(service: Service, caller: Caller) -> SummariesDeleted:
        """Deletes all summaries at once; memories stay."""
        return await service.delete_summaries(caller)

    @router.post("/summaries/query", tags=["summaries"], operation_id="querySummaries")
    async def query_summaries(request: QuerySummaries, service: Service, caller: Caller) -> FoundSummaries:
        """Finds the best summaries, by ascending distance."""
        return await service.query_summaries(request, caller)

    @router.post(
        "/sessions/summarize",
        tags=["sessions"],
        operation_id="summarizeSessions",
        responses={404: {"description": "The named session has no memories."}},
    )
    async def summarize(
        service: Service, caller: Caller, request: Annotated[Summarize | None, Body()] = None
    ) -> Summarization:
        """Summarises one session, or every session whose summary is missing or out of date."""
        return await service.summarize(request or Summarize(), caller)


def _add_database(router: APIRouter) -> None:
    @router.get(
        "/db/export",
        tags=["database"],
        operation_id="exportDatabase",
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "One JSON object a line: collection, id, model, metadata, document, embedding.",
                "content": {_JSONL: {"schema": {"type": "string"}}},
                "headers": {
                    "Content-Disposition": {
                        "description": "The name of the file.",
                        "schema": {"type": "string"},
                    }
                },
            }
        },
    )
    async def export(
        service: Service,
        caller: Caller,
        include: Annotated[
            str, Query(description="What to export, separated by commas.", examples=["memories", "memories,summaries"])
        ] = ",".join(_ALL),
    ) -> StreamingResponse:
        """Exports memories and summaries with their embeddings, one JSON object a line."""
        lines = service.export(_parse_include(include), caller)
        # Wait for the first lines before the status: an export that cannot start is an error, not a broken file.
        first = await anext(lines, b"")
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
        return StreamingResponse(
            _prepend(first, lines),
            media_type=_JSONL,
            headers={"Content-Disposition": f'attachment; filename="memory-export-{at}.jsonl"'},
        )

    @router.post(IMPORT, tags=["database"], operation_id="importDatabase")
    async def import_database(
        file: Annotated[UploadFile, File(examples=[_LINE])],
        mode: Annotated[Mode, Depends(_parse_mode)],
        service: Service,
        caller: Caller,
    ) -> Imported:
        """Imports an exported file, all of it or nothing.

        `merge` adds records with new ids. `replace` replaces all memories, all summaries or both: those that the file
        has lines of.
        """
        source: Any = file.file
        return await service.import_file(source, mode, caller)


async def _parse_mode(request: Request, mode: Annotated[Mode, Form()] = "merge") -> Mode:
    form = await request.form()
    _require_one_file(form)
    # FastAPI takes an empty field for a missing one.
    if form.get("mode") == "":
        raise InvalidArgument("Invalid request. mode: Input should be 'merge' or 'replace'.")
    return mode


def _require_one_file(form: FormData) -> None:
    if unknown := sorted(form.keys() - {"file", "mode"}):
        raise InvalidArgument(f"Invalid request. {unknown[0][:100]}: unknown field; the fields are file and mode.")
    for field in ("file", "mode"):
        if len(form.getlist(field)) > 1:
            # FastAPI would silently take the last one.
            raise InvalidArgument(f"Invalid request. {field}: given more than once; send one.")
    if any(isinstance(part, str) for part in form.getlist("file")):
        raise InvalidArgument("Invalid request. file: must be an uploaded file, as in `curl -F file=@backup.jsonl`.")


async def _prepend(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for lines in rest:
        yield lines


def _parse_include(include: str) -> list[Collection]:
    names = {part.strip() for part in include.split(",") if part.strip()}
    if not names or names - {*_ALL, "both"}:
        raise InvalidArgument("Invalid request. include: must be memories, summaries, or both separated by a comma.")
    return [of for of in _ALL if of in names or "both" in names]
