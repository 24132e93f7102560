"""The seam to Neo4j: runs statements with the driver."""

from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, LiteralString, TypeVar

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    EagerResult,
    NotificationDisabledClassification,
    NotificationMinimumSeverity,
    Query,
    RoutingControl,
    unit_of_work,
)
from neo4j.exceptions import DriverError, Neo4jError

from server.core.errors import InternalError
from server.core.types import QueryName, Row
from server.graph.attempts import Attempts, TransactionOutcome
from server.graph.changes import ChangeWriter
from server.graph.concurrency import ConcurrencyLimit
from server.graph.statements import Access, Statement, load
from server.graph.translation import translate_errors

T = TypeVar("T")
_STREAMED = 1_000
"""Rows that a stream has in memory at once."""
_GRACE = 5.0
"""Seconds: Neo4j checks the time limits of transactions every two seconds."""
_NEVER = -1.0
"""The driver's own retries pause for a second at first, and retry no lost commit: `Attempts` does both."""


def _rows(answer: EagerResult) -> list[Row]:
    # Statements return scalars and maps, never nodes, so no record needs the driver's slow conversion.
    return [dict(zip(answer.keys, record.values(), strict=True)) for record in answer.records]


def _only(name: QueryName, rows: list[Row]) -> Row:
    if len(rows) != 1:
        cause = ValueError(f"{name} returned {len(rows)} rows")
        raise InternalError("The graph could not carry this out; the service's log has the details.") from cause
    return rows[0]


class Transaction:
    """An open transaction; its statements commit together or not at all."""

    def __init__(self, transaction: AsyncManagedTransaction, changes: ChangeWriter) -> None:
        self._transaction = transaction
        self._changes = changes

    async def run(self, name: QueryName, /, **parameters: Any) -> list[Row]:
        """Run a statement of `cypher/` in this transaction and return its rows."""
        statement = load(name)
        bound = statement.bind(self._changes.add_change(statement, parameters))
        result = await self._transaction.run(statement.query, bound)
        answer = await result.to_eager_result()
        self._changes.has_updates |= answer.summary.counters.contains_updates
        return _rows(answer)

    async def one(self, name: QueryName, /, **parameters: Any) -> Row | None:
        """Return the first row of `run`, or None."""
        return next(iter(await self.run(name, **parameters)), None)

    async def row(self, name: QueryName, /, **parameters: Any) -> Row:
        """The row of a statement that always returns exactly one."""
        return _only(name, await self.run(name, **parameters))


class Graph:
    """Runs the statements of `cypher/` on a Neo4j, in their access mode and with a time limit.

    Every method raises `GraphUnavailable`, `QueryTimeout`, `Conflict` (a violated constraint) or `InternalError`; a
    write raises `OutcomeUnknown` where Neo4j went away while it was stored.
    """

    def __init__(self, driver: AsyncDriver, *, database: str, timeout: float, retry_time: float, at_once: int) -> None:
        """`timeout` (seconds) ends a statement on the server; `retry_time` (seconds) limits the retries of a call.

        `at_once` quick statements and transactions run at once. The driver must not retry by itself.
        """
        self._driver = driver
        self._database = database
        self._timeout = timeout
        self._patience = retry_time + _GRACE
        self._attempts = Attempts(self._find_stored, retry_time)
        self._concurrency = ConcurrencyLimit(at_once)
        self._run: set[QueryName] = set()

    @property
    def retried(self) -> int:
        """How many attempts of transactions were repeated so far."""
        return self._attempts.retried

    def has_run(self, name: QueryName) -> bool:
        """Return whether a statement was run outside of a transaction before, so that Neo4j has its plan."""
        return name in self._run

    async def run(
        self, name: QueryName, /, *, timeout: float | None = None, repeatable: bool = False, **parameters: Any
    ) -> list[Row]:
        """Run a statement in a transaction of its own and return its rows; `timeout` is in seconds.

        `repeatable` says that a write without a change may be stored twice, where the answer to its commit is lost.
        """
        statement = load(name)
        query = Query(statement.query, timeout=timeout or self._timeout)
        self._run.add(name)
        async with self._concurrency.enter():
            if statement.access == "read":
                with translate_errors(self._limit(timeout)):
                    try:
                        return await self._read(query, statement.bind(parameters))
                    except (DriverError, Neo4jError) as error:
                        if not error.is_retryable():
                            raise
            with translate_errors():
                return await self._execute(query, statement, parameters, repeatable)

    async def _execute(
        self, query: Query, statement: Statement, parameters: dict[str, Any], repeatable: bool
    ) -> list[Row]:
        """Run a statement with retries."""

        async def attempt(outcome: TransactionOutcome[list[Row]]) -> None:
            async def keep(result: AsyncResult) -> None:
                answer = await result.to_eager_result()
                outcome.changes.has_updates |= answer.summary.counters.contains_updates
                outcome.result = _rows(answer)

            # `routing_` is a parameter of the driver; without the underscore it would become a Cypher parameter and
            # the statement a write. Parameters are therefore always passed as a dict.
            await self._driver.execute_query(
                query,
                parameters_=statement.bind(outcome.changes.add_change(statement, parameters)),
                database_=self._database,
                routing_=RoutingControl.READ if statement.access == "read" else RoutingControl.WRITE,
                result_transformer_=keep,
            )

        return await self._attempts.run(
            attempt, limit=self._limit(query.timeout), repeatable=repeatable or statement.access == "read"
        )

    async def _find_stored(self, namespace: str, ids: Sequence[str]) -> bool:
        """Return whether any of these changes is stored; raises the errors of the graph."""
        rows = await self.run("changes/find_stored", repeatable=True, namespace=namespace, ids=list(ids))
        return any(row["stored"] for row in rows)

    async def _read(self, query: Query, parameters: dict[str, Any]) -> list[Row]:
        """Read without an explicit transaction, in one round trip instead of two, and without retries."""
        async with self._driver.session(
            database=self._database,
            default_access_mode=READ_ACCESS,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        ) as session:
            result = await session.run(query, parameters)
            return _rows(await result.to_eager_result())

    async def one(self, name: QueryName, /, *, timeout: float | None = None, **parameters: Any) -> Row | None:
        """Return the first row of `run`, or None."""
        return next(iter(await self.run(name, timeout=timeout, **parameters)), None)

    async def row(self, name: QueryName, /, *, timeout: float | None = None, **parameters: Any) -> Row:
        """The row of a statement that always returns exactly one; raises `InternalError` where it does not."""
        return _only(name, await self.run(name, timeout=timeout, **parameters))

    async def stream(
        self, name: QueryName, take: Callable[[list[Row]], None], /, *, timeout: float | None = None, **parameters: Any
    ) -> None:
        """Pass the rows of a reading statement to `take` in batches, with constant memory.

        The rows may or may not contain what other transactions commit meanwhile.
        """
        statement = load(name)
        query = Query(statement.query, timeout=timeout or self._timeout)
        with translate_errors(self._limit(timeout)):
            async with self._driver.session(
                database=self._database,
                default_access_mode=READ_ACCESS,
                fetch_size=_STREAMED,
                bookmark_manager=self._driver.execute_query_bookmark_manager,
            ) as session:
                result = await session.run(query, statement.bind(parameters))
                keys = result.keys()
                while records := await result.fetch(_STREAMED):
                    take([dict(zip(keys, record.values(), strict=True)) for record in records])

    async def transaction(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        access: Access = "write",
        timeout: float | None = None,
    ) -> T:
        """Run `work` in one transaction: commit when it returns, roll back when it raises.

        `work` may run several times (deadlocks, leader changes): it must have no effect outside the transaction.
        """

        async def attempt(outcome: TransactionOutcome[T]) -> None:
            @unit_of_work(timeout=timeout or self._timeout)
            async def run(transaction: AsyncManagedTransaction) -> None:
                outcome.result = await work(Transaction(transaction, outcome.changes))

            async with self._driver.session(
                database=self._database,
                bookmark_manager=self._driver.execute_query_bookmark_manager,
            ) as session:
                await (session.execute_read if access == "read" else session.execute_write)(run)

        async with self._concurrency.enter():
            with translate_errors():
                return await self._attempts.run(attempt, limit=self._limit(timeout), repeatable=access == "read")

    async def plan(self, name: QueryName) -> None:
        """Let Neo4j plan a statement without running it, so that the next call finds the plan."""
        statement = load(name)
        with translate_errors(self._limit(None)):
            await self._driver.execute_query(
                Query("EXPLAIN " + statement.query, timeout=self._timeout),
                parameters_=statement.bind(statement.examples()),
                database_=self._database,
                routing_=RoutingControl.READ if statement.access == "read" else RoutingControl.WRITE,
            )

    async def define(self, text: LiteralString) -> None:
        """Run a statement of a migration: it may run again, because a start that was interrupted runs it again too."""

        async def attempt(outcome: TransactionOutcome[None]) -> None:
            await self._driver.execute_query(Query(text), database_=self._database)
            outcome.result = None

        with translate_errors():
            await self._attempts.run(attempt, limit=None, repeatable=True)

    async def ping(self) -> None:
        """Raise `GraphUnavailable` unless Neo4j answers."""
        with translate_errors(self._limit(None)):
            await self._driver.verify_connectivity()

    def _limit(self, timeout: float | None) -> float:
        return (timeout or self._timeout) + self._patience

    async def close(self) -> None:
        await self._driver.close()

    async def __aenter__(self) -> "Graph":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def connect(
    uri: str,
    user: str,
    password: str,
    *,
    database: str = "neo4j",
    timeout: float = 10.0,
    retry_time: float = 5.0,
    at_once: int = 16,
) -> Graph:
    """Return the graph of a Neo4j, without connecting yet.

    `timeout` (seconds) ends a statement on the server; `retry_time` (seconds) limits the retries of a call while Neo4j
    cannot be reached. Five seconds after both, a Neo4j without an answer counts as unavailable. `at_once` quick
    statements run at once.
    """
    driver = AsyncGraphDatabase.driver(
        uri,
        auth=(user, password),
        max_transaction_retry_time=_NEVER,
        connection_timeout=5.0,
        connection_acquisition_timeout=10.0,
        telemetry_disabled=True,
        keep_alive=True,
        user_agent="precedent",
        notifications_min_severity=NotificationMinimumSeverity.WARNING,
        # Agents bring labels and relationship types of their own: an unknown one is not an error.
        notifications_disabled_classifications=[NotificationDisabledClassification.UNRECOGNIZED],
    )
    return Graph(driver, database=database, timeout=timeout, retry_time=retry_time, at_once=at_once)
