"""The seam to Neo4j: it knows the driver, and no statement by name."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, LiteralString, TypeVar

from neo4j import (
    READ_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    EagerResult,
    NotificationDisabledClassification,
    NotificationMinimumSeverity,
    Query,
    RoutingControl,
    unit_of_work,
)
from neo4j.exceptions import DriverError, Neo4jError

from server.graph.changes import audited
from server.graph.statements import Access, load
from server.graph.translation import translated
from server.types import QueryName, Row

T = TypeVar("T")
_STREAMED = 1_000
"""Rows that a stream holds at once."""
_GRACE = 5.0
"""Seconds: Neo4j looks for what has taken too long every two."""


def _rows(answer: EagerResult) -> list[Row]:
    # Statements return scalars and maps, never nodes: nothing in a record needs the driver's slow conversion.
    return [dict(zip(answer.keys, record.values(), strict=True)) for record in answer.records]


class Transaction:
    """One transaction under way; its statements commit together or not at all."""

    def __init__(self, transaction: AsyncManagedTransaction) -> None:
        self._transaction = transaction

    async def run(self, name: QueryName, /, **parameters: Any) -> list[Row]:
        """Runs a statement of `cypher/` in this transaction and returns its rows."""
        statement = load(name)
        result = await self._transaction.run(statement.query, statement.bind(audited(statement, parameters)))
        return _rows(await result.to_eager_result())

    async def one(self, name: QueryName, /, **parameters: Any) -> Row | None:
        """The first row of `run`, or None."""
        return next(iter(await self.run(name, **parameters)), None)


class Graph:
    """Runs the statements of `cypher/` on a Neo4j, in the right access mode, bounded in time.

    Every method raises `GraphUnavailable`, `QueryTimeout`, `Conflict` (a constraint said no) or `InternalError`.
    """

    def __init__(self, driver: AsyncDriver, *, database: str, timeout: float, patience: float) -> None:
        """`timeout` (seconds) ends a statement on the server; `patience` later a Neo4j that is silent is given up."""
        self._driver = driver
        self._database = database
        self._timeout = timeout
        self._patience = patience

    async def run(self, name: QueryName, /, *, timeout: float | None = None, **parameters: Any) -> list[Row]:
        """Runs one statement in a transaction of its own and returns its rows; `timeout` in seconds."""
        statement = load(name)
        query = Query(statement.query, timeout=timeout or self._timeout)
        with translated(self._limit(timeout)):
            if statement.access == "read":
                try:
                    return await self._read(query, statement.bind(parameters))
                except (DriverError, Neo4jError) as error:
                    if not error.is_retryable():
                        raise
            # `routing_` is the driver's own parameter; anything without the underscore would silently
            # become a Cypher parameter and run as a write. So parameters go in as a dict, always.
            answer = await self._driver.execute_query(
                query,
                parameters_=statement.bind(audited(statement, parameters)),
                database_=self._database,
                routing_=RoutingControl.READ if statement.access == "read" else RoutingControl.WRITE,
            )
        return _rows(answer)

    async def _read(self, query: Query, parameters: dict[str, Any]) -> list[Row]:
        """Reads without opening a transaction: one round trip instead of two. Nothing is tried again here."""
        async with self._driver.session(
            database=self._database,
            default_access_mode=READ_ACCESS,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        ) as session:
            result = await session.run(query, parameters)
            return _rows(await result.to_eager_result())

    async def one(self, name: QueryName, /, *, timeout: float | None = None, **parameters: Any) -> Row | None:
        """The first row of `run`, or None."""
        return next(iter(await self.run(name, timeout=timeout, **parameters)), None)

    async def stream(
        self, name: QueryName, take: Callable[[list[Row]], None], /, *, timeout: float | None = None, **parameters: Any
    ) -> None:
        """Hands on the rows of a reading statement as they come, in memory that does not grow with them.

        What other transactions commit meanwhile is seen or not: these rows are no picture of one moment.
        """
        statement = load(name)
        query = Query(statement.query, timeout=timeout or self._timeout)
        with translated(self._limit(timeout)):
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
        """Runs `work` in one transaction, committed when it returns and rolled back when it raises.

        `work` may run more than once (deadlocks, leader changes): it must have no effect outside the transaction.
        """

        async def attempt(transaction: AsyncManagedTransaction) -> T:
            return await work(Transaction(transaction))

        bounded = unit_of_work(timeout=timeout or self._timeout)(attempt)
        with translated(self._limit(timeout)):
            async with self._driver.session(
                database=self._database,
                bookmark_manager=self._driver.execute_query_bookmark_manager,
            ) as session:
                execute = session.execute_read if access == "read" else session.execute_write
                return await execute(bounded)

    async def plan(self, name: QueryName) -> None:
        """Has Neo4j plan a statement without running it; the next call finds the plan."""
        statement = load(name)
        with translated(self._limit(None)):
            await self._driver.execute_query(
                Query("EXPLAIN " + statement.query, timeout=self._timeout),
                parameters_=statement.bind(statement.examples()),
                database_=self._database,
                routing_=RoutingControl.READ if statement.access == "read" else RoutingControl.WRITE,
            )

    async def define(self, text: LiteralString) -> None:
        """Runs one statement of a migration."""
        with translated():
            await self._driver.execute_query(Query(text), database_=self._database)

    async def ping(self) -> None:
        """Raises unless Neo4j answers."""
        with translated(self._limit(None)):
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
) -> Graph:
    """Returns a graph for a Neo4j without talking to it yet.

    `timeout` (seconds) ends a statement on the server; `retry_time` bounds how long a call retries while
    Neo4j cannot be reached. A Neo4j that does not answer at all is given up five seconds after both.
    """
    driver = AsyncGraphDatabase.driver(
        uri,
        auth=(user, password),
        max_transaction_retry_time=retry_time,
        connection_timeout=5.0,
        connection_acquisition_timeout=10.0,
        telemetry_disabled=True,
        keep_alive=True,
        user_agent="precedent",
        notifications_min_severity=NotificationMinimumSeverity.WARNING,
        # A relationship type or label that the store does not have yet is no mistake here: agents bring them.
        notifications_disabled_classifications=[NotificationDisabledClassification.UNRECOGNIZED],
    )
    return Graph(driver, database=database, timeout=timeout, patience=retry_time + _GRACE)
