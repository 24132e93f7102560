"""Similarity of names. `tests/graph/test_keys.py` covers case and width. Source: ENT-17."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.entities.similarity import are_similar, list_spelling_keys
from server.graph.keys import comparison_key

_NEAR = [
    ("redis", "Redis"),
    ("Message  Queue", "message queue"),
    ("\uff32\uff45\uff44\uff49\uff53", "redis"),
    ("message-queue", "Message Queue"),
    ("message_queue", "MessageQueue"),
    ("Node.js", "NodeJS"),
    ("PostgreSLQ", "PostgreSQL"),
    ("Postgres", "PostgreSQL"),
    ("Kuberntes", "Kubernetes"),
    ("Kubernettes", "Kubernetes"),
    ("Checkot Service", "Checkout Service"),
    ("order", "orders"),
    ("Box", "boxes"),
    ("policy", "Policies"),
    ("order services", "order service"),
    ("知識グラフ", "知識 グラフ"),
]
_FAR = [
    ("Redis", "Neo4j"),
    ("node 1", "node 2"),
    ("service v1", "service v2"),
    ("Python 2", "Python 3"),
    ("PEP 8", "PEP 80"),
    ("Team A", "Team B"),
    ("cart", "card"),
    ("house", "mouse"),
    ("production", "protection"),
    ("checkout service", "payment service"),
    ("order service", "service order"),
    ("知識", "知能"),
    ("知識グラフ", "知能グラフ"),
    ("C++", "C#"),
    ("a", "as"),
    ("🧠", "🎉"),
    ("-", "_"),
]


@pytest.mark.proves("ENT-17")
@pytest.mark.parametrize(("one", "other"), _NEAR)
def test_similar_names_are_similar_both_ways(one: str, other: str) -> None:
    assert are_similar(one, other)
    assert are_similar(other, one)


@pytest.mark.proves("ENT-17")
@pytest.mark.parametrize(("one", "other"), _FAR)
def test_different_names_are_not_similar(one: str, other: str) -> None:
    assert not are_similar(one, other)
    assert not are_similar(other, one)


@pytest.mark.proves("ENT-17")
@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("checkoutservice", "Checkout Service"),
        ("checkout-service", "checkoutservice"),
        ("CheckoutService", "checkout service"),
        ("checkout service", "checkout_service"),
        ("orders", "Order"),
        ("policy", "policies"),
        (" redis", "Redis"),
    ],
)
def test_another_spelling_of_a_name_is_among_its_keys(name: str, stored: str) -> None:
    assert comparison_key(stored) in list_spelling_keys(name)


@given(st.text(max_size=1000), st.text(max_size=1000))
def test_similarity_is_symmetric_and_a_name_has_few_spellings(one: str, other: str) -> None:
    assert are_similar(one, other) == are_similar(other, one)
    assert are_similar(one, one)
    assert len(list_spelling_keys(one)) <= 200


def test_the_longest_names_are_compared_quickly() -> None:
    """Fifty candidates of a thousand letters each would take minutes, were each compared letter by letter with it."""
    name = "ab" * 500
    assert not any(are_similar(name, "ba" * 499 + f"{number:02}") for number in range(5_000))


@pytest.mark.proves("ENT-18")
def test_few_of_many_unrelated_names_are_similar() -> None:
    chosen = random.Random(20261122)
    first, last = (
        ("k", "r", "m", "t", "l", "p", "sh", "v", "dr", "qu", "z", "b"),
        ("a", "e", "i", "on", "ul", "er", "os"),
    )
    names = sorted(
        {"".join(chosen.choice(first) + chosen.choice(last) for _ in range(chosen.randint(2, 4))) for _ in range(1000)}
    )
    asked = chosen.sample(names, 100)
    assert sum(are_similar(one, other) for one in asked for other in names if one != other) <= 100
