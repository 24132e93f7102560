"""Idempotency keys: a call that is repeated with the same key is answered as the first time, and changes nothing.

The key is stored with the first change of the call, in its transaction (`server/graph/changes.py`). The answer is
stored on that change afterwards. Where a crash lost it, the caller learns which records the call changed
(docs/decisions/0027).

Source: SVC-79, SVC-80, SVC-81.
"""

import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import anyio

from server.core.errors import InvalidArgument, KeyReused, OutcomeUnknown, PrecedentError
from server.graph.changes import KeyedCall, carry_key
from server.graph.graph import Graph

T = TypeVar("T")
KEY = "idempotency_key"
"""The argument of a tool, and the name in the `_meta` of an MCP request."""
LONGEST_KEY = 200
_LIFETIME = timedelta(hours=24)
_RECENT = 10.0
"""Seconds after which a call without an answer is no longer waited for."""
_PATIENCE = 3.0
"""Seconds that a repeated call waits for the answer of the first one, which may still be at work."""
_POLL = 0.05


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """What is known of the first call with a key: its answer, unless a crash lost it, and the records it changed."""

    change: str
    answer: str | None
    records: list[dict[str, str]]

    def describe_lost(self) -> dict[str, Any]:
        """Return the answer to a repeated call whose first answer was lost."""
        return {
            "replayed": True,
            "stored": self.records,
            "message": "This call was carried out before and its answer was lost. `stored` names the records that it "
            "changed; nothing was changed now.",
        }


def require_key(key: object) -> str:
    """Return a valid idempotency key; raise `InvalidArgument` for any other value."""
    if not isinstance(key, str) or not key.isprintable() or not 0 < len(key) <= LONGEST_KEY or not key.strip():
        raise InvalidArgument(
            f"Invalid arguments. {KEY}: must be a text of 1 to {LONGEST_KEY} printable characters.",
            {"fields": [{"field": KEY, "problem": f"must be a text of 1 to {LONGEST_KEY} printable characters"}]},
        )
    return key


def compute_digest(arguments: Mapping[str, Any]) -> str:
    """Return a digest of arguments that does not depend on their order."""
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class IdempotencyKeys:
    """Carries out calls with a key once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def run(
        self,
        call: KeyedCall,
        work: Callable[[], Awaitable[T]],
        *,
        to_stored: Callable[[T], str],
        replay: Callable[[EarlierCall], T],
        resumable: bool = False,
    ) -> T:
        """Do the work, or return the replay of an earlier call with this key.

        A refusal is an error that `work` raises; it stores nothing, so the next call does the work again. A `resumable`
        work consists of several transactions and repeats without effect: it is continued where its answer was lost.
        Raises `KeyReused` where the earlier call had other arguments.
        """
        earlier = await self._find(call)
        if earlier is not None:
            if earlier.answer is not None or not resumable:
                return replay(earlier)
            call.change, call.stored = earlier.change, True
        try:
            with carry_key(call):
                result = await work()
        except OutcomeUnknown:
            raise
        except PrecedentError:
            # A call with the same key at the same moment was faster.
            if not call.stored and (earlier := await self._find(call)) is not None:
                return replay(earlier)
            raise
        if not call.stored:
            earlier = await self._find(call)
            return result if earlier is None else replay(earlier)
        await self._graph.run(
            "idempotency/store_answer",
            repeatable=True,
            namespace=call.namespace,
            change_id=call.change,
            answer=to_stored(result),
            since=_compute_expiry(),
        )
        return result

    async def _find(self, call: KeyedCall) -> EarlierCall | None:
        """Return the earlier call with this key; wait a limited time for its answer."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            row = await self._graph.one(
                "idempotency/find_keyed_change",
                namespace=call.namespace,
                by=call.by,
                name=call.name,
                key=call.key,
                since=_compute_expiry(),
            )
            if row is None:
                return None
            if row["expired"]:
                await self._graph.run(
                    "idempotency/release_key", repeatable=True, namespace=call.namespace, change_id=row["change"]
                )
                return None
            if row["arguments"] != call.digest:
                raise KeyReused(
                    f"CONFLICT: the {KEY} was used for a call with other arguments; use a new key for a new call."
                )
            recent = time.time() - row["at"] / 1000 < _RECENT
            if row["answer"] is not None or not recent or time.monotonic() > deadline:
                return EarlierCall(row["change"], row["answer"], row["records"])
            await anyio.sleep(_POLL)


def _compute_expiry() -> datetime:
    return datetime.now(UTC) - _LIFETIME
