"""What every ingestion is made of: how it reports while it runs, and what it did in the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, TypeVar

from ingest.records import BadRecord

T = TypeVar("T")

MOST_BAD_RECORDS = 1_000
"""Bad records that a summary stores; it counts all of them."""


class Progress(Protocol):
    """Shows the progress of an ingestion."""

    def report(self, stage: str, records: int, share: float) -> None:
        """Show that `records` are processed and that `share` (0..1) of this stage is done."""


class NoProgress:
    """Shows nothing."""

    def report(self, stage: str, records: int, share: float) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person should know about a record that was stored."""

    about: str
    text: str


@dataclass(slots=True)
class IngestSummary:
    """What an ingestion did, or with `dry_run` would do; `kind` names its records.

    `created`, `updated`, `unchanged` and `bad` count all records that were read: decisions, documents, triples or
    queries. A triple counts as updated if its relation existed and was written again. `affected` counts decisions of
    earlier runs that changed because of these records; `retired` counts the entries of documents that are gone.
    """

    kind: str
    dry_run: bool = False
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    bad: int = 0
    affected: int = 0
    retired: int = 0
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
        if len(self.bad_records) < MOST_BAD_RECORDS:
            self.bad_records.append(record)


def batches(rows: list[T], size: int) -> Iterator[list[T]]:
    """Yield the rows in lists of at most `size`."""
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
