"""The tools of the entries family and the form of its errors. Source: MEM-61, MEM-62."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.core.errors import (
    Conflict,
    KeyReused,
    PrecedentError,
    QueryTimeout,
    RequestError,
    SchemaTooNew,
)
from server.entries.models import (
    Entries,
    FoundEntries,
    GetEntries,
    GetTimeline,
    IngestDocs,
    IngestionReport,
    RetentionDryRun,
    RetentionReport,
    SaveAnswer,
    SaveMemory,
    SearchEntries,
    TimelineAnswer,
    UpdatedEntry,
    UpdateMemory,
)
from server.entries.service import EntryService
from server.interface.tools import Tool


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:  # noqa: ARG001 - the form is one for all tools
    """Return the family's error object: its five codes, and the service's own codes for other refused requests."""
    details = dict(error.details)
    match error:
        case SchemaTooNew():
            code = "MIGRATION_FAILURE"
        case KeyReused():
            code = error.code
        case RequestError() if not isinstance(error, Conflict | QueryTimeout):
            code = error.code
        case _:
            code = "STORAGE_FAILURE"
            details = {"cause": error.code, **details}
    return {"error": {"code": code, "message": error.message, "details": details or None}}


def _find_position(request: GetEntries, items: Sequence[Mapping[str, Any]]) -> int:
    """Return the position in `ids` after these items; ids without an entry are skipped."""
    position = request.offset
    for item in items:
        while request.ids[position].strip() != item["id"]:
            position += 1
        position += 1
    return position


TOOLS = (
    Tool(
        name="save_memory",
        description="Save a text: facts, events, results. For a choice that binds others use record_decision.",
        request=SaveMemory,
        response=SaveAnswer,
        run=EntryService.save_memory,
        envelope=envelope,
    ),
    Tool(
        name="search",
        description="Find memories (of save_memory, ingest_docs) by meaning, words and the text around them, best "
        "first. get_entries reads them in full; search_decisions finds decisions.",
        request=SearchEntries,
        response=FoundEntries,
        run=EntryService.search,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="timeline",
        description="List what was saved before and after a memory in its project, oldest first.",
        request=GetTimeline,
        response=TimelineAnswer,
        run=EntryService.timeline,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="get_entries",
        description="Read memories in full, by ids from search or timeline.",
        request=GetEntries,
        response=Entries,
        run=EntryService.get_entries,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
        resume=_find_position,
    ),
    Tool(
        name="ingest_docs",
        description="Save documents: files, and folders with all below them, in the folders that may be read (every "
        "answer lists them). Unchanged ones are skipped, changed ones replaced, those missing from a folder retired.",
        request=IngestDocs,
        response=IngestionReport,
        run=EntryService.ingest_docs,
        envelope=envelope,
        idempotent=True,
        resumable=True,
    ),
    Tool(
        name="retention_dry_run",
        description="List the memories that rules of age and number would remove. Removes nothing.",
        request=RetentionDryRun,
        response=RetentionReport,
        run=EntryService.retention_dry_run,
        envelope=envelope,
        many="candidate_ids",
        total="total_candidates",
    ),
)

CORRECTIONS = (
    Tool(
        name="update_memory",
        description="Correct a memory in place; its former text stays as history. For a memory that was right until "
        "now use save_memory with supersedes.",
        request=UpdateMemory,
        response=UpdatedEntry,
        run=EntryService.update_memory,
        envelope=envelope,
        destructive=True,
    ),
)
"""Published with the toolset `curation`."""
