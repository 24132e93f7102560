"""Statements are planned after the start: what is asked first comes first, and callers come before all of it."""

import anyio
import pytest

from server.core.types import QueryName
from server.graph import planning
from server.graph.graph import Graph
from server.graph.planning import order_statements, plan_ahead
from server.graph.statements import statements
from server.observability.metrics import Metrics

pytestmark = pytest.mark.anyio
_FAMILIES = ("decisions", "entities", "entries")


@pytest.mark.proves("SVC-88")
def test_statements_of_everyday_work_are_planned_first_and_each_one_once() -> None:
    names = order_statements(_FAMILIES)
    assert names[: len(planning._FIRST)] == list(planning._FIRST), "all of them exist"
    assert len(set(names)) == len(names)
    families = {*_FAMILIES, "retrieval", "projection", "sequences"}
    assert {name for name in statements() if name.partition("/")[0] in families} <= set(names)
    assert {name.partition("/")[0] for name in names} <= families


@pytest.mark.proves("SVC-88")
async def test_planning_pauses_while_a_request_is_under_way_and_skips_what_was_run(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "_QUIET_SECONDS", 0.01)
    await graph.run("tokens/any_exist")
    assert graph.has_run("tokens/any_exist")
    monkeypatch.setattr(graph, "has_run", lambda name: name == "tokens/any_exist")
    metrics, planned = Metrics(), list[QueryName]()

    async def plan(name: QueryName) -> None:
        assert metrics.get_quiet_seconds() > 0
        planned.append(name)
        if len(planned) == 1:  # a caller comes
            metrics.request_started()
            tasks.start_soon(end_later)

    async def end_later() -> None:
        for _ in range(20):
            await anyio.sleep(0.005)
            assert len(planned) == 1, "it waits for the request"
        metrics.request_answered("GET /x", 200, 0.1)

    monkeypatch.setattr(graph, "plan", plan)
    async with anyio.create_task_group() as tasks:
        await plan_ahead(graph, ("tokens",), metrics.get_quiet_seconds)
    assert "tokens/any_exist" not in planned
    assert {"tokens/find", "tokens/list"} <= set(planned)
