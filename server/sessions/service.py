"""What callers do with sessions: add memories, find them, have sessions summarised, take everything out and put it
back.

Source: memory-core-rest.md "Endpoint Specifications"; open-questions.md "memory-core-rest.md"; design.md sections 3 to
6.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import BinaryIO
from uuid import uuid4

import anyio
import structlog

from server.embedding.embedder import Embedder
from server.errors import NotFound, PrecedentError
from server.fields import iso
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal, Role
from server.retrieval.scope import Narrow, family_word
from server.retrieval.search import KIND
from server.retrieval.writing import PassageWriter
from server.sessions import memories, summaries
from server.sessions.collections import Of
from server.sessions.exporting import Exporter
from server.sessions.importing import Importer
from server.sessions.linking import Linker
from server.sessions.memories import MemoryWriter, Said, document
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
from server.sessions.passages import whole_word
from server.sessions.search import Found, RecordSearch
from server.sessions.summaries import SUMMARIES, SummaryWriter
from server.sessions.summarising import Mention, Summariser, Turn
from server.types import Row
from server.vectors.projector import Projector
from server.vectors.store import VectorStore

_log = structlog.get_logger(__name__)
_LOOK = 0.05
"""Seconds between two looks at what is not projected yet."""
_TURNS = 2_000
"""Memories of a session that a summary is made of, the last ones."""
_TEXT = 4_000_000
"""Characters of them."""


class SessionService:
    """The use cases of the sessions family. Every method sees the caller's namespace and nothing else."""

    def __init__(
        self,
        graph: Graph,
        sequence: IdSequence,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        *,
        summariser: Summariser,
        searchable_wait: float,
    ) -> None:
        """`searchable_wait` is in seconds: how long a memory waits at most to be found by meaning."""
        self._graph = graph
        self._projector = projector
        self._summariser = summariser
        self._wait = searchable_wait
        passages = PassageWriter(graph, sequence)
        self.linker = Linker(graph, sequence, passages, projector.wake)
        self._memories = MemoryWriter(graph, passages)
        self._summaries = SummaryWriter(graph, sequence, passages)
        self._found_memories = RecordSearch(graph, vectors, embedder, "sessions/found_memories")
        self._found_summaries = RecordSearch(graph, vectors, embedder, "sessions/found_summaries")
        self._exporter = Exporter(graph, vectors, embedder)
        self._importer = Importer(graph, embedder, self.linker)
        self._own_session = f"session_{time.time_ns() // 1_000_000}"

    async def add_memory(self, request: AddMemory, caller: Principal) -> MemoryAdded:
        """Stores a memory, and waits a moment until it is searchable."""
        said = Said(request.session_id or self._own_session, request.prompt, request.thought, request.response)
        stored = await self._memories.add(said, caller.namespace, caller.name)
        self._projector.wake()
        found = await asyncio.gather(
            *(
                self._projector.wait_until_searchable(caller.namespace, KIND, key, 1, self._wait)
                for key in stored.passages
            )
        )
        return MemoryAdded(id=stored.id, session_id=said.session_id, timestamp=iso(stored.at), searchable=all(found))

    async def memories(self, request: ListMemories, caller: Principal) -> Memories:
        """A page of a session's memories, oldest first; of a session that nobody knows, none."""
        row = await self._graph.one(
            "sessions/session_memories",
            namespace=caller.namespace,
            session_id=request.session_id,
            offset=request.offset,
            limit=request.limit,
        )
        assert row is not None
        page = [Memory(**_told(each)) for each in row["memories"]]
        return Memories(session_id=request.session_id, count=len(page), total=row["total"], memories=page)

    async def query_memories(self, request: QueryMemories, caller: Principal) -> FoundMemories:
        """Finds memories by meaning and by words, nearest first. Raises `EmbeddingUnavailable`."""
        narrowed = [] if request.session_id is None else [request.session_id]
        found = await self._found_memories.run(
            Narrow(caller.namespace, family_word(memories.FAMILY, caller.namespace, *narrowed)),
            whole_word(memories.FAMILY, caller.namespace, *narrowed),
            request.query,
            request.n_results,
            lambda row: document(row["prompt"], row["thought"], row["response"]),
        )
        results = [FoundMemory(**_found(hit)) for hit in found]
        return FoundMemories(query=request.query, count=len(results), results=results)

    async def summaries(self, request: ListSummaries, caller: Principal) -> Summaries:
        """A page of summaries, newest first."""
        row = await self._graph.one(
            "sessions/summaries",
            namespace=caller.namespace,
            category=request.category,
            offset=request.offset,
            limit=request.limit,
        )
        assert row is not None
        page = [Summary(**_told(each)) for each in row["summaries"]]
        return Summaries(count=len(page), total=row["total"], summaries=page)

    async def query_summaries(self, request: QuerySummaries, caller: Principal) -> FoundSummaries:
        """Finds summaries by meaning and by words, nearest first. Raises `EmbeddingUnavailable`."""
        narrowed = [] if request.category is None else [request.category]
        found = await self._found_summaries.run(
            Narrow(caller.namespace, family_word(summaries.FAMILY, caller.namespace, *narrowed)),
            whole_word(summaries.FAMILY, caller.namespace, *narrowed),
            request.query,
            request.n_results,
            lambda row: str(row["summary"]),
        )
        results = [FoundSummary(**_found(hit)) for hit in found]
        return FoundSummaries(query=request.query, count=len(results), results=results)

    async def delete_summaries(self, caller: Principal) -> SummariesDeleted:
        """Deletes every summary, at once; memories stay."""
        fresh = f"summaries-{uuid4()}"
        namespace = caller.namespace

        async def work(transaction: Transaction) -> int:
            row = await transaction.one("sessions/count_collected", namespace=namespace, of=SUMMARIES)
            assert row is not None
            total: int = row["total"]
            await transaction.run(
                "sessions/open_collection", namespace=namespace, id=fresh, of=SUMMARIES, state="staged"
            )
            await transaction.run("sessions/switch", namespace=namespace, live=[fresh], replaced=[SUMMARIES])
            return total

        deleted = await self._graph.transaction(work)
        self.linker.wanted()
        return SummariesDeleted(deleted=deleted)

    async def summarize(self, request: Summarize, caller: Principal) -> Summarization:
        """Summarises one session, or every session whose summary is missing or behind; one that fails fails alone.

        Raises `NotFound` for a session without memories, and what its summariser raises where it is the only one.
        """
        asked = request.session_id
        sessions = await self._graph.run(
            "sessions/to_summarise",
            namespace=caller.namespace,
            first=asked or "",
            last=_LAST if asked is None else asked,
        )
        if asked is not None:
            if not sessions:
                raise NotFound("No session of this id has memories; GET /memories lists a session's.")
            done = await self._summarise(sessions[0], caller)
            return Summarization(processed=1, sessions=[done], failed=[])
        made: list[Summarized] = []
        failed: list[NotSummarized] = []
        for session in sessions:
            if session["due"]:
                try:
                    made.append(await self._summarise(session, caller))
                except PrecedentError as error:
                    _log.warning("session_not_summarised", session=session["session_id"], code=error.code)
                    failed.append(
                        NotSummarized(session_id=session["session_id"], message=error.message, code=error.code)
                    )
        return Summarization(processed=len(made), sessions=made, failed=failed)

    async def export(self, include: Sequence[Of], caller: Principal) -> AsyncIterator[bytes]:
        """Everything, as lines; see `Exporter.lines`."""
        async for lines in self._exporter.lines(caller.namespace, include):
            yield lines

    async def import_file(self, file: BinaryIO, mode: Mode, caller: Principal) -> Imported:
        """Brings an archive in, at once; then waits a moment until it is searchable.

        Raises `PermissionDenied`, or `InvalidArgument` naming the line at fault; then nothing has changed.
        """
        caller.require(Role.ADMIN if mode == "replace" else Role.AGENT)
        outcome = await self._importer.run(file, mode, caller.namespace)
        searchable = await self.linker.finished(self._wait) and await self._projected()
        return Imported(imported=outcome.imported, skipped=outcome.skipped, mode=mode, searchable=searchable)

    async def _projected(self) -> bool:
        """Waits a moment until Qdrant holds everything, and tells whether it does."""
        with anyio.move_on_after(self._wait):
            while (await self._projector.lag()).records:  # noqa: ASYNC110 - other processes project as well
                await anyio.sleep(_LOOK)
            return True
        return False

    async def _summarise(self, session: Row, caller: Principal) -> Summarized:
        session_id, count = session["session_id"], session["memories"]
        told = await self._graph.one(
            "sessions/session_memories",
            namespace=caller.namespace,
            session_id=session_id,
            offset=max(0, count - _TURNS),
            limit=_TURNS,
        )
        assert told is not None
        mentions = await self._graph.run("sessions/session_mentions", namespace=caller.namespace, session_id=session_id)
        turns = [Turn(row["prompt"], row["thought"], row["response"]) for row in _within(told["memories"])]
        digest = await self._summariser.summarise(turns, [Mention(**row) for row in mentions])
        id_ = await self._summaries.put(
            session_id,
            digest,
            count=told["total"],
            at=told["memories"][-1]["at"],
            namespace=caller.namespace,
            by=caller.name,
        )
        self._projector.wake()
        return Summarized(session_id=session_id, memory_count=told["total"], summary_id=id_, title=digest.title)


_LAST = "\U0010ffff"
"""After every id of a session."""


def _within(rows: Sequence[Row]) -> list[Row]:
    """The last rows whose texts are no longer than what a summary is made of, one at least."""
    kept: list[Row] = []
    room = _TEXT
    for row in reversed(rows):
        room -= len(row["prompt"]) + len(row["thought"]) + len(row["response"])
        if kept and room < 0:
            break
        kept.append(row)
    return kept[::-1]


def _told(row: Row) -> Row:
    return {**{name: value for name, value in row.items() if name not in {"at", "record"}}, "timestamp": iso(row["at"])}


def _found(hit: Found) -> Row:
    return {**_told(hit.row), "distance": hit.distance, "relevance_score": hit.relevance, "matched": hit.matched}
