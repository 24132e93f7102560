"""What the readers of sources yield: records, and what could not become one."""

import re
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Literal

from server.core.types import Json
from server.evaluation.models import QueryType

MAX_INDEXED = 1000
"""Characters of a string that an index stores. Source: ING-22."""
SortKey = tuple[tuple[int, int, str], ...]


class Standing(Enum):
    """What a record's own status says about it; `source_status` is the original text.

    The readers map the statuses of each form to one of these (`ingest.sources.status`), and `ingest.resolution` derives
    the status of the `:Decision` from it and from the links between records.
    """

    IN_FORCE = "in force"
    REPLACED = "replaced"
    RETIRED = "retired"  # was in force once, superseded by nothing
    DROPPED = "dropped"  # never came into force, and will not
    PENDING = "pending"  # not in force yet

    @property
    def came_into_force(self) -> bool:
        """Whether it was ever decided: only then can it have superseded another record."""
        return self in {Standing.IN_FORCE, Standing.REPLACED, Standing.RETIRED}


RecordLinkType = Literal["REQUIRES", "AMENDS", "AMENDED_BY", "MENTIONS"]


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A link to another record that says nothing about which of the two is in force."""

    relation: RecordLinkType
    key: str


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision as a file states it.

    `key` identifies it in a namespace ("PEP 8", "shop ADR 12"); `target` is None unless the file names one; `created`
    is None if the file gives no date. `supersedes` and `superseded_by` are claims of this file alone, keys of other
    records. `relations` are (head, relation, tail) between entities, `labels` (entity, label). `notes` are sentences
    for the report. `digest` covers the whole text and the version of the reader.
    """

    form: Literal["pep", "markdown"]
    key: str
    title: str
    standing: Standing
    source_status: str
    rationale: str
    uri: str
    digest: str
    line: int = 1
    target: str | None = None
    created: date | None = None
    authors: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    links: tuple[RecordLink, ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Triple:
    """One relation between two entities: the arguments of `graph_add_edge`, and its line.

    Without a weight an existing relation keeps its own, and a new one has 1.0.
    """

    head: str
    relation: str
    tail: str
    weight: float | None = None
    properties: dict[str, Json] = field(default_factory=dict)
    head_label: str = "Entity"
    tail_label: str = "Entity"
    line: int = 0


@dataclass(frozen=True, slots=True)
class ExpectedFinds:
    """A query, and what a search for it should find: ids of insights, and exact contents of insights.

    `query_type` is None if the file gives none.
    """

    query: str
    expected: tuple[int | str, ...]
    query_type: QueryType | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was set aside: its file and line, and what is wrong with it."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file in a folder that shows no sign of being a decision record."""

    file: str


def is_storable(text: str) -> bool:
    """Whether Neo4j can store a text: escapes such as `\\ud800` make strings that are not Unicode text."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def natural_sort_key(key: str) -> SortKey:
    """The order in which a person would sort keys: "PEP 9" before "PEP 10"."""
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d{1,18})", key))
