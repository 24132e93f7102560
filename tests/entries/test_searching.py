"""Searching entries: what is found, in which order, and why. Source: MEM-18, MEM-20, MEM-26."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.core.principals import Role
from server.entries.scope import list_scope_tags
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make

pytestmark = pytest.mark.anyio
slow = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300) | st.text(
    '+-&|!(){}[]^"~*?:\\/ANDORTO a', min_size=1
)


@pytest.mark.proves("MEM-18", "MEM-19")
async def test_a_hit_has_every_specified_field(agent: Agent, projector: Projector) -> None:
    id_ = await agent.save("Ada: we chose Neo4j for the graph", title="Choice", type="decision", session_id="s")
    await projector.drain()
    answer = await agent.ask("search", query="which graph was chosen")
    [item] = answer.pop("items")
    assert answer == {"total": 1, "limit": 20, "offset": 0, "total_is_exact": True, "by_meaning": True, "message": None}
    assert {name: item[name] for name in item if name not in {"score", "created_at"}} == {
        "id": id_,
        "title": "Choice",
        "entry_type": "decision",
        "project": "home",
        "session_id": "s",
        "matched": ["meaning", "words"],
        "snippet": "Ada: we chose Neo4j for the graph",
        "section": None,
        "source_ref": None,
    }
    assert isinstance(item["score"], float | int)


@pytest.mark.proves("MEM-18")
async def test_meaning_alone_finds_what_shares_no_word(modern: Agent, projector: Projector) -> None:
    id_ = await modern.save("The physician prescribed medication")
    await modern.save("Sailing boats race around the island")
    await projector.drain()
    [item] = await modern.items("search", query="doctor gave drugs")
    assert (item["id"], item["matched"]) == (id_, ["meaning"])


@pytest.mark.proves("MEM-28")
async def test_hits_that_the_graph_does_not_confirm_are_dropped(
    modern: Agent, cypher: Cypher, projector: Projector
) -> None:
    """Qdrant still holds one that is gone, and one in the project that it was in before."""
    gone, moved, there = [
        await modern.save(text, project="ward")
        for text in ("The physician prescribed medication", "The doctor gave out pills", "A nurse handed over drugs")
    ]
    await projector.drain()
    elsewhere = " ".join(list_scope_tags(modern.principal.namespace, "home", "note"))
    await cypher(
        "MATCH (e:Entry {namespace: $namespace}) WHERE e.id = $moved SET e.scope = $scope, e.project = 'home' "
        "WITH count(*) AS _ MATCH (e:Entry {namespace: $namespace}) WHERE e.id = $gone DETACH DELETE e",
        gone=gone,
        moved=moved,
        scope=elsewhere,
    )
    answer = await modern.ask("search", query="medicine for patients", project="ward")
    assert ([item["id"] for item in answer["items"]], answer["total"]) == ([there], 1)
    answer = await modern.ask("search", query="medicine for patients")
    assert ({item["id"] for item in answer["items"]}, answer["total"]) == ({moved, there}, 2)
    assert (await modern.ask("search", query="medicine for patients", offset=1, limit=1))["total"] == 2


@pytest.mark.proves("RET-27", "RET-28")
async def test_a_question_in_the_first_person_is_answered_by_the_user(modern: Agent, projector: Projector) -> None:
    turns = ["user: On Friday the dentist expects the visit.", "assistant: On Friday the dentist expects the visit."]
    user, assistant = [await modern.save(turn, session_id="s") for turn in turns]
    await projector.drain()
    assert await modern.found("When does the dentist expect the visit?") == [assistant, user]
    assert await modern.found("When does the dentist expect me to visit?") == [user, assistant]


@pytest.mark.proves("MEM-18")
async def test_the_text_around_an_entry_in_its_session_finds_it(modern: Agent) -> None:
    """Found at once by words, before any vector; what stands three away is not found."""
    turns = ["Hello.", "Did you paint the zebra?", "Yes, in the evening!", "Great.", "Bye now."]
    ids = [await modern.save(turn, session_id="s") for turn in turns]
    found = {item["id"]: item["matched"] for item in await modern.items("search", query="zebra painting")}
    assert found == {ids[1]: ["words"], ids[0]: ["neighbour"], ids[2]: ["neighbour"], ids[3]: ["neighbour"]}
    assert (await modern.found("zebra painting"))[0] == ids[1]


@pytest.mark.proves("MEM-18")
async def test_neighbours_are_of_one_session_and_project(modern: Agent) -> None:
    await modern.save("zebra", session_id="s", project="p")
    await modern.save("alone", session_id="s", project="q")
    await modern.save("alone", session_id="t", project="p")
    await modern.save("alone", project="p", allow_duplicate=True)
    assert len(await modern.found("zebra")) == 1


@pytest.mark.proves("MEM-23")
async def test_filters_are_exact_and_apply_before_candidates_are_chosen(
    modern: Agent, cypher: Cypher, projector: Projector
) -> None:
    """One of three hundred alike is found by its project, its type, or both."""
    rare = await modern.save("the zebra crossed", project="Rare", type="sight")
    for number in range(150):
        await modern.save(f"the zebra crossed {number}", project="common", type="sight" if number % 2 else "note")
    await projector.drain()
    assert await modern.found("zebra", project="Rare") == [rare]
    assert await modern.found("zebra", project="Rare", type="sight") == [rare]
    assert await modern.found("zebra", project="rare") == []
    assert await modern.found("zebra", project="Rare", type="note") == []
    answer = await modern.ask("search", query="zebra", type="sight", limit=100)
    assert answer["total"] == 76
    assert rare in [item["id"] for item in answer["items"]]


@pytest.mark.proves("MEM-24")
async def test_a_search_can_be_narrowed_to_a_time(modern: Agent, cypher: Cypher, projector: Projector) -> None:
    saved = [await modern.ask("save_memory", text=f"zebra {number}") for number in range(3)]
    await projector.drain()
    ids, times = [each["id"] for each in saved], [each["created_at"] for each in saved]
    assert sorted(times) == times
    assert set(await modern.found("zebra", since=times[1])) == set(ids[1:])
    assert set(await modern.found("zebra", until=times[1])) == set(ids[:2])
    assert await modern.found("zebra", since=times[1], until=times[1]) == [ids[1]]
    assert set(await modern.found("zebra", since=times[0][:10], until=times[2][:10])) == set(ids)
    assert await modern.found("zebra", since="2999-01-01") == []
    assert await modern.found("zebra", until="1066-10-14T09:00:00+01:00") == []


@pytest.mark.proves("MEM-20", "MEM-26")
async def test_pages_contain_every_match_once_and_total_counts_them(modern: Agent, projector: Projector) -> None:
    ids = {await modern.save(f"zebra number {number} grazes", session_id=f"s{number % 7}") for number in range(130)}
    for number in range(30):
        await modern.save(f"a bicycle {number} has wheels")
    await projector.drain()
    first = await modern.ask("search", query="zebra", limit=40)
    walked: list[str] = []
    while page := await modern.items("search", query="zebra", limit=40, offset=len(walked)):
        walked += [item["id"] for item in page]
    assert len(walked) == len(set(walked)) == first["total"]
    assert ids <= set(walked)
    scores = [
        item["score"]
        for start in (0, 100)
        for item in await modern.items("search", query="zebra", limit=100, offset=start)
    ]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.proves("MEM-26")
async def test_past_a_thousand_matches_the_total_says_that_there_are_more(modern: Agent, cypher: Cypher) -> None:
    rows = [
        {
            "id": f"z{number}",
            "number": number + 1,
            "scope": " ".join(list_scope_tags(modern.principal.namespace, "p", "t")),
        }
        for number in range(1_200)
    ]
    await cypher(
        "UNWIND $rows AS row CREATE (:Entry:Passage {namespace: $namespace, id: row.id, "
        "node_id: -row.number, record: -row.number, name: 'zebra', title: 'zebra', body: 'zebra', type: 't', "
        "project: 'p', words: 'zebra', around: 'zebra', scope: row.scope, at: '000000000000001', revision: 1, "
        "created_at: datetime({epochMillis: 1}), status: 'active'})",
        rows=rows,
    )
    answer = await modern.ask("search", query="zebra", limit=1)
    assert (answer["total"], answer["total_is_exact"]) == (1_000, False)
    assert len(await modern.items("search", query="zebra", limit=100, offset=950)) == 50
    assert await modern.items("search", query="zebra", limit=100, offset=10**12) == []
    await cypher("MATCH (n:Passage {namespace: $namespace}) DETACH DELETE n")


@pytest.mark.proves("MEM-25")
@pytest.mark.parametrize(
    ("given_", "echoed"),
    [
        ({}, (20, 0)),
        ({"limit": 0}, (1, 0)),
        ({"limit": -7, "offset": -7}, (1, 0)),
        ({"limit": 1000, "offset": 3}, (100, 3)),
        ({"limit": 10**30}, (100, 0)),
    ],
)
async def test_limit_and_offset_are_clamped_and_repeated(
    agent: Agent, given_: dict[str, int], echoed: tuple[int, int]
) -> None:
    answer = await agent.ask("search", query="x", **given_)
    assert (answer["limit"], answer["offset"]) == echoed


@pytest.mark.proves("MEM-22")
@slow
@given(anything.filter(str.strip))
async def test_any_text_is_a_query(modern: Agent, query: str) -> None:
    assert (await modern.ask("search", query=query))["by_meaning"]


@pytest.mark.proves("MEM-22")
@pytest.mark.parametrize(
    "query",
    [
        '"unbalanced (quotes',
        "a:b /regex/ [x TO y] ^2 ~ * ? \\",
        "🐶🐱",
        "word " * 2_000,
        "".join(chr(0x4E00 + number) for number in range(10_000)),
        "\x00\x01\x02 control",
        "scope:ns* OR *:*",
    ],
)
async def test_unusual_queries_find_the_same_text(modern: Agent, projector: Projector, query: str) -> None:
    await modern.save("something else")
    id_ = await modern.save(f"about {query}"[:5_000])
    await projector.drain()
    assert (await modern.found(query[:10_000]))[0] == id_


@pytest.mark.proves("MEM-18")
async def test_a_query_of_stop_words_is_answered_by_meaning(modern: Agent, projector: Projector) -> None:
    id_ = await modern.save("to be or not to be")
    await modern.save("zebras graze")
    await projector.drain()
    answer = await modern.ask("search", query="to be")
    assert [(item["id"], item["matched"]) for item in answer["items"]] == [(id_, ["meaning"])]


@pytest.mark.proves("MEM-21")
async def test_words_match_in_other_forms_and_scripts(modern: Agent) -> None:
    painted = await modern.save("She painted a sunrise")
    tokyo = await modern.save("東京都に行きました")
    dog = await modern.save("I ❤ my 🐶")
    assert await modern.found("painting sunrises") == [painted]
    assert await modern.found("東京") == [tokyo]
    assert await modern.found("🐶") == [dog]


@pytest.mark.proves("MEM-21")
async def test_a_name_is_found_whatever_its_case_and_marks(modern: Agent) -> None:
    id_ = await modern.save("Melanie's kids love DINOSAURS!")
    for query in ("melanie", "MELANIE’S", "dinosaur", '"Dinosaurs"'):  # noqa: RUF001
        assert await modern.found(query) == [id_]


@pytest.mark.proves("MEM-29")
async def test_without_qdrant_words_still_find(make: Make, modern: Agent, no_vectors: RemoteStore) -> None:
    id_ = await modern.save("zebras graze")
    async with modern.at(make(vectors=no_vectors)).connected() as blind:
        answer = await blind.ask("search", query="zebra")
    assert [item["id"] for item in answer["items"]] == [id_]
    assert answer["by_meaning"] is False


@pytest.mark.proves("MEM-20")
async def test_an_answer_is_the_same_each_time(modern: Agent, projector: Projector) -> None:
    for number in range(30):
        await modern.save("the same words", session_id=f"s{number % 3}", allow_duplicate=True)
    await projector.drain()
    answers = [await modern.ask("search", query="same words") for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    times = [item["created_at"] for item in (await modern.items("search", query="same words", limit=100))]
    assert len(times) == 30


@pytest.mark.proves("MEM-65")
async def test_a_viewer_may_search_and_not_save(agent: Agent) -> None:
    async with agent.at(role=Role.VIEWER).connected() as viewer:
        assert await viewer.found("zebra") == []
        error = await viewer.refused("save_memory", text="zebra")
    assert error["code"] == "PERMISSION_DENIED"
    assert error["details"]["required_role"] == "agent"


@pytest.mark.proves("MEM-19", "MEM-27")
async def test_a_long_text_is_found_by_its_parts(modern: Agent, projector: Projector) -> None:
    filler = "The weather was mild and nothing of note happened that day. "
    text = filler * 30 + "Grace bought a purple telescope from the old shop. " + filler * 30
    id_ = await modern.save(f"Diary: {text}", title="Diary")
    await modern.save("An astronomer likes to look at stars")
    await projector.drain()
    items = await modern.items("search", query="who purchased the telescope?")
    assert items[0]["id"] == id_
    assert "purple telescope" in items[0]["snippet"]
    assert len(items[0]["snippet"]) <= 300
    assert [item["id"] for item in items].count(id_) == 1


@pytest.mark.proves("MEM-32")
async def test_a_large_answer_is_cut_and_marked(modern: Agent) -> None:
    for number in range(90):
        await modern.save(f"zebra {number} " + "long " * 50, title="t" * 120)
    answer = await modern.ask("search", query="zebra", limit=100)
    assert answer["truncated"] is True
    assert answer["total"] == 90
    assert 0 < len(answer["items"]) < 90
