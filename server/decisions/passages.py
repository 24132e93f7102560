"""The passages that decisions and proposals are found by: title, target, rationale, consequences, alternatives."""

from collections.abc import Mapping, Sequence
from typing import Any

from server.core.fields import to_milliseconds
from server.ranking.naming import find_numbers
from server.ranking.terms import extract_terms
from server.retrieval.scope import build_family_tag
from server.retrieval.writing import PreparedText

AGENT_MARKER = "[via MCP]"
"""Begins the rationale of an agent's decision, for readers. Ranking and isolation use `origin`."""
FAMILY = "decision"


def build_decision_tag(namespace: str) -> str:
    """Build the scope tag of the passages of a namespace's decisions and proposals."""
    return build_family_tag(FAMILY, namespace)


def format_decision(decision: Mapping[str, Any]) -> str:
    """Return the text that a decision or a proposal is cut into passages from; its title captions them.

    `decision` has `title`, `target`, `rationale`, `consequences`, `alternatives` and `alternatives_why_not`.
    """
    target = "" if decision["target"].casefold() in decision["title"].casefold() else decision["target"]
    alternatives = [
        f"{option}: {why_not}" if why_not else option
        for option, why_not in zip(decision["alternatives"], decision["alternatives_why_not"], strict=True)
    ]
    rationale = decision["rationale"].removeprefix(AGENT_MARKER).strip()
    lists = [*_format_items(decision["consequences"]), *_format_items(alternatives)]
    return "\n".join([*filter(None, [target, rationale]), *lists])


def build_passages(prepared: PreparedText, decision: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the properties of a decision's passages; the first stands for the whole and has all terms.

    `decision` has `id` and `at` beside what `format_decision` takes.
    """
    whole, *parts = prepared.found_by(
        scopes=[build_decision_tag(prepared.namespace)], at=to_milliseconds(decision["at"]) // 1000 * 1000
    )
    return [{**whole, "all_words": _join_terms(decision["id"], decision["title"], format_decision(decision))}, *parts]


def _join_terms(*texts: str) -> str:
    """Return every term of the texts; a number of the first two also without its leading zeros."""
    words = [word for text in texts for word in extract_terms(text)]
    plain = [number for text in texts[:2] for number in find_numbers(text)]
    return " ".join([*words, *(number for number in plain if number not in words)])


def _format_items(texts: Sequence[str]) -> list[str]:
    return [f"- {text}" for text in texts if text.strip()]
