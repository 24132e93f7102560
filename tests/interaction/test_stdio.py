"""`precedent stdio`: the bridge, as an agent's client starts it."""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from copy import copy

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests.homes import prepare_home
from tests.interaction.layers import tour
from tests.interaction.service import Service, service
from tests.interaction.tools import ask, listed, read, refused

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]


_JUDGED = {"query_id": 1, "query": "Who?", "docs": [{"id": 1, "content": "Ada."}]}


@pytest.fixture(scope="module")
async def home(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """A home for all of them, after a first start."""
    with service(tmp_path_factory.mktemp("stdio")) as unstarted:
        await prepare_home(tmp_path_factory, unstarted.home)
        yield unstarted


@pytest.fixture
def made(home: Service) -> Iterator[Service]:
    """A service that does not run yet."""
    yield home
    home.command("stop")


def _bridge(made: Service, **environment: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "cli", "stdio"], env={**made.environment, **environment}
    )


async def _a_proposal_is_made_and_accepted(made: Service, agent: Client) -> None:
    said = [(await ask(agent, "save_memory", text=f"Ada said it {n} times."))["id"] for n in range(3)]
    proposed = {"title": "Buy a cage", "target": "parrot", "rationale": "It flies away.", "confidence": 0.9}
    id_ = (await ask(agent, "propose_decision", **proposed, evidence_ids=said))["proposal_id"]
    assert (await refused(agent, "accept_proposal", proposal_id=id_))["code"] == "PERMISSION_DENIED"
    async with Client(_bridge(made, PRECEDENT_ROLE="admin", PRECEDENT_KIND="human"), mode="auto") as admin:
        error = await refused(admin, "accept_proposal", proposal_id=id_)
        assert error["message"].startswith("PI1 Violation")
        async with made.graph() as driver:
            earlier = "MATCH (p:Proposal {id: $id}) SET p.first_observed_at = p.first_observed_at - duration('PT1H')"
            await driver.execute_query(earlier, id=id_, database_="neo4j")
        accepted = await ask(admin, "accept_proposal", proposal_id=id_)
        (hit,) = (await ask(admin, "search_decisions", query="cage", mode="strict"))["results"]
        assert (hit["id"], hit["origin"]) == (accepted["decision_id"], "human")


async def _a_bridge_and_a_command_that_know_only_the_home_find_the_service(made: Service) -> None:
    ports = ("PRECEDENT_PORT", "PRECEDENT_BOLT_PORT", "PRECEDENT_BROWSER_PORT")
    only_home = {name: value for name, value in made.environment.items() if name not in ports}
    bridge = StdioServerParameters(command=sys.executable, args=["-m", "cli", "stdio"], env=only_home)
    async with Client(bridge, mode="auto") as client:
        assert (await ask(client, "graph_query_neighbors", node_name="x"))["total_neighbors"] == 0
    home_alone = copy(made)
    home_alone.environment = only_home
    status = home_alone.status()
    assert (status["url"], status["healthy"]) == (made.url, True)
    assert json.loads(home_alone.command("changes", "--since", "today", "--json").stdout)["changes"]


@pytest.mark.proves("COG-3", "DEC-76", "EVA-14", "EVA-33", "SVC-31", "SVC-32", "SVC-85")
async def test_the_bridge_lists_tools_at_once_and_starts_the_service_for_the_first_call(made: Service) -> None:
    told: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    # The first writes after a start are slow on a busy machine; what they store is looked for at once.
    made.environment["PRECEDENT_SEARCHABLE_WAIT"] = "30"
    async with Client(_bridge(made), mode="auto") as client:
        assert "graph_find_path" in {tool.name for tool in (await client.list_tools()).tools}
        assert made.status()["service"] == "not running", "listing needs no service"
        result = await client.call_tool("graph_add_node", {"label": "Thing", "name": "x"}, progress_callback=note)
        assert not result.is_error
        assert "Precedent is starting." in told
        running = made.status()
        assert running["service"] == "running"
        bolt = f"bolt://neo4j@127.0.0.1:{made.environment['PRECEDENT_BOLT_PORT']}"
        assert str(running["browser"]).endswith(f"/browser/?connectURL={bolt}"), "user and address are filled in"
        await tour(client)
        saved = await ask(client, "save_memory", text="Ada keeps a parrot.")
        await _a_bridge_and_a_command_that_know_only_the_home_find_the_service(made)
        for tool, arguments, kind in (
            ("get_golden_test_results", {}, "Golden Test execution failed"),
            ("store_dual_judge_scores", _JUDGED, "API key not configured"),
        ):
            assert (await refused(client, tool, **arguments))["error"] == kind
        # An agent of the other era shares the same memory, also after the service was stopped in between.
        other = _bridge(made, PRECEDENT_PRINCIPAL="second", PRECEDENT_ROLE="viewer")
        async with Client(other, mode="legacy") as second:
            shown = {tool.name for tool in (await second.list_tools()).tools}
            assert "search" in shown
            assert "save_memory" not in shown, "a viewer is not shown what it may not call"
            assert (await ask(second, "graph_query_neighbors", node_name="x"))["total_neighbors"] == 0
            [hit] = (await ask(second, "search", query="a parrot"))["items"]
            assert hit["id"] == saved["id"]
            assert (await refused(second, "graph_add_node", label="L", name="y"))["code"] == "PERMISSION_DENIED"
            assert (await read(second, "memory://l0-raw?limit=0"))["error"] == "Parameter validation failed"
            await _a_proposal_is_made_and_accepted(made, client)
            assert made.command("stop").stdout.strip() == "Stopped."
            assert len(await listed(second, "memory://working-memory")) == 1
            assert (await ask(second, "graph_query_neighbors", node_name="x"))["total_neighbors"] == 0


@pytest.mark.proves("SVC-31", "SVC-32")
@pytest.mark.long
async def test_two_bridges_that_start_at_once_share_one_service(made: Service) -> None:
    answers: list[bool] = []

    async def use(mode: str) -> None:
        async with Client(_bridge(made), mode=mode) as client:
            answers.append((await ask(client, "graph_add_node", label="Thing", name="same"))["created"])

    async with anyio.create_task_group() as tasks:
        for mode in ("auto", "legacy"):
            tasks.start_soon(use, mode)
    assert sorted(answers) == [False, True]


@pytest.mark.proves("SVC-33")
async def test_a_service_that_cannot_start_is_told_as_the_familys_error(made: Service) -> None:
    nowhere = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "none", "PRECEDENT_RETRY_TIME": "0"}
    async with Client(_bridge(made, **nowhere), mode="auto") as client:
        error = await refused(client, "graph_add_node", label="Thing", name="x")
    assert "precedent serve" in error["details"]
