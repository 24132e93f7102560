"""The page of `precedent review`, used by Textual's own pilot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static, TabbedContent

from cli.review_page import GraphDesk, ReviewPage
from server.core.principals import Principal, Role
from server.parts import Parts
from tests.conftest import Cypher
from tests.reflection.conftest import NOW, Reflect, Store

pytestmark = pytest.mark.anyio


@pytest.fixture
def desk(parts: Parts, namespace: str) -> GraphDesk:
    caller = Principal("grace", "human", Role.ADMIN, namespace)
    return GraphDesk(parts, caller, clock=lambda: NOW + timedelta(hours=2))


@asynccontextmanager
async def opened(desk: GraphDesk) -> AsyncIterator[tuple[ReviewPage, Pilot[None]]]:
    page = ReviewPage(desk)
    async with page.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield page, pilot


def _table(page: ReviewPage, tab: str) -> list[list[str]]:
    table = page.query_one(f"#{tab}-table", DataTable)
    return [[str(cell) for cell in table.get_row_at(number)] for number in range(table.row_count)]


def _details(page: ReviewPage) -> str:
    return str(page.query_one("#text", Static).content)


async def _finish(page: ReviewPage, pilot: Pilot[None]) -> None:
    await page.workers.wait_for_complete()
    await pilot.pause()


async def _give_reason(page: ReviewPage, pilot: Pilot[None], key: str, reason: str) -> None:
    await pilot.press(key)
    await pilot.pause()
    page.screen.query_one("#reason", Input).value = reason
    await pilot.press("enter")
    await _finish(page, pilot)


async def _statuses(cypher: Cypher) -> list[tuple[str, str | None]]:
    rows = await cypher(
        "MATCH (p:Proposal {namespace: $namespace}) "
        "RETURN p.status AS status, p.rejection_reason AS reason ORDER BY p.id"
    )
    return [(row["status"], row["reason"]) for row in rows]


@pytest.mark.proves("REF-17", "REF-18")
async def test_an_admin_reads_the_evidence_and_accepts_a_proposal(
    desk: GraphDesk, errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 20, name="[red]the cache\x1b lost a key[/red]")
    await errors("Postgres", 3)
    await reflect()
    async with opened(desk) as (page, pilot):
        assert _table(page, "ready") == [["Change what keeps failing about Redis", "Redis", "0.95", "reflection"]]
        assert "  - [red]the cache\N{REPLACEMENT CHARACTER} lost a key[/red]" in _details(page)
        await pilot.press("a")
        await _finish(page, pilot)
        assert _table(page, "ready") == []
    rows = await cypher(
        "MATCH (d:Decision {namespace: $namespace, status: 'active'}) RETURN d.target AS t, d.origin AS o"
    )
    assert rows == [{"t": "Redis", "o": "human"}]
    [change] = await cypher(
        "MATCH (c:Change {namespace: $namespace, name: 'precedent review'}) RETURN DISTINCT c.by AS by"
    )
    assert change["by"] == "grace"


@pytest.mark.proves("REF-18")
async def test_an_admin_rejects_a_proposal_with_a_reason(
    desk: GraphDesk, errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 20)
    await reflect()
    async with opened(desk) as (page, pilot):
        for reason, status in (("short", "draft"), ("We know, and it is rare.", "rejected")):
            await _give_reason(page, pilot, "r", reason)
            assert [each for each, _ in await _statuses(cypher)] == [status]
        await pilot.press("r")  # nothing is left under the cursor
        await _finish(page, pilot)
    assert await _statuses(cypher) == [("rejected", "We know, and it is rare.")]
    assert (await reflect()).created == 0


@pytest.mark.proves("REF-18")
async def test_a_rejection_can_be_cancelled(desk: GraphDesk, errors: Store, reflect: Reflect, cypher: Cypher) -> None:
    await errors("Redis", 20)
    await reflect()
    async with opened(desk) as (page, pilot):
        await pilot.press("r")
        await pilot.pause()
        await pilot.press("escape")
        await _finish(page, pilot)
    assert await _statuses(cypher) == [("draft", None)]


@pytest.mark.proves("REF-17", "REF-18")
async def test_contradictions_duplicates_and_stale_decisions_have_a_table_each(
    desk: GraphDesk, errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 4, ago=timedelta(hours=1))
    await errors("redis-server", 1)
    await errors("Redis Servers", 1)
    for name, at in (("Redis", NOW - timedelta(days=2)), ("Oracle", datetime(2020, 1, 1, tzinfo=UTC))):
        await cypher(
            "MERGE (e:Entity {namespace: $namespace, name: $name}) "
            "CREATE (:Decision {namespace: $namespace, id: 'decision ' + $name, "
            "title: 'Use ' + $name, target: $name, target_key: toLower($name), active_target: toLower($name), "
            "rationale: 'It was there.', status: 'active', created_at: $at, created_by: 'ada', node_id: -size($name)})"
            "-[:ABOUT]->(e)",
            name=name,
            at=at,
        )
    await reflect()
    async with opened(desk) as (page, pilot):
        assert _table(page, "contradictions") == [["Use Redis", "Reconsider “Use Redis”", "0.80", "not yet"]]
        assert {"redis-server", "Redis Servers"} in [set(row[:2]) for row in _table(page, "duplicates")]
        assert _table(page, "stale") == [["Use Oracle", "Oracle", "2020-01-01", "ada"]]
        page.query_one("#tabs", TabbedContent).active = "stale"
        await pilot.pause()
        assert _details(page) == "It was there."
        await _give_reason(page, pilot, "x", "Oracle was never used.")
        assert _table(page, "stale") == []
        page.query_one("#tabs", TabbedContent).active = "duplicates"
        await pilot.pause()
        pairs = _table(page, "duplicates")
        position = next(i for i, row in enumerate(pairs) if {"redis-server", "Redis Servers"} == set(row[:2]))
        page.query_one("#duplicates-table", DataTable).move_cursor(row=position)
        await pilot.pause()
        await _give_reason(page, pilot, "n", "One machine under two names.")
        kept = pairs[position][1]
    names = await cypher("MATCH (e:Entity {namespace: $namespace}) RETURN e.name AS name")
    assert {row["name"] for row in names} & {"redis-server", "Redis Servers"} == {kept}
    gone = await cypher(
        "MATCH (r:Retracted {namespace: $namespace, id: 'decision Oracle'}) RETURN r.retracted_by AS by"
    )
    assert gone == [{"by": "grace"}]
