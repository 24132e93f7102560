"""Reading decisions as a client that knows only the list of tools, and as a script over REST."""

import json
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from neo4j import AsyncDriver

from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
_WHY = 'Redis is watched by nobody, and swaps under load. Ünïcode 漢字 \U0001f9f6, "quotes", <tags> & [brackets]. '


async def _crowd(driver: AsyncDriver, namespace: str) -> None:
    """Two hundred unrelated decisions, in the form that they are stored in."""
    await driver.execute_query(
        "UNWIND range(1, 200) AS n CREATE (d:Decision {namespace: $namespace, id: 'unrelated ' + n, node_id: -n, "
        "name: 'Unrelated ' + n, title: 'Unrelated ' + n, target: 'target ' + n, target_key: 'target ' + n, "
        "active_target: 'target ' + n, rationale: 'It has nothing to do with anything.', status: 'active', "
        "origin: 'agent', created_by: 'crowd', created_at: datetime() - duration({minutes: n % 7})})",
        namespace=namespace,
        database_="neo4j",
    )


@pytest.mark.proves("DEC-46", "DEC-53", "DEC-66")
async def test_one_among_two_hundred_is_read_back_whole(
    client: Client, connect: Connect, driver: AsyncDriver, namespace: str
) -> None:
    rationale, consequences = (_WHY * 40)[:3_000], [(f"{n}. " + _WHY * 10)[:300] for n in range(10)]
    made = await ask(
        client,
        "record_decision",
        title="Carts live in the graph",
        target="Cart Cache",
        rationale=rationale,
        consequences=consequences,
    )
    await _crowd(driver, namespace)
    async with connect(role="viewer") as viewer:
        for asked in ({"ids": [made["decision_id"]]}, {"targets": ["Cart Cache"]}):
            [decision] = (await ask(viewer, "get_decisions", **asked))["decisions"]
            assert decision["rationale"] == f"[via MCP] {rationale}"
            assert decision["consequences"] == consequences
            assert (decision["title"], decision["target"], decision["created_by"]) == (
                "Carts live in the graph",
                "Cart Cache",
                "tester",
            )
        seen: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await ask(viewer, "list_decisions", limit=30, offset=offset)
            assert page["total"] == 201
            seen += [each["id"] for each in page["decisions"]]
            offset = page.get("next_offset")
        assert len(seen) == len(set(seen)) == 201
        looked = await ask(viewer, "overview")
        assert len(json.dumps(looked, ensure_ascii=False, separators=(",", ":")).encode()) <= 8_000
        assert looked["decisions"] == {"active": 201}
        assert len(looked["in_force"]) == looked["next_offset"]


@pytest.mark.proves("DEC-48", "DEC-54")
async def test_five_supersessions_are_read_as_one_chain(client: Client, connect: Connect) -> None:
    first = await ask(client, "record_decision", title="Version 0", target="chain", rationale="It has to begin.")
    ids = [first["decision_id"]]
    for number in range(1, 6):
        answer = await ask(
            client,
            "supersede_decision",
            title=f"Version {number}",
            target="chain",
            rationale=f"Reason number {number} to change it.",
            old_decision_ids=[ids[-1]],
        )
        ids.append(answer["decision_id"])
    oldest, newest = (await ask(client, "get_decisions", ids=[ids[0], ids[5]]))["decisions"]
    assert [step["id"] for step in oldest["replaced_by"]] == ids[1:]
    assert [step["steps"] for step in oldest["replaced_by"]] == [1, 2, 3, 4, 5]
    assert all(f"Reason number {n} to change it." in oldest["replaced_by"][n - 1]["reason"] for n in range(1, 6))
    assert [step["id"] for step in newest["replaced"]] == ids[4::-1]
    [current] = (await ask(client, "get_decisions", targets=["chain"]))["decisions"]
    assert current["id"] == ids[5]
    async with connect(elsewhere="-other") as other:
        assert (await refused(other, "get_decisions", ids=ids))["code"] == "NOT_FOUND"
        assert (await refused(other, "get_decisions", targets=["chain"]))["code"] == "NOT_FOUND"
        assert (await ask(other, "list_decisions", status="all"))["total"] == 0
        assert "chain" not in str(await ask(other, "overview"))


@pytest.mark.proves("DEC-51")
async def test_unknown_names_are_listed_with_similar_targets(client: Client) -> None:
    made = await ask(client, "record_decision", title="Queue", target="message queue", rationale="It has to wait.")
    error = await refused(client, "get_decisions", targets=["mesage queue"])
    assert (error["status"], error["code"]) == ("error", "NOT_FOUND")
    assert error["details"]["near_targets"] == ["message queue"]
    answer = await ask(client, "get_decisions", ids=[made["decision_id"], "nothing"])
    assert answer["unknown"] == ["nothing"]
    mistakes: list[dict[str, Any]] = [{}, {"ids": []}, {"ids": ["x"] * 21}, {"targets": [""]}, {"ids": "x"}]
    for wrong in mistakes:
        error = await refused(client, "get_decisions", **wrong)
        assert error["code"] == "INVALID_ARGUMENT"
    assert (await refused(client, "list_decisions", since="soon"))["code"] == "INVALID_ARGUMENT"


async def test_the_tools_that_read_take_three_kilobytes(client: Client) -> None:
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    size = 0
    for name in ("get_decisions", "list_decisions", "overview"):
        tool = listed[name]
        described = {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        size += len(json.dumps(described, separators=(",", ":")).encode())
    assert size <= 3_000


@pytest.mark.proves("DEC-52", "DEC-65", "DEC-73")
async def test_scripts_read_the_same_over_rest(app: App, client: Client, namespace: str, era: str) -> None:
    old = await ask(client, "record_decision", title="Use files", target="orders / database", rationale="It is simple.")
    new = await ask(
        client,
        "supersede_decision",
        title="Use Neo4j",
        target="orders / database",
        rationale="Files cannot be asked for relations.",
        old_decision_ids=[old["decision_id"]],
    )
    described = app.http.openapi()
    caller = {"name": "grace", "kind": "human", "role": "viewer", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as http:

        async def get(template: str, path: str, code: int = 200, **asked: Any) -> dict[str, Any]:
            answer = await http.get(path, params=asked)
            assert answer.status_code == code, answer.text
            content: dict[str, Any] = answer.json()
            response = described["paths"][template]["get"]["responses"][str(code)]
            schema = response["content"]["application/json"]["schema"]
            Draft202012Validator({**schema, "components": described["components"]}).validate(content)
            return content

        one = "/decisions/{decision_id}"
        page = await get("/decisions", "/decisions")
        assert [each["id"] for each in page["decisions"]] == [new["decision_id"]]
        page = await get("/decisions", "/decisions", status="all", order="oldest", limit="1")
        assert (page["decisions"][0]["id"], page["total"], page["next_offset"]) == (old["decision_id"], 2, 1)
        page = await get("/decisions", "/decisions", target="orders / database", since="2020-01-01", origin="agent")
        assert page["total"] == 1
        decision = await get(one, f"/decisions/{new['decision_id']}")
        assert [step["id"] for step in decision["replaced"]] == [old["decision_id"]]
        missing = await get(one, "/decisions/nothing", 404)
        assert set(missing) == {"error", "message", "code"}
        assert missing["code"] == "NOT_FOUND"
        for wrong in ({"limit": "0"}, {"since": "soon"}, {"status": "lost"}, {"unknown": "1"}):
            assert (await get("/decisions", "/decisions", 400, **wrong))["code"] == "INVALID_ARGUMENT"
        looked = await get("/overview", "/overview")
        assert looked["decisions"] == {"active": 1, "superseded": 1}
        change = looked["changed"][0]
        assert (change["by"], change["what"], change["changed"]) == ("tester", "supersede_decision", 2)
