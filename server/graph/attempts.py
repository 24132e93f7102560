"""Carries a transaction out: retries what Neo4j refused for the moment, and finds out what a lost commit did.

Neo4j ends one of two transactions that wait for each other. The next attempt follows after tens of milliseconds, with
jitter, so that a caller who lost does not wait for a second.

When the connection breaks while Neo4j commits, the driver cannot know whether the transaction was stored. Its changes
have ids that are known beforehand, so a statement on another connection finds out (docs/decisions/0028).

Source: SVC-53, SVC-82, SVC-83.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

import anyio
import structlog
from neo4j import exceptions as driver
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from server.core.errors import GraphUnavailable, OutcomeUnknown, PrecedentError
from server.graph.changes import ChangeWriter

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_FIRST_PAUSE = 0.04
"""Seconds: the greatest pause before the second attempt. It doubles with each attempt."""
_LONGEST_PAUSE = 1.0
_LOOK_SECONDS = 5.0
"""How long to look for the changes of a transaction that ran out of time."""
_SILENT = "The graph does not answer; nothing was stored. Retry in a few seconds."

FindStored = Callable[[str, Sequence[str]], Awaitable[bool]]
"""Returns whether any of these changes of a namespace is stored."""


@dataclass(slots=True)
class TransactionOutcome(Generic[T]):
    """What one attempt did: the changes that it wrote and, once its work is done and before it commits, its result."""

    changes: ChangeWriter = field(default_factory=ChangeWriter)
    is_done: bool = False
    _result: T | None = None

    @property
    def result(self) -> T:
        return cast("T", self._result)

    @result.setter
    def result(self, result: T) -> None:
        self._result, self.is_done = result, True


Attempt = Callable[[TransactionOutcome[T]], Awaitable[None]]
"""One transaction: it sets the result of the outcome, then commits. It raises the driver's errors and never retries."""


@dataclass(slots=True)
class Attempts:
    """Runs transactions until they are stored or refused; `retry_time` limits the retries of one, in seconds.

    `retried` counts the attempts that Neo4j refused for the moment, such as one of two that waited for each other.
    """

    find_stored: FindStored
    retry_time: float
    retried: int = 0

    async def run(self, attempt: Attempt[T], *, limit: float | None, repeatable: bool) -> T:
        """Return the result of the attempt that was stored.

        `repeatable` says that storing it twice has no effect that matters. Raises the driver's errors;
        `GraphUnavailable` where there is no answer after `limit` seconds, if any; `OutcomeUnknown` where it cannot be
        known whether the transaction was stored.
        """
        outcome: TransactionOutcome[T] = TransactionOutcome()
        with anyio.move_on_after(limit) as scope:
            async for trial in AsyncRetrying(
                retry=retry_if_exception(_is_retryable),
                wait=wait_random_exponential(multiplier=_FIRST_PAUSE, max=_LONGEST_PAUSE, min=_FIRST_PAUSE / 4),
                stop=_stop_after(self.retry_time),
                sleep=_pause,
                reraise=True,
            ):
                with trial:
                    self.retried += trial.retry_state.attempt_number > 1
                    outcome = TransactionOutcome()
                    return await self._run_once(attempt, outcome, repeatable)
        assert scope.cancelled_caught, "tenacity ends with an answer or an error"
        return await self._resolve_silence(outcome, repeatable)

    async def _run_once(self, attempt: Attempt[T], outcome: TransactionOutcome[T], repeatable: bool) -> T:
        try:
            await attempt(outcome)
        except driver.IncompleteCommit as lost:
            if not await self._is_stored(outcome, lost, repeatable):
                outcome.changes.restart()
                raise driver.ServiceUnavailable("The connection was lost before the commit.") from lost
        except Exception:
            outcome.changes.restart()
            raise
        outcome.changes.commit()
        return outcome.result

    async def _is_stored(self, outcome: TransactionOutcome[T], lost: BaseException, repeatable: bool) -> bool:
        """Return whether a commit without an answer stored the transaction; raise `OutcomeUnknown`."""
        namespace, ids = outcome.changes.namespace, outcome.changes.ids
        if namespace is None or not ids:
            if repeatable:
                return False
            raise _build_unknown(ids) from lost
        try:
            stored = await self.find_stored(namespace, ids)
        except PrecedentError as error:
            raise _build_unknown(ids) from error
        _log.warning("commit_without_answer", changes=ids, stored=stored)
        return stored

    async def _resolve_silence(self, outcome: TransactionOutcome[T], repeatable: bool) -> T:
        """Return the result of an attempt that ran out of time if it was stored; raise an error that says what is."""
        silence = TimeoutError("Neo4j did not answer in time")
        with anyio.move_on_after(_LOOK_SECONDS):
            # Without a result it was never asked to commit.
            if not outcome.is_done or not await self._is_stored(outcome, silence, repeatable):
                outcome.changes.restart()
                raise GraphUnavailable(_SILENT)
            outcome.changes.commit()
            return outcome.result
        raise _build_unknown(outcome.changes.ids) from silence


async def _pause(seconds: float) -> None:
    await anyio.sleep(seconds)


def _stop_after(seconds: float) -> Callable[[RetryCallState], bool]:
    """Stop this long after the first failure, however long the first attempt took."""
    end: float | None = None

    def stop(_state: RetryCallState) -> bool:
        nonlocal end
        now = time.monotonic()
        if end is None:
            end = now + seconds
        return now >= end

    return stop


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, driver.DriverError | driver.Neo4jError) and error.is_retryable()


def _build_unknown(changes: Sequence[str]) -> OutcomeUnknown:
    return OutcomeUnknown(
        "The connection to the graph was lost while this was stored; it is not known whether this was stored. "
        "Before you repeat it, check whether it was, or send it with an idempotency key.",
        {"changes": list(changes)} if changes else None,
    )
