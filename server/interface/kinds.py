"""The kinds of records as callers know them, with the labels that each has in the graph."""

from collections.abc import Iterable, Mapping
from typing import Literal

Kind = Literal[
    "decision",
    "proposal",
    "entity",
    "memory",
    "message",
    "insight",
    "episode",
    "dialogue",
    "working_item",
    "summary",
    "context",
    "correction",
    "ingestion",
]
LABELS: Mapping[Kind, tuple[str, ...]] = {
    "decision": ("Decision",),
    "proposal": ("Proposal",),
    "entity": ("Entity",),
    "memory": ("Entry", "Interaction"),
    "message": ("Message",),
    "insight": ("Insight",),
    "episode": ("Episode",),
    "dialogue": ("Dialogue",),
    "working_item": ("WorkingItem", "StaleItem"),
    "summary": ("Summary",),
    "context": ("Context",),
    "correction": ("Correction",),
    "ingestion": ("IngestRun",),
}
_KINDS = {label: kind for kind, labels in LABELS.items() for label in labels}
_NOT_KINDS = {"Passage", "FormerPassage", "Unprojected", "Collected"}


def name_kind(labels: Iterable[str]) -> str:
    """Return the kind of a record with these labels; a record of another kind has its label in lower case."""
    listed = list(labels)
    known = next((_KINDS[label] for label in listed if label in _KINDS), None)
    return known or next((label.lower() for label in listed if label not in _NOT_KINDS), "record")
