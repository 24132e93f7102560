import json
import re
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.errors import Conflict
from server.graph.graph import connect
from server.graph.sequence import IdSequence
from server.journal.models import StoreContext
from tests.agents import texts
from tests.conftest import Cypher
from tests.journal.conftest import Agent, Make

pytestmark = pytest.mark.anyio

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=20)
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
documents = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), json_values, max_size=5)


@pytest.mark.proves("JRN-5", "JRN-8")
async def test_a_context_is_confirmed_and_comes_back_with_the_documented_fields(agent: Agent) -> None:
    data = {"task_id": "task-abc", "status": "in_progress"}
    stored = await agent.call("store_context", context_type="current_task", context_data=data)
    assert stored.structured_content is not None
    [text] = texts(stored)
    assert text == f"Context stored with ID: {stored.structured_content['context_id']}"
    result = await agent.call("get_context", context_type="current_task")
    context = result.structured_content
    assert context is not None
    assert json.loads(texts(result)[0]) == context
    timestamp = context.pop("timestamp")
    assert isinstance(timestamp, int)
    assert context == {
        "context_id": stored.structured_content["context_id"],
        "agent_id": "ada",
        "context_type": "current_task",
        "context_data": data,
        "version": 1,
        "parent_context_id": None,
    }


@pytest.mark.proves("JRN-32", "JRN-33")
async def test_versions_count_from_one_for_each_agent_and_type(agent: Agent) -> None:
    for n in (1, 2, 3):
        assert (await agent.ask("store_context", context_type="a", context_data={"n": n}))["version"] == n
    assert (await agent.ask("store_context", context_type="b", context_data={}))["version"] == 1
    assert (await agent.ask("store_context", agent_id="bob", context_type="a", context_data={}))["version"] == 1
    assert (await agent.ask("get_context", context_type="a"))["context_data"] == {"n": 3}
    assert (await agent.ask("get_context", context_type="a", version=None))["version"] == 3
    for n in (1, 2, 3):
        assert (await agent.ask("get_context", context_type="a", version=n))["context_data"] == {"n": n}


@pytest.mark.proves("JRN-33")
@pytest.mark.parametrize(
    "asked", [{"context_type": "a", "version": 9}, {"context_type": "b"}, {"context_type": "a", "agent_id": "bob"}]
)
async def test_an_unknown_context_is_null_and_no_error(agent: Agent, asked: dict[str, Any]) -> None:
    await agent.call("store_context", context_type="a", context_data={})
    result = await agent.call("get_context", **asked)
    assert not result.is_error
    assert texts(result) == ["null"]
    assert result.structured_content == {"context": None}


@pytest.mark.proves("JRN-34")
async def test_all_contexts_are_every_version_of_every_type_newest_first(agent: Agent) -> None:
    for n, kind in enumerate("abacaba"):
        await agent.call("store_context", context_type=kind, context_data={"n": n})
    await agent.call("store_context", agent_id="bob", context_type="a", context_data={})
    contexts = await agent.ask("get_all_contexts")
    assert [context["context_data"]["n"] for context in contexts] == [6, 5, 4, 3, 2, 1, 0]
    assert await agent.ask("get_all_contexts", limit=2, offset=3) == contexts[3:5]
    answer = (await agent.call("get_all_contexts", limit=2)).structured_content
    assert answer is not None
    assert answer["total"] == 7


@pytest.mark.proves("JRN-35")
async def test_a_child_names_its_parent_of_whatever_agent_and_type(agent: Agent, cypher: Cypher) -> None:
    parent = await agent.ask("store_context", context_type="plan", context_data={})
    child = await agent.ask(
        "store_context",
        agent_id="bob",
        context_type="step",
        context_data={},
        parent_context_id=parent["context_id"],
    )
    context = await agent.ask("get_context", agent_id="bob", context_type="step")
    assert context["parent_context_id"] == parent["context_id"]
    rows = await cypher(
        "MATCH (child:Context {namespace: $namespace})-[:CHILD_OF]->(parent:Context) "
        "RETURN child.id AS child, child.name AS name, parent.id AS parent"
    )
    assert rows == [{"child": child["context_id"], "name": "step v1", "parent": parent["context_id"]}]


@pytest.mark.proves("JRN-35", "JRN-52")
async def test_an_unknown_parent_is_named_and_takes_no_version(agent: Agent, namespace: str, cypher: Cypher) -> None:
    async with agent.at(namespace=f"{namespace}-other").connected() as stranger:
        theirs = await stranger.ask("store_context", context_type="a", context_data={})
    for parent in ("nowhere", theirs["context_id"]):
        refused = await agent.refused("store_context", context_type="a", context_data={}, parent_context_id=parent)
        assert refused["code"] == "InvalidParams"
        assert refused["details"]["fields"][0]["field"] == "parent_context_id"
    assert await cypher("MATCH (n {namespace: $namespace}) WHERE NOT n:Sequence RETURN n.name AS name") == []
    assert (await agent.ask("store_context", context_type="a", context_data={}))["version"] == 1


@pytest.mark.proves("JRN-36")
async def test_parents_form_no_cycle(modern: Agent, cypher: Cypher) -> None:
    latest = None
    for n in range(10):
        stored = await modern.ask("store_context", context_type=f"t{n % 3}", context_data={}, parent_context_id=latest)
        latest = stored["context_id"]
    [row] = await cypher(
        "MATCH (c:Context {namespace: $namespace}) "
        "RETURN count(c) AS contexts, count(CASE WHEN EXISTS { (c)-[:CHILD_OF*1..]->(c) } THEN 1 END) AS cycles"
    )
    assert row == {"contexts": 10, "cycles": 0}


@pytest.mark.proves("JRN-32")
async def test_sixteen_writers_at_once_get_the_versions_from_one_on(
    make: Make, modern: Agent, neo4j: tuple[str, str, str]
) -> None:
    """Half of them through connections of their own, as other processes have."""
    versions: list[int] = []
    ready = anyio.Event()

    async def write(service: Any) -> None:
        await ready.wait()
        for _ in range(3):
            request = StoreContext.parse({"agent_id": "ada", "context_type": "raced", "context_data": {}})
            versions.append((await service.store_context(request, modern.principal)).version)

    async with connect(*neo4j) as one, connect(*neo4j) as other:
        services = [
            make(),
            make(),
            make(graph=one, sequence=IdSequence(one)),
            make(graph=other, sequence=IdSequence(other)),
        ]
        async with anyio.create_task_group() as tasks:
            for n in range(16):
                tasks.start_soon(write, services[n % 4])
            ready.set()
    assert sorted(versions) == list(range(1, 49))
    stored = await modern.ask("get_all_contexts", limit=1000)
    assert sorted(context["version"] for context in stored) == list(range(1, 49))
    assert (await modern.ask("get_context", context_type="raced"))["version"] == 48


@pytest.mark.proves("JRN-32")
async def test_the_graph_itself_refuses_a_version_twice(modern: Agent, make: Make, cypher: Cypher) -> None:
    await modern.call("store_context", context_type="a", context_data={})
    await cypher("MATCH (s:ContextSeries {namespace: $namespace}) SET s.latest = 0")
    request = StoreContext.parse({"agent_id": "ada", "context_type": "a", "context_data": {}})
    with pytest.raises(Conflict):
        await make().store_context(request, modern.principal)
    assert len(await modern.ask("get_all_contexts")) == 1


@pytest.mark.proves("JRN-37")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents)
async def test_any_json_object_comes_back_exactly(modern: Agent, document: dict[str, Any]) -> None:
    await modern.call("store_context", context_type="any", context_data=document)
    stored = (await modern.ask("get_context", context_type="any"))["context_data"]
    assert stored == document
    assert json.dumps(stored) == json.dumps(document), "types and order as well: 1 is not 1.0, nor true"


@pytest.mark.proves("JRN-37")
async def test_a_context_at_the_limits_is_stored_and_a_larger_one_refused(modern: Agent) -> None:
    deep: dict[str, Any] = {}
    for _ in range(99):
        deep = {"d": deep}
    await modern.ask("store_context", context_type="deep", context_data=deep)
    assert (await modern.ask("get_context", context_type="deep"))["context_data"] == deep
    big = {"x": "y" * (1_048_576 - len('{"x":""}'))}
    await modern.ask("store_context", context_type="big", context_data=big)
    assert (await modern.ask("get_context", context_type="big"))["context_data"] == big
    for bad in ({"d": deep}, {"x": big["x"] + "y"}):
        refused = await modern.refused("store_context", context_type="bad", context_data=bad)
        assert refused["code"] == "InvalidParams"
        assert re.search("context_data: (is nested deeper|takes 1,048,577 bytes)", refused["message"])
    assert await modern.ask("get_context", context_type="bad") == {"context": None}
