import re

import pytest

from server.graph.statements import statements
from server.graph.vocabulary import (
    BETWEEN_RECORDS,
    BOOKKEEPING,
    KNOWLEDGE,
    LABELS,
    RELATED,
    TYPES,
    native_label,
    native_type,
)

_PATTERN = re.compile(r"\[\w*:([A-Z][A-Z_|:]*)")


@pytest.mark.parametrize("label", sorted(LABELS))
def test_a_label_of_ours_is_never_the_native_label_of_an_agents_entity(label: str) -> None:
    assert native_label(label) == []


@pytest.mark.parametrize("label", ["Project", "Agent", "User", "Technology", "`", "🧠", "a b\n", "decision", "x" * 255])
def test_any_other_label_is_native(label: str) -> None:
    assert native_label(label) == [label]


@pytest.mark.parametrize("word", ["", "a\0b", "x" * 256])
def test_a_name_that_neo4j_does_not_allow_is_not_native(word: str) -> None:
    assert native_label(word) == []
    assert native_type(word) == RELATED


@pytest.mark.parametrize("relation", sorted(TYPES))
def test_a_relation_that_is_called_like_one_of_ours_gets_the_general_type(relation: str) -> None:
    assert native_type(relation) == RELATED


@pytest.mark.parametrize("relation", ["USES", "RELATED_TO", "is part of", "`]->() DETACH DELETE n //", "🧠"])
def test_any_other_relation_is_its_own_type(relation: str) -> None:
    assert native_type(relation) == relation


def test_followed_and_not_followed_types_are_disjoint() -> None:
    assert not KNOWLEDGE & BOOKKEEPING


def test_every_relationship_type_in_a_statement_is_in_the_vocabulary() -> None:
    named = {
        kind: name
        for name, statement in statements().items()
        for match in _PATTERN.findall(statement.text)
        for kind in re.split(r"[|:]+", match)
    }
    assert {kind: name for kind, name in named.items() if kind not in TYPES | BETWEEN_RECORDS} == {}
