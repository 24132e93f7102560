"""What memories and summaries lie in: collections, which count as long as they are live.

An import fills a collection that does not count yet, and one small transaction makes it count; a replacing import, and
a deletion of everything, make the ones before it not count any more in the same transaction. So either is there at once
or not at all, however large, and what is left behind is removed in peace (`server/sessions/linking.py`).
"""

from typing import Literal

from server.errors import Conflict
from server.graph.graph import Transaction

Of = Literal["memories", "summaries"]


async def current(transaction: Transaction, namespace: str, of: Of) -> str:
    """The id of the collection that new records go into, made where there is none yet."""
    row = await transaction.one("sessions/current_collection", namespace=namespace, of=of)
    if row is not None:
        found: str = row["id"]
        return found
    # Of two first writers both make the same one.
    await transaction.run("sessions/open_collection", namespace=namespace, id=of, of=of, state="live")
    return of


async def require_live(transaction: Transaction, namespace: str, collection: str) -> None:
    """Locks a collection that was written to; raises `Conflict` where it was replaced meanwhile."""
    await transaction.run("sessions/lock_collection", namespace=namespace, id=collection)
    row = await transaction.one("sessions/collection_state", namespace=namespace, id=collection)
    if row is None or row["state"] != "live":
        raise Conflict("CONFLICT: an import replaced what this was to go into at the same moment; try again.")
