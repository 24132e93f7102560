"""The tools over MCP that read the layers page by page, and archiving by hand."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest

from server.cognition.service import CognitionService
from server.cognition.tools import TOOLS
from server.core.principals import Principal, Role
from server.parts import Parts
from server.vectors.projector import Projector
from tests import agents
from tests.agents import texts
from tests.conftest import Cypher, Rows

pytestmark = pytest.mark.anyio
READERS = ("get_working_memory", "get_insights", "get_episodes", "get_dialogues")


class Agent(agents.Agent):
    """One principal that calls the tools of the layers over MCP."""

    tools = TOOLS

    async def items(self, tool: str, /, **arguments: Any) -> Rows:
        answer = await self.ask(tool, **arguments)
        return list(answer["items"])

    async def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        result = await self.call(tool, **arguments)
        assert result.is_error, texts(result)
        return dict(result.structured_content or {})

    async def pages(self, tool: str, /, **arguments: Any) -> list[Rows]:
        """The pages of a list, each requested with the `next_offset` of the one before."""
        pages: list[Rows] = []
        offset: int | None = 0
        while offset is not None:
            answer = await self.ask(tool, **arguments, offset=offset)
            pages.append(answer["items"])
            offset = answer["next_offset"]
        return pages


@pytest.fixture
def service(parts: Parts) -> CognitionService:
    return CognitionService(parts, fidelity_threshold=0.5)


@pytest.fixture
async def agent(service: CognitionService, namespace: str) -> AsyncIterator[Agent]:
    async with Agent(service, Principal("tester", "agent", Role.AGENT, namespace)).connected() as connected:
        yield connected


@pytest.fixture
async def admin(agent: Agent) -> AsyncIterator[Agent]:
    async with agent.at(role=Role.ADMIN, name="grace").connected() as connected:
        yield connected


async def _keep(agent: Agent, *contents: str) -> list[int]:
    return [(await agent.ask("update_working_memory", content=content))["added_id"] for content in contents]


@pytest.mark.proves("COG-42")
async def test_an_admin_archives_an_item_by_hand_and_it_stays_readable(
    agent: Agent, admin: Agent, cypher: Cypher
) -> None:
    ids = await _keep(agent, "one", "two", "three")
    [before] = [item for item in await agent.items("get_working_memory") if item["id"] == ids[1]]
    answer = await admin.ask("archive_working_memory_item", item_id=ids[1])
    assert (answer["item_id"], answer["status"]) == (ids[1], "success")
    assert [item["content"] for item in await agent.items("get_working_memory")] == ["three", "one"]
    [stale] = await agent.items("get_working_memory", archived=True)
    assert (stale["id"], stale["item_id"], stale["evicted_by"]) == (answer["archived_id"], ids[1], None)
    assert (stale["original_content"], stale["reason"]) == ("two", "MANUAL_ARCHIVE")
    assert stale["importance"] == before["importance"]
    trail = await cypher(
        "MATCH (who:Principal {namespace: $namespace})-[:DID]->(change:Change)-[:CHANGED]->(item:StaleItem) "
        "RETURN who.name AS who, change.name AS what, item.content AS item, "
        "item:WorkingItem OR EXISTS { (item)-[:IN]->() } AS kept ORDER BY change.at DESC LIMIT 1"
    )
    assert trail == [{"who": "grace", "what": "archive_working_memory_item", "item": "two", "kept": False}]
    # There is room again, and the same content may come back as an item of its own.
    [again] = await _keep(agent, "two")
    assert again != ids[1]
    assert len(await agent.items("get_working_memory")) == 3


@pytest.mark.proves("COG-8", "COG-42")
async def test_only_an_admin_archives_and_only_what_is_there(
    agent: Agent, admin: Agent, namespace: str, cypher: Cypher
) -> None:
    [id_] = await _keep(agent, "one")
    assert (await agent.refused("archive_working_memory_item", item_id=id_))["code"] == "PERMISSION_DENIED"
    for unknown in (id_ + 10_000, 2**53 - 1):
        error = await admin.refused("archive_working_memory_item", item_id=unknown)
        assert (error["code"], error["error"]) == ("NOT_FOUND", "Parameter validation failed")
        assert "get_working_memory" in error["details"]
    for bad in (0, -1, "1", None, 1.5, [id_]):
        assert (await admin.refused("archive_working_memory_item", item_id=bad))["code"] == "INVALID_ARGUMENT"
    async with admin.at(namespace=f"{namespace}-other").connected() as stranger:
        assert (await stranger.refused("archive_working_memory_item", item_id=id_))["code"] == "NOT_FOUND"
    assert await cypher("MATCH (item:StaleItem {namespace: $namespace}) RETURN item") == []
    assert [item["id"] for item in await agent.items("get_working_memory")] == [id_]


@pytest.mark.proves("COG-42")
async def test_of_many_who_archive_one_item_one_does(agent: Agent, admin: Agent) -> None:
    [id_] = await _keep(agent, "one")
    outcomes: list[bool] = []

    async def archive() -> None:
        outcomes.append((await admin.call("archive_working_memory_item", item_id=id_)).is_error or False)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(archive)
    assert sorted(outcomes) == [False] + [True] * 7
    assert len(await agent.items("get_working_memory", archived=True)) == 1


@pytest.mark.proves("COG-58", "COG-59")
async def test_working_memory_and_what_left_it_are_read_page_by_page(agent: Agent) -> None:
    await _keep(agent, *(f"item {n:02}" for n in range(25)))
    items = await agent.pages("get_working_memory", limit=4)
    assert [len(page) for page in items] == [4, 4, 2]
    assert [item["content"] for page in items for item in page] == [f"item {n:02}" for n in range(24, 14, -1)]
    stale = await agent.pages("get_working_memory", archived=True, limit=4)
    assert [item["original_content"] for page in stale for item in page] == [f"item {n:02}" for n in range(14, -1, -1)]
    assert await agent.items("get_working_memory", offset=10) == []


@pytest.mark.proves("COG-58", "COG-60")
async def test_insights_are_read_newest_first_and_by_their_ids(agent: Agent, cypher: Cypher) -> None:
    ids = [
        (await agent.ask("compress_to_l2_insight", content=f"Insight {n} of Ada.", source_ids=[]))["id"]
        for n in range(7)
    ]
    # Of one millisecond, the order stays the same from page to page.
    await cypher("MATCH (i:Insight {namespace: $namespace}) SET i.created_at = datetime('2026-01-01T00:00:00Z')")
    pages = await agent.pages("get_insights", limit=3)
    assert [item["id"] for page in pages for item in page] == ids[::-1]
    asked = [ids[4], 2**53 - 1, ids[1], ids[6], ids[1]]
    named = await agent.pages("get_insights", ids=asked, limit=2)
    assert [[item["id"] for item in page] for page in named] == [[ids[4], ids[1]], [ids[6], ids[1]]]
    assert named[0][0]["content"] == "Insight 4 of Ada."
    for bad in ([], [0], ["1"], list(range(1, 202)), 7):
        assert "ids" in (await agent.refused("get_insights", ids=bad))["details"]


@pytest.mark.proves("COG-58", "COG-61")
async def test_episodes_are_read_by_likeness_or_the_newest_first(
    agent: Agent, projector: Projector, cypher: Cypher
) -> None:
    stored = [
        ("How do I sail to Madeira?", -0.5),
        ("How do I sail to the island of Madeira?", 0.6),
        ("Bake bread", 1.0),
    ]
    for query, reward in stored:
        await agent.ask("store_episode", query=query, reward=reward, reflection="Lesson: look it up.")
    await projector.drain()

    async def found(**arguments: Any) -> list[str]:
        return [item["query"] for page in await agent.pages("get_episodes", **arguments) for item in page]

    low, high, bread = (query for query, _ in stored)
    assert await found(limit=1) == await found() == [bread, high, low]
    assert await found(reward_min=0.5) == [bread, high]
    alike = {"query": "how do I SAIL to madeira"}
    assert await found(**alike) == await found(**alike, limit=1) == [low, high]
    assert await found(**alike, min_similarity=0.0, limit=1) == [low, high, bread]
    assert await found(**alike, reward_min=0.5) == [high]
    [like] = await agent.items("get_episodes", **alike, limit=1)
    [newest] = await agent.items("get_episodes", limit=1)
    assert set(like) - set(newest) == {"similarity"}
    # With a query, those of the last thirty days, as the resource has it; without one, all.
    old = (datetime.now(UTC) - timedelta(days=31)).isoformat()
    await cypher(
        "MATCH (e:Episode {namespace: $namespace, query: $low}) SET e.created_at = datetime($old)", low=low, old=old
    )
    assert await found(**alike) == [high]
    assert await found(**alike, days_back=32) == [low, high]
    assert (await found(), await found(days_back=30)) == ([bread, high, low], [bread, high])
    for bad in ({"query": " "}, {"min_similarity": 1.1}, {"limit": 101}, {"offset": -1}, {"top_k": 3}):
        assert next(iter(bad)) in (await agent.refused("get_episodes", **bad))["details"]


@pytest.mark.proves("COG-58", "COG-62")
async def test_dialogues_are_read_by_session_and_speaker_in_either_order(agent: Agent) -> None:
    for n in range(9):
        told = {"session_id": "ab"[n % 2], "speaker": ("Ada", "Bob", "Zoë")[n % 3]}
        await agent.ask("store_raw_dialogue", **told, content=f"said {n}")

    async def contents(**arguments: Any) -> list[int]:
        pages = await agent.pages("get_dialogues", limit=2, **arguments)
        return [int(item["content"].split()[1]) for page in pages for item in page]

    assert await contents() == list(range(8, -1, -1))
    assert await contents(session_id="a", order="asc") == [0, 2, 4, 6, 8]
    assert await contents(speaker="Zoë", order="asc") == [2, 5, 8]
    assert await contents(session_id="b", speaker="Bob") == [7, 1]
    assert await contents(session_id="nowhere") == []


@pytest.mark.proves("COG-8", "COG-9")
async def test_a_viewer_reads_its_own_namespace_and_no_other(agent: Agent, namespace: str) -> None:
    await _keep(agent, "one")
    await agent.ask("store_raw_dialogue", session_id="s", speaker="Ada", content="Hello.")
    insight = await agent.ask("compress_to_l2_insight", content="Ada greets.", source_ids=[])
    await agent.ask("store_episode", query="greet", reward=0.5, reflection="Lesson: by name.")
    async with agent.at(role=Role.VIEWER).connected() as viewer:
        assert [len(await viewer.items(tool)) for tool in READERS] == [1, 1, 1, 1]
    async with agent.at(namespace=f"{namespace}-other").connected() as stranger:
        assert [await stranger.items(tool) for tool in READERS] == [[], [], [], []]
        assert await stranger.items("get_insights", ids=[insight["id"]]) == []
        assert await stranger.items("get_working_memory", archived=True) == []
