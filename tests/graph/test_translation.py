"""Every error that the driver can raise means something to a caller."""

import inspect
from pathlib import Path

import pytest
from neo4j import AsyncDriver, Query
from neo4j import exceptions as neo4j_errors

from server.core.errors import (
    ConcurrentWrite,
    GraphUnavailable,
    InternalError,
    PrecedentError,
    QueryTimeout,
    SetupError,
)
from server.graph.graph import connect
from server.graph.translation import CONSTRAINTS, translate, translate_errors

_CLASSES = sorted(
    (cls for _, cls in inspect.getmembers(neo4j_errors, inspect.isclass) if issubclass(cls, neo4j_errors.GqlError)),
    key=lambda cls: cls.__name__,
)


@pytest.mark.proves("SVC-51")
@pytest.mark.parametrize("cls", _CLASSES, ids=lambda cls: cls.__name__)
def test_each_error_class_of_the_driver_is_translated_without_its_text(cls: type[neo4j_errors.GqlError]) -> None:
    error = cls.__new__(cls)
    Exception.__init__(error, "MATCH (secret) at /some/path")
    ours = translate(error)
    assert isinstance(ours, PrecedentError)
    assert "MATCH" not in ours.message
    assert "/some" not in ours.message


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (neo4j_errors.ServiceUnavailable, GraphUnavailable),
        (neo4j_errors.SessionExpired, GraphUnavailable),
        (neo4j_errors.DatabaseUnavailable, GraphUnavailable),
        (neo4j_errors.AuthError, SetupError),
        (neo4j_errors.ConstraintError, ConcurrentWrite),
        (neo4j_errors.CypherSyntaxError, InternalError),
    ],
)
def test_errors_are_grouped_by_what_the_caller_can_do(
    cls: type[neo4j_errors.GqlError], expected: type[PrecedentError]
) -> None:
    error = cls.__new__(cls)
    Exception.__init__(error, "text")
    assert type(translate(error)) is expected


@pytest.mark.proves("SVC-51")
@pytest.mark.anyio
async def test_the_cause_is_kept_for_the_log() -> None:
    cause = neo4j_errors.ServiceUnavailable("gone")
    with pytest.raises(GraphUnavailable) as raised, translate_errors():
        raise cause
    assert raised.value.__cause__ is cause


def test_every_named_constraint_exists_in_the_schema() -> None:
    schema = "".join(path.read_text() for path in Path("cypher/schema").glob("*.cypher"))
    assert [name for name in CONSTRAINTS if f"CONSTRAINT {name} " not in schema] == []


@pytest.mark.proves("SVC-52")
@pytest.mark.anyio
async def test_a_statement_that_takes_too_long_is_ended_by_the_server(driver: AsyncDriver) -> None:
    endless = Query("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)", timeout=0.5)
    with pytest.raises(QueryTimeout), translate_errors():
        await driver.execute_query(endless, database_="neo4j")


@pytest.mark.proves("SVC-53")
@pytest.mark.anyio
async def test_a_neo4j_that_is_not_there_is_unavailable() -> None:
    async with connect("bolt://127.0.0.1:1", "neo4j", "none", retry_time=0) as nobody:
        with pytest.raises(GraphUnavailable):
            await nobody.run("migrations/applied")


@pytest.mark.proves("SVC-52")
@pytest.mark.anyio
@pytest.mark.usefixtures("graph")  # the constraint is what one waits for
async def test_a_statement_that_waits_too_long_for_another_writer_is_a_query_timeout(
    driver: AsyncDriver, namespace: str
) -> None:
    write = "MERGE (e:Entity {namespace: $namespace, name: 'held'}) SET e.held = true"
    async with driver.session(database="neo4j") as holder:
        first = await holder.begin_transaction()
        await (await first.run(write, namespace=namespace)).consume()
        with pytest.raises(QueryTimeout), translate_errors():
            await driver.execute_query(Query(write, timeout=0.5), namespace=namespace, database_="neo4j")
        await first.rollback()
    stopped = neo4j_errors.Neo4jError._hydrate_neo4j(code="Neo.ClientError.Transaction.LockClientStopped", message="x")
    assert type(translate(stopped)) is QueryTimeout
