"""The tools of the entries family and the form of its errors.

Source: entries.md "Tool: …", "Error Behavior"; open-questions.md, "entries.md", Envelope.
"""

from typing import Any

from server.entries.models import (
    Entries,
    Found,
    GetEntries,
    IngestDocs,
    Ingested,
    RetentionDryRun,
    RetentionReport,
    Saved,
    SaveMemory,
    Search,
    Timeline,
    TimelineAnswer,
)
from server.entries.service import EntryService
from server.errors import (
    EntryNotFound,
    InvalidArgument,
    PermissionDenied,
    PolicyBlocked,
    PrecedentError,
    SchemaTooNew,
)
from server.tools import Tool


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:  # noqa: ARG001 - the form is one for all tools
    """The error object of entries.md: one of its five codes, and what a program can act on, or null."""
    details = dict(error.details)
    match error:
        case InvalidArgument() | EntryNotFound() | PolicyBlocked():
            code = error.code
        case PermissionDenied():
            # Who may do what is policy as well; the specification has no code of its own for it.
            code = PolicyBlocked.code
        case SchemaTooNew():
            code = "MIGRATION_FAILURE"
        case _:
            code = "STORAGE_FAILURE"
            details = {"cause": error.code, **details}
    return {"error": {"code": code, "message": error.message, "details": details or None}}


TOOLS = (
    Tool(
        name="save_memory",
        description="Remember a text: what was said, found out, done. Say who and what it is about; give the same "
        "session_id to what belongs together.",
        request=SaveMemory,
        response=Saved,
        run=EntryService.save_memory,
        envelope=envelope,
    ),
    Tool(
        name="search",
        description="Find memories (what save_memory and ingest_docs stored) by meaning, by words and by what was said "
        "around them, best first. get_entries gives the whole text, timeline what came before and after.",
        request=Search,
        response=Found,
        run=EntryService.search,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="timeline",
        description="What was saved before and after a memory in its project, oldest first.",
        request=Timeline,
        response=TimelineAnswer,
        run=EntryService.timeline,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="get_entries",
        description="Read memories whole, by their ids.",
        request=GetEntries,
        response=Entries,
        run=EntryService.get_entries,
        envelope=envelope,
        read_only=True,
        idempotent=True,
        many="items",
    ),
    Tool(
        name="ingest_docs",
        description="Remember documents from the service's folders; unchanged ones are left alone, changed ones "
        "replace what was remembered of them.",
        request=IngestDocs,
        response=Ingested,
        run=EntryService.ingest_docs,
        envelope=envelope,
        idempotent=True,
    ),
    Tool(
        name="retention_dry_run",
        description="Which memories would rules of age and number remove? Removes nothing; the question is recorded.",
        request=RetentionDryRun,
        response=RetentionReport,
        run=EntryService.retention_dry_run,
        envelope=envelope,
        many="candidate_ids",
    ),
)
