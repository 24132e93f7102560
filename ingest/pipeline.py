"""What every ingestion is made of: how it reports while it runs, and what it tells at the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, Protocol, TypeVar

from ingest.records import BadRecord

T = TypeVar("T")
Kind = Literal["decisions", "documents", "triples", "golden", "ground-truth"]

MOST_TOLD = 1_000
"""Bad records that a summary keeps; the count is always true."""


class Progress(Protocol):
    """Hears how far an ingestion is."""

    def at(self, stage: str, records: int, share: float) -> None:
        """`records` have been dealt with, and `share` (0..1) of this stage is done."""


class Silent:
    """Hears nothing."""

    def at(self, stage: str, records: int, share: float) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a person should know about a record that was taken all the same."""

    about: str
    told: str


@dataclass(slots=True)
class Summary:
    """What an ingestion did, or with `dry_run` would do.

    `created`, `updated` and `unchanged` count records (decisions, documents, triples or queries), and with `bad` make
    up all that were read. A triple counts as updated when its relation was there and was written again. `affected`
    counts decisions that were read by an earlier run and stand otherwise now, because of these.
    """

    kind: Kind
    dry_run: bool = False
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    bad: int = 0
    affected: int = 0
    entities_created: int = 0
    passed_over: list[str] = field(default_factory=list)
    bad_records: list[BadRecord] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def read(self) -> int:
        return self.created + self.updated + self.unchanged + self.bad

    def set_aside(self, record: BadRecord) -> None:
        self.bad += 1
        if len(self.bad_records) < MOST_TOLD:
            self.bad_records.append(record)


def batches(rows: list[T], size: int) -> Iterator[list[T]]:
    """Yields the rows in lists of at most `size`."""
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
