"""The use cases of sessions: add and search memories, summarise sessions, export and import.

Source: SES-9, SES-21, SES-43.
"""

import time
from collections.abc import AsyncIterator, Sequence
from typing import BinaryIO
from uuid import uuid4

import anyio
import structlog

from server.core.errors import NotFound, PrecedentError
from server.core.fields import format_time
from server.core.principals import Principal, Role
from server.core.types import Row
from server.graph.graph import Transaction
from server.parts import Parts
from server.retrieval.scope import SearchScope, build_family_tag
from server.retrieval.writing import PassageWriter, wait_for_passages
from server.sessions import memories, summaries
from server.sessions.collections import Collection
from server.sessions.exporting import Exporter
from server.sessions.importing import Importer
from server.sessions.linking import Linker
from server.sessions.memories import Interaction, MemoryWriter, format_document
from server.sessions.models import (
    AddMemory,
    FoundMemories,
    FoundMemory,
    FoundSummaries,
    FoundSummary,
    Imported,
    ListMemories,
    ListSummaries,
    Memories,
    Memory,
    MemoryAdded,
    Mode,
    NotSummarized,
    QueryMemories,
    QuerySummaries,
    Summaries,
    SummariesDeleted,
    Summarization,
    Summarize,
    Summarized,
    Summary,
)
from server.sessions.search import FoundRecord, RecordSearch
from server.sessions.summaries import SUMMARIES, SummaryWriter
from server.sessions.summarising import Mention, Summariser, Turn

_log = structlog.get_logger(__name__)
_POLL_INTERVAL = 0.05
"""Seconds between two checks of the projection."""
_MOST_TURNS = 2_000
"""Memories of a session that are summarised: the last ones."""
_MOST_CHARACTERS = 4_000_000
"""Characters of these memories, at most."""
_AFTER_EVERY_ID = "\U0010ffff"
"""A text that sorts after every session id."""


class SessionService:
    """The use cases of the sessions family. Every method sees the caller's namespace and nothing else."""

    def __init__(self, parts: Parts, *, summariser: Summariser) -> None:
        graph, embedder = parts.graph, parts.embedder
        self._graph = graph
        self._projector = parts.projector
        self._summariser = summariser
        self._wait = parts.searchable_wait
        passages = PassageWriter(graph, parts.sequence)
        self.linker = Linker(graph, parts.sequence, passages, parts.projector.wake)
        self._memories = MemoryWriter(graph, passages)
        self._summaries = SummaryWriter(graph, parts.sequence, passages)
        self._found_memories = RecordSearch(graph, parts.vectors, embedder, "sessions/found_memories")
        self._found_summaries = RecordSearch(graph, parts.vectors, embedder, "sessions/found_summaries")
        self._exporter = Exporter(graph, parts.vectors, embedder)
        self._importer = Importer(graph, embedder, self.linker)
        self._own_session = f"session_{time.time_ns() // 1_000_000}"

    async def add_memory(self, request: AddMemory, caller: Principal) -> MemoryAdded:
        """Stores a memory and waits, within the time set, until it is searchable."""
        session_id = request.session_id or self._own_session
        interaction = Interaction(session_id, request.prompt, request.thought, request.response)
        stored = await self._memories.add(interaction, caller.namespace, caller.name)
        found = await wait_for_passages(self._projector, caller.namespace, stored.passages, self._wait)
        return MemoryAdded(id=stored.id, session_id=session_id, timestamp=format_time(stored.at), searchable=found)

    async def memories(self, request: ListMemories, caller: Principal) -> Memories:
        """Return a page of a session's memories, oldest first; an unknown session has none."""
        row = await self._graph.row(
            "sessions/session_memories",
            namespace=caller.namespace,
            session_id=request.session_id,
            offset=request.offset,
            limit=request.limit,
        )
        page = [Memory(**_to_fields(each)) for each in row["memories"]]
        return Memories(session_id=request.session_id, count=len(page), total=row["total"], memories=page)

    async def query_memories(self, request: QueryMemories, caller: Principal) -> FoundMemories:
        """Finds memories by meaning and words, nearest first. Raises `EmbeddingUnavailable`."""
        scope = [] if request.session_id is None else [request.session_id]
        found = await self._found_memories.run(
            SearchScope(caller.namespace, build_family_tag(memories.FAMILY, caller.namespace, *scope)),
            request.query,
            request.n_results,
            lambda row: format_document(row["prompt"], row["thought"], row["response"]),
        )
        results = [FoundMemory(**_to_hit_fields(hit)) for hit in found]
        return FoundMemories(query=request.query, count=len(results), results=results)

    async def summaries(self, request: ListSummaries, caller: Principal) -> Summaries:
        """Return a page of summaries, newest first."""
        row = await self._graph.row(
            "sessions/summaries",
            namespace=caller.namespace,
            category=request.category,
            offset=request.offset,
            limit=request.limit,
        )
        page = [Summary(**_to_fields(each)) for each in row["summaries"]]
        return Summaries(count=len(page), total=row["total"], summaries=page)

    async def query_summaries(self, request: QuerySummaries, caller: Principal) -> FoundSummaries:
        """Finds summaries by meaning and words, nearest first. Raises `EmbeddingUnavailable`."""
        scope = [] if request.category is None else [request.category]
        found = await self._found_summaries.run(
            SearchScope(caller.namespace, build_family_tag(summaries.FAMILY, caller.namespace, *scope)),
            request.query,
            request.n_results,
            lambda row: str(row["summary"]),
        )
        results = [FoundSummary(**_to_hit_fields(hit)) for hit in found]
        return FoundSummaries(query=request.query, count=len(results), results=results)

    async def delete_summaries(self, caller: Principal) -> SummariesDeleted:
        """Deletes all summaries at once; memories stay."""
        empty = f"summaries-{uuid4()}"
        namespace = caller.namespace

        async def work(transaction: Transaction) -> int:
            row = await transaction.row("sessions/count_collected", namespace=namespace, of=SUMMARIES)
            total: int = row["total"]
            await transaction.run(
                "sessions/open_collection", namespace=namespace, id=empty, of=SUMMARIES, state="staged"
            )
            await transaction.run("sessions/switch", namespace=namespace, live=[empty], replaced=[SUMMARIES])
            return total

        deleted = await self._graph.transaction(work)
        self.linker.request_round()
        return SummariesDeleted(deleted=deleted)

    async def summarize(self, request: Summarize, caller: Principal) -> Summarization:
        """Summarises one session, or every session whose summary is missing or out of date.

        In a batch, a session that fails is reported and does not stop the others. Raises `NotFound` for a named session
        without memories, and the error of the summariser for a named session.
        """
        named = request.session_id
        sessions = await self._graph.run(
            "sessions/to_summarise",
            namespace=caller.namespace,
            first=named or "",
            last=_AFTER_EVERY_ID if named is None else named,
        )
        if named is not None:
            if not sessions:
                raise NotFound("The session has no memories; GET /memories lists the memories of a session.")
            done = await self._summarise(sessions[0], caller)
            return Summarization(processed=1, sessions=[done], failed=[])
        summarised: list[Summarized] = []
        failed: list[NotSummarized] = []
        for session in sessions:
            if session["due"]:
                try:
                    summarised.append(await self._summarise(session, caller))
                except PrecedentError as error:
                    _log.warning("session_not_summarised", session=session["session_id"], code=error.code)
                    failed.append(
                        NotSummarized(session_id=session["session_id"], message=error.message, code=error.code)
                    )
        return Summarization(processed=len(summarised), sessions=summarised, failed=failed)

    async def export(self, include: Sequence[Collection], caller: Principal) -> AsyncIterator[bytes]:
        """Yield the memories and summaries as lines; see `Exporter.stream_lines`."""
        async for lines in self._exporter.stream_lines(caller.namespace, include):
            yield lines

    async def import_file(self, file: BinaryIO, mode: Mode, caller: Principal) -> Imported:
        """Imports an export file at once, then waits, within the time set, until its records are searchable.

        Raises `PermissionDenied`, or `InvalidArgument` with the number of a bad line; then nothing has changed.
        """
        caller.require(Role.ADMIN if mode == "replace" else Role.AGENT)
        outcome = await self._importer.run(file, mode, caller.namespace)
        searchable = await self.linker.wait_until_idle(self._wait) and await self._wait_until_projected()
        return Imported(imported=outcome.imported, skipped=outcome.skipped, mode=mode, searchable=searchable)

    async def _wait_until_projected(self) -> bool:
        """Wait, within the time set, until Qdrant has all records; return whether it has."""
        with anyio.move_on_after(self._wait):
            while (await self._projector.lag()).records:  # noqa: ASYNC110 - other processes project as well
                await anyio.sleep(_POLL_INTERVAL)
            return True
        return False

    async def _summarise(self, session: Row, caller: Principal) -> Summarized:
        session_id, count = session["session_id"], session["memories"]
        page = await self._graph.row(
            "sessions/session_memories",
            namespace=caller.namespace,
            session_id=session_id,
            offset=max(0, count - _MOST_TURNS),
            limit=_MOST_TURNS,
        )
        mentions = await self._graph.run("sessions/session_mentions", namespace=caller.namespace, session_id=session_id)
        turns = [Turn(row["prompt"], row["thought"], row["response"]) for row in _take_last(page["memories"])]
        digest = await self._summariser.summarise(turns, [Mention(**row) for row in mentions])
        id_ = await self._summaries.store(
            session_id,
            digest,
            count=page["total"],
            at=page["memories"][-1]["at"],
            namespace=caller.namespace,
            by=caller.name,
        )
        self._projector.wake()
        return Summarized(session_id=session_id, memory_count=page["total"], summary_id=id_, title=digest.title)


def _take_last(rows: Sequence[Row]) -> list[Row]:
    """Return the last rows whose texts fit into the greatest length of a summary's input; at least one."""
    kept: list[Row] = []
    room = _MOST_CHARACTERS
    for row in reversed(rows):
        room -= len(row["prompt"]) + len(row["thought"]) + len(row["response"])
        if kept and room < 0:
            break
        kept.append(row)
    return kept[::-1]


def _to_fields(row: Row) -> Row:
    return {
        **{name: value for name, value in row.items() if name not in {"at", "record"}},
        "timestamp": format_time(row["at"]),
    }


def _to_hit_fields(hit: FoundRecord) -> Row:
    return {**_to_fields(hit.row), "distance": hit.distance, "relevance_score": hit.relevance, "matched": hit.matched}
