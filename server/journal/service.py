"""What callers do with the journal: store what an agent said, knew, used, corrected and measured, and read it back.

Source: journal.md "Tool Reference"; open-questions.md "journal.md"; design.md section 3. Every write is one
transaction. An id that a record refers to must be known in the caller's namespace; `original_entry_id`, `key_value` and
`associated_conversation_id` may also name what lies elsewhere, and become relationships where the graph knows them.
"""

from typing import Any

from pydantic import BaseModel

from server.embedding.embedder import Embedder
from server.fields import encoded
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.journal.linking import MessageLinker
from server.journal.messages import MessageWriter, require_known
from server.journal.models import (
    AddReference,
    AllContexts,
    Attribution,
    AttributionLogged,
    Context,
    ContextAnswer,
    ContextStored,
    Correction,
    CorrectionLogged,
    FoundMessages,
    GetAllContexts,
    GetAttributions,
    GetContext,
    GetCorrections,
    GetHistory,
    GetMetrics,
    GetReferences,
    Items,
    LogAttribution,
    LogCorrection,
    LogMetric,
    Message,
    MessageStored,
    Metric,
    MetricLogged,
    NoContext,
    Reference,
    ReferenceAdded,
    SearchConversations,
    StoreContext,
    StoreMessage,
)
from server.journal.records import Recorder
from server.journal.search import ConversationSearch
from server.journal.tavily import SearchWeb, Tavily, WebResults
from server.principals import Principal, Role
from server.retrieval.writing import PassageWriter, searchable
from server.vectors.projector import Projector
from server.vectors.store import VectorStore


class JournalService:
    """The use cases of the journal family."""

    def __init__(
        self,
        graph: Graph,
        sequence: IdSequence,
        *,
        vectors: VectorStore,
        embedder: Embedder,
        projector: Projector,
        tavily: Tavily,
        searchable_wait: float,
    ) -> None:
        """`searchable_wait` is in seconds: how long a message waits at most to be found by meaning."""
        self._graph = graph
        self._recorder = Recorder(sequence)
        passages = PassageWriter(graph, sequence)
        self._messages = MessageWriter(graph, passages, self._recorder)
        self.linker = MessageLinker(graph, passages, projector.wake)
        self._projector = projector
        self._tavily = tavily
        self._searchable_wait = searchable_wait
        self._search = ConversationSearch(graph, vectors, embedder)

    async def store_message(self, request: StoreMessage, caller: Principal) -> MessageStored:
        """Stores what was said; without a `conversation_id` the message is a conversation of its own.

        Raises `InvalidArgument` naming each reference that is unknown.
        """
        id_, prepared = await self._messages.add(request, caller)
        return MessageStored(
            conversation_id=request.conversation_id or id_,
            message_id=id_,
            searchable=await searchable(self._projector, prepared, self._searchable_wait),
        )

    async def history(self, request: GetHistory, caller: Principal) -> Items[Message]:
        """Returns a page of what was said to and by an agent, oldest first."""
        if request.conversation_id is None:
            asked = _asked(request, caller, leaving={"conversation_id"})
            rows = await self._graph.run("journal/agent_history", **asked)
        else:
            rows = await self._graph.run("journal/conversation_history", **_asked(request, caller))
        return Items[Message](items=[Message(**row) for row in rows])

    async def search_conversations(self, request: SearchConversations, caller: Principal) -> FoundMessages:
        """Finds what was said to and by an agent by meaning and words, best first."""
        return await self._search.run(request, caller.namespace)

    async def store_context(self, request: StoreContext, caller: Principal) -> ContextStored:
        """Stores the next version of an agent's context of one type: 1, 2, 3 …, also when many store at once.

        The parent may be any context of the namespace. As it has to be there already, there are no cycles.
        Raises `InvalidArgument` where the parent is unknown.
        """
        record = await self._recorder.record(caller, request.agent_id, request.context_type)
        series = {"agent_id": request.agent_id, "context_type": request.context_type}

        async def work(transaction: Transaction) -> int:
            await transaction.run("journal/lock_context_series", namespace=caller.namespace, at=record["at"], **series)
            stored = await transaction.one(
                "journal/store_context",
                **record,
                context_type=request.context_type,
                context_data=encoded(request.context_data),
                parent_context_id=request.parent_context_id,
            )
            require_known(parent_context_id=None if stored else "context")
            assert stored is not None
            version: int = stored["version"]
            return version

        version = await self._graph.transaction(work)
        return ContextStored(context_id=record["id"], version=version)

    async def context(self, request: GetContext, caller: Principal) -> ContextAnswer:
        """Returns one version of a context, the latest where none is asked for, or that there is none."""
        row = await self._graph.one("journal/context", **_asked(request, caller))
        return ContextAnswer(NoContext() if row is None else Context(**row))

    async def all_contexts(self, request: GetAllContexts, caller: Principal) -> AllContexts:
        """Returns every version of every type of an agent's contexts, newest first, a thousand at a time."""
        rows = await self._graph.run("journal/contexts", **_asked(request, caller))
        total = await self._graph.one("journal/count_contexts", namespace=caller.namespace, agent_id=request.agent_id)
        assert total is not None
        return AllContexts(items=[Context(**row) for row in rows], total=total["total"])

    async def add_reference(self, request: AddReference, caller: Principal) -> ReferenceAdded:
        """Adds a key of something elsewhere, or of a record here, which it is then connected to."""
        record = await self._recorder.record(caller, request.agent_id, request.key_type, request.key_value)
        await self._graph.run("journal/add_reference", **record, **request.model_dump(exclude={"agent_id"}))
        return ReferenceAdded(reference_id=record["id"])

    async def references(self, request: GetReferences, caller: Principal) -> Items[Reference]:
        """Returns a page of an agent's reference keys, newest first."""
        rows = await self._graph.run("journal/references", **_asked(request, caller))
        return Items[Reference](items=[Reference(**row) for row in rows])

    async def log_attribution(self, request: LogAttribution, caller: Principal) -> AttributionLogged:
        """Logs where information came from."""
        record = await self._recorder.record(caller, request.agent_id, request.source_type, request.source_uri)
        await self._graph.run("journal/log_attribution", **record, **request.model_dump(exclude={"agent_id"}))
        return AttributionLogged(attribution_id=record["id"])

    async def attributions(self, request: GetAttributions, caller: Principal) -> Items[Attribution]:
        """Returns a page of an agent's sources, last retrieved first."""
        rows = await self._graph.run("journal/attributions", **_asked(request, caller))
        return Items[Attribution](items=[Attribution(**row) for row in rows])

    async def log_correction(self, request: LogCorrection, caller: Principal) -> CorrectionLogged:
        """Logs that something was corrected, connected to the record that it corrects where that is here."""
        record = await self._recorder.record(caller, request.agent_id, request.correction_type, request.reason)
        row = await self._graph.one(
            "journal/log_correction",
            **record,
            **request.model_dump(exclude={"agent_id", "original_value", "corrected_value"}),
            original_value=_stored(request.original_value),
            corrected_value=_stored(request.corrected_value),
        )
        assert row is not None
        return CorrectionLogged(correction_id=record["id"], corrects=row["corrects"])

    async def corrections(self, request: GetCorrections, caller: Principal) -> Items[Correction]:
        """Returns a page of an agent's corrections, newest first."""
        rows = await self._graph.run("journal/corrections", **_asked(request, caller))
        return Items[Correction](items=[Correction(**row) for row in rows])

    async def log_metric(self, request: LogMetric, caller: Principal) -> MetricLogged:
        """Logs a measurement."""
        value = f"{request.metric_value} {request.unit or ''}"
        record = await self._recorder.record(caller, request.agent_id, request.metric_name, value)
        await self._graph.run(
            "journal/log_metric",
            **record,
            **request.model_dump(exclude={"agent_id", "metadata"}),
            metadata=_stored(request.metadata),
        )
        return MetricLogged(metric_id=record["id"])

    async def metrics(self, request: GetMetrics, caller: Principal) -> Items[Metric]:
        """Returns a page of an agent's measurements, newest first."""
        rows = await self._graph.run("journal/metrics", **_asked(request, caller))
        return Items[Metric](items=[Metric(**row) for row in rows])

    async def search_web(self, request: SearchWeb, caller: Principal) -> WebResults:
        """Searches the web; with an `agent_id`, logs an attribution for the agent that asked.

        Raises `PermissionDenied` (logging is a write), `SetupError`, `WebSearchUnavailable` or `InvalidArgument`.
        """
        caller.require(Role.VIEWER if request.agent_id is None else Role.AGENT)
        found = await self._tavily.search(request)
        if request.agent_id is None:
            return found
        logged = await self.log_attribution(
            LogAttribution(
                agent_id=request.agent_id,
                source_type="tavily_search",
                source_uri=request.query,
                retrieval_timestamp=self._recorder.now(),
                content_summary=f"{len(found.items)} results. {'; '.join(item.url for item in found.items)}"[:10_000],
                full_content_hash=found.digest(),
            ),
            caller,
        )
        return found.model_copy(update={"attribution_id": logged.attribution_id})


def _asked(request: BaseModel, caller: Principal, *, leaving: set[str] | None = None) -> dict[str, Any]:
    return {"namespace": caller.namespace, **request.model_dump(exclude=leaving)}


def _stored(value: dict[str, Any] | None) -> str | None:
    return None if value is None else encoded(value)
