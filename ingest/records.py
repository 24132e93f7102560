"""What the readers of sources yield: records, and what could not become one."""

import re
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Literal

from server.evaluation.models import QueryType
from server.types import Json

MAX_INDEXED = 1000
"""Characters of a string that an index covers (design.md section 3, "Indexed strings are short")."""


class Standing(Enum):
    """What a record's own status word says about it; `source_status` keeps the word itself.

    The readers map the words of each family to one of these (`ingest.sources.status`), and `ingest.chains` makes the
    status of the `:Decision` from it and from the links between records.
    """

    IN_FORCE = "in force"
    REPLACED = "replaced"
    RETIRED = "retired"  # was in force once, replaced by nothing
    DROPPED = "dropped"  # never came into force, and will not
    PENDING = "pending"  # not in force yet

    @property
    def came_into_force(self) -> bool:
        """Whether it was ever decided: only then can it have replaced something."""
        return self in {Standing.IN_FORCE, Standing.REPLACED, Standing.RETIRED}


LinkType = Literal["REQUIRES", "AMENDS", "AMENDED_BY", "MENTIONS"]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another record that says nothing about which of the two is in force."""

    relation: LinkType
    key: str


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision as a file tells it.

    `key` names it uniquely in a namespace ("PEP 8", "shop ADR 12"); `target` is None unless the file names one;
    `created` None where the file gives no date. `supersedes` and `superseded_by` are claims of this file alone, keys of
    other records. `relations` are (head, relation, tail) between entities, `labels` (entity, label). `notes` are
    sentences for the report. `digest` covers the whole text and the version of the readers.
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
    links: tuple[Link, ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Triple:
    """One relation between two entities; the arguments of `graph_add_edge` (cognitive.md), and its line.

    Without a weight an existing relation keeps its own and a new one has 1.0.
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
    """A query, and what a search for it should find: ids of insights, and contents of insights, word by word.

    `query_type` is None where the file gives none.
    """

    query: str
    expected: tuple[int | str, ...]
    query_type: QueryType | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was set aside: where it stands and what is wrong with it."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file found in a folder that shows no sign of being a decision record."""

    file: str


def storable(text: str) -> bool:
    """Whether a text can be kept by Neo4j: escapes such as `\\ud800` make strings that are not Unicode text."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def natural(key: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts keys as a person would: "PEP 9" before "PEP 10"."""
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d{1,18})", key))
