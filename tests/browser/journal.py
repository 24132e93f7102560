"""A journal with one message of each kind, and entries of a session: for the saved queries to show."""

import itertools
from typing import Any

from server.entries.documents import DocumentWriter, IngestionContext, TextDocument
from server.entries.writing import EntryWriter, NewEntry
from server.graph.graph import Graph
from server.graph.sequence import IdSequence


async def keep_a_journal(graph: Graph, namespace: str) -> None:
    """One message with a context, a source and a correction, in the conversation that the query names."""
    number = itertools.count(3_000_000)

    def record(id_: str, **said: Any) -> dict[str, Any]:
        common = {"namespace": namespace, "agent_id": "ada", "id": id_, "name": id_, "by": "ada", "at": 1_000}
        return {**common, "node_id": next(number), **said}

    series: dict[str, Any] = {"namespace": namespace, "agent_id": "ada", "context_type": "task"}
    for version, parent in (("first", None), ("second", "first")):
        await graph.run("journal/lock_context_series", at=1_000, **series)
        await graph.run(
            "journal/store_context",
            **record(version, context_type="task", context_data="{}", parent_context_id=parent),
        )
    source = {"source_type": "user_input", "source_uri": None, "retrieval_timestamp": 1}
    await graph.run(
        "journal/log_attribution", **record("source", content_summary=None, full_content_hash=None, **source)
    )
    said = {"sender": "user", "message_content": "Hello!", "message_type": "text", "user_id": "grace"}
    where = {"conversation_id": "talk", "grouped": True, "tool_info": None}
    known = {"context_snapshot_id": "second", "source_attribution_id": "source"}
    await graph.run("retrieval/lock_session", namespace=namespace, session_id="talk")
    await graph.run("journal/store_message", **record("message", **said, **where, **known))
    values = {"original_value": '{"a":1}', "corrected_value": '{"a":2}', "reason": "It was 2."}
    await graph.run(
        "journal/log_correction",
        **record("correction", correction_type="user_feedback", original_entry_id="message", **values),
        applied_automatically=False,
    )


async def keep_entries(graph: Graph, namespace: str) -> None:
    """Three memories of the session that the query names, and a document in two versions."""
    writer = EntryWriter(graph, IdSequence(graph))

    async def save(text: str) -> None:
        prepared = await writer.prepare(NewEntry(text, "", "shop", "note", None, "{}", "kickoff"), namespace)
        await graph.transaction(lambda transaction: writer.write(transaction, prepared, namespace, "ada"))

    for text in ("We met about [[Neo4j]].", "It knows paths. " * 20, "Grace likes neo4j, and [[Bolt]]."):
        await save(text)
    documents, shelf = DocumentWriter(graph, writer), IngestionContext(namespace, "ingest", "shop", "ingestion")
    for text in ("# Guide\n\nOld.", "# Guide\n\nNew."):
        await documents.store(TextDocument("file:///docs/guide.md", "docs/guide.md", text), shelf)
