"""decisions.md `search_decisions` and "Search & Ranking Policy"; design.md section 5; issue section 5."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from server.decisions.models import FoundDecision, SearchDecisions
from server.errors import InvalidArgument
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from tests.conftest import Cypher
from tests.decisions.conftest import Caller, Lay, Make

pytestmark = pytest.mark.anyio

_OLD = {"title": "Lazy evaluation of annotations by descriptors", "rationale": "Annotations are computed on access."}
_NEW = {"title": "What the steering council settled on last", "rationale": "It answers all objections that were left."}
_QUESTION = "lazy evaluation of annotations, computed on access by descriptors"


def _ids(hits: Sequence[FoundDecision]) -> list[str]:
    return [hit.id for hit in hits]


def _part(hit: FoundDecision, part: str) -> Decimal:
    return sum((Decimal(repr(each.amount)) for each in hit.why if each.part == part), Decimal())


async def test_a_result_carries_everything_about_its_decision(agent: Caller, projector: Projector) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    id_ = await agent.record("database", "Use Neo4j for the graph", "Paths are what we ask for. " * 20)
    await projector.drain()
    [hit] = await agent.search("which graph database?")
    assert (hit.id, hit.status, hit.kind) == (id_, "active", "decision")
    assert (hit.title, hit.target, hit.origin, hit.superseded_by) == (
        "Use Neo4j for the graph",
        "database",
        "agent",
        None,
    )
    assert before < hit.created_at <= datetime.now(UTC)
    rationale = "[via MCP] " + "Paths are what we ask for. " * 20
    assert hit.preview == f"Use Neo4j for the graph: {rationale[:200]}"
    assert hit.model_dump(mode="json")["created_at"].endswith("Z")


async def test_a_preview_counts_characters_as_people_do(human: Caller) -> None:
    rationale = "x" + "🧠" * 300
    await human.record("database", "Brains", rationale)
    [hit] = await human.search("brains")
    assert hit.preview == f"Brains: {rationale[:200]}"


async def test_meaning_finds_what_shares_no_word(agent: Caller, projector: Projector) -> None:
    await agent.record("cache", "Expire sessions after an hour", "Stale logins are a risk.")
    storage = await agent.record("storage", "Keep all files in object buckets", "Disks of servers fill up.")
    await projector.drain()
    hits = await agent.search("where do uploaded documents live?")
    assert hits[0].id == storage


async def test_words_find_a_decision_at_once(agent: Caller) -> None:
    id_ = await agent.record("naming", "Prefix every queue with kx7731", "Operators filter by it.")
    assert _ids(await agent.search("kx7731")) == [id_]


async def test_words_bring_in_what_meaning_puts_behind_many_others(
    agent: Caller, lay: Lay, projector: Projector, namespace: str
) -> None:
    query = "who may read invoices kx7731"
    await lay(*({"title": f"Reading of invoices, rule {n}", "status": "draft"} for n in range(60)))
    [rare] = await lay({"title": "Weather balloons are painted green", "rationale": "The committee liked kx7731."})
    await projector.drain()
    vector = await projector._embedder.embed_query(query)
    nearest = await projector._vectors.search(vector, 50, namespace=namespace, kinds=["decision"])
    assert rare not in {hit.key for hit in nearest}
    assert (await agent.search(query))[0].id == rare


async def test_who_asks_in_the_old_words_gets_the_current_answer_first(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    """PEP 749 replaced PEP 649: by its own words alone it would come far behind."""
    others = [{"title": f"Annotations of functions, style rule {n}", "at": n} for n in range(70)]
    ids = await lay(
        {**_OLD, "status": "superseded", "target": "649"}, {**_NEW, "target": "749", "replaces": [0]}, *others
    )
    await projector.drain()
    hit, *_ = await viewer.search(_QUESTION, limit=5)
    assert hit.id == ids[1]
    assert _part(hit, "similarity") > Decimal("0.7")
    assert f"it superseded {ids[0]}" in str(hit.why[0].because)
    [strict, *_] = await viewer.search(_QUESTION, limit=1, mode="strict")
    assert strict.id == ids[1]
    by_own_words = await viewer.search(_QUESTION, limit=20, mode="audit")
    assert by_own_words[0].id == ids[0]
    assert ids[1] not in _ids(by_own_words)


async def test_the_end_of_a_long_chain_answers_for_its_beginning(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    length = 100
    chain = [
        {**_OLD, "status": "superseded", "target": "t"},
        *({**_NEW, "status": "superseded", "target": "t", "replaces": [n]} for n in range(length - 2)),
        {"title": "Bananas are yellow", "target": "t", "replaces": [length - 2]},
    ]
    ids = await lay(*chain)
    await projector.drain()
    [hit] = await viewer.search(_QUESTION)
    assert hit.id == ids[-1]
    assert ids[0] in str(hit.why[0].because)


async def test_chains_that_part_and_meet_again_many_times_are_followed_quickly(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    """2^60 ways from the first to the last: following each of them would never end."""
    over = {"status": "superseded", "title": "One of many steps"}
    decisions: list[dict[str, object]] = [{**_OLD, "status": "superseded"}]
    for _ in range(60):
        last = len(decisions) - 1
        decisions += [
            {**over, "replaces": [last]},
            {**over, "replaces": [last]},
            {**over, "replaces": [last + 1, last + 2]},
        ]
    decisions.append({**_NEW, "replaces": [len(decisions) - 1]})
    ids = await lay(*decisions)
    await projector.drain()
    assert (await viewer.search(_QUESTION))[0].id == ids[-1]


async def test_where_a_decision_was_split_every_part_in_force_answers(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    ids = await lay(
        {**_OLD, "status": "superseded"},
        {"title": "Bananas are yellow", "replaces": [0], "at": 1},
        {"title": "Apples are red", "replaces": [0], "at": 2},
    )
    await projector.drain()
    assert _ids(await viewer.search(_QUESTION, mode="strict")) == [ids[2], ids[1]]


async def test_what_ended_without_a_successor_in_force_has_none(viewer: Caller, lay: Lay, projector: Projector) -> None:
    ids = await lay({**_OLD, "status": "superseded"}, {**_NEW, "status": "deprecated", "replaces": [0]})
    await projector.drain()
    assert await viewer.search(_QUESTION, mode="strict") == []
    hits = await viewer.search(_QUESTION)
    assert _ids(hits) == ids
    assert hits[0].superseded_by == ids[1]


async def test_history_is_penalised_in_balanced_and_not_in_audit(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    statuses = ["active", "draft", "superseded", "deprecated"]
    ids = await lay(*({**_OLD, "status": status, "origin": "agent", "at": n} for n, status in enumerate(statuses)))
    await projector.drain()
    balanced = await viewer.search(_QUESTION)
    assert _ids(balanced) == ids
    similarity = _part(balanced[0], "similarity")
    factors = [Decimal("0.4"), Decimal("0.2"), Decimal("0.05")]
    assert [Decimal(repr(hit.score)) for hit in balanced] == [1 + similarity, *(similarity * each for each in factors)]
    audit = await viewer.search(_QUESTION, mode="audit")
    assert _ids(audit) == ids[::-1]
    assert {Decimal(repr(hit.score)) for hit in audit} == {similarity}
    assert [hit.status for hit in audit] == statuses[::-1]


async def test_strict_never_returns_what_is_not_in_force(agent: Caller, projector: Projector) -> None:
    old = await agent.record("annotations", _OLD["title"], _OLD["rationale"])
    new = await agent.supersede("annotations", old, title=_NEW["title"], rationale=_NEW["rationale"])
    await projector.drain()
    assert _ids(await agent.search(_QUESTION, mode="strict")) == [new]


async def test_a_target_answers_once_but_audit_shows_every_version(agent: Caller, projector: Projector) -> None:
    ids = [await agent.record("annotations", _OLD["title"], _OLD["rationale"])]
    for n in range(3):
        ids.append(
            await agent.supersede(
                "annotations", ids[-1], title=f"{_OLD['title']} {n}", rationale="Better still, all in all."
            )
        )
    await projector.drain()
    assert _ids(await agent.search(_QUESTION)) == ids[-1:]
    audit = await agent.search(_QUESTION, mode="audit")
    assert sorted(_ids(audit)) == sorted(ids)
    assert {hit.id: hit.superseded_by for hit in audit} == dict(zip(ids, [*ids[1:], None], strict=True))


async def test_many_versions_of_one_target_do_not_crowd_out_the_other_targets(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    versions = [{**_OLD, "status": "superseded", "target": "t", "at": n} for n in range(80)]
    others = [{"title": f"Bananas, rule {n}"} for n in range(10)]
    await lay(*versions, *others)
    await projector.drain()
    assert len(await viewer.search(_QUESTION, limit=5)) == 5
    strict = await viewer.search(_QUESTION, limit=5, mode="strict")
    assert [hit.status for hit in strict] == ["active"] * 5


async def test_a_human_decision_beats_an_agents_by_a_tenth_and_a_marker_in_the_text_forges_nothing(
    agent: Caller, human: Caller, projector: Projector
) -> None:
    words = ("Use Neo4j", "[via MCP] Paths are what we ask for.")
    by_agent = await agent.record("one", *words)
    by_human = await human.record("other", *words)
    await projector.drain()
    first, second = await agent.search("graph paths")
    assert (first.id, second.id) == (by_human, by_agent)
    assert Decimal(repr(first.score)) - Decimal(repr(second.score)) == Decimal("0.1")


async def test_the_reasons_add_up_to_the_score(agent: Caller, lay: Lay, projector: Projector) -> None:
    statuses = ["active", "superseded", "deprecated", "draft"] * 4
    await lay(
        *(
            {"title": f"Rule {n} of annotations", "status": s, "origin": "human" if n % 3 else "agent"}
            for n, s in enumerate(statuses)
        )
    )
    await projector.drain()
    for mode in ("strict", "balanced", "audit"):
        hits = await agent.search(_QUESTION, limit=20, mode=mode)
        assert hits
        for hit in hits:
            assert sum((Decimal(repr(each.amount)) for each in hit.why), Decimal()) == Decimal(repr(hit.score))


async def test_equal_scores_come_newest_first_then_by_id(viewer: Caller, lay: Lay, projector: Projector) -> None:
    ids = await lay(*({**_OLD, "at": at} for at in (1, 3, 3, 2)))
    await projector.drain()
    for _ in range(3):
        assert _ids(await viewer.search(_QUESTION)) == [ids[1], ids[2], ids[3], ids[0]]


async def test_the_answer_does_not_change_when_the_projection_comes_round(
    viewer: Caller, lay: Lay, projector: Projector
) -> None:
    await lay(
        {**_OLD, "status": "superseded", "target": "a"},
        {**_NEW, "target": "b", "replaces": [0]},
        *({"title": f"Descriptors, rule {n}", "at": n} for n in range(15)),
    )
    before = await viewer.search(_QUESTION, limit=20)
    await projector.drain()
    after = await viewer.search(_QUESTION, limit=20)
    assert len(before) == 17
    assert _ids(before) == _ids(after)
    # Embedded in another batch, a text may differ in the last digit that is shown.
    assert all(abs(one.score - other.score) <= 0.0002 for one, other in zip(before, after, strict=True))


async def test_a_changed_text_is_compared_as_it_is_now(
    viewer: Caller, lay: Lay, projector: Projector, cypher: Cypher
) -> None:
    ids = await lay({"title": "Bananas are yellow"}, {"title": "Annotations of fruit"})
    await projector.drain()
    await cypher(
        "MATCH (d:Decision {namespace: $namespace, id: $id}) SET d:Unprojected, d.revision = 2, d.title = $title",
        id=ids[0],
        title=_OLD["title"],
    )
    assert _ids(await viewer.search(_QUESTION)) == ids


async def test_while_vectors_are_down_words_answer_with_the_same_scores_and_say_so(
    viewer: Caller, make: Make, lay: Lay, projector: Projector, no_vectors: RemoteStore
) -> None:
    await lay({**_OLD, "status": "superseded", "target": "a"}, {**_NEW, "target": "b", "replaces": [0]})
    await projector.drain()
    with_vectors = await viewer.search(_QUESTION)
    answer = await make(vectors=no_vectors).search(SearchDecisions(query=_QUESTION), viewer.principal)
    assert "index of meanings is unavailable" in answer.message
    assert _ids(answer.results) == _ids(with_vectors)
    assert all(abs(a.score - b.score) <= 0.0002 for a, b in zip(answer.results, with_vectors, strict=True))


async def test_a_backlog_larger_than_one_search_may_embed_is_told(viewer: Caller, lay: Lay) -> None:
    await lay(*({"title": f"Annotations, rule {n}"} for n in range(40)))
    answer = await viewer.service.search(SearchDecisions(query="annotations", limit=20), viewer.principal)
    assert len(answer.results) == 20
    assert "8 more matching by words are not indexed by meaning yet" in answer.message


async def test_in_a_backlog_what_replaced_a_match_is_compared_before_the_rest(viewer: Caller, lay: Lay) -> None:
    others = [{"title": f"Annotations, rule {n}"} for n in range(40)]
    ids = await lay({**_OLD, "status": "superseded"}, {**_NEW, "replaces": [0]}, *others)
    assert (await viewer.search(_QUESTION, mode="strict"))[0].id == ids[1]


async def test_nothing_of_another_namespace_is_ever_found(
    agent: Caller, caller: Callable[..., Caller], projector: Projector
) -> None:
    there = caller(within=f"{agent.principal.namespace}-b")
    foreign = await there.record("annotations", _OLD["title"], _OLD["rationale"])
    await projector.drain()
    for mode in ("strict", "balanced", "audit"):
        assert await agent.search(_QUESTION, mode=mode) == []
        assert _ids(await there.search(_QUESTION, mode=mode)) == [foreign]


async def test_what_the_graph_does_not_have_is_not_found_whatever_the_vectors_hold(
    agent: Caller, projector: Projector, cypher: Cypher
) -> None:
    await agent.record("annotations", _OLD["title"], _OLD["rationale"])
    await projector.drain()
    await cypher("MATCH (d:Decision {namespace: $namespace}) DETACH DELETE d")
    assert await agent.search(_QUESTION, mode="audit") == []


async def test_the_status_is_the_graphs_not_the_one_at_projection(
    agent: Caller, projector: Projector, cypher: Cypher
) -> None:
    await agent.record("annotations", _OLD["title"], _OLD["rationale"])
    await projector.drain()
    await cypher("MATCH (d:Decision {namespace: $namespace}) SET d.status = 'deprecated' REMOVE d.active_target")
    assert await agent.search(_QUESTION, mode="strict") == []


async def test_half_a_decision_written_by_hand_does_not_break_a_search(
    agent: Caller, projector: Projector, cypher: Cypher
) -> None:
    whole = await agent.record("annotations", _OLD["title"], _OLD["rationale"])
    await cypher("CREATE (:Decision:Unprojected {namespace: $namespace, id: 'by-hand', created_at: 'yesterday'})")
    await projector.drain()
    assert _ids(await agent.search(_QUESTION)) == [whole, "by-hand"]


@pytest.mark.parametrize(
    "written",
    ["2026-03-01T12:00:00.5+01:00[Europe/Berlin]", "2026-03-01T11:00:00.5Z", "2026-03-01T11:00:00.500000000Z"],
)
async def test_times_are_told_in_utc_whatever_zone_they_were_written_in(
    viewer: Caller, lay: Lay, cypher: Cypher, written: str
) -> None:
    await lay({**_OLD})
    await cypher("MATCH (d:Decision {namespace: $namespace}) SET d.created_at = datetime($at)", at=written)
    [hit] = await viewer.search(_QUESTION)
    assert hit.created_at == datetime(2026, 3, 1, 11, 0, 0, 500_000, tzinfo=UTC)
    assert hit.model_dump(mode="json")["created_at"] == "2026-03-01T11:00:00.500000Z"


async def test_a_viewer_may_search_and_so_may_whoever_has_no_secret(agent: Caller, viewer: Caller) -> None:
    id_ = await agent.record("annotations", _OLD["title"])
    assert _ids(await viewer.search("annotations")) == [id_]
    assert _ids(await Caller(agent.service, agent.principal.without_secret()).search("annotations")) == [id_]


@pytest.mark.parametrize(
    ("mode", "said"), [("strict", "in force"), ("balanced", "No decision"), ("audit", "No decision")]
)
async def test_no_hit_is_an_empty_list_and_a_message(viewer: Caller, mode: str, said: str) -> None:
    answer = await viewer.service.search(SearchDecisions.parse({"query": "anything", "mode": mode}), viewer.principal)
    assert (answer.status, answer.results) == ("success", [])
    assert said in answer.message


@pytest.mark.parametrize("query", ["the", "?!", "🧠", "\0", "title:* AND \\", "x" * 10_000, "word " * 2_000])
async def test_any_text_is_a_query(agent: Caller, projector: Projector, query: str) -> None:
    id_ = await agent.record("annotations", _OLD["title"])
    await projector.drain()
    assert _ids(await agent.search(query)) == [id_]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", ""),
        ("query", " \n"),
        ("query", "x" * 10_001),
        ("query", 7),
        ("limit", 0),
        ("limit", 21),
        ("limit", "5"),
        ("limit", True),
        ("limit", 5.5),
        ("limit", None),
        ("mode", "Strict"),
        ("mode", None),
        ("namespace", "other"),
    ],
)
def test_a_bad_argument_is_named(field: str, value: object) -> None:
    with pytest.raises(InvalidArgument, match=field):
        SearchDecisions.parse({"query": "anything", field: value})


async def test_the_limit_holds_and_is_five_where_none_is_said(viewer: Caller, lay: Lay) -> None:
    await lay(*({"title": f"Annotations, rule {n}"} for n in range(25)))
    assert len(await viewer.search("annotations")) == 5
    assert len(await viewer.search("annotations", limit=20)) == 20
