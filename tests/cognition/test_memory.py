"""Working memory: ten items, eviction of the least recently used one, and concurrent writers."""

import itertools
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.cognition.memory import CAPACITY, CRITICAL, WorkingMemory
from server.cognition.models import (
    ReadStaleMemory,
    ReadWorkingMemory,
    StaleItem,
    UpdateWorkingMemory,
    WorkingItem,
    WorkingMemoryUpdated,
)
from server.core.principals import Principal
from server.graph.graph import Graph, connect
from server.graph.sequence import IdSequence
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_numbers = itertools.count()


class Mind:
    """One caller's working memory."""

    def __init__(self, memory: WorkingMemory, caller: Principal) -> None:
        self._memory = memory
        self._caller = caller

    async def keep(self, content: str, importance: float | None = None) -> WorkingMemoryUpdated:
        given = {} if importance is None else {"importance": importance}
        return await self._memory.update(UpdateWorkingMemory.parse({"content": content, **given}), self._caller)

    async def items(self) -> list[WorkingItem]:
        return await self._memory.list_items(ReadWorkingMemory(), self._caller)

    async def stale(self) -> list[StaleItem]:
        return await self._memory.list_stale_items(ReadStaleMemory(limit=1_000), self._caller, datetime.now(UTC))

    async def contents(self) -> list[str]:
        return [item.content for item in await self.items()]


@pytest.fixture
def memory(graph: Graph, sequence: IdSequence) -> WorkingMemory:
    return WorkingMemory(graph, sequence)


@pytest.fixture
def mind(memory: WorkingMemory, caller: Principal) -> Mind:
    return Mind(memory, caller)


@pytest.mark.proves("COG-34", "COG-43")
async def test_ten_items_fit_and_the_last_one_comes_first(mind: Mind) -> None:
    for number in range(CAPACITY):
        answer = await mind.keep(f"item {number}")
        assert (answer.evicted_id, answer.archived_id, answer.refreshed) == (None, None, False)
    assert await mind.contents() == [f"item {number}" for number in reversed(range(CAPACITY))]
    assert await mind.stale() == []


@pytest.mark.proves("COG-35", "COG-38")
async def test_the_eleventh_item_evicts_the_oldest_which_stays_readable(mind: Mind, cypher: Cypher) -> None:
    first = await mind.keep("item 0", 0.3)
    for number in range(1, CAPACITY):
        await mind.keep(f"item {number}")
    answer = await mind.keep("item 10")
    assert answer.evicted_id == first.added_id
    [stale] = await mind.stale()
    assert stale.id == answer.archived_id
    assert (stale.item_id, stale.evicted_by) == (first.added_id, answer.added_id)
    assert (stale.original_content, stale.importance, stale.reason) == ("item 0", 0.3, "LRU_EVICTION")
    assert len(await mind.items()) == CAPACITY
    link = """
        MATCH (stale:StaleItem {namespace: $namespace})-[:EVICTED_BY]->(item:WorkingItem)-[:IN]->(memory:WorkingMemory)
        RETURN stale.content AS stale, item.content AS item, EXISTS { (stale)-[:FROM]->(memory) } AS of_the_same
    """
    assert await cypher(link) == [{"stale": "item 0", "item": "item 10", "of_the_same": True}]


@pytest.mark.proves("COG-35")
async def test_what_is_critical_outlives_what_is_not(mind: Mind) -> None:
    await mind.keep("critical", 0.81)
    await mind.keep("not quite", 0.8)
    for number in range(CAPACITY - 1):
        await mind.keep(f"item {number}")
    assert "critical" in await mind.contents()
    assert [stale.original_content for stale in await mind.stale()] == ["not quite"]


@pytest.mark.proves("COG-37")
async def test_a_minor_item_among_ten_critical_ones_is_evicted_at_once(mind: Mind) -> None:
    for number in range(CAPACITY):
        await mind.keep(f"critical {number}", 0.9)
    answer = await mind.keep("minor", 0.5)
    assert answer.added_id == answer.evicted_id
    [stale] = await mind.stale()
    assert (stale.original_content, stale.evicted_by, stale.item_id) == ("minor", None, answer.added_id)
    assert len(await mind.items()) == CAPACITY


@pytest.mark.proves("COG-36")
async def test_the_cap_beats_protection(mind: Mind) -> None:
    first = await mind.keep("critical 0", 1.0)
    for number in range(1, CAPACITY):
        await mind.keep(f"critical {number}", 1.0)
    answer = await mind.keep("critical 10", 1.0)
    assert answer.evicted_id == first.added_id


@pytest.mark.proves("COG-39")
async def test_the_same_content_is_refreshed_and_keeps_its_importance_unless_another_is_named(mind: Mind) -> None:
    first = await mind.keep("item 0", 0.9)
    for number in range(1, CAPACITY):
        await mind.keep(f"item {number}")
    again = await mind.keep("item 0")
    assert (again.added_id, again.refreshed, again.evicted_id) == (first.added_id, True, None)
    newest, *rest = await mind.items()
    assert (newest.id, newest.importance) == (first.added_id, 0.9)
    assert len(rest) == CAPACITY - 1
    assert newest.last_accessed >= rest[0].last_accessed > newest.created_at
    await mind.keep("item 0", 0.1)
    assert (await mind.items())[0].importance == 0.1


@pytest.mark.proves("COG-35")
async def test_of_items_of_one_moment_the_lowest_id_goes(mind: Mind, cypher: Cypher) -> None:
    ids = [(await mind.keep(f"item {number}")).added_id for number in range(CAPACITY)]
    await cypher(
        "MATCH (item:WorkingItem {namespace: $namespace}) SET item.last_accessed = datetime('2026-01-01T00:00:00Z')"
    )
    assert [item.id for item in await mind.items()] == sorted(ids, reverse=True)
    assert (await mind.keep("one more")).evicted_id == min(ids)


@pytest.mark.proves("COG-41")
async def test_reading_changes_nothing(mind: Mind, cypher: Cypher) -> None:
    for number in range(CAPACITY + 1):
        await mind.keep(f"item {number}")
    everything = (
        "MATCH (n {namespace: $namespace}) RETURN properties(n) AS n, labels(n) AS labels ORDER BY n.id, labels"
    )
    before = await cypher(everything)
    await mind.items()
    await mind.stale()
    assert await cypher(everything) == before


@pytest.mark.proves("COG-9", "COG-34")
async def test_a_namespace_has_a_working_memory_of_its_own(
    memory: WorkingMemory, mind: Mind, caller: Principal
) -> None:
    other = Mind(memory, replace(caller, namespace=f"{caller.namespace} elsewhere"))
    for number in range(CAPACITY):
        await mind.keep(f"item {number}")
    assert (await other.keep("item 0")).evicted_id is None
    assert await other.contents() == ["item 0"]
    assert len(await mind.items()) == CAPACITY


@dataclass
class Model:
    """A model of working memory in a few lines: the last accessed item is the last of the list."""

    items: list[tuple[str, float]] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def keep(self, content: str, importance: float | None) -> str | None:
        known = dict(self.items)
        kept = known.get(content, 0.5) if importance is None else importance
        self.items = [item for item in self.items if item[0] != content] + [(content, kept)]
        if len(self.items) <= CAPACITY:
            return None
        victim = next((item for item in self.items if item[1] <= CRITICAL), self.items[0])
        self.items.remove(victim)
        self.stale.append(victim[0])
        return victim[0]


_UPDATES = st.lists(
    st.tuples(
        st.sampled_from([f"item {number}" for number in range(16)]),
        st.sampled_from([None, 0.0, 0.5, 0.8, 0.81, 0.9, 1.0]),
    ),
    min_size=12,
    max_size=40,
)


@pytest.mark.proves("COG-34", "COG-35", "COG-39")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(updates=_UPDATES)
async def test_any_updates_in_turn_leave_what_the_rule_says(
    memory: WorkingMemory, caller: Principal, updates: list[tuple[str, float | None]]
) -> None:
    mind, model = Mind(memory, replace(caller, namespace=f"{caller.namespace} {next(_numbers)}")), Model()
    contents: dict[int, str] = {}
    for content, importance in updates:
        answer = await mind.keep(content, importance)
        contents[answer.added_id] = content
        evicted = model.keep(content, importance)
        assert (None if answer.evicted_id is None else contents[answer.evicted_id]) == evicted
    assert [(item.content, item.importance) for item in reversed(await mind.items())] == model.items
    assert [item.original_content for item in reversed(await mind.stale())] == model.stale


@pytest.mark.proves("COG-40")
async def test_sixteen_writers_at_once_lose_and_double_nothing(
    neo4j: tuple[str, str, str], caller: Principal, mind: Mind, cypher: Cypher
) -> None:
    """Sixteen clients with connections of their own, each with five items; the contents overlap."""
    ready = anyio.Event()
    answers: list[WorkingMemoryUpdated] = []

    async def write(number: int) -> None:
        async with connect(*neo4j, retry_time=30) as own:
            writer = Mind(WorkingMemory(own, IdSequence(own)), caller)
            await ready.wait()
            for step in range(5):
                answer = await writer.keep(f"item {number // 2 * 5 + step}", 0.9 if step == 0 else 0.5)
                answers.append(answer)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(16):
                tasks.start_soon(write, number)
            await anyio.wait_all_tasks_blocked()
            ready.set()
    added = {answer.added_id for answer in answers if not answer.refreshed}
    evicted = [answer.evicted_id for answer in answers if answer.evicted_id is not None]
    archived = [answer.archived_id for answer in answers if answer.archived_id is not None]
    items, stale = await mind.items(), await mind.stale()
    assert len(answers) == 80
    assert len(evicted) == len(set(evicted)), "nothing is evicted twice"
    assert {item.id for item in items} == added - set(evicted)
    assert sorted(item.item_id for item in stale) == sorted(evicted)
    assert sorted(item.id for item in stale) == sorted(archived)
    assert len(items) == CAPACITY == len({item.content for item in items})
    assert await cypher("MATCH (memory:WorkingMemory {namespace: $namespace}) RETURN count(*) AS there") == [
        {"there": 1}
    ]
