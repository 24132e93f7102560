"""The words that tell passages apart, and what becomes of passages that were stored when only entries had any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import AsyncDriver

from server.entries.scope import scopes, session
from server.graph.graph import Graph
from server.graph.migrations import migrate
from server.retrieval.scope import (
    Narrow,
    family_word,
    place_of,
    place_word,
    record_of,
    record_word,
    session_of,
    session_word,
    token,
)

names = st.text(min_size=1, max_size=20)
times = st.none() | st.integers(0, 10**14)


@given(st.integers(1, 2**53), st.integers(0, 10**6), st.integers(0, 10**6), names)
def test_record_session_and_place_are_read_from_the_words_of_a_passage(
    record: int, first: int, more: int, said_in: str
) -> None:
    word = session_word(family_word("insight", "home", said_in))
    words = [family_word("insight", "home"), record_word(record), word, place_word(first, first + more)]
    assert (record_of(words), session_of(words), place_of(words)) == (record, word, (first, first + more))
    assert all(word.isalnum() for word in words)


def test_words_of_something_else_say_nothing() -> None:
    words = ["nsplace", "recorded", "placeto3"]
    assert (record_of([]), session_of(words), place_of(words)) == (None, None, None)


@given(names, names, names)
def test_no_word_of_one_family_is_a_word_of_another(namespace: str, one: str, other: str) -> None:
    entries = {*scopes(namespace, one, other), session(one, other)}
    insights = {family_word("insight", namespace), family_word("insight", namespace, one, other)}
    episodes = {family_word("episode", namespace), family_word("episode", namespace, one, other)}
    assert not entries & insights | entries & episodes | insights & episodes


@given(times, times, st.integers(0, 10**14))
def test_a_time_is_within_a_range_of_words_as_it_is_within_the_range(
    since: int | None, until: int | None, at: int
) -> None:
    first, last = Narrow("home", "word", since, until).times
    within = (since is None or since <= at) and (until is None or at <= until)
    assert (first <= token(at) <= last) == within


@pytest.mark.anyio
async def test_passages_from_before_there_were_other_families_are_brought_along(
    graph: Graph, driver: AsyncDriver, namespace: str
) -> None:
    await driver.execute_query(
        "CREATE (:Passage {namespace: $namespace, id: 'p', entry: 7, revision: 1, scope: 'ns1 ns2 entry7 sessionns3'}),"
        "(:Passage {namespace: $namespace, id: 'q', entry: 8, scope: 'ns1 entry8', revision: 1}) "
        "WITH 1 AS _ MATCH (m:Migration {version: 4}) DELETE m",
        namespace=namespace,
        database_="neo4j",
    )
    assert [migration.version for migration in await migrate(graph)] == [4]
    rows = await driver.execute_query(
        "MATCH (p:Passage {namespace: $namespace}) RETURN p {.*} AS passage, p:Unprojected AS queued ORDER BY p.id",
        namespace=namespace,
        database_="neo4j",
    )
    common = {"namespace": namespace, "revision": 2}
    assert [row["passage"] for row in rows.records] == [
        {**common, "id": "p", "record": 7, "scope": "ns1 ns2 record7 sessionns3", "session": "sessionns3"},
        {**common, "id": "q", "record": 8, "scope": "ns1 record8"},
    ]
    assert all(row["queued"] for row in rows.records)
    await driver.execute_query("MATCH (p:Passage {namespace: $namespace}) DELETE p", namespace=namespace)
