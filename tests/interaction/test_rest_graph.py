"""The graph over REST: decisions, proposals, entities, neighbours, paths, entries. Source: SVC-59."""

import argparse
import json
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from neo4j import AsyncDriver

from server.access.bearer import CALLER_HEADER
from server.access.roles import ENDPOINTS
from server.app import App
from tests.interaction.conftest import SECRET

pytestmark = pytest.mark.anyio
_PAGE = Path("docs/how-to/use-the-graph-from-a-script.md")
_LINES = [shlex.split(line) for line in _PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("curl ")]
_WHY = "Because it is the only one that holds relations natively."


class Rest:
    """A script: every answer is held against what the description of the routes says of it."""

    def __init__(self, app: App, http: httpx2.AsyncClient) -> None:
        self._description = app.http.openapi()
        self._http = http

    async def __call__(self, method: str, path: str, status: int = 200, **more: Any) -> dict[str, Any]:
        body = {"json": more.pop("json")} if "json" in more else {}
        answer = await self._http.request(method, path, params=more, **body)
        assert answer.status_code == status, answer.text
        told: dict[str, Any] = answer.json()
        operation = self._operation(method, path)
        schema = operation["responses"][str(status)]["content"]["application/json"]["schema"]
        Draft202012Validator({**schema, "components": self._description["components"]}).validate(told)
        return told

    def _operation(self, method: str, path: str) -> dict[str, Any]:
        parts = path.split("/")
        for template, operations in self._description["paths"].items():
            known = template.split("/")
            if len(known) == len(parts) and all(k == p or k.startswith("{") for k, p in zip(known, parts, strict=True)):
                operation: dict[str, Any] = operations.get(method.lower())
                if operation:
                    return operation
        raise AssertionError(f"{method} {path} is not described")


@pytest.mark.proves("DEC-25")
async def test_a_path_runs_through_a_decision_recorded_over_rest(rest: "Rest") -> None:
    decision = {"title": "Cache carts in Redis", "target": "Checkout", "rationale": "We run [[Redis]] already."}
    await rest("POST", "/decisions", 201, json={**decision, "about": ["Shop"]})
    for start in ("Checkout", "Shop"):
        path = await rest("GET", "/graph/paths", start_node=start, end_node="Redis")
        assert [node["name"] for node in path["path"]] == [start, "Cache carts in Redis", "Redis"]


@pytest.fixture
async def rest(app: App, namespace: str) -> AsyncIterator[Rest]:
    """A human admin in the test's own namespace, as whoever comes from this machine is."""
    async with _client(app, namespace, role="admin", kind="human") as http:
        yield Rest(app, http)


def _client(app: App, namespace: str, **caller: str) -> httpx2.AsyncClient:
    named = {"name": "grace", "namespace": namespace, "kind": "agent", **caller}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(named)}
    transport = httpx2.ASGITransport(app=app.http)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60)


def _decision(title: str, target: str = "database", **more: Any) -> dict[str, Any]:
    return {"title": title, "target": target, "rationale": _WHY, **more}


@pytest.mark.proves("DEC-73", "SVC-59")
async def test_decisions_are_recorded_superseded_and_found(rest: Rest) -> None:
    old = await rest("POST", "/decisions", 201, json=_decision("Use SQLite"))
    taken = await rest("POST", "/decisions", 409, json=_decision("Use files"))
    assert (taken["code"], taken["error"]) == ("CONFLICT", "Conflict")
    assert old["decision_id"] in taken["message"]
    new = await rest(
        "POST", "/decisions/supersede", 201, json=_decision("Use Neo4j", old_decision_ids=[old["decision_id"]])
    )
    found = await rest("POST", "/decisions/query", json={"query": "which database?", "mode": "audit"})
    assert {(hit["id"], hit["status"]) for hit in found["results"]} == {
        (old["decision_id"], "superseded"),
        (new["decision_id"], "active"),
    }
    assert {hit["origin"] for hit in found["results"]} == {"human"}
    missing = _decision("Use Redis", old_decision_ids=["nothing"])
    assert (await rest("POST", "/decisions/supersede", 404, json=missing))["code"] == "NOT_FOUND"


@pytest.mark.proves("DEC-74", "SVC-59")
async def test_proposals_are_made_listed_accepted_and_rejected(rest: Rest, driver: AsyncDriver) -> None:
    said = [(await rest("POST", "/entries", 201, json={"text": f"It was slow, {n}."}))["id"] for n in range(3)]
    proposal = _decision("Use Neo4j", confidence=0.7, evidence_ids=said)
    ids = [(await rest("POST", "/decisions/proposals", 201, json=proposal))["proposal_id"] for _ in range(2)]
    page = await rest("GET", "/decisions/proposals", target="database", limit="1", offset="1")
    assert (page["total"], [each["id"] for each in page["proposals"]]) == (2, ids[:1])
    early = await rest("POST", f"/decisions/proposals/{ids[0]}/accept", 409)
    assert (early["code"], early["message"][:13]) == ("PI1_VIOLATION", "PI1 Violation")
    await driver.execute_query(
        "MATCH (p:Proposal {id: $id}) SET p.first_observed_at = p.first_observed_at - duration('PT1H')",
        id=ids[0],
        database_="neo4j",
    )
    accepted = await rest("POST", f"/decisions/proposals/{ids[0]}/accept")
    await rest("POST", f"/decisions/proposals/{ids[1]}/reject", 400, json={"reason": "no"})
    await rest("POST", f"/decisions/proposals/{ids[1]}/reject", json={"reason": "The other one is as good."})
    again = await rest("POST", f"/decisions/proposals/{ids[1]}/accept", 409)
    assert "The other one is as good." in again["message"]
    assert (await rest("POST", "/decisions/proposals/nothing/accept", 404))["code"] == "NOT_FOUND"
    wrong = await rest("POST", f"/decisions/proposals/{accepted['decision_id']}/accept", 400)
    assert wrong["code"] == "INVALID_ARGUMENT"


@pytest.mark.proves("ENT-65", "SVC-59")
async def test_things_are_related_and_looked_at(rest: Rest) -> None:
    entity = {"label": "Technology", "name": "Neo4j / the graph", "properties": {"since": 2007}}
    assert (await rest("POST", "/graph/entities", 201, json=entity))["created"]
    assert not (await rest("POST", "/graph/entities", json=entity))["created"]
    relation = {"source_name": "Precedent", "target_name": entity["name"], "relation": "STORES_IN", "weight": 0.9}
    assert (await rest("POST", "/graph/relations", 201, json=relation))["source_created"]
    assert (await rest("POST", "/graph/relations", json=relation))["weight"] == 0.9
    around = await rest("GET", "/graph/neighbors", node_name=entity["name"], depth="2", direction="incoming")
    [neighbor] = around["neighbors"]
    assert (neighbor["name"], neighbor["relation"], neighbor["weight"]) == ("Precedent", "STORES_IN", 0.9)
    ends: dict[str, Any] = {"start_node": "Precedent", "end_node": entity["name"]}
    path = await rest("GET", "/graph/paths", **ends, relation_types=["STORES_IN", "USES"], max_depth="3")
    assert (path["path_found"], path["path_length"]) == (True, 1)
    assert not (await rest("GET", "/graph/paths", **ends, relation_types="USES"))["path_found"]
    several = await rest("GET", "/graph/paths", start_node="precedent", end_node=entity["name"], max_paths="2")
    assert (several["start_node"], several["path"], several["paths"]) == ("Precedent", path["path"], [])
    page = await rest("GET", "/graph/neighbors", node_name="PRECEDENT", limit="1", offset="1")
    assert (page["start_node"], page["neighbors"], page["total_rows"]) == ("Precedent", [], 1)
    listed = await rest("GET", "/graph/entities", name_contains="GRAPH", label="Technology", limit="1", offset="0")
    assert ([item["name"] for item in listed["items"]], listed["total"]) == ([entity["name"]], 1)
    again = await rest("POST", "/graph/entities", 201, json={"label": "Tool", "name": "precedent"})
    assert [near["name"] for near in again["near"]] == ["Precedent"]
    refused = {**relation, "source_name": "precedents", "create_missing": False}
    assert "'precedent'" in (await rest("POST", "/graph/relations", 404, json=refused))["message"]
    missing = await rest("GET", "/graph/neighbors", 404, node_name="Presedent")
    assert "'Precedent'" in missing["message"]


@pytest.mark.proves("MEM-67", "SVC-59")
async def test_entries_are_saved_found_and_read(rest: Rest) -> None:
    texts = ("Grace keeps a parrot.", "It is green.", "It talks.")
    ids = [(await rest("POST", "/entries", 201, json={"text": text, "project": "zoo"}))["id"] for text in texts]
    found = await rest("POST", "/entries/query", json={"query": "who has a bird?", "project": "zoo", "limit": 1})
    assert [item["id"] for item in found["items"]] == ids[:1]
    assert (await rest("GET", f"/entries/{ids[1]}"))["body"] == "It is green."
    line = await rest("GET", f"/entries/{ids[1]}/timeline", depth_before="1", depth_after="0")
    assert [item["id"] for item in line["items"]] == ids[:2]
    for path in ("/entries/nothing", "/entries/nothing/timeline"):
        assert (await rest("GET", path, 404))["code"] == "ENTRY_NOT_FOUND"
    secret = {"text": "The key is AKIA" + "ABCDEFGHIJKLMNOP"}
    assert (await rest("POST", "/entries", 400, json=secret))["code"] == "POLICY_BLOCKED"


_BAD: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/decisions", {"json": {}}),
    ("POST", "/decisions", {"json": [_decision("x")]}),
    ("POST", "/decisions", {"json": _decision("x", consequences=None)}),
    ("POST", "/decisions", {"json": _decision("x", namespace="other")}),
    ("POST", "/decisions", {"json": _decision(7)}),  # type: ignore[arg-type]
    ("POST", "/decisions/query", {"json": {"query": "x", "limit": 21}}),
    ("POST", "/decisions/query", {"json": {"query": "x", "mode": "loose"}}),
    ("POST", "/decisions/proposals", {"json": _decision("x", confidence=2, evidence_ids=["a", "b", "c"])}),
    ("GET", "/decisions/proposals", {"limit": "0"}),
    ("GET", "/decisions/proposals", {"unknown": "1"}),
    ("POST", "/graph/entities", {"json": {"label": "L", "name": ""}}),
    ("POST", "/graph/relations", {"json": {"source_name": "a", "target_name": "b", "relation": "R", "weight": "0.5"}}),
    ("GET", "/graph/neighbors", {}),
    ("GET", "/graph/neighbors", {"node_name": "x", "depth": "6"}),
    ("GET", "/graph/neighbors", {"node_name": "x", "depth": "two"}),
    ("GET", "/graph/neighbors", {"node_name": "x", "offset": "-1"}),
    ("GET", "/graph/entities", {"limit": "201"}),
    ("GET", "/graph/entities", {"name_contains": ""}),
    ("GET", "/graph/entities", {"name": "x"}),
    ("GET", "/graph/paths", {"start_node": "x"}),
    ("GET", "/graph/paths", {"start_node": "x", "end_node": "y", "max_paths": "11"}),
    ("POST", "/entries", {"json": {"text": "  "}}),
    ("GET", "/entries/x/timeline", {"depth_before": "many"}),
]


@pytest.mark.proves("SVC-55")
async def test_whatever_is_wrong_is_refused_in_one_form_and_stores_nothing(
    rest: Rest, driver: AsyncDriver, namespace: str
) -> None:
    for method, path, more in _BAD:
        told = await rest(method, path, 400, **more)
        assert told["code"] == "INVALID_ARGUMENT", (path, more)
    count = "MATCH (n) WHERE n.namespace = $namespace RETURN count(n) AS nodes"
    answer = await driver.execute_query(count, namespace=namespace, database_="neo4j")
    assert answer.records[0]["nodes"] == 0


@pytest.mark.proves("SVC-59")
async def test_roles_are_those_of_the_table(app: App, namespace: str) -> None:
    ours = {what: role for what, role in ENDPOINTS.items() if what.split("/")[1] in {"decisions", "graph", "entries"}}
    assert len(ours) == 22
    for below, name in ((1, "viewer"), (2, "agent")):
        async with _client(app, namespace, role=name) as http:
            for what, role in ours.items():
                method, path = what.split()
                answer = await http.request(method, path, json=None if method == "GET" else {})
                assert role is not None
                denied = answer.status_code == 403
                assert denied == (role > below), (what, name, answer.text)
                assert not denied or answer.json()["code"] == "PERMISSION_DENIED"


@pytest.mark.proves("SVC-78")
async def test_the_lines_of_the_page_for_scripts_work_as_they_stand(rest: Rest) -> None:
    assert len(_LINES) == 9
    answers = []
    for line in _LINES:
        arguments = argparse.ArgumentParser()
        arguments.add_argument("url")
        arguments.add_argument("--json", type=json.loads)
        arguments.add_argument("--get", action="store_true")
        arguments.add_argument("--data", "--data-urlencode", action="append", default=[])
        asked = arguments.parse_args(line[1:])
        path = asked.url.removeprefix("http://127.0.0.1:8001")
        if asked.get:
            answers.append(await rest("GET", path, **dict(pair.split("=", 1) for pair in asked.data)))
        else:
            answers.append(await rest("POST", path, 200 if path.endswith("/query") else 201, json=asked.json))
    decided, found, _, _, around, path, listed, saved, remembered = answers
    assert found["results"][0]["id"] == decided["decision_id"]
    assert {"checkout", "Cache carts in Redis"} <= {row["name"] for row in around["neighbors"]}
    assert path["path_length"] == 1
    assert [item["name"] for item in listed["items"]] == ["cart cache"]
    assert remembered["items"][0]["id"] == saved["id"]


@pytest.mark.proves("SVC-59")
async def test_an_agent_is_one_here_too(app: App, rest: Rest, namespace: str) -> None:
    made = await rest("POST", "/decisions", 201, json=_decision("Use Neo4j"))
    entry = await rest("POST", "/entries", 201, json={"text": "Only ours."})
    async with _client(app, namespace, role="agent") as http:
        agent = Rest(app, http)
        replacing = _decision("Use SQLite", old_decision_ids=[made["decision_id"]])
        refused = await agent("POST", "/decisions/supersede", 403, json=replacing)
        assert refused["code"] == "ISOLATION_VIOLATION"
    async with _client(app, f"{namespace}-b", role="admin") as http:
        stranger = Rest(app, http)
        assert (await stranger("POST", "/decisions/query", json={"query": "Neo4j", "mode": "audit"}))["results"] == []
        await stranger("GET", f"/entries/{entry['id']}", 404)
        await stranger("GET", "/graph/neighbors", 404, node_name="database")
