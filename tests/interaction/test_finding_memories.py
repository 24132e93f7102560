"""A client that searches its memories finds the one that answers, and hears of decisions that answer better."""

import pytest
from mcp import Client

from server.app import App
from tests.interaction.tools import ask

pytestmark = pytest.mark.anyio


@pytest.mark.proves("MEM-30", "MEM-31", "RET-18")
async def test_a_search_of_memories_names_the_decision_that_answers_better(app: App, client: Client) -> None:
    await ask(client, "save_memory", text="Ada had tea with Grace in the garden.")
    decided = {"title": "Write the services in Python", "rationale": "Everybody here reads it."}
    await ask(client, "record_decision", target="programming language", **decided)
    await app.parts.projector.drain()
    answer = await ask(client, "search", query="which programming language do we write services in?")
    assert '1 decision in force matches better: "Write the services in Python"' in answer["message"]
    assert "search_decisions" in answer["message"]
    nothing = await ask(client, "search", query="xyzzy", project="nowhere")
    assert nothing["items"] == []
    assert "omit project" in nothing["message"]


@pytest.mark.proves("MEM-20", "RET-8", "RET-12")
async def test_memories_score_between_0_and_1_and_an_exact_word_is_first(app: App, client: Client) -> None:
    pool = await ask(client, "save_memory", text="Postgres pool exhausted under load")
    lag = await ask(client, "save_memory", text="MySQL replication lag of ten seconds")
    await app.parts.projector.drain()
    found = await ask(client, "search", query="Postgres")
    assert found["items"][0]["id"] == pool["id"]
    assert "words" in found["items"][0]["matched"]
    assert found["items"][0]["score"] > 0.5
    # Neither shares a word with it, and both are a little like it: the nearest there are.
    alike = {hit["id"] for hit in (await ask(client, "search", query="database problems"))["items"]}
    assert {pool["id"], lag["id"]} <= alike
    for query in ("Postgres", "database problems", "tea"):
        items = (await ask(client, "search", query=query))["items"]
        assert all(0 <= hit["score"] <= 1 for hit in items)
