"""Dialogues: what was said, word by word, in the order of its session.

Source: cognitive.md "store_raw_dialogue"; design.md section 3. A dialogue is not searched by itself: it is reached
through the insights that were distilled from it, and what was said around those finds them (insights.py).
"""

from server.cognition.models import DialogueStored, StoreRawDialogue
from server.fields import captioned, encoded, iso, milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.retrieval.passages import lead
from server.retrieval.turns import turn
from server.retrieval.writing import now_after


class Dialogues:
    """Stores what was said."""

    def __init__(self, graph: Graph, sequence: IdSequence) -> None:
        self._graph = graph
        self._sequence = sequence

    async def store(self, request: StoreRawDialogue, caller: Principal) -> DialogueStored:
        """Stores a dialogue as the last one of its session."""
        [id_] = await self._sequence.take(caller.namespace)
        session = {"namespace": caller.namespace, "session_id": request.session_id}

        async def work(transaction: Transaction) -> int:
            # Whoever speaks in the same session at the same moment waits here.
            await transaction.run("retrieval/lock_session", **session)
            last = await transaction.one("cognition/last_dialogue", **session)
            at = now_after(last["at"] if last else None)
            await transaction.run(
                "cognition/store_dialogue",
                **session,
                id=id_,
                name=captioned(request.speaker, request.content),
                place=last["place"] + 1 if last else 0,
                after=last["id"] if last else None,
                speaker=request.speaker,
                content=request.content,
                metadata=encoded(request.metadata),
                at=at,
                by=caller.name,
            )
            if last:
                words = lead(said(request.speaker, request.content))
                await transaction.run("cognition/say_after", namespace=caller.namespace, after=last["id"], words=words)
            return milliseconds(at)

        async with turn(caller.namespace, request.session_id):
            at = await self._graph.transaction(work)
        return DialogueStored(id=id_, timestamp=iso(at), session_id=request.session_id)


def said(speaker: str, content: str) -> str:
    """What was said, with who said it."""
    return f"{speaker}: {content}"
