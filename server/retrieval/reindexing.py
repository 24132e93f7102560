"""Completes the passages that an older release stored: in the background, once, resumed after a crash.

Until then such a record is found by its words and its passages only. Source: RET-26; docs/decisions/0020.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import anyio
import structlog

from server.core.tasks import retry_until_done
from server.core.types import Row
from server.graph.graph import Graph
from server.retrieval.passages import Passage, build_whole

_log = structlog.get_logger(__name__)
_PAGE = 50
_POLL = 60.0
"""Seconds between two looks for what an import of an older backup, or an interrupted ingestion, has stored."""
_PLACE = re.compile(r"place(\d+)(?:to(\d+))?")
_TAG = re.compile(r"record\d+|session\w+|place\d+(?:to\d+)?|whole[a-z]*ns[0-9a-f]+")


class Reindexer:
    """Reindexes records of older releases; any number of processes may run one on the same graph."""

    def __init__(
        self, graph: Graph, wake: Callable[[], None], families: Sequence[Callable[[], Awaitable[int]]]
    ) -> None:
        """`wake` tells the projector of new records; each of `families` reindexes its records and counts them."""
        self._graph = graph
        self._wake = wake
        self._families = families

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            await retry_until_done(self.drain, "reindexing_waits")
            await anyio.sleep(_POLL)

    async def drain(self) -> None:
        """Reindex all records that wait now."""
        total = 0
        for family in self._families:
            total += await family()
        while rows := await self._graph.run("retrieval/outdated_records", limit=_PAGE):
            for row in rows:
                await self._reindex(row)
            total += len(rows)
            self._wake()
        if total:
            self._wake()
            _log.info("records_reindexed", records=total)

    async def _reindex(self, row: Row) -> None:
        passages: list[Row] = row["passages"]
        whole = next((each for each in passages if _stands_for_whole(each)), None)
        parts = [each for each in passages if each is not whole] or passages
        updates = [
            {"id": each["id"], "properties": _read_positions(each) | {"parts": len(parts), "whole": len(passages) == 1}}
            for each in parts
        ]
        opening = _opening(row, parts)
        added: list[dict[str, Any]] = []
        if opening is not None:
            properties = _build_whole_properties(opening, parts)
            if whole is not None:
                updates.append({"id": whole["id"], "properties": properties})
            else:
                added.append(
                    properties
                    | {"namespace": row["namespace"], "id": str(uuid4()), "record": row["record"], "revision": 1}
                    | {"name": opening.caption, "text": opening.text, "at": parts[0]["at"]}
                )
        await self._graph.run(
            "retrieval/reindex_passages",
            namespace=row["namespace"],
            passages=updates,
            whole=added,
            beside=parts[0]["id"],
        )


def _stands_for_whole(passage: Row) -> bool:
    return any(word.startswith("whole") for word in passage["scope"].split())


def _opening(row: Row, parts: Sequence[Row]) -> Passage | None:
    """Return the passage for a record as a whole; None if the record is one passage."""
    caption, text, title = parts[0]["name"], row["text"], row["title"]
    if text is None:
        text, title = "\n".join(part["text"] for part in parts), caption
    elif title is not None and not caption.startswith(title):
        title = None  # derived from the text, so it is no caption
    return build_whole(text, title, [Passage(part["name"], None, part["text"]) for part in parts])


def _build_whole_properties(opening: Passage, parts: Sequence[Row]) -> dict[str, Any]:
    positions = [_read_positions(part) for part in parts]
    own = opening.opening()
    own_words = {word for part in parts for word in part["words"].split()}
    near = [word for part in (parts[0], parts[-1]) for word in part["around"].split() if word not in own_words]
    return {
        **positions[0],
        "last_place": positions[-1]["last_place"],
        "words": own,
        "around": " ".join([own, *dict.fromkeys(near)]),
        "whole": True,
        "parts": len(parts),
    }


def _read_positions(passage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the session and the positions of a passage as properties; older releases stored them as scope tags."""
    words = passage["scope"].split()
    session = passage["session"] or next((word for word in words if word.startswith("session")), None)
    found = next((match for word in words if (match := _PLACE.fullmatch(word))), None)
    first = int(found[1]) if found else passage["place"]
    return {
        "scope": " ".join(word for word in words if not _TAG.fullmatch(word)),
        "session": session,
        "place": first,
        "last_place": int(found[2] or found[1]) if found else first,
    }
