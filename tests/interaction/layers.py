"""One round through the cognitive layers, for any client: every tool and every resource, each checked."""

from datetime import datetime, timedelta

from mcp import Client

from tests.interaction.tools import ask, listed


async def tour(client: Client) -> None:
    """Stores in every layer and reads every resource; raises `AssertionError` where an answer is wrong."""
    pong = await ask(client, "ping")
    assert {**pong, "timestamp": ""} == {"response": "pong", "timestamp": "", "tool": "ping", "status": "ok"}
    assert datetime.fromisoformat(pong["timestamp"]).utcoffset() == timedelta(0)
    dialogues = [
        await ask(client, "store_raw_dialogue", session_id="trip", speaker="Ada", content=content)
        for content in ("I sail to Madeira in June.", "The boat is called Curlew.")
    ]
    ids = [each["id"] for each in dialogues]
    insight = await ask(client, "compress_to_l2_insight", content="Ada sails the Curlew to Madeira.", source_ids=ids)
    assert insight["embedding_status"] == "success"
    [hit] = (await ask(client, "hybrid_search", query_text="Where does the boat go?", top_k=1))["results"]
    assert (hit["id"], hit["source_ids"]) == (insight["id"], ids)
    kept = await ask(client, "update_working_memory", content="Book the berth in Funchal.", importance=0.9)
    assert (kept["evicted_id"], kept["archived_id"]) == (None, None)
    episode = await ask(
        client,
        "store_episode",
        query="How long does the passage to Madeira take?",
        reward=-0.5,
        reflection="Problem: guessed. Lesson: look at the tide tables first.",
    )
    assert episode["embedding_status"] == "success"

    assert [each["id"] for each in await listed(client, "memory://l0-raw?session_id=trip&order=asc")] == ids
    assert [each["id"] for each in await listed(client, "memory://l2-insights?query=Madeira")] == [insight["id"]]
    assert [each["id"] for each in await listed(client, "memory://working-memory")] == [kept["added_id"]]
    assert await listed(client, "memory://stale-memory") == []
    [lesson] = await listed(client, "memory://episode-memory?query=how+long+is+the+passage+to+Madeira")
    assert (lesson["id"], lesson["reward"]) == (episode["id"], -0.5)
    assert lesson["similarity"] > 0.9
