"""The ten endpoints of memory-core-rest.md that are about memories; each parses, calls, answers.

Source: memory-core-rest.md "Endpoint Specifications". Errors get their form where the application is put together.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, File, Form, Query, Request, UploadFile
from fastapi.responses import StreamingResponse
from starlette.datastructures import FormData

from server.access.caller import Caller
from server.errors import InvalidArgument
from server.sessions.collections import Of
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
_ALL: tuple[Of, ...] = ("memories", "summaries")


def build_routes(service: SessionService) -> APIRouter:
    """The routes over a service."""
    router = APIRouter()
    _add_memories(router, service)
    _add_summaries(router, service)
    _add_database(router, service)
    return router


def _add_memories(router: APIRouter, service: SessionService) -> None:
    @router.post("/memories", status_code=201, tags=["memories"], operation_id="addMemory")
    async def add_memory(request: AddMemory, caller: Caller) -> MemoryAdded:
        """Adds an interaction to the memory: what was asked, thought and answered."""
        return await service.add_memory(request, caller)

    @router.get("/memories", tags=["memories"], operation_id="listMemories")
    async def list_memories(request: Annotated[ListMemories, Query()], caller: Caller) -> Memories:
        """Lists a session's memories, oldest first; a session that is not known has none."""
        return await service.memories(request, caller)

    @router.post("/memories/query", tags=["memories"], operation_id="queryMemories")
    async def query_memories(request: QueryMemories, caller: Caller) -> FoundMemories:
        """Finds the memories that answer best, in one session or in all, by ascending distance.

        Which ones is decided by meaning, words and what was said around them together: the nearest of all need not be
        among few.
        """
        return await service.query_memories(request, caller)


def _add_summaries(router: APIRouter, service: SessionService) -> None:
    @router.get("/summaries", tags=["summaries"], operation_id="listSummaries")
    async def list_summaries(request: Annotated[ListSummaries, Query()], caller: Caller) -> Summaries:
        """Lists summaries of sessions, newest first."""
        return await service.summaries(request, caller)

    @router.delete("/summaries", tags=["summaries"], operation_id="deleteSummaries")
    async def delete_summaries(caller: Caller) -> SummariesDeleted:
        """Deletes all summaries at once; memories stay."""
        return await service.delete_summaries(caller)

    @router.post("/summaries/query", tags=["summaries"], operation_id="querySummaries")
    async def query_summaries(request: QuerySummaries, caller: Caller) -> FoundSummaries:
        """Finds the sessions whose summaries answer best, by ascending distance."""
        return await service.query_summaries(request, caller)

    @router.post(
        "/sessions/summarize",
        tags=["sessions"],
        operation_id="summarizeSessions",
        responses={404: {"description": "The session that was asked for has no memories."}},
    )
    async def summarize(caller: Caller, request: Annotated[Summarize | None, Body()] = None) -> Summarization:
        """Summarises one session, or all whose summary is missing or older than their last memory."""
        return await service.summarize(request or Summarize(), caller)


def _add_database(router: APIRouter, service: SessionService) -> None:
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
                        "description": "The name of the file to save it as.",
                        "schema": {"type": "string"},
                    }
                },
            }
        },
    )
    async def export(
        caller: Caller,
        include: Annotated[
            str, Query(description="What to export, separated by commas.", examples=["memories", "memories,summaries"])
        ] = ",".join(_ALL),
    ) -> StreamingResponse:
        """Exports memories and summaries with their vectors, as a file of lines."""
        lines = service.export(_included(include), caller)
        # The first lines before the status: what cannot begin is an error, not a broken file.
        first = await anext(lines, b"")
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
        return StreamingResponse(
            _all(first, lines),
            media_type=_JSONL,
            headers={"Content-Disposition": f'attachment; filename="memory-export-{at}.jsonl"'},
        )

    @router.post(IMPORT, tags=["database"], operation_id="importDatabase")
    async def import_database(
        file: Annotated[UploadFile, File(examples=[_LINE])], mode: Annotated[Mode, Depends(_mode)], caller: Caller
    ) -> Imported:
        """Imports an exported file, all of it or nothing.

        `merge` adds what is not there; `replace` puts what the file holds in the place of all memories, all summaries
        or both, whichever it has lines of.
        """
        source: Any = file.file
        return await service.import_file(source, mode, caller)


async def _mode(request: Request, mode: Annotated[Mode, Form()] = "merge") -> Mode:
    form = await request.form()
    _require_one_file(form)
    # To FastAPI, a field that is empty is none.
    if form.get("mode") == "":
        raise InvalidArgument("Invalid request. mode: Input should be 'merge' or 'replace'.")
    return mode


def _require_one_file(form: FormData) -> None:
    if unknown := sorted(form.keys() - {"file", "mode"}):
        raise InvalidArgument(f"Invalid request. {unknown[0][:100]}: there is no such field; there are file and mode.")
    for field in ("file", "mode"):
        if len(form.getlist(field)) > 1:
            # FastAPI takes the last one, and says nothing of the others.
            raise InvalidArgument(f"Invalid request. {field}: is there more than once; send one.")
    if any(isinstance(part, str) for part in form.getlist("file")):
        raise InvalidArgument("Invalid request. file: has to be an uploaded file, as `curl -F file=@backup.jsonl` has.")


async def _all(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for lines in rest:
        yield lines


def _included(include: str) -> list[Of]:
    asked = {part.strip() for part in include.split(",") if part.strip()}
    if not asked or asked - {*_ALL, "both"}:
        raise InvalidArgument("Invalid request. include: has to be memories, summaries, or both separated by a comma.")
    return [of for of in _ALL if of in asked or "both" in asked]
