"""A time between what was written and what will be: Neo4j's `datetime()` counts milliseconds, Python microseconds."""

from datetime import datetime, timedelta

from tests.conftest import Cypher

_MILLISECOND = timedelta(milliseconds=1)


async def take_time(cypher: Cypher) -> str:
    """Return the end of this millisecond, when it is over: what was written is not later, what follows is."""
    this = last = await _read(cypher)
    while last == this:
        last = await _read(cypher)
    return (this + _MILLISECOND - timedelta(microseconds=1)).isoformat()


async def _read(cypher: Cypher) -> datetime:
    [row] = await cypher("RETURN toString(datetime.truncate('millisecond', datetime.realtime())) AS now")
    return datetime.fromisoformat(row["now"])
