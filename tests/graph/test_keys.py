"""Names are compared by what all ways to write them have in common; Python and Cypher say the same."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from server.graph.keys import comparison_key
from server.graph.migrations import list_migrations

pytestmark = pytest.mark.anyio
_STORED = st.characters(exclude_categories=("Cs", "Cn"))
_HARD = (
    "".join(map(chr, range(0x250)))
    + "ΑΣσς\u0130\u0131\u1e9eßﬁŒ\uff21\uff4b\u2168\u2126\u212a\u3000\u2028\u1680\u0331\u0307Hh"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Message Queue", "message queue"),
        ("  message \t\n queue ", "message queue"),
        ("message\u00a0queue", "message queue"),
        ("message\u2028queue\u3000", "message queue"),
        ("\uff2d\uff45\uff53\uff53\uff41\uff47\uff45", "message"),
        ("ΟΔΟΣ", "οδος"),
        ("ΟΔΟΣ", "οδοσ"),
        ("Caf\u00e9", "CAFE\u0301"),
        ("H\u0331", "\u1e96"),
        ("\ufb01le", "FILE"),
    ],
)
def test_case_width_and_spacing_make_no_difference(one: str, other: str) -> None:
    assert comparison_key(one) == comparison_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("message queue", "messagequeue"),
        ("message queue", "message-queue"),
        ("v1", "v2"),
        ("cafe", "café"),
        ("C", "C++"),
    ],
)
def test_other_letters_and_signs_do(one: str, other: str) -> None:
    assert comparison_key(one) != comparison_key(other)


@given(st.text())
def test_a_key_is_its_own_key_and_has_no_space_to_spare(text: str) -> None:
    key = comparison_key(text)
    assert comparison_key(key) == key
    assert key == " ".join(key.split())


@given(st.text())
def test_a_key_is_the_same_in_capitals_where_capitals_lead_back(text: str) -> None:
    if text.upper().lower() == text.lower():
        assert comparison_key(text.upper()) == comparison_key(text)


def test_a_key_is_never_too_long_for_an_index() -> None:
    assert len(comparison_key("\ufdfa" * 55)) == 990
    assert comparison_key("\ufdfa" * 1000) == "\ufdfa" * 1000


@pytest.mark.long
async def test_the_graph_makes_the_same_keys(driver: AsyncDriver) -> None:
    @settings(max_examples=10)  # of 300 texts each
    @given(st.lists(st.text(_STORED), min_size=300, max_size=300))
    def collect(texts: list[str]) -> None:
        names.extend(texts)

    characters = [f"A{character}B {character}" for character in map(chr, range(0x30000)) if _assigned(character)]
    # Many in one name, which Neo4j computes faster than as many names.
    names = [" ".join(characters[start : start + 20]) for start in range(0, len(characters), 20)]
    names += [a + b for a in _HARD for b in _HARD]
    names += ["\ufdfa" * 1000, "\ufdfa" * 55, "\ufdfa" * 56, "🧠" * 1000]
    collect()
    keys: dict[str, str] = {}
    for start in range(0, len(names), 20_000):
        answer = await driver.execute_query(_as_migrated(), names=names[start : start + 20_000], database_="neo4j")
        keys |= {record["name"]: record["key"] for record in answer.records}
    assert keys.keys() == set(names)
    assert {name: key for name, key in keys.items() if key != comparison_key(name)} == {}


def _assigned(character: str) -> bool:
    """What Python's Unicode does not know yet, Neo4j's may."""
    return unicodedata.category(character) not in {"Cs", "Cn"}


def _as_migrated() -> str:
    """The migration's own computation of a name's key."""
    statements = next(migration.statements for migration in list_migrations() if migration.name == "target_keys")
    (statement,) = (text for text in statements if text.startswith("MATCH (entity:Entity)"))
    computed = statement.partition("\n")[2].partition("\nWHERE")[0]
    return f"UNWIND $names AS name WITH {{name: name}} AS entity\n{computed}\nRETURN entity.name AS name, key"
