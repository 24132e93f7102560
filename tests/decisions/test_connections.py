"""The links of a decision: what it is about, mentions and requires, and its evidence."""

from collections.abc import Callable
from typing import Any

import pytest

from server.core.errors import InvalidArgument, NotFound
from server.core.principals import Role
from server.decisions.service import DecisionService
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Clock, Make

pytestmark = pytest.mark.anyio
_ALL = "MATCH (n {namespace: $namespace}) WHERE NOT n:Sequence RETURN count(n) AS nodes"


async def _load_links(cypher: Cypher, id_: str) -> dict[str, list[str]]:
    rows = await cypher(
        "MATCH (d {namespace: $namespace, id: $id})-[r:ABOUT|MENTIONS|REQUIRES|EVIDENCED_BY]->(n) "
        "RETURN type(r) AS type, coalesce(n.id, n.name) AS name ORDER BY type, name",
        id=id_,
    )
    links: dict[str, list[str]] = {}
    for row in rows:
        links.setdefault(row["type"], []).append(row["name"])
    return links


async def _entities(cypher: Cypher, *names: str) -> None:
    await cypher(
        "UNWIND $names AS name "
        "CREATE (:Entity {namespace: $namespace, name: name, name_key: toLower(name), node_id: -rand() * 1000000})",
        names=names,
    )


@pytest.mark.proves("DEC-20", "DEC-23", "RET-6")
async def test_a_decision_is_linked_to_what_its_texts_name(agent: Caller, cypher: Cypher) -> None:
    await _entities(cypher, "Kafka", "Shop", "RabbitMQ", "event log", "Unnamed")
    id_ = await agent.record(
        "Checkout",
        "Checkout of the Shop publishes through [[Redis]]",
        "Simpler than KAFKA; `[[NotALink]]` is code. The checkout is small.",
        consequences=["[[Neo4j]] has to learn of it", "It reads the Event Log."],
        alternatives=[{"option": "RabbitMQ", "why_not": "nobody runs [[Erlang]] here"}, {"option": "Nothing"}],
    )
    assert await _load_links(cypher, id_) == {
        "ABOUT": ["Checkout"],
        "MENTIONS": ["Erlang", "Kafka", "Neo4j", "RabbitMQ", "Redis", "Shop", "event log"],
    }
    [row] = await cypher(
        "MATCH (d:Decision {namespace: $namespace}) RETURN d.alternatives AS options, d.alternatives_why_not AS why_not"
    )
    assert row == {"options": ["RabbitMQ", "Nothing"], "why_not": ["nobody runs [[Erlang]] here", ""]}


@pytest.mark.proves("DEC-20")
async def test_entities_that_a_link_makes_are_like_any_other(agent: Caller, cypher: Cypher) -> None:
    await agent.record("cart", rationale="We know [[Redis]] well.", about=["Shop"])
    rows = await cypher(
        "MATCH (e:Entity {namespace: $namespace}) "
        "RETURN e.name AS name, e.name_key AS key, e.label AS label, e.node_id IS NOT NULL AS numbered, "
        "e.scope IS NOT NULL AS scoped, count { (e)<-[:ABOUT|MENTIONS]-() } AS ties ORDER BY name"
    )
    assert rows == [
        {"name": name, "key": name.lower(), "label": "Entity", "numbered": True, "scoped": True, "ties": 1}
        for name in ("Redis", "Shop", "cart")
    ]


@pytest.mark.proves("DEC-20", "DEC-21")
async def test_what_it_is_about_takes_existing_entities_and_is_not_mentioned_as_well(
    agent: Caller, cypher: Cypher
) -> None:
    await _entities(cypher, "Redis", "Shop", "SHOP")
    id_ = await agent.record(
        "cart cache", "The cart cache is in [[redis]]", about=["REDIS", "shop", "Basket", "Basket"]
    )
    assert await _load_links(cypher, id_) == {"ABOUT": ["Basket", "Redis", "cart cache", "shop"]}


@pytest.mark.proves("DEC-22", "DEC-24")
async def test_a_decision_is_linked_to_required_decisions_and_evidence(
    agent: Caller, cypher: Cypher, evidence: list[str]
) -> None:
    await cypher("CREATE (:Insight {namespace: $namespace, id: 77, name: 'an insight'})")
    base = await agent.record("base")
    id_ = await agent.record("cart", requires=[base, base], evidence=[*evidence, 77, base])
    assert await _load_links(cypher, id_) == {
        "ABOUT": ["cart"],
        "REQUIRES": [base],
        "EVIDENCED_BY": [*sorted([base, *evidence]), 77],
    }
    new = await agent.supersede("cart", id_, requires=[base], evidence=evidence[:1], about=["Shop"])
    assert await _load_links(cypher, new) == {
        "ABOUT": ["Shop", "cart"],
        "REQUIRES": [base],
        "EVIDENCED_BY": evidence[:1],
    }


@pytest.mark.parametrize(
    ("ties", "named"),
    [
        ({"requires": ["decision_none"]}, "requires: no decision has the id .*decision_none"),
        ({"requires": ["seen one"]}, "requires: no decision has the id .*seen one"),
        ({"evidence": ["seen one", "nothing"]}, "evidence: no record has the id .*nothing"),
        ({"evidence": [5_000_000]}, "evidence: no record has the id .*5000000"),
    ],
)
@pytest.mark.usefixtures("evidence")
@pytest.mark.proves("DEC-7", "DEC-22")
async def test_unknown_references_are_listed_and_nothing_is_written(
    agent: Caller, cypher: Cypher, ties: dict[str, Any], named: str
) -> None:
    old = await agent.record("cart")
    before = await cypher(_ALL)
    with pytest.raises(NotFound, match=named):
        await agent.record("another", about=["New"], **ties)
    with pytest.raises(NotFound, match=named):
        await agent.supersede("cart", old, rationale="For [[New]] and better reasons", **ties)
    assert await cypher(_ALL) == before


@pytest.mark.proves("DEC-22", "DEC-54")
async def test_records_of_other_namespaces_are_unknown_references(agent: Caller, caller: Callable[..., Caller]) -> None:
    theirs = await caller(within=f"{agent.principal.namespace}-b").record("base")
    for ties in ({"requires": [theirs]}, {"evidence": [theirs]}):
        with pytest.raises(NotFound):
            await agent.record("cart", **ties)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("about", ["x"] * 51),
        ("about", [" "]),
        ("about", ["x" * 1001]),
        ("about", "one"),
        ("requires", ["x"] * 101),
        ("requires", [7]),
        ("evidence", ["x"] * 101),
        ("alternatives", [{"option": "x"}] * 21),
        ("alternatives", [{"why_not": "x"}]),
        ("alternatives", [{"option": ""}]),
        ("alternatives", [{"option": "x", "because": "y"}]),
        ("alternatives", ["x"]),
    ],
)
@pytest.mark.proves("DEC-21", "DEC-22", "DEC-23")
async def test_links_beyond_their_limits_are_refused(agent: Caller, cypher: Cypher, field: str, value: object) -> None:
    with pytest.raises(InvalidArgument, match=field):
        await agent.record("cart", **{field: value})  # type: ignore[arg-type]
    assert await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN d.id AS id") == []


@pytest.mark.parametrize(
    "name", ["'\"`}) DETACH DELETE n //", "[[", "🧠" * 1000, "\ufdfa" * 1000, "a\nb", "AND OR *:*"]
)
@pytest.mark.proves("DEC-21")
async def test_any_name_can_be_what_a_decision_is_about(agent: Caller, cypher: Cypher, name: str) -> None:
    id_ = await agent.record("cart", about=[name])
    assert await _load_links(cypher, id_) == {"ABOUT": sorted(["cart", name])}


@pytest.mark.proves("DEC-20", "RET-6")
async def test_a_text_mentions_at_most_fifty_things(agent: Caller, cypher: Cypher) -> None:
    id_ = await agent.record("cart", rationale=" ".join(f"[[thing {number}]]" for number in range(80)))
    assert len((await _load_links(cypher, id_))["MENTIONS"]) == 50


@pytest.mark.proves("DEC-23", "DEC-60")
async def test_an_accepted_proposal_passes_all_its_links_to_the_decision(
    make: Make, caller: Callable[..., Caller], cypher: Cypher, evidence: list[str], clock: Clock
) -> None:
    service: DecisionService = make(clock=clock)
    await _entities(cypher, "Kafka", "CHECKOUT")
    proposer = caller(through=service)
    base = await proposer.record("base")
    proposal = await proposer.propose(
        "Checkout",
        *evidence,
        title="Checkout asks [[Redis]]",
        about=["Shop"],
        requires=[base],
        alternatives=[{"option": "Kafka", "why_not": "too large"}],
    )
    expected = {
        "ABOUT": ["CHECKOUT", "Shop"],
        "MENTIONS": ["Kafka", "Redis"],
        "REQUIRES": [base],
        "EVIDENCED_BY": sorted(evidence),
    }
    assert await _load_links(cypher, proposal) == expected
    clock.passes(hours=2)
    admin = caller("barbara", kind="human", role=Role.ADMIN, through=service)
    decision = await admin.accept(proposal)
    assert await _load_links(cypher, decision) == expected
    [row] = await cypher(
        "MATCH (d:Decision {namespace: $namespace, id: $id}) "
        "RETURN d.target AS target, d.active_target AS held, d.alternatives AS options, d.alternatives_why_not AS why",
        id=decision,
    )
    assert row == {"target": "Checkout", "held": "checkout", "options": ["Kafka"], "why": ["too large"]}
    for unknown in ({"requires": ["nothing"]}, {"about": ["x"] * 51}):
        with pytest.raises((NotFound, InvalidArgument)):
            await proposer.propose("another", *evidence, **unknown)  # type: ignore[arg-type]
