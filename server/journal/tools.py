"""The tools of the journal family, their texts, and the form of their errors. Source: JRN-1, JRN-5, JRN-64."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from server.core.errors import Conflict, InvalidArgument, NotFound, PrecedentError, QueryTimeout, RequestError
from server.core.principals import Principal
from server.interface.tools import AnswerT, RequestT, Texts, Tool
from server.journal import models
from server.journal.service import JournalService
from server.journal.tavily import SearchWeb, WebResults


def envelope(error: PrecedentError, tool: str) -> dict[str, Any]:  # noqa: ARG001 - all tools of the family share one form
    """Return an error with its MCP code name; `details.reason` is our own code. Source: JRN-65."""
    match error:
        case InvalidArgument() | NotFound() | Conflict():
            code = "InvalidParams"
        case QueryTimeout():
            code = "RequestTimeout"
        case RequestError():
            code = "InvalidRequest"
        case _:
            code = "InternalError"
    return {"error": {"code": code, "message": error.message, "details": {"reason": error.code, **error.details}}}


def _confirm(sentence: str, id_field: str) -> Texts:
    """Return a function that makes the sentence of an answer, with the new id. Source: JRN-5."""
    return lambda answer: (f"{sentence} with ID: {answer[id_field]}",)


def _message_texts(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the sentence that confirms a message; with the message's id where the caller named the conversation."""
    own_id = "" if answer["message_id"] == answer["conversation_id"] else f" (message_id: {answer['message_id']})"
    return (f"Conversation message stored with ID: {answer['conversation_id']}{own_id}",)


def _item_texts(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the items as one array and, where the total is known and greater, both numbers."""
    items, total = answer["items"], answer.get("total")
    return (items,) if total is None or len(items) >= total else (items, f"{len(items)} of {total} items.")


def _context_texts(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    return (answer if "context_id" in answer else None,)


def _web_texts(answer: Mapping[str, Any]) -> tuple[Any, ...]:
    return (answer["items"], {"images": answer["images"]}) if answer["images"] else (answer["items"],)


def _write(
    name: str,
    description: str,
    *,
    request: type[RequestT],
    response: type[AnswerT],
    run: Callable[[JournalService, RequestT, Principal], Awaitable[AnswerT]],
    texts: Texts,
) -> Tool[JournalService, RequestT, AnswerT]:
    return Tool(name, description, request, response, run, envelope, texts=texts)


def _read(
    name: str,
    description: str,
    *,
    request: type[RequestT],
    response: type[AnswerT],
    run: Callable[[JournalService, RequestT, Principal], Awaitable[AnswerT]],
    texts: Texts = _item_texts,
    many: str | None = "items",
) -> Tool[JournalService, RequestT, AnswerT]:
    return Tool(
        name, description, request, response, run, envelope, read_only=True, idempotent=True, many=many, texts=texts
    )


TOOLS = (
    _write(
        "store_conversation_message",
        "Stores a message in an agent's conversation history.",
        request=models.StoreMessage,
        response=models.MessageStored,
        run=JournalService.store_message,
        texts=_message_texts,
    ),
    _read(
        "get_conversation_history",
        "Lists an agent's messages, all or one conversation, oldest or newest first. To search use "
        "search_conversations.",
        request=models.GetHistory,
        response=models.History,
        run=JournalService.list_messages,
    ),
    _read(
        "search_conversations",
        "Searches an agent's messages by meaning and words, best first. For saved memories use search.",
        request=models.SearchConversations,
        response=models.FoundMessages,
        run=JournalService.search_conversations,
    ),
    _read(
        "get_agents",
        "Lists the agents that have a journal, the last active first.",
        request=models.GetAgents,
        response=models.JournalPage[models.Agent],
        run=JournalService.list_agents,
    ),
    _read(
        "get_conversations",
        "Lists an agent's conversations, the last active first.",
        request=models.GetConversations,
        response=models.JournalPage[models.Conversation],
        run=JournalService.list_conversations,
    ),
    _write(
        "store_context",
        "Stores an agent's context as the next version (1, 2, 3 …) of its type.",
        request=models.StoreContext,
        response=models.ContextStored,
        run=JournalService.store_context,
        texts=_confirm("Context stored", "context_id"),
    ),
    _read(
        "get_context",
        "Returns an agent's context of a type, the latest or one version; null if there is none.",
        request=models.GetContext,
        response=models.ContextAnswer,
        run=JournalService.find_context,
        texts=_context_texts,
        many=None,
    ),
    _read(
        "get_all_contexts",
        "Lists all versions of all contexts of an agent, newest first.",
        request=models.GetAllContexts,
        response=models.AllContexts,
        run=JournalService.list_contexts,
    ),
    _write(
        "add_reference_key",
        "Stores a key of an external source or of a record here.",
        request=models.AddReference,
        response=models.ReferenceAdded,
        run=JournalService.add_reference,
        texts=_confirm("Reference key added", "reference_id"),
    ),
    _read(
        "get_reference_keys",
        "Lists an agent's reference keys, all or one type, newest first.",
        request=models.GetReferences,
        response=models.JournalPage[models.Reference],
        run=JournalService.list_references,
    ),
    _write(
        "log_source_attribution",
        "Stores where information that an agent used or generated came from.",
        request=models.LogAttribution,
        response=models.AttributionLogged,
        run=JournalService.log_attribution,
        texts=_confirm("Source attribution logged", "attribution_id"),
    ),
    _read(
        "get_source_attributions",
        "Lists an agent's source attributions, all or one type, last retrieved first.",
        request=models.GetAttributions,
        response=models.JournalPage[models.Attribution],
        run=JournalService.list_attributions,
    ),
    _write(
        "log_correction",
        "Logs a correction of an agent's output or state; the original stays as it is.",
        request=models.LogCorrection,
        response=models.CorrectionLogged,
        run=JournalService.log_correction,
        texts=_confirm("Correction logged", "correction_id"),
    ),
    _read(
        "get_correction_logs",
        "Lists an agent's corrections, all or one type, newest first.",
        request=models.GetCorrections,
        response=models.JournalPage[models.Correction],
        run=JournalService.list_corrections,
    ),
    _write(
        "log_success_metric",
        "Stores a metric of an agent's performance.",
        request=models.LogMetric,
        response=models.MetricLogged,
        run=JournalService.log_metric,
        texts=_confirm("Success metric logged", "metric_id"),
    ),
    _read(
        "get_success_metrics",
        "Lists an agent's metrics, all or one name, newest first.",
        request=models.GetMetrics,
        response=models.JournalPage[models.Metric],
        run=JournalService.list_metrics,
    ),
    Tool(
        name="tavily_web_search",
        description="Searches the web with Tavily: news, current information, page contents.",
        request=SearchWeb,
        response=WebResults,
        run=JournalService.search_web,
        envelope=envelope,
        open_world=True,
        many="items",
        texts=_web_texts,
        missing_keys=lambda settings: [] if settings.tavily_api_key else ["TAVILY_API_KEY"],
    ),
)
