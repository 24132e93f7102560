import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from server.graph.graph import Graph
from server.graph.words import any_of, near, scope_token, within

anything = st.text(st.characters(exclude_categories=["Cs"])) | st.text('+-&|!(){}[]^"~*?:\\/ANDORT a')


@given(anything)
def test_syntax_in_a_text_is_escaped_or_left_out(text: str) -> None:
    unescaped = re.sub(r"\\.", "_", any_of(text), flags=re.DOTALL)
    assert not set('+-&|!(){}[]^"~*?:\\/') & set(unescaped)
    assert not {"AND", "OR", "NOT"} & set(unescaped.split())
    assert not set('+-&|!(){}[]^":\\/') & set(near(text))


@given(anything, anything)
def test_two_namespaces_have_two_scopes_of_one_word(one: str, other: str) -> None:
    assert re.fullmatch("ns[0-9a-f]{16}", scope_token(one))
    assert (scope_token(one) == scope_token(other)) == (one == other)


@pytest.mark.parametrize("text", ["", " ", "--", "\n\t", '"', "((("])
def test_a_text_without_a_word_is_no_query(text: str) -> None:
    assert any_of(text) == ""
    assert within("default", any_of(text)) is None


def test_a_query_requires_the_namespace_at_no_score() -> None:
    assert within("default", any_of("why Neo4j? why")) == rf"+scope:{scope_token('default')}^0 +(why Neo4j\?)"


def test_words_that_look_like_operators_are_words() -> None:
    assert any_of("this AND that OR NOT") == "this and that or not"


def test_a_long_text_is_cut_after_two_hundred_words() -> None:
    assert any_of(" ".join(f"w{number}" for number in range(5000))).split()[-1] == "w199"
    assert len(any_of("知" * 5000)) == 200
    assert len(any_of("x" * 100_000)) == 200 * 255


def test_near_names_may_be_a_letter_or_two_off_or_go_on() -> None:
    assert near("Postgre go") == "postgre~2 postgre* go go*"


@pytest.mark.anyio
@pytest.mark.parametrize("index", ["decided_words", "entity_names"])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=anything | anything.map(lambda part: part * 500))
async def test_any_text_is_a_query_that_the_index_takes(
    driver: AsyncDriver, graph: Graph, namespace: str, index: str, text: str
) -> None:
    for terms in (any_of(text), near(text)):
        if query := within(namespace, terms):
            found = await driver.execute_query(
                "CALL db.index.fulltext.queryNodes($index, $query) YIELD node RETURN count(node) AS hits",
                {"index": index, "query": query},
                database_="neo4j",
            )
            assert found.records[0]["hits"] == 0


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["why: (PostgreSQL)", "NOT postgresql/", "x*y~2 postgreSQL^9", "the rocket 🚀!", "識"])
async def test_words_of_any_text_find_the_node_of_the_own_namespace_alone(
    driver: AsyncDriver, graph: Graph, namespace: str, text: str
) -> None:
    for owner in (namespace, namespace + "-other"):
        await driver.execute_query(
            "CREATE (:Entity {namespace: $owner, scope: $scope, node_id: 1, name: 'PostgreSQL 🚀 知識'}), "
            "(:Entity {namespace: $owner, scope: $scope, node_id: 2, name: 'other'})",
            {"owner": owner, "scope": scope_token(owner)},
            database_="neo4j",
        )
    found = await driver.execute_query(
        "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh() "
        "CALL db.index.fulltext.queryNodes('entity_names', $query) YIELD node, score WHERE score > 0 "
        "RETURN node.namespace AS namespace, node.name AS name",
        {"query": within(namespace, any_of(text))},
        database_="neo4j",
    )
    assert [record.data() for record in found.records] == [{"namespace": namespace, "name": "PostgreSQL 🚀 知識"}]
