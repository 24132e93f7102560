"""Which of the possible names of a text are entities is looked up by their first two words."""

import pytest
from neo4j import AsyncDriver

from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.retrieval.mentions import find_possible_names, group_names

pytestmark = pytest.mark.anyio
_NAMES = (
    "Java", "The Memory Palace", "memory palace", "New York", "New York City Ballet", "node.js", ".NET Framework",
    "C++", "数据库 系统", "Größe", "At one o'clock sharp today",
)  # fmt: skip
_TEXT = (
    "In the memory palace of new  york\ncity ballet, java and Node.js run .NET framework and C++; 数据库 系统 "
    "hat die größe. At one o'clock sharp today, the memory was New York. Formerly Big Apple Pie."
)


@pytest.mark.proves("RET-31")
async def test_each_name_in_a_text_is_found_as_it_is_stored_now(
    graph: Graph, driver: AsyncDriver, namespace: str
) -> None:
    for each, space in ((name, namespace) for name in (*_NAMES, "Not in the text", "new york is")):
        # As a person writes it in Neo4j Browser: nothing but the graph knows of it.
        await driver.execute_query(
            "CREATE (:Entity {namespace: $space, name: $name, name_key: $key})",
            parameters_={"space": space, "name": each, "key": comparison_key(each)},
        )
    await driver.execute_query("CREATE (:Entity {namespace: 'elsewhere', name: 'run', name_key: 'run'})")
    await driver.execute_query(
        "MATCH (e:Entity {namespace: $space, name: 'Java'}) "
        "CREATE (:Alias {namespace: $space, name_key: 'big apple pie'})-[:ALIAS_OF]->(e)",
        parameters_={"space": namespace},
    )
    row = await graph.row(
        "retrieval/named_entities", namespace=namespace, **group_names({*find_possible_names(_TEXT), "new york is"})
    )
    found = dict(row["entities"])
    wanted = {comparison_key(name): name for name in (*_NAMES, "new york is")} | {"big apple pie": "Java"}
    assert found == wanted


@pytest.mark.proves("RET-31")
def test_keys_are_grouped_by_their_first_two_words_and_none_is_lost() -> None:
    keys = {*find_possible_names(_TEXT)}
    grouped = group_names(keys)
    names, starts, ends = grouped["names"], grouped["starts"], grouped["ends"]
    assert len(names) == len(keys)
    assert {*names} == keys
    begins = [0, *ends]
    for start, first, end in zip(starts, begins, ends, strict=False):
        assert all(str(name).startswith(str(start)) for name in names[int(first) : int(end)])
        assert start or all(" " not in str(name) for name in names[int(first) : int(end)])
    assert ends[-1] == len(names)
