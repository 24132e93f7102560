"""Proposals through a real MCP client: proposing, the review window, accepting and rejecting."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client
from neo4j import AsyncDriver

from tests.interaction.conftest import Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
_ONE_ERA = pytest.mark.parametrize("era", ["2026-07-28"], indirect=True)
"""What differs between the eras is shown by the first test."""
_HOURS = "MATCH (p:Proposal {id: $id}) SET p.first_observed_at = p.first_observed_at - duration({minutes: $minutes})"


async def _age(driver: AsyncDriver, id_: str, minutes: int) -> None:
    """Behind the product's back: nothing of the product's own makes a proposal older."""
    await driver.execute_query(_HOURS, id=id_, minutes=minutes, database_="neo4j")


async def _evidence(client: Client) -> list[str]:
    texts = ("The checkout was slow again.", "Redis had swapped.", "More memory did not help.")
    return [(await ask(client, "save_memory", text=text))["id"] for text in texts]


def _proposal(evidence: list[str], **more: Any) -> dict[str, Any]:
    return {
        "title": "Cache carts in the graph",
        "target": "cart cache",
        "rationale": "Redis swaps under load, whatever we give it.",
        "confidence": 0.7,
        "evidence_ids": evidence,
        **more,
    }


@pytest.mark.proves("DEC-37", "DEC-55", "DEC-56")
async def test_a_proposal_is_a_draft_that_search_marks_as_one(client: Client) -> None:
    evidence = await _evidence(client)
    made = await ask(client, "propose_decision", **_proposal(evidence))
    assert made["searchable"] is True
    soonest = datetime.fromisoformat(made["acceptable_from"]) - datetime.now(UTC)
    assert timedelta(minutes=59) < soonest <= timedelta(hours=1)
    for mode in ("balanced", "audit"):
        (hit,) = (await ask(client, "search_decisions", query="where are carts cached?", mode=mode))["results"]
        assert (hit["id"], hit["kind"], hit["status"]) == (made["proposal_id"], "proposal", "draft")
        penalty = [part["because"] for part in hit["why"] if part["part"] == "status_penalty"]
        assert penalty == (["draft keeps 40 %"] if mode == "balanced" else [])
    assert (await ask(client, "search_decisions", query="where are carts cached?", mode="strict"))["results"] == []
    listed = await ask(client, "list_proposals")
    assert [row["id"] for row in listed["proposals"]] == [made["proposal_id"]]
    assert [row["kind"] for row in listed["proposals"][0]["evidence"]] == ["Entry"] * 3
    error = await refused(client, "propose_decision", **_proposal([evidence[0]] * 3))
    assert error["message"].startswith("PI2 Violation")
    error = await refused(client, "propose_decision", **_proposal([*evidence[:2], "nothing"]))
    assert (error["code"], error["details"]["unknown"]) == ("NOT_FOUND", ["nothing"])


@_ONE_ERA
@pytest.mark.proves("DEC-60", "DEC-61", "DEC-69")
async def test_an_admin_accepts_it_after_an_hour_and_not_before(
    client: Client, connect: Connect, driver: AsyncDriver
) -> None:
    why = "Because it is quick, as far as we know."
    old = await ask(client, "record_decision", title="Cache carts in Redis", target="cart cache", rationale=why)
    made = await ask(
        client,
        "propose_decision",
        **_proposal(await _evidence(client), suggested_supersedes=[old["decision_id"]]),
    )
    id_ = made["proposal_id"]
    error = await refused(client, "accept_proposal", proposal_id=id_)
    assert (error["status"], error["code"]) == ("error", "PERMISSION_DENIED")
    async with connect(role="admin", kind="human", name="barbara") as admin:
        error = await refused(admin, "accept_proposal", proposal_id=id_)
        assert error["code"] == "PI1_VIOLATION"
        assert error["message"].startswith("PI1 Violation")
        required, promised = (
            datetime.fromisoformat(when) for when in (error["details"]["acceptable_from"], made["acceptable_from"])
        )
        assert required == promised
        await _age(driver, id_, 59)
        assert (await refused(admin, "accept_proposal", proposal_id=id_))["code"] == "PI1_VIOLATION"
        await _age(driver, id_, 1)
        accepted = await ask(admin, "accept_proposal", proposal_id=id_)
        assert accepted["message"].startswith("Accepted")
        again = await refused(admin, "accept_proposal", proposal_id=id_)
        assert (again["code"], again["details"]["decision_id"]) == ("CONFLICT", accepted["decision_id"])
    (hit,) = (await ask(client, "search_decisions", query="cache of carts"))["results"]
    assert (hit["id"], hit["status"], hit["origin"]) == (accepted["decision_id"], "active", "human")
    assert f"Accepted proposal {id_}" in hit["preview"]
    around = await ask(client, "graph_query_neighbors", node_name=accepted["decision_id"])
    assert sorted((row["relation"], row["direction"], row["label"]) for row in around["neighbors"]) == [
        ("ABOUT", "outgoing", "Entity"),
        ("BECAME", "incoming", "Proposal"),
        *[("EVIDENCED_BY", "outgoing", "Entry")] * 3,
        ("SUPERSEDES", "outgoing", "Decision"),
    ]


@_ONE_ERA
@pytest.mark.proves("DEC-62", "DEC-63")
async def test_what_cannot_be_accepted_says_why_in_the_order_of_the_page(
    client: Client, connect: Connect, driver: AsyncDriver
) -> None:
    first, second, third = [
        (await ask(client, "propose_decision", **_proposal(await _evidence(client), title=f"Way {n}")))["proposal_id"]
        for n in range(3)
    ]
    async with connect(role="admin", kind="human", name="barbara") as admin:
        await ask(admin, "reject_proposal", proposal_id=third, reason="It was tried in spring.")
        await _age(driver, first, 60)
        decision = (await ask(admin, "accept_proposal", proposal_id=first))["decision_id"]
        codes = {}
        for name, id_ in (("unknown", "nothing"), ("wrong kind", decision), ("rejected", third), ("young", second)):
            error = await refused(admin, "accept_proposal", proposal_id=id_)
            codes[name] = error["code"]
            assert error["decision_id"] is None
        assert codes == {
            "unknown": "NOT_FOUND",
            "wrong kind": "INVALID_ARGUMENT",
            "rejected": "CONFLICT",
            "young": "PI1_VIOLATION",
        }
        await _age(driver, second, 60)
        error = await refused(admin, "accept_proposal", proposal_id=second)
        assert (error["code"], error["details"]["active_decision_id"]) == ("CONFLICT", decision)
        (rejected,) = (await ask(client, "list_proposals", status="rejected"))["proposals"]
        assert (rejected["id"], rejected["rejection_reason"]) == (third, "It was tried in spring.")
    hits = (await ask(client, "search_decisions", query="Way", mode="audit"))["results"]
    assert {(hit["id"], hit["status"]) for hit in hits} == {
        (first, "accepted"),
        (second, "draft"),
        (third, "rejected"),
        (decision, "active"),
    }


@_ONE_ERA
@pytest.mark.proves("DEC-54")
async def test_another_namespace_neither_sees_nor_decides_a_proposal(client: Client, connect: Connect) -> None:
    evidence = await _evidence(client)
    id_ = (await ask(client, "propose_decision", **_proposal(evidence)))["proposal_id"]
    async with connect(role="admin", elsewhere="-other") as other:
        assert (await ask(other, "list_proposals", status="all"))["total"] == 0
        assert (await ask(other, "search_decisions", query="carts", mode="audit"))["results"] == []
        unknown = (await refused(other, "accept_proposal", proposal_id="proposal_x"))["message"]
        for tool, more in (("accept_proposal", {}), ("reject_proposal", {"reason": "Not ours to see."})):
            error = await refused(other, tool, proposal_id=id_, **more)
            assert error["message"] == unknown.replace("proposal_x", id_)
        error = await refused(other, "propose_decision", **_proposal(evidence))
        assert error["code"] == "NOT_FOUND"
