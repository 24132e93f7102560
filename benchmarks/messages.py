"""Does `search_conversations` find the evidence? Over MCP HTTP: each conversation of LoCoMo is an agent's journal.

By itself: `python -m benchmarks.retrieval --messages`.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import anyio
from mcp import Client

from benchmarks.baselines import FIRST
from benchmarks.bench import Bench, console
from benchmarks.insights import Recall
from benchmarks.locomo import LOCOMO, Conversation, Corpus, conversations


async def measure(bench: Bench, most: int | None = None, corpus: Corpus = LOCOMO) -> list[tuple[str, str, str, str]]:
    """Every turn is a message of its speaker, in the conversation of its session; all questions are asked once."""
    if not corpus.file.is_file():
        console.print(f"{corpus.file} is not here: the retrieval of messages is not measured.")
        return []
    told = conversations(corpus.file)[:most]
    recall = Recall()
    async with bench.service.client(f"bench-messages-{corpus.name.lower()}") as client:
        turns = await _store(bench, client, told)
        for conversation in told:
            for question in conversation.questions:
                found = await _ask(
                    client, "search_conversations", agent_id=conversation.id, query=question.text, limit=FIRST
                )
                said = [turns[item["message_id"]] for item in found["items"]]
                for first, shares in ((5, recall.at_5), (10, recall.at_10)):
                    shares.append(len(question.evidence & set(said[:first])) / len(question.evidence))
    told_of = f"{corpus.name}, {len(recall.at_10)} questions, {len(turns):,} messages"
    return [
        (
            f"search_conversations: evidence recall@10 ({told_of})",
            str(recall),
            corpus.aim,
            f"recall@5 {100 * fmean(recall.at_5):.1f}",
        )
    ]


async def _store(bench: Bench, client: Client, told: Sequence[Conversation]) -> dict[str, str]:
    """Stores every turn, each conversation in its order; returns the turns of the messages."""
    stored: dict[str, str] = {}

    async def store(conversation: Conversation) -> None:
        for turn in conversation.turns:
            speaker, _, said = turn.text.partition(": ")
            answer = await _ask(
                client,
                "store_conversation_message",
                agent_id=conversation.id,
                conversation_id=turn.session,
                sender="user",
                user_id=speaker,
                message_content=said,
            )
            stored[answer["message_id"]] = turn.id

    async with anyio.create_task_group() as tasks:
        for conversation in told:
            tasks.start_soon(store, conversation)
    with anyio.fail_after(900):
        while bench.service.status()["unprojected"]:
            await anyio.sleep(1)
    return stored


async def _ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """A structured answer; the journal's texts are sentences."""
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    assert not result.is_error, result.structured_content
    return dict(result.structured_content)
