"""The use cases of the journal: store and list messages, contexts, references, sources, corrections and metrics.

Every write is one transaction. An id that a record refers to must exist in the caller's namespace; only
`original_entry_id`, `key_value` and `associated_conversation_id` may name something outside of the graph. Those ids
become relationships where the graph has the record. Source: JRN-15, JRN-42.
"""

from typing import Any, TypeVar

from pydantic import BaseModel

from server.core.fields import encode_json
from server.core.principals import Principal, Role
from server.core.types import Row
from server.graph.graph import Transaction
from server.journal.linking import MessageLinker
from server.journal.messages import MessageWriter, require_known
from server.journal.models import (
    AddReference,
    Agent,
    AllContexts,
    Attribution,
    AttributionLogged,
    Context,
    ContextAnswer,
    ContextStored,
    Conversation,
    Correction,
    CorrectionLogged,
    FoundMessages,
    GetAgents,
    GetAllContexts,
    GetAttributions,
    GetContext,
    GetConversations,
    GetCorrections,
    GetHistory,
    GetMetrics,
    GetReferences,
    History,
    JournalPage,
    LogAttribution,
    LogCorrection,
    LogMetric,
    Message,
    MessageStored,
    Metric,
    MetricLogged,
    NoContext,
    PageRequest,
    Reference,
    ReferenceAdded,
    SearchConversations,
    StoreContext,
    StoreMessage,
)
from server.journal.records import Recorder
from server.journal.search import ConversationSearch
from server.journal.tavily import SearchWeb, Tavily, WebResults
from server.parts import Parts
from server.retrieval.writing import PassageWriter, wait_until_searchable

T = TypeVar("T", bound=BaseModel)


class JournalService:
    """The use cases of the journal family."""

    def __init__(self, parts: Parts, *, tavily: Tavily) -> None:
        self._graph = parts.graph
        self._parts = parts
        self._tavily = tavily
        self._recorder = Recorder(parts.sequence)
        passages = PassageWriter(parts.graph, parts.sequence)
        self._messages = MessageWriter(parts.graph, passages, self._recorder)
        self.linker = MessageLinker(parts.graph, passages, parts.projector.wake)
        self._search = ConversationSearch(parts.graph, parts.vectors, parts.embedder)

    async def store_message(self, request: StoreMessage, caller: Principal) -> MessageStored:
        """Store a message; without `conversation_id` it is a conversation of its own.

        Raises `InvalidArgument` that names each unknown reference.
        """
        id_, prepared = await self._messages.add(request, caller)
        return MessageStored(
            conversation_id=request.conversation_id or id_,
            message_id=id_,
            searchable=await wait_until_searchable(self._parts.projector, prepared, self._parts.searchable_wait),
        )

    async def list_messages(self, request: GetHistory, caller: Principal) -> History:
        """Return a page of an agent's messages, all or those of one conversation, in the `order` of the request."""
        journal: dict[str, Any] = {"namespace": caller.namespace, "agent_id": request.agent_id}
        page: dict[str, Any] = {
            "limit": request.limit,
            "offset": request.offset,
            "newest_first": request.order == "newest",
        }
        if request.conversation_id is None:
            rows = await self._graph.run("journal/agent_history", **journal, **page)
        else:
            rows = await self._graph.run(
                "journal/conversation_history", **journal, **page, conversation_id=request.conversation_id
            )
        counted = await self._graph.row("journal/count_messages", **journal, conversation_id=request.conversation_id)
        total: int = counted["total"]
        return History(
            items=[Message(**row) for row in rows],
            next_offset=_next_offset(request.offset, len(rows), total),
            total=total,
        )

    async def list_agents(self, request: GetAgents, caller: Principal) -> JournalPage[Agent]:
        """Return a page of the agents that have a journal, the last active first."""
        rows = await self._graph.run("journal/agents", **_page_parameters(request, caller))
        return _build_page(Agent, rows, request)

    async def list_conversations(self, request: GetConversations, caller: Principal) -> JournalPage[Conversation]:
        """Return a page of an agent's conversations, the last active first."""
        rows = await self._graph.run("journal/conversations", **_page_parameters(request, caller))
        return _build_page(Conversation, rows, request)

    async def search_conversations(self, request: SearchConversations, caller: Principal) -> FoundMessages:
        """Return the messages of an agent's journal that match by meaning or words, best first."""
        return await self._search.run(request, caller.namespace)

    async def store_context(self, request: StoreContext, caller: Principal) -> ContextStored:
        """Store the next version of an agent's context of one type: 1, 2, 3 …, also when several writers store at once.

        The parent is any context of the namespace. It exists before its child, so that parents form no cycle.
        Raises `InvalidArgument` where the parent is unknown.
        """
        record = await self._recorder.build_record(caller, request.agent_id, request.context_type)
        series = {"agent_id": request.agent_id, "context_type": request.context_type}

        async def work(transaction: Transaction) -> int:
            await transaction.run("journal/lock_context_series", namespace=caller.namespace, at=record["at"], **series)
            stored = await transaction.one(
                "journal/store_context",
                **record,
                context_type=request.context_type,
                context_data=encode_json(request.context_data),
                parent_context_id=request.parent_context_id,
            )
            require_known(parent_context_id=None if stored else "context")
            assert stored is not None
            version: int = stored["version"]
            return version

        version = await self._graph.transaction(work)
        return ContextStored(context_id=record["id"], version=version)

    async def find_context(self, request: GetContext, caller: Principal) -> ContextAnswer:
        """Return one version of a context, without `version` the latest; `NoContext` where there is none."""
        row = await self._graph.one("journal/context", **_request_parameters(request, caller))
        return ContextAnswer(NoContext() if row is None else Context(**row))

    async def list_contexts(self, request: GetAllContexts, caller: Principal) -> AllContexts:
        """Return a page of all versions of all of an agent's contexts, newest first."""
        rows = await self._graph.run("journal/contexts", **_request_parameters(request, caller))
        counted = await self._graph.row("journal/count_contexts", namespace=caller.namespace, agent_id=request.agent_id)
        total: int = counted["total"]
        return AllContexts(
            items=[Context(**row) for row in rows],
            next_offset=_next_offset(request.offset, len(rows), total),
            total=total,
        )

    async def add_reference(self, request: AddReference, caller: Principal) -> ReferenceAdded:
        """Store a reference key, connected to the record that it names where the graph has it."""
        record = await self._recorder.build_record(caller, request.agent_id, request.key_type, request.key_value)
        await self._graph.run("journal/add_reference", **record, **request.model_dump(exclude={"agent_id"}))
        return ReferenceAdded(reference_id=record["id"])

    async def list_references(self, request: GetReferences, caller: Principal) -> JournalPage[Reference]:
        """Return a page of an agent's reference keys, newest first."""
        rows = await self._graph.run("journal/references", **_page_parameters(request, caller))
        return _build_page(Reference, rows, request)

    async def log_attribution(self, request: LogAttribution, caller: Principal) -> AttributionLogged:
        """Store where an agent's information came from."""
        record = await self._recorder.build_record(caller, request.agent_id, request.source_type, request.source_uri)
        await self._graph.run("journal/log_attribution", **record, **request.model_dump(exclude={"agent_id"}))
        return AttributionLogged(attribution_id=record["id"])

    async def list_attributions(self, request: GetAttributions, caller: Principal) -> JournalPage[Attribution]:
        """Return a page of an agent's source attributions, the last retrieved first."""
        rows = await self._graph.run("journal/attributions", **_page_parameters(request, caller))
        return _build_page(Attribution, rows, request)

    async def log_correction(self, request: LogCorrection, caller: Principal) -> CorrectionLogged:
        """Store a correction, connected to the record that it corrects where the graph has it."""
        record = await self._recorder.build_record(caller, request.agent_id, request.correction_type, request.reason)
        row = await self._graph.row(
            "journal/log_correction",
            **record,
            **request.model_dump(exclude={"agent_id", "original_value", "corrected_value"}),
            original_value=_encode_optional(request.original_value),
            corrected_value=_encode_optional(request.corrected_value),
        )
        return CorrectionLogged(correction_id=record["id"], corrects=row["corrects"])

    async def list_corrections(self, request: GetCorrections, caller: Principal) -> JournalPage[Correction]:
        """Return a page of an agent's corrections, newest first."""
        rows = await self._graph.run("journal/corrections", **_page_parameters(request, caller))
        return _build_page(Correction, rows, request)

    async def log_metric(self, request: LogMetric, caller: Principal) -> MetricLogged:
        """Store a metric."""
        value = f"{request.metric_value} {request.unit or ''}"
        record = await self._recorder.build_record(caller, request.agent_id, request.metric_name, value)
        await self._graph.run(
            "journal/log_metric",
            **record,
            **request.model_dump(exclude={"agent_id", "metadata"}),
            metadata=_encode_optional(request.metadata),
        )
        return MetricLogged(metric_id=record["id"])

    async def list_metrics(self, request: GetMetrics, caller: Principal) -> JournalPage[Metric]:
        """Return a page of an agent's metrics, newest first."""
        rows = await self._graph.run("journal/metrics", **_page_parameters(request, caller))
        return _build_page(Metric, rows, request)

    async def search_web(self, request: SearchWeb, caller: Principal) -> WebResults:
        """Search the web; with `agent_id`, also store an attribution for that agent.

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
                full_content_hash=found.compute_digest(),
            ),
            caller,
        )
        return found.model_copy(update={"attribution_id": logged.attribution_id})


def _request_parameters(request: BaseModel, caller: Principal) -> dict[str, Any]:
    return {"namespace": caller.namespace, **request.model_dump()}


def _page_parameters(request: PageRequest | GetAgents, caller: Principal) -> dict[str, Any]:
    """Return a page's parameters; the statement reads one record more, which shows whether another page follows."""
    return {**_request_parameters(request, caller), "limit": request.limit + 1}


def _build_page(kind: type[T], rows: list[Row], request: PageRequest | GetAgents) -> JournalPage[T]:
    items = [kind(**row) for row in rows[: request.limit]]
    more = len(rows) > request.limit
    return JournalPage(items=items, next_offset=request.offset + request.limit if more else None)


def _next_offset(offset: int, count: int, total: int) -> int | None:
    """Return the offset of the next page of a list of `total` items; None on the last page and beyond it."""
    return offset + count if count and offset + count < total else None


def _encode_optional(value: dict[str, Any] | None) -> str | None:
    return None if value is None else encode_json(value)
