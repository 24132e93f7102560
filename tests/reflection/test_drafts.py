"""What reflection proposes, when it is ready, and what speaks against it."""

from datetime import timedelta
from typing import Any

import pytest

from server.core.errors import Conflict
from server.decisions.models import EVIDENCE_NEEDED
from server.reflection.rules import MIN_EVIDENCE
from server.reflection.service import ReflectionService
from tests.conftest import Cypher
from tests.reflection.conftest import NOW, Reflect, Store

pytestmark = pytest.mark.anyio
_DAY = timedelta(days=1)


async def _drafts(cypher: Cypher, status: str = "draft") -> list[dict[str, Any]]:
    rows = await cypher(
        "MATCH (p:Proposal {namespace: $namespace, status: $status}) "
        "RETURN properties(p) AS p, COUNT { (p)-[:EVIDENCED_BY]->() } AS evidence, "
        "COLLECT { MATCH (p)-[:COMPETES_WITH]-(o) RETURN o.id } AS rivals "
        "ORDER BY p.target, p.stance",
        status=status,
    )
    return [{**row["p"], "evidence": row["evidence"], "rivals": row["rivals"]} for row in rows]


async def _decide(cypher: Cypher, target: str, at: Any, title: str = "Use Redis") -> None:
    await cypher(
        "MATCH (e:Entity {namespace: $namespace, name: $target}) CREATE (d:Decision {namespace: $namespace, "
        "id: 'decision_1', node_id: -1, title: $title, name: $title, target: $target, target_key: toLower($target), "
        "active_target: toLower($target), status: 'active', origin: 'human', created_at: $at})-[:ABOUT]->(e)",
        target=target,
        at=at,
        title=title,
    )


def test_a_draft_needs_as_much_evidence_as_every_proposal() -> None:
    assert MIN_EVIDENCE == EVIDENCE_NEEDED


@pytest.mark.proves("REF-1", "REF-3", "REF-5")
async def test_three_errors_about_one_thing_become_a_draft_with_their_count_and_decide_nothing(
    errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis")
    await errors("Postgres", 2)
    report = await reflect()
    assert (report.created, report.targets) == (1, 2)
    [draft] = await _drafts(cypher)
    assert (draft["target"], draft["stance"], draft["evidence"]) == ("Redis", "change", 3)
    assert draft["title"] == "Change what keeps failing about Redis"
    assert draft["rationale"].startswith("Reflection counted 3 failures and 0 successes about Redis, from 2026-06-01")
    assert (draft["confidence"], draft["ready"], draft["created_by"]) == (0.75, False, "reflection")
    assert await cypher("MATCH (d:Decision {namespace: $namespace}) RETURN d.id") == []


@pytest.mark.proves("REF-2")
@pytest.mark.parametrize(
    ("label", "properties", "stance"),
    [
        ("Correction", {}, "change"),
        ("Episode", {"reward": -0.3}, "change"),
        ("Episode", {"reward": 0.3}, "keep"),
        ("Episode", {"reward": 0.29}, None),
        ("Metric", {"metric_name": "success rate", "metric_value": 0.4}, "change"),
        ("Metric", {"metric_name": "Success", "metric_value": 80, "unit": "%"}, "keep"),
        ("Metric", {"metric_name": "latency", "metric_value": 0.1}, None),
        ("Entry", {"type": "Failure"}, "change"),
        ("Entry", {"type": "result", "metadata": '{"success":false}'}, "change"),
        ("Entry", {"type": "result", "metadata": '{"success":true}'}, "keep"),
        ("Entry", {"type": "note"}, None),
        ("Entry", {"type": "error", "status": "superseded"}, None),
    ],
)
async def test_what_counts_as_evidence(
    label: str,
    properties: dict[str, Any],
    stance: str | None,
    *,
    store_evidence: Store,
    reflect: Reflect,
    cypher: Cypher,
) -> None:
    await store_evidence(label, "Redis", count=3, **properties)
    await reflect()
    assert [draft["stance"] for draft in await _drafts(cypher)] == ([] if stance is None else [stance])


@pytest.mark.proves("REF-2")
async def test_a_correction_counts_for_what_the_corrected_record_is_about(
    store_evidence: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await store_evidence("Entry", "Redis", type="note")
    await cypher(
        "MATCH (n:Entry {namespace: $namespace}) UNWIND range(1, 3) AS i CREATE (:Correction {namespace: $namespace, "
        "id: 'c' + i, node_id: 5000 + i, name: 'c', created_at: $at})-[:CORRECTS]->(n)",
        at=NOW,
    )
    assert (await reflect()).created == 1


@pytest.mark.proves("REF-4")
async def test_corrections_and_metrics_count_for_the_things_that_their_texts_name(
    reflect: Reflect, cypher: Cypher, errors: Store
) -> None:
    await errors("Redis Cluster", 1)
    await cypher(
        "UNWIND range(1, 2) AS i CREATE (:Correction {namespace: $namespace, id: 'c' + i, node_id: 5000 + i, "
        "name: 'c', reason: 'The redis  cluster lost it, see [[Nothing]]', correction_type: 'fact', created_at: $at})",
        at=NOW,
    )
    assert (await reflect(dry_run=True)).created == 0
    report = await reflect()
    assert (report.created, report.linked) == (1, 2)
    assert await cypher("MATCH (e:Entity {namespace: $namespace, name: 'Nothing'}) RETURN e") == []
    assert (await reflect()).linked == 2  # of the last ten minutes; each link once
    [row] = await cypher("MATCH (:Correction {namespace: $namespace})-[m:MENTIONS]->() RETURN count(m) AS n")
    assert row["n"] == 2


@pytest.mark.proves("REF-3")
async def test_the_same_text_several_times_is_one_piece_of_evidence(errors: Store, reflect: Reflect) -> None:
    await errors("Redis", 3, content_key="same")
    assert (await reflect()).created == 0


@pytest.mark.proves("REF-6", "REF-5")
async def test_successes_and_failures_make_drafts_that_compete(
    errors: Store, results: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 3, ago=5 * _DAY)
    await reflect()
    await results("Redis", 6)
    report = await reflect()
    assert (report.created, report.falsified) == (1, 0)
    change, keep = await _drafts(cypher)
    assert (change["stance"], keep["stance"]) == ("change", "keep")
    assert (change["rivals"], keep["rivals"]) == ([keep["id"]], [change["id"]])
    assert keep["title"] == "Keep what works for Redis"


@pytest.mark.proves("REF-7", "REF-9")
async def test_confidence_grows_with_evidence_and_fades_with_time(
    errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 13)
    await reflect()
    [draft] = await _drafts(cypher)
    assert (draft["confidence"], draft["ready"]) == (0.93, True)
    assert (await reflect(30 * _DAY)).unchanged == 1
    [faded] = await _drafts(cypher)
    assert (faded["confidence"], faded["ready"], faded["revision"]) == (0.46, False, draft["revision"])
    await reflect(3_000 * _DAY)
    assert [each["status"] for each in await _drafts(cypher)] == ["draft"]


@pytest.mark.proves("REF-9")
async def test_evidence_of_an_hour_is_not_ready(errors: Store, reflect: Reflect, cypher: Cypher) -> None:
    await errors("Redis", 12)
    await reflect()
    assert [draft["ready"] for draft in await _drafts(cypher)] == [False]


@pytest.mark.proves("REF-7")
async def test_old_or_balanced_evidence_makes_no_draft(errors: Store, results: Store, reflect: Reflect) -> None:
    await errors("Redis", 5, ago=90 * _DAY)
    await errors("Postgres", 5)
    await results("Postgres", 4)
    assert (await reflect()).created == 0


@pytest.mark.proves("REF-8")
async def test_new_evidence_against_a_draft_falsifies_it_with_the_reason(
    errors: Store, results: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 3, ago=_DAY)
    await reflect()
    await results("Redis", 7)
    report = await reflect()
    assert report.falsified == 1
    [gone] = await _drafts(cypher, "falsified")
    assert gone["rejection_reason"] == "7 pieces of evidence speak against it and 3 for it."
    assert (gone["decided_by"], gone["confidence"], gone["ready"]) == ("reflection", 0.0, False)


@pytest.mark.proves("REF-8")
async def test_a_decision_after_the_evidence_falsifies_the_draft(
    errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 3, ago=_DAY)
    await reflect()
    await _decide(cypher, "Redis", NOW, "Use Valkey")
    await reflect()
    [gone] = await _drafts(cypher, "falsified")
    assert gone["rejection_reason"] == "“Use Valkey” was decided after this evidence."


@pytest.mark.proves("REF-8")
async def test_a_draft_whose_evidence_is_retracted_falls(errors: Store, reflect: Reflect, cypher: Cypher) -> None:
    await errors("Redis")
    await reflect()
    await cypher("MATCH (n:Entry {namespace: $namespace}) WITH n LIMIT 1 REMOVE n:Entry SET n:Retracted")
    await reflect()
    [gone] = await _drafts(cypher, "falsified")
    assert gone["rejection_reason"] == "Fewer than 3 pieces of its evidence still hold."


@pytest.mark.proves("REF-11")
async def test_failures_after_a_decision_in_force_propose_to_replace_it_and_earlier_ones_do_not(
    errors: Store, results: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 3, ago=2 * _DAY)
    await _decide(cypher, "Redis", NOW - _DAY)
    assert (await reflect()).created == 0
    await errors("Redis", 3)
    await reflect()
    change = next(draft for draft in await _drafts(cypher) if draft["target"] == "Redis")
    assert (change["title"], change["supersedes"]) == ("Reconsider “Use Redis”", ["decision_1"])
    assert "since “Use Redis” was decided" in change["rationale"]


@pytest.mark.proves("REF-11")
async def test_what_is_in_force_and_works_needs_no_proposal(results: Store, reflect: Reflect, cypher: Cypher) -> None:
    await results("Redis", 5)
    await _decide(cypher, "Redis", NOW - 2 * _DAY)
    assert (await reflect()).created == 0


@pytest.mark.proves("REF-10")
async def test_the_same_evidence_twice_changes_nothing(
    errors: Store, results: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 4)
    await results("Redis", 3)
    await reflect()
    before = await _drafts(cypher)
    changes = await cypher("MATCH (c:Change {namespace: $namespace}) RETURN count(c) AS n")
    report = await reflect()
    assert (report.created, report.updated, report.falsified) == (0, 0, 0)
    assert await _drafts(cypher) == before
    assert await cypher("MATCH (c:Change {namespace: $namespace}) RETURN count(c) AS n") == changes


@pytest.mark.proves("REF-10")
async def test_more_evidence_updates_the_draft(errors: Store, reflect: Reflect, cypher: Cypher) -> None:
    await errors("Redis", 3, ago=_DAY)
    await reflect()
    await errors("Redis", 120)
    report = await reflect()
    assert (report.created, report.updated) == (0, 1)
    [draft] = await _drafts(cypher)
    assert (draft["hit_count"], draft["evidence"], draft["revision"]) == (123, 100, 2)


@pytest.mark.proves("REF-12")
@pytest.mark.parametrize("end", ["rejected", "accepted", "falsified"])
async def test_what_was_closed_is_not_proposed_again_from_the_same_evidence(
    end: str, errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 5, ago=_DAY)
    await reflect()
    await cypher("MATCH (p:Proposal {namespace: $namespace}) SET p.status = $end", end=end)
    assert (await reflect()).created == 0
    await errors("Redis", 2)
    assert (await reflect()).created == 0
    await errors("Redis", 1)
    assert (await reflect()).created == 1
    [draft] = await _drafts(cypher)
    assert draft["hit_count"] == 3


@pytest.mark.proves("REF-12")
async def test_what_was_retracted_is_not_proposed_again_from_the_same_evidence(
    errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 5)
    await reflect()
    await cypher("MATCH (p:Proposal {namespace: $namespace}) SET p:Retracted REMOVE p:Proposal:Reindex")
    assert (await reflect()).created == 0


@pytest.mark.proves("REF-12")
@pytest.mark.parametrize("how", ["rejected", "retracted"])
async def test_evidence_of_a_closed_proposal_of_an_agent_counts_no_more(
    how: str, errors: Store, reflect: Reflect, cypher: Cypher
) -> None:
    await errors("Redis", 4)
    await cypher(
        "MATCH (n:Entry {namespace: $namespace}) WITH collect(n)[..2] AS some "
        "CREATE (p:$($label) {namespace: $namespace, id: 'p', node_id: -7, target_key: 'redis', status: 'rejected'}) "
        "FOREACH (n IN some | "
        "CREATE (p)-[:$($type) {former_type: 'EVIDENCED_BY'}]->(n))",
        label="Retracted" if how == "retracted" else "Proposal",
        type="FORMER" if how == "retracted" else "EVIDENCED_BY",
    )
    assert (await reflect()).created == 0


@pytest.mark.proves("REF-13")
async def test_a_dry_run_reports_the_same_and_writes_nothing(errors: Store, reflect: Reflect, cypher: Cypher) -> None:
    await errors("Redis")
    everything = "MATCH (n {namespace: $namespace}) RETURN count(n) AS n, sum(COUNT {(n)--()}) AS edges"
    before = await cypher(everything)
    report = await reflect(dry_run=True)
    assert (report.created, report.changes[0].title, report.changes[0].proposal_id) == (
        1,
        "Change what keeps failing about Redis",
        None,
    )
    assert await cypher(everything) == before


@pytest.mark.proves("REF-15")
async def test_a_pass_that_was_interrupted_goes_on_where_it_was(
    errors: Store, reflect: Reflect, reflection: ReflectionService, namespace: str, cypher: Cypher
) -> None:
    for number in range(5):
        await errors(f"thing {number}")
    await cypher(
        "MATCH (e:Entity {namespace: $namespace, name: 'thing 2'}) CREATE (:Reflection {namespace: $namespace, "
        "owner: 'dead', claimed_until: datetime() - duration('PT1S'), position: e.node_id})"
    )
    report = await reflect(page=1)
    assert (report.targets, report.created) == (2, 2)
    assert (await reflect(page=2)).created == 3


@pytest.mark.proves("REF-14")
async def test_of_two_passes_at_once_the_second_is_refused(errors: Store, reflect: Reflect, cypher: Cypher) -> None:
    await errors("Redis")
    await cypher(
        "CREATE (:Reflection {namespace: $namespace, owner: 'other', claimed_until: datetime() + duration('PT1M')})"
    )
    with pytest.raises(Conflict, match="another process reflects"):
        await reflect()
    assert await _drafts(cypher) == []
