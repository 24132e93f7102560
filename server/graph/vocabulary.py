"""Which words of the graph are ours, and what an agent's own words become natively.

Agents choose labels, relations and property keys freely. A word of theirs becomes a native label or relationship type
only where it is none of ours and a possible token name; the exact word is always kept as the property `label` or
`relation`, so nothing is lost and nothing of theirs is ever taken for ours (design.md section 3, "Their words are not
our words"). Reserved property keys are kept beside by `server/entities/properties.py`.

Whoever adds a label, a relationship type or a key on an entity adds it here in the same change; a word that agents may
have used natively before needs a migration as well.
"""

LABELS = frozenset(
    {
        # knowledge
        "Entity",
        "Decision",
        "Proposal",
        "Entry",
        "Passage",
        "Insight",
        "Episode",
        "WorkingItem",
        "StaleItem",
        "Dialogue",
        "Message",
        "Interaction",
        "Context",
        "ContextSeries",
        "Reference",
        "Attribution",
        "Correction",
        "Metric",
        "Summary",
        "Session",
        # evaluation
        "GoldenQuery",
        "GroundTruth",
        "Evaluation",
        "Judgement",
        "DriftDay",
        # containers, named so that agents keep Project, Agent and User for their entities
        "EntryProject",
        "JournalAgent",
        "JournalUser",
        "WorkingMemory",
        "MemoryCollection",
        "Collected",
        # bookkeeping
        "Source",
        "IngestRun",
        "IngestChunk",
        "Audit",
        "Change",
        "Principal",
        "Token",
        "Sequence",
        "Migration",
        "Tombstone",
        "ArchiveImport",
        "Arriving",
        "Unprojected",
        "Unlinked",
        "EmbeddingModel",
    }
)
"""Labels of our nodes: never the native label of an agent's entity."""

KNOWLEDGE = frozenset(
    {
        "ABOUT",
        "SUPERSEDES",
        "BECAME",
        "EVIDENCED_BY",
        "COMPETES_WITH",
        "DESCRIBED_BY",
        "DISTILLED_FROM",
        "MENTIONS",
        "CORRECTS",
        "SUMMARISES",
    }
)
"""Our relationship types that neighbours and paths follow. Each counts with weight 1.0, and every node at their ends
carries `name` and the integer `node_id`."""

BOOKKEEPING = frozenset(
    {
        "IN",
        "FROM",
        "NEXT",
        "CHILD_OF",
        "RECORDED",
        "PART_OF_RUN",
        "PASSAGE_OF",
        "EVICTED_BY",
        "SHOULD_FIND",
        "JUDGES",
        "DID",
        "CHANGED",
    }
)
"""Our relationship types that are never travelled: through one container everything would be two hops from everything
(design.md section 3, "What is travelled")."""

RELATED = "RELATED"
"""The native type of an agent's relation that cannot be a type itself; its property `relation` says which it is."""

TYPES = KNOWLEDGE | BOOKKEEPING | {RELATED}
"""Relationship types that are ours: never the native type of an agent's relation."""

ENTITY_KEYS = frozenset(
    {"namespace", "name", "name_key", "label", "node_id", "scope", "revision", "created_at", "updated_at", "created_by"}
)
"""Property keys of ours on an `:Entity`."""

RELATION_KEYS = frozenset({"edge_id", "relation", "weight", "created_at", "updated_at", "created_by"})
"""Property keys of ours on a relationship between entities."""

_LONGEST = 255


def native_label(label: str) -> list[str]:
    """The labels that an entity of this label carries beside `:Entity`: the label itself, or none.

    For `SET entity:$(labels)`; the exact label goes to the property `label`.
    """
    return [label] if _possible(label) and label not in LABELS else []


def native_type(relation: str) -> str:
    """The native type of an agent's relation: itself, or `RELATED` where it is one of ours or no possible type.

    For `MERGE (a)-[edge:$($type) {relation: $relation}]->(b)`; the exact relation is always kept as the property.
    """
    return relation if _possible(relation) and relation not in TYPES else RELATED


def _possible(word: str) -> bool:
    """Whether Neo4j takes the word as a token's name; the length is ours, so that Browser stays readable."""
    return 0 < len(word) <= _LONGEST and "\0" not in word
