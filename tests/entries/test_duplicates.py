"""The same memory again: recognised by its text or its source, and not stored twice. Source: MEM-7, MEM-72."""

import unicodedata

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.entries.recognition import compute_text_key
from tests.conftest import Cypher
from tests.entries.conftest import Agent

pytestmark = pytest.mark.anyio
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


async def _count(cypher: Cypher) -> int:
    [row] = await cypher("MATCH (entry:Entry {namespace: $namespace}) RETURN count(entry) AS entries")
    return int(row["entries"])


@pytest.mark.proves("MEM-7")
async def test_the_same_text_again_is_answered_with_the_memory_that_has_it(agent: Agent, cypher: Cypher) -> None:
    first = await agent.ask("save_memory", text="Ada keeps a parrot.", project="zoo")
    again = await agent.ask("save_memory", text=" Ada keeps\n a parrot. ", project="zoo", title="Pets", type="fact")
    assert (again["status"], again["stored"], again["duplicate_of"]) == ("duplicate", False, first["id"])
    assert (again["id"], again["created_at"]) == (first["id"], first["created_at"])
    assert "allow_duplicate" in again["message"]
    assert await _count(cypher) == 1


@pytest.mark.proves("MEM-7")
async def test_other_texts_projects_and_namespaces_are_no_duplicates(modern: Agent, cypher: Cypher) -> None:
    await modern.save("Ada keeps a parrot.")
    for more in ({"project": "other"}, {"text": "Ada keeps a Parrot."}):
        assert (await modern.ask("save_memory", **{"text": "Ada keeps a parrot.", **more}))["status"] == "saved"
    async with modern.at(namespace=f"{modern.principal.namespace}-other").connected() as stranger:
        assert (await stranger.ask("save_memory", text="Ada keeps a parrot."))["status"] == "saved"
    assert await _count(cypher) == 3


@pytest.mark.proves("MEM-7")
async def test_a_duplicate_is_stored_where_the_caller_allows_it(modern: Agent) -> None:
    first = await modern.save("told twice")
    second = await modern.save("told twice", allow_duplicate=True)
    third = await modern.save("told twice", allow_duplicate=True)
    assert len({first, second, third}) == 3
    assert set(await modern.found("told twice")) == {first, second, third}
    assert (await modern.ask("save_memory", text="told twice"))["duplicate_of"] in {first, second, third}


@pytest.mark.proves("MEM-72")
async def test_the_same_source_again_is_recognised_and_the_ways_to_go_on_are_named(
    modern: Agent, cypher: Cypher
) -> None:
    first = await modern.save("Carts live in Redis.", source_ref="mail/7")
    again = await modern.ask("save_memory", text="Carts live in the graph.", source_ref="mail/7")
    assert (again["stored"], again["duplicate_of"]) == (False, first)
    assert all(way in again["message"] for way in ("update_memory", "supersedes", "allow_duplicate"))
    await modern.save("Carts live in the graph.", source_ref="mail/7", allow_duplicate=True)
    await modern.save("Carts live in the graph.", source_ref="mail/7", project="other")
    assert await _count(cypher) == 3


@pytest.mark.proves("MEM-72")
async def test_what_was_replaced_or_has_expired_is_not_recognised(modern: Agent, cypher: Cypher) -> None:
    first = await modern.save("It rains.", source_ref="window")
    second = await modern.save("It snows.", source_ref="window", supersedes=[first])
    third = await modern.save("It rains.", valid_until="2999-01-01")
    assert len({first, second, third}) == 3
    await cypher("MATCH (e:Entry {namespace: $namespace, id: $id}) SET e.expires_at = datetime()", id=third)
    fourth = await modern.save("It rains.")
    assert fourth != third
    [old] = await modern.items("get_entries", ids=[third])
    assert old["status"] == "expired"


@pytest.mark.proves("MEM-7")
async def test_of_callers_that_save_one_text_at_once_one_stores_it(modern: Agent, cypher: Cypher) -> None:
    answers = []

    async def save() -> None:
        answers.append(await modern.ask("save_memory", text="All at once.", source_ref="race"))

    async with anyio.create_task_group() as tasks:
        for _ in range(12):
            tasks.start_soon(save)
    assert await _count(cypher) == 1
    assert sorted(answer["status"] for answer in answers) == ["duplicate"] * 11 + ["saved"]
    assert len({answer["id"] for answer in answers}) == 1


@pytest.mark.proves("MEM-7")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts, other=texts)
def test_texts_have_one_key_exactly_where_they_differ_in_white_space_or_composition(text: str, other: str) -> None:
    spaced = "\n".join(f" {word} " for word in text.split())
    assert compute_text_key(unicodedata.normalize("NFD", spaced)) == compute_text_key(text)
    same = [" ".join(unicodedata.normalize("NFC", each).split()) for each in (text, other)]
    assert (compute_text_key(text) == compute_text_key(other)) is (same[0] == same[1])
