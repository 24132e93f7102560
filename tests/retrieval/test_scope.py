"""The words that tell passages apart, and what becomes of passages that were stored when only entries had any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import AsyncDriver

from server.entries.scope import build_session_key, list_scope_tags
from server.graph.graph import Graph
from server.graph.migrations import migrate
from server.retrieval.scope import SearchScope, build_family_tag, format_sortable_time

names = st.text(min_size=1, max_size=20)
times = st.none() | st.integers(0, 10**14)


@given(names, names, names)
@pytest.mark.proves("RET-9")
def test_no_word_of_one_family_is_a_word_of_another(namespace: str, one: str, other: str) -> None:
    entries = {*list_scope_tags(namespace, one, other), build_session_key(one, other)}
    insights = {build_family_tag("insight", namespace), build_family_tag("insight", namespace, one, other)}
    episodes = {build_family_tag("episode", namespace), build_family_tag("episode", namespace, one, other)}
    assert not entries & insights | entries & episodes | insights & episodes


@given(times, times, st.integers(0, 10**14))
@pytest.mark.proves("RET-9")
def test_a_time_is_within_a_range_of_words_as_it_is_within_the_range(
    since: int | None, until: int | None, at: int
) -> None:
    first, last = SearchScope("home", "word", since, until).times
    within = (since is None or since <= at) and (until is None or at <= until)
    assert (first <= format_sortable_time(at) <= last) == within


@pytest.mark.anyio
@pytest.mark.proves("RET-26")
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
