"""The words of a superseded decision find the decision in force that replaced it."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from server.decisions.models import FoundDecision
from server.vectors.projector import Projector
from tests.decisions.annotations import NEW, OLD, QUESTION
from tests.decisions.conftest import Caller, Store

pytestmark = pytest.mark.anyio


def _ids(hits: Sequence[FoundDecision]) -> list[str]:
    return [hit.id for hit in hits]


def _part(hit: FoundDecision, part: str) -> Decimal:
    return sum((Decimal(repr(each.amount)) for each in hit.why if each.part == part), Decimal())


@pytest.mark.proves("DEC-36", "DEC-38")
async def test_the_words_of_a_superseded_decision_find_its_successor_first(
    viewer: Caller, store_decisions: Store, projector: Projector
) -> None:
    """PEP 749 replaced PEP 649: by its own words alone it would come far behind."""
    others = [{"title": f"Annotations of functions, style rule {n}", "at": n} for n in range(70)]
    ids = await store_decisions(
        {**OLD, "status": "superseded", "target": "649"}, {**NEW, "target": "749", "replaces": [0]}, *others
    )
    await projector.drain()
    hit, *_ = await viewer.search(QUESTION, limit=5)
    assert hit.id == ids[1]
    assert _part(hit, "similarity") > Decimal("0.7")
    assert f"it superseded {ids[0]}" in str(hit.why[0].because)
    [strict, *_] = await viewer.search(QUESTION, limit=1, mode="strict")
    assert strict.id == ids[1]
    by_own_words = await viewer.search(QUESTION, limit=20, mode="audit")
    assert by_own_words[0].id == ids[0]
    assert ids[1] not in _ids(by_own_words)


@pytest.mark.proves("DEC-38")
async def test_the_end_of_a_long_chain_answers_for_its_beginning(
    viewer: Caller, store_decisions: Store, projector: Projector
) -> None:
    length = 100
    chain = [
        {**OLD, "status": "superseded", "target": "t"},
        *({**NEW, "status": "superseded", "target": "t", "replaces": [n]} for n in range(length - 2)),
        {"title": "Bananas are yellow", "target": "t", "replaces": [length - 2]},
    ]
    ids = await store_decisions(*chain)
    await projector.drain()
    [hit] = await viewer.search(QUESTION)
    assert hit.id == ids[-1]
    assert ids[0] in str(hit.why[0].because)


@pytest.mark.proves("DEC-38")
async def test_chains_that_branch_and_join_many_times_are_followed_quickly(
    viewer: Caller, store_decisions: Store, projector: Projector
) -> None:
    """2^60 ways from the first to the last: following each of them would never end."""
    over = {"status": "superseded", "title": "One of many steps"}
    decisions: list[dict[str, object]] = [{**OLD, "status": "superseded"}]
    for _ in range(60):
        last = len(decisions) - 1
        decisions += [
            {**over, "replaces": [last]},
            {**over, "replaces": [last]},
            {**over, "replaces": [last + 1, last + 2]},
        ]
    decisions.append({**NEW, "replaces": [len(decisions) - 1]})
    ids = await store_decisions(*decisions)
    await projector.drain()
    assert (await viewer.search(QUESTION))[0].id == ids[-1]


@pytest.mark.proves("DEC-38")
async def test_where_a_decision_was_split_every_part_in_force_answers(
    viewer: Caller, store_decisions: Store, projector: Projector
) -> None:
    ids = await store_decisions(
        {**OLD, "status": "superseded"},
        {"title": "Bananas are yellow", "replaces": [0], "at": 1},
        {"title": "Apples are red", "replaces": [0], "at": 2},
    )
    await projector.drain()
    assert _ids(await viewer.search(QUESTION, mode="strict")) == [ids[2], ids[1]]


@pytest.mark.proves("DEC-31", "DEC-38")
async def test_what_ended_without_a_successor_in_force_has_none(
    viewer: Caller, store_decisions: Store, projector: Projector
) -> None:
    ids = await store_decisions({**OLD, "status": "superseded"}, {**NEW, "status": "deprecated", "replaces": [0]})
    await projector.drain()
    assert await viewer.search(QUESTION, mode="strict") == []
    hits = await viewer.search(QUESTION)
    assert _ids(hits) == ids[:1]
    assert hits[0].superseded_by == ids[1]


@pytest.mark.proves("DEC-43")
async def test_in_a_backlog_what_replaced_a_match_is_compared_before_the_rest(
    viewer: Caller, store_decisions: Store
) -> None:
    others = [{"title": f"Annotations, rule {n}"} for n in range(40)]
    ids = await store_decisions({**OLD, "status": "superseded"}, {**NEW, "replaces": [0]}, *others)
    assert (await viewer.search(QUESTION, mode="strict"))[0].id == ids[1]
