"""Storing dialogues: utterances word for word, in the order of their session.

A dialogue has no search of its own: it is found through the insights that were distilled from it (insights.py).

Source: COG-11, COG-12, COG-13.
"""

from server.cognition.models import DialogueStored, StoreRawDialogue
from server.core.fields import encode_json, format_caption, format_time, to_milliseconds
from server.core.principals import Principal
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.retrieval.passages import take_lead
from server.retrieval.turns import take_turn
from server.retrieval.writing import choose_time_after


class Dialogues:
    """Stores dialogues."""

    def __init__(self, graph: Graph, sequence: IdSequence) -> None:
        self._graph = graph
        self._sequence = sequence

    async def store(self, request: StoreRawDialogue, caller: Principal) -> DialogueStored:
        """Stores a dialogue as the last one of its session."""
        [id_] = await self._sequence.take(caller.namespace)
        session = {"namespace": caller.namespace, "session_id": request.session_id}

        async def work(transaction: Transaction) -> int:
            # Another writer to this session waits here.
            await transaction.run("retrieval/lock_session", **session)
            last = await transaction.one("cognition/last_dialogue", **session)
            at = choose_time_after(last["at"] if last else None)
            await transaction.run(
                "cognition/store_dialogue",
                **session,
                id=id_,
                name=format_caption(request.speaker, request.content),
                position=last["position"] + 1 if last else 0,
                after=last["id"] if last else None,
                speaker=request.speaker,
                content=request.content,
                metadata=encode_json(request.metadata),
                at=at,
                by=caller.name,
            )
            if last:
                words = take_lead(format_utterance(request.speaker, request.content))
                await transaction.run(
                    "cognition/append_context", namespace=caller.namespace, after=last["id"], words=words
                )
            return to_milliseconds(at)

        async with take_turn(caller.namespace, request.session_id):
            at = await self._graph.transaction(work)
        return DialogueStored(id=id_, timestamp=format_time(at), session_id=request.session_id)


def format_utterance(speaker: str, content: str) -> str:
    """Return the content after the name of its speaker."""
    return f"{speaker}: {content}"
