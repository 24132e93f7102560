"""Recording, superseding and searching decisions through a real MCP client."""

import pytest
from mcp import Client

from tests.interaction.conftest import Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
WHY = "Because it is the only one that holds relations natively."


def _decision(title: str, target: str, why: str = WHY) -> dict[str, str]:
    return {"title": title, "target": target, "rationale": why}


@pytest.mark.proves("DEC-1", "DEC-10", "SVC-31", "SVC-34")
async def test_a_recorded_decision_is_found(client: Client) -> None:
    answer = await ask(client, "record_decision", **_decision("Use Neo4j", "database"), consequences=["Cypher"])
    assert answer["status"] == "success"
    assert answer["searchable"] is True
    found = await ask(client, "search_decisions", query="which database do we use?")
    (hit,) = found["results"]
    assert hit["id"] == answer["decision_id"]
    assert (hit["status"], hit["kind"], hit["target"], hit["origin"]) == ("active", "decision", "database", "agent")
    assert hit["preview"].startswith("Use Neo4j")
    assert "[via MCP]" in hit["preview"]


@pytest.mark.proves("DEC-5")
async def test_a_second_decision_for_a_target_is_refused_by_the_id_of_the_first(client: Client) -> None:
    first = await ask(client, "record_decision", **_decision("Use Neo4j", "database"))
    error = await refused(client, "record_decision", **_decision("Use SQLite", "database"))
    assert (error["status"], error["code"]) == ("error", "CONFLICT")
    assert error["message"].startswith("CONFLICT")
    assert first["decision_id"] in error["message"]
    assert "supersede_decision" in error["message"]
    listed = await ask(client, "list_decisions", status="all")
    assert [decision["title"] for decision in listed["decisions"]] == ["Use Neo4j"]


@pytest.mark.proves("DEC-15", "DEC-31", "DEC-36")
async def test_a_superseded_decision_is_history(client: Client) -> None:
    old = await ask(client, "record_decision", **_decision("Store sessions in cookies", "sessions"))
    new = await ask(
        client,
        "supersede_decision",
        **_decision("Store sessions in the graph", "sessions", "Cookies leak into logs and cannot be revoked."),
        old_decision_ids=[old["decision_id"]],
    )
    strict = await ask(client, "search_decisions", query="store sessions in cookies", mode="strict")
    assert [hit["id"] for hit in strict["results"]] == [new["decision_id"]]
    audit = await ask(client, "search_decisions", query="store sessions in cookies", mode="audit")
    assert [(hit["id"], hit["status"]) for hit in audit["results"]] == [
        (old["decision_id"], "superseded"),
        (new["decision_id"], "active"),
    ]
    assert audit["results"][0]["superseded_by"] == new["decision_id"]
    around = await ask(client, "graph_query_neighbors", node_name=old["decision_id"], relation_type="SUPERSEDES")
    assert [(row["name"], row["direction"]) for row in around["neighbors"]] == [
        ("Store sessions in the graph", "incoming")
    ]


@pytest.mark.proves("DEC-35", "DEC-38", "DEC-41")
async def test_the_old_words_find_what_is_in_force_now(client: Client) -> None:
    old = await ask(
        client,
        "record_decision",
        **_decision("Lazy annotations by code objects", "annotations", "PEP 649 said so."),
    )
    new = await ask(
        client,
        "supersede_decision",
        **_decision("Implementation report", "annotations", "The successor keeps the idea under other words."),
        old_decision_ids=[old["decision_id"]],
    )
    for number in range(8):
        await ask(client, "record_decision", **_decision(f"Lazy loading, part {number}", f"loading {number}"))
    found = await ask(client, "search_decisions", query="lazy annotations by code objects", limit=3)
    best = found["results"][0]
    assert best["id"] == new["decision_id"]
    assert old["decision_id"] in str(best["why"]), "it says whose similarity it inherited"
    assert round(sum(part["amount"] for part in best["why"]), 6) == best["score"]
    assert len({hit["target"] for hit in found["results"]}) == len(found["results"])


@pytest.mark.proves("DEC-18", "DEC-34")
async def test_agents_do_not_replace_what_humans_decided(connect: Connect, era: str) -> None:
    async with connect(kind="human", name="ada") as human, connect() as agent:
        made = await ask(human, "record_decision", **_decision("Ship on Fridays", "shipping day"))
        twin = await ask(agent, "record_decision", **_decision("Ship on Fridays", "shipping day, again"))
        hits = (await ask(agent, "search_decisions", query="shipping"))["results"]
        scores = {hit["id"]: hit for hit in hits}
        boosts = {part["part"]: part["amount"] for part in scores[made["decision_id"]]["why"]}
        assert boosts["human_boost"] == 0.1
        assert "human_boost" not in str(scores[twin["decision_id"]]["why"])
        replacement = {
            **_decision("Ship on Mondays", "shipping day", "Nobody is there on Saturday to mend it."),
            "old_decision_ids": [made["decision_id"]],
        }
        error = await refused(agent, "supersede_decision", **replacement)
        assert error["code"] == "ISOLATION_VIOLATION"
        assert error["message"].startswith("Isolation Violation")
    async with connect(role="admin") as admin:
        assert (await ask(admin, "supersede_decision", **replacement))["decision_id"]


@pytest.mark.proves("DEC-17", "DEC-72")
async def test_superseding_checks_every_old_id(client: Client) -> None:
    here = await ask(client, "record_decision", **_decision("One", "here"))
    there = await ask(client, "record_decision", **_decision("Two", "there"))
    replacement = _decision("Three", "here", "Long enough a reason for it.")
    for ids in (["nothing"], [there["decision_id"]], [here["decision_id"], there["decision_id"]]):
        error = await refused(client, "supersede_decision", **replacement, old_decision_ids=ids)
        assert error["status"] == "error"
        assert error["decision_id"] is None
    done = await ask(client, "supersede_decision", **replacement, old_decision_ids=[here["decision_id"]])
    error = await refused(client, "supersede_decision", **replacement, old_decision_ids=[here["decision_id"]])
    assert done["decision_id"] in str(error), "it names the one that is in force now"


@pytest.mark.proves("DEC-69")
async def test_a_viewer_reads_and_writes_nothing(connect: Connect) -> None:
    async with connect(role="viewer") as viewer:
        for tool, arguments in (
            ("record_decision", _decision("No", "nothing")),
            ("supersede_decision", {**_decision("No", "nothing", "x" * 20), "old_decision_ids": ["x"]}),
        ):
            error = await refused(viewer, tool, **arguments)
            assert error["code"] == "PERMISSION_DENIED"
            assert error["message"].startswith("Permission denied")
        assert (await ask(viewer, "search_decisions", query="anything"))["results"] == []


@pytest.mark.proves("DEC-54", "SVC-30")
async def test_another_namespace_sees_nothing(client: Client, connect: Connect) -> None:
    await ask(client, "record_decision", **_decision("Hidden", "secret thing"))
    await ask(client, "graph_add_node", label="Project", name="Hidden thing")
    async with connect(elsewhere="-other") as other:
        assert (await ask(other, "search_decisions", query="Hidden", mode="audit"))["results"] == []
        assert (await refused(other, "graph_query_neighbors", node_name="Hidden thing"))["code"] == "NOT_FOUND"
        assert (await ask(other, "record_decision", **_decision("Hidden", "secret thing")))["decision_id"]


@pytest.mark.proves("DEC-2", "DEC-16", "DEC-26")
async def test_schemas_are_those_of_the_page(client: Client) -> None:
    schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    record, supersede, search = (
        schemas[name] for name in ("record_decision", "supersede_decision", "search_decisions")
    )
    assert record["required"] == ["title", "target", "rationale"]
    assert record["properties"]["rationale"]["minLength"] == 10
    # An empty default is what leaving it out means, and is not listed.
    assert record["properties"]["consequences"].get("default", []) == []
    assert "consequences" not in record["required"]
    assert supersede["required"] == ["title", "target", "rationale", "old_decision_ids"]
    assert supersede["properties"]["rationale"]["minLength"] == 15
    limit, mode = search["properties"]["limit"], search["properties"]["mode"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 20, 5)
    assert (mode["enum"], mode["default"]) == (["strict", "balanced", "audit"], "balanced")
