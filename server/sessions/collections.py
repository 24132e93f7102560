"""Collections of memories and summaries; only records in a live collection are visible.

An import fills a staged collection, and one small transaction makes it live. An import with `replace`, and the deletion
of all summaries, retire the earlier collections in the same transaction. So the change happens at once or not at all,
however large it is; retired records are removed in the background (`server/sessions/linking.py`).

Source: SES-36, SES-45, SES-48.
"""

from typing import Literal

from server.core.errors import Conflict
from server.graph.graph import Transaction

Collection = Literal["memories", "summaries"]
"""What a collection contains."""


async def require_collection(transaction: Transaction, namespace: str, of: Collection) -> str:
    """Return the id of the collection for new records; creates it where there is none yet."""
    row = await transaction.one("sessions/current_collection", namespace=namespace, of=of)
    if row is not None:
        id_: str = row["id"]
        return id_
    # Two first writers create the same one.
    await transaction.run("sessions/open_collection", namespace=namespace, id=of, of=of, state="live")
    return of


async def require_live(transaction: Transaction, namespace: str, collection: str) -> None:
    """Locks a collection after a write into it; raises `Conflict` where it was replaced meanwhile."""
    await transaction.run("sessions/lock_collection", namespace=namespace, id=collection)
    row = await transaction.one("sessions/collection_state", namespace=namespace, id=collection)
    if row is None or row["state"] != "live":
        raise Conflict("CONFLICT: an import replaced the collection at the same moment; try again.")
