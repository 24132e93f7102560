"""The reserved labels, relationship types and property keys of the graph, and the native names of agents' own.

Agents choose labels, relations and property keys freely. An agent's label or relation becomes a native label or
relationship type only if Neo4j allows the name and it is not reserved. The exact name is always stored in the property
`label` or `relation`, so nothing is lost, and an agent's name never counts as a reserved one. For reserved property
keys see `server/entities/properties.py`.

A new label, relationship type or key of an entity has to be added here in the same change; a name that agents may have
used natively before also needs a migration.
"""

LABELS = frozenset(
    {
        # knowledge
        "Entity",
        "Decision",
        "Proposal",
        "Entry",
        "Passage",
        "FormerPassage",
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
        "Retracted",
        "Alias",
        "Reflection",
        "Erasure",
        "Principal",
        "Token",
        "Sequence",
        "Migration",
        "Tombstone",
        "ArchiveImport",
        "Arriving",
        "Reindex",
        "Unprojected",
        "Unlinked",
        "EmbeddingModel",
        "ProjectionClaim",
    }
)
"""Reserved labels: never the native label of an agent's entity."""

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
"""Reserved relationship types that neighbours and paths follow. Each has weight 1.0; every node at their ends has a
`name` and the integer `node_id`."""

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
        "WAS",
        "FORMER",
        "ALIAS_OF",
    }
)
"""Reserved relationship types that neighbours and paths never follow: through one container, every record would be
two hops from every other."""

RELATED = "RELATED"
"""The native type of an agent's relation that cannot be a type itself; its property `relation` has the exact name."""

BETWEEN_RECORDS = frozenset({"REQUIRES", "AMENDS", "AMENDED_BY", "WOULD_SUPERSEDE", "DECIDED_BY"})
"""Relationship types that start from decisions. They are not reserved: those of agents start from entities."""

TYPES = KNOWLEDGE | BOOKKEEPING | {RELATED}
"""All reserved relationship types: never the native type of an agent's relation."""

ENTITY_KEYS = frozenset(
    {
        "namespace",
        "name",
        "name_key",
        "label",
        "node_id",
        "scope",
        "revision",
        "created_at",
        "updated_at",
        "created_by",
        "change_operation",
        "retracted_from",
        "retracted_at",
        "retracted_by",
        "retracted_reason",
        "retracted_in",
    }
)
"""Reserved property keys of an `:Entity`."""

RELATION_KEYS = frozenset(
    {
        "edge_id",
        "relation",
        "weight",
        "created_at",
        "updated_at",
        "created_by",
        "change_operation",
        "restored_operation",
        "former_type",
        "former_until",
        "former_change",
    }
)
"""Reserved property keys of a relationship between entities."""

_LONGEST = 255


def native_label(label: str) -> list[str]:
    """Return the labels of an entity besides `:Entity`: the label itself, or none.

    For `SET entity:$(labels)`; the property `label` stores the exact label.
    """
    return [label] if _is_possible(label) and label not in LABELS else []


def native_type(relation: str) -> str:
    """Return the native type of an agent's relation: itself, or `RELATED` where it is reserved or not possible.

    For `MERGE (a)-[edge:$($type) {relation: $relation}]->(b)`; the property stores the exact relation.
    """
    return relation if _is_possible(relation) and relation not in TYPES else RELATED


def _is_possible(name: str) -> bool:
    """Return whether Neo4j accepts the name; the limit of its length keeps Neo4j Browser readable."""
    return 0 < len(name) <= _LONGEST and "\0" not in name
