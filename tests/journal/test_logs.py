"""References, attributions, corrections and metrics: stored, listed in order and in pages, connected."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents import texts
from tests.conftest import Cypher
from tests.journal.conftest import Agent
from tests.journal.test_contexts import documents

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Log:
    """A kind of log: its tools, its sentence, its filter, one record without and one with all optional fields."""

    store: str
    get: str
    sentence: str
    id_field: str
    kind: str
    bare: dict[str, Any]
    full: dict[str, Any]


LOGS = [
    Log(
        "add_reference_key", "get_reference_keys", "Reference key added", "reference_id", "key_type",
        {"key_type": "document_id", "key_value": "doc-1", "description": None, "associated_conversation_id": None},
        {"key_type": "external_api_id", "key_value": "k", "description": "", "associated_conversation_id": "talk"},
    ),
    Log(
        "log_source_attribution", "get_source_attributions", "Source attribution logged", "attribution_id",
        "source_type",
        {
            "source_type": "user_input", "source_uri": None, "retrieval_timestamp": 1678886400000,
            "content_summary": None, "full_content_hash": None,
        },
        {
            "source_type": "tavily_search", "source_uri": "", "retrieval_timestamp": 0.5,
            "content_summary": "", "full_content_hash": "sha256:00",
        },
    ),
    Log(
        "log_correction", "get_correction_logs", "Correction logged", "correction_id", "correction_type",
        {
            "correction_type": "user_feedback", "original_entry_id": None, "original_value": None,
            "corrected_value": None, "reason": None, "applied_automatically": False,
        },
        {
            "correction_type": "self_correction", "original_entry_id": "elsewhere", "original_value": {},
            "corrected_value": {"a": [0, False, "", None, {}]}, "reason": "", "applied_automatically": True,
        },
    ),
    Log(
        "log_success_metric", "get_success_metrics", "Success metric logged", "metric_id", "metric_name",
        {"metric_name": "a", "metric_value": 0, "unit": None, "associated_task_id": None, "metadata": None},
        {"metric_name": "b", "metric_value": -0.25, "unit": "", "associated_task_id": "t", "metadata": {}},
    ),
]  # fmt: skip
every_log = pytest.mark.parametrize("log", LOGS, ids=lambda log: log.get)


@pytest.mark.proves("JRN-5", "JRN-8", "JRN-38", "JRN-42")
@every_log
async def test_a_log_is_confirmed_and_comes_back_with_exactly_its_fields(agent: Agent, log: Log) -> None:
    for values in (log.bare, log.full):
        result = await agent.call(log.store, **values)
        assert not result.is_error, texts(result)
        assert result.structured_content is not None
        id_ = result.structured_content[log.id_field]
        assert uuid.UUID(id_).version == 4
        assert texts(result) == [f"{log.sentence} with ID: {id_}"]
        [found] = await agent.ask(log.get, **{log.kind: values[log.kind]})
        timestamp = found.pop("timestamp", None)
        assert timestamp is None if log.store == "log_source_attribution" else isinstance(timestamp, int)
        assert found == {"agent_id": "ada", log.id_field: id_, **values}
        assert json.dumps(found) == json.dumps(
            {name: {log.id_field: id_, "agent_id": "ada", **values}[name] for name in found}
        )


@pytest.mark.proves("JRN-38")
@every_log
async def test_optional_fields_may_be_left_out(agent: Agent, log: Log) -> None:
    await agent.ask(log.store, **{name: value for name, value in log.bare.items() if value is not None})
    [found] = await agent.ask(log.get)
    assert {name: found[name] for name in log.bare} == log.bare


@pytest.mark.proves("JRN-39", "JRN-40")
@every_log
async def test_logs_are_newest_first_filtered_and_read_in_pages(modern: Agent, log: Log) -> None:
    ids = []
    for n in range(9):
        values = {**log.bare, log.kind: "odd" if n % 2 else "even"}
        ids.append((await modern.ask(log.store, **values))[log.id_field])
    await modern.ask(log.store, agent_id="bob", **log.bare)
    newest = ids[::-1]
    assert [item[log.id_field] for item in await modern.ask(log.get)] == newest
    assert [item[log.id_field] for item in await modern.ask(log.get, limit=4, offset=3)] == newest[3:7]
    odd = [id_ for n, id_ in enumerate(ids) if n % 2][::-1]
    assert [item[log.id_field] for item in await modern.ask(log.get, **{log.kind: "odd"})] == odd
    assert [item[log.id_field] for item in await modern.ask(log.get, **{log.kind: "odd"}, limit=2, offset=1)] == odd[
        1:3
    ]
    assert await modern.ask(log.get, **{log.kind: "none such"}) == []
    assert [item[log.id_field] for item in await modern.ask(log.get, **{log.kind: None})] == newest


@pytest.mark.proves("JRN-52")
@every_log
async def test_another_namespace_lists_nothing(agent: Agent, namespace: str, log: Log) -> None:
    await agent.ask(log.store, **log.bare)
    async with agent.at(namespace=f"{namespace}-other").connected() as stranger:
        assert await stranger.ask(log.get) == []


@pytest.mark.proves("JRN-17", "JRN-39")
async def test_attributions_are_ordered_by_when_they_were_retrieved(modern: Agent) -> None:
    for retrieved in (5, 7.5, 1, 7.5, 8_640_000_000_000_000, 7, 0):
        await modern.ask("log_source_attribution", source_type="s", retrieval_timestamp=retrieved)
    found = await modern.ask("get_source_attributions")
    assert [item["retrieval_timestamp"] for item in found] == [8_640_000_000_000_000, 7.5, 7.5, 7, 5, 1, 0]
    tied = [item["attribution_id"] for item in found if item["retrieval_timestamp"] == 7.5]
    every = [
        (await modern.ask("get_source_attributions", limit=1, offset=offset))[0]["attribution_id"]
        for offset in range(7)
    ]
    assert [id_ for id_ in every if id_ in tied] == tied, "one order, whatever the page"


@pytest.mark.proves("JRN-41")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    retrieved=st.integers(0, 8_640_000_000_000_000) | st.floats(0, 8.64e15),
    metadata=documents,
)
async def test_any_number_comes_back_exactly(
    modern: Agent, value: float, retrieved: float, metadata: dict[str, Any]
) -> None:
    name = uuid.uuid4().hex
    await modern.ask("log_success_metric", metric_name=name, metric_value=value, metadata=metadata)
    [metric] = await modern.ask("get_success_metrics", metric_name=name)
    assert json.dumps(metric["metric_value"]) == json.dumps(value)
    assert json.dumps(metric["metadata"]) == json.dumps(metadata)
    await modern.ask("log_source_attribution", source_type=name, retrieval_timestamp=retrieved)
    [source] = await modern.ask("get_source_attributions", source_type=name)
    assert json.dumps(source["retrieval_timestamp"]) == json.dumps(retrieved)


@pytest.mark.proves("JRN-43")
async def test_a_correction_is_connected_to_the_record_that_it_corrects(agent: Agent, cypher: Cypher) -> None:
    message = await agent.ask("store_conversation_message", sender="agent", message_content="2 + 2 = 5")
    context = await agent.ask("store_context", context_type="state", context_data={})
    metric = await agent.ask("log_success_metric", metric_name="m", metric_value=1)
    await cypher("CREATE (:Decision {namespace: $namespace, id: 'decision_1', node_id: 1, name: 'Use x'})")
    for id_, label in (
        (message["conversation_id"], "Message"),
        (context["context_id"], "Context"),
        (metric["metric_id"], "Metric"),
        ("decision_1", "Decision"),
    ):
        logged = await agent.ask(
            "log_correction", correction_type="user_feedback", original_entry_id=id_, applied_automatically=False
        )
        assert logged["corrects"] == [label]
        rows = await cypher(
            "MATCH (:Correction {namespace: $namespace, id: $id})-[:CORRECTS]->(record) RETURN record.id AS id",
            id=logged["correction_id"],
        )
        assert rows == [{"id": id_}]


@pytest.mark.proves("JRN-42", "JRN-43", "JRN-52")
async def test_a_correction_of_an_unknown_record_is_stored_and_connected_to_nothing(
    agent: Agent, namespace: str, cypher: Cypher
) -> None:
    async with agent.at(namespace=f"{namespace}-other").connected() as stranger:
        theirs = await stranger.ask("store_context", context_type="state", context_data={})
    for id_ in ("in another system", theirs["context_id"], None):
        logged = await agent.ask(
            "log_correction", correction_type="c", original_entry_id=id_, applied_automatically=True
        )
        assert logged["corrects"] == []
    assert await cypher("MATCH (:Correction {namespace: $namespace})-[e:CORRECTS]->() RETURN e.x AS x") == []


@pytest.mark.proves("JRN-42", "JRN-44")
async def test_a_reference_is_connected_to_the_record_and_the_conversation_that_it_names(
    agent: Agent, cypher: Cypher
) -> None:
    message = await agent.ask("store_conversation_message", sender="user", message_content="Alone.")
    await agent.ask("store_conversation_message", sender="user", message_content="Said.", conversation_id="talk")
    context = await agent.ask("store_context", context_type="state", context_data={})
    for conversation, label in (("talk", "Session"), (message["conversation_id"], "Message"), ("nowhere", None)):
        added = await agent.ask(
            "add_reference_key",
            key_type="memory_entry_id",
            key_value=context["context_id"],
            associated_conversation_id=conversation,
        )
        [row] = await cypher(
            "MATCH (r:Reference {namespace: $namespace, id: $id}) RETURN "
            "COLLECT { MATCH (r)-[:MENTIONS]->(to) RETURN to.id } AS mentioned, "
            "COLLECT { MATCH (r)-[:IN]->(to) WHERE NOT to:JournalAgent RETURN labels(to)[0] } AS conversations",
            id=added["reference_id"],
        )
        assert row == {"mentioned": [context["context_id"]], "conversations": [label] if label else []}


@pytest.mark.proves("JRN-51")
async def test_every_record_has_a_caption_an_id_and_a_creator(agent: Agent, cypher: Cypher) -> None:
    await agent.ask("store_conversation_message", sender="user", message_content=" \n ", conversation_id="talk")
    await agent.ask("store_context", context_type="state", context_data={})
    for log in LOGS:
        await agent.ask(log.store, **log.bare)
    rows = await cypher(
        "MATCH (n {namespace: $namespace}) WHERE NOT (n:Sequence OR n:Change OR n:Principal OR n:Passage) "
        "RETURN labels(n)[0] AS label, n.name AS name, n.id AS id, n.node_id AS node_id, n.created_by AS by"
    )
    assert {row["label"] for row in rows} == {
        "JournalAgent", "Session", "Message", "ContextSeries", "Context", "Reference", "Attribution", "Correction",
        "Metric",
    }  # fmt: skip
    assert all(row["name"] for row in rows)
    records = [row for row in rows if row["label"] not in {"JournalAgent", "Session", "ContextSeries"}]
    assert len({row["node_id"] for row in records}) == len(records) == 6
    assert {row["by"] for row in records} == {"tester"}
