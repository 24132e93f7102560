import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from server.graph.graph import Graph
from server.graph.lucene import build_fuzzy_query, build_misspelling_query, limit_to_namespace, namespace_tag

anything = st.text(st.characters(exclude_categories=["Cs"])) | st.text('+-&|!(){}[]^"~*?:\\/ANDORT a')


@given(anything)
def test_a_query_has_no_syntax_of_its_text(text: str) -> None:
    assert not {"AND", "OR", "NOT"} & set(build_fuzzy_query(text).split())
    assert not set('+-&|!(){}[]^":\\/') & set(build_fuzzy_query(text))


@given(anything, anything)
def test_two_namespaces_have_two_tags_of_one_term(one: str, other: str) -> None:
    assert re.fullmatch("ns[0-9a-f]{16}", namespace_tag(one))
    assert (namespace_tag(one) == namespace_tag(other)) == (one == other)


@pytest.mark.parametrize("text", ["", " ", "--", "\n\t", '"', "((("])
def test_a_text_without_a_term_gives_no_query(text: str) -> None:
    assert build_fuzzy_query(text) == ""
    assert limit_to_namespace("default", build_fuzzy_query(text)) is None


def test_a_query_requires_the_namespace_at_no_score() -> None:
    assert (
        limit_to_namespace("default", build_fuzzy_query("why Neo4j? why"))
        == rf"+scope:{namespace_tag('default')}^0 +(why~1 why* neo4j~1 neo4j*)"
    )


def test_operators_in_a_text_are_terms() -> None:
    assert build_fuzzy_query("this OR") == "this~1 this* or or*"


def test_a_long_text_is_cut_after_fifty_terms() -> None:
    assert build_fuzzy_query(" ".join(f"w{number}" for number in range(5000))).split()[-1] == "w49*"
    assert max(map(len, build_fuzzy_query("x" * 100_000).split())) == len("~2") + 50


def test_a_similar_term_differs_by_one_or_two_letters_or_continues() -> None:
    assert build_fuzzy_query("Postgre go") == "postgre~2 postgre* go go*"


def test_a_misspelling_changes_one_letter_per_term_and_no_digit() -> None:
    assert build_misspelling_query(["Checkout service 17 v2 go", "", "?!", " ".join(map(str, range(13)))]) == (
        "(+checkout~1 +service~1 +17 +v2 +go)"
    )
    assert build_misspelling_query(["Postgres", "a b"]) == "(+postgres~1) postgres?? postgres??? (+a +b)"


@pytest.mark.anyio
@pytest.mark.parametrize("index", ["targets_in_force", "known_names"])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=anything | anything.map(lambda part: part * 500))
async def test_any_text_is_a_query_that_the_index_takes(
    driver: AsyncDriver, graph: Graph, namespace: str, index: str, text: str
) -> None:
    for terms in (build_fuzzy_query(text), build_misspelling_query([text]), build_misspelling_query([text, text])):
        if query := limit_to_namespace(namespace, terms):
            found = await driver.execute_query(
                "CALL db.index.fulltext.queryNodes($index, $query) YIELD node RETURN count(node) AS hits",
                {"index": index, "query": query},
                database_="neo4j",
            )
            assert found.records[0]["hits"] == 0


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["why: (PostgreSQL)", "NOT postgresql/", "x*y~2 postgreSQL^9", "the rocket 🚀!", "識"])
async def test_the_terms_of_any_text_find_only_the_node_of_the_namespace(
    driver: AsyncDriver, graph: Graph, namespace: str, text: str
) -> None:
    for owner in (namespace, namespace + "-other"):
        await driver.execute_query(
            "CREATE (:Entity {namespace: $owner, scope: $scope, node_id: 1, name: 'PostgreSQL 🚀 知識'}), "
            "(:Entity {namespace: $owner, scope: $scope, node_id: 2, name: 'other'})",
            {"owner": owner, "scope": namespace_tag(owner)},
            database_="neo4j",
        )
    found = await driver.execute_query(
        "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh() "
        "CALL db.index.fulltext.queryNodes('known_names', $query) YIELD node, score WHERE score > 0 "
        "RETURN node.namespace AS namespace, node.name AS name",
        {"query": limit_to_namespace(namespace, build_fuzzy_query(text))},
        database_="neo4j",
    )
    assert [record.data() for record in found.records] == [{"namespace": namespace, "name": "PostgreSQL 🚀 知識"}]
