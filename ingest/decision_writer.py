"""Writes decision records: what differs from the ledger, in transactions that keep one decision in force per target."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from ingest.chains import Resolution, Verdict
from ingest.ledger import DecisionSource, source_of
from ingest.pipeline import Progress, batches
from ingest.records import DecisionRecord, Triple, natural
from ingest.relations import Rows, add_entities, write_rows
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.graph.words import scope_token

_BATCH = 100
"""Records of one transaction; more where they belong together."""
_TIMEOUT = 120.0

Links = list[tuple[str, list[tuple[str, str]]]]
"""Keys of decisions, each with its links: type, and the other's key or name."""


@dataclass(slots=True)
class Plan:
    """What differs from the graph: keys whose text, verdict or links are to be written."""

    records: Mapping[str, DecisionRecord]
    known: Mapping[str, DecisionSource]
    verdicts: Mapping[str, Verdict]
    texts: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    unlinked: set[str] = field(default_factory=set)

    @property
    def touched(self) -> set[str]:
        return self.texts | self.changed | self.unlinked


def planned(
    records: Mapping[str, DecisionRecord], known: Mapping[str, DecisionSource], resolution: Resolution, *, again: bool
) -> Plan:
    """Compares what was read with the ledger; `again` writes every record whatever the ledger says."""
    plan = Plan(records, known, resolution.verdicts)
    for key, verdict in resolution.verdicts.items():
        record, source = records.get(key), known.get(key)
        if record and (again or source is None or source.digest != record.digest):
            plan.texts.add(key)
        if key in plan.texts or source is None or source.verdict != _digest(verdict):
            plan.changed.add(key)
        if key in plan.changed or source is None or not source.linked:  # not linked: a run was interrupted
            plan.unlinked.add(key)
    return plan


class DecisionWriter:
    """Carries out a plan: first the records, group by group, then the links between them."""

    def __init__(self, graph: Graph, namespace: str, run: str, plan: Plan, progress: Progress) -> None:
        self._graph = graph
        self._where: dict[str, Any] = {"namespace": namespace}
        self._namespace = namespace
        self._run = run
        self._plan = plan
        self._progress = progress
        self._sequence = IdSequence(graph)

    async def write(self) -> int:
        """Writes all of it and returns how many entities are new."""
        plan, entities = self._plan, 0
        written = linked = 0
        self._progress.at("records", 0, 0.0)
        for keys in self._groups():
            entities += await self._write(keys)
            written += len(keys)
            self._progress.at("records", written, written / len(plan.changed))
        self._progress.at("links", 0, 0.0)
        for keys in batches(sorted(plan.unlinked, key=natural), _BATCH):
            entities += await self._link(keys)
            linked += len(keys)
            self._progress.at("links", linked, linked / len(plan.unlinked))
        return entities

    def _groups(self) -> Iterator[list[str]]:
        """Keys to write in one transaction: those that supersede one another or hand a target on stay together."""
        plan = self._plan
        holders = {source.held: key for key, source in plan.known.items() if source.held and key in plan.changed}
        groups: dict[str, list[str]] = {key: [key] for key in plan.changed}
        for key in plan.changed:
            near = {*plan.verdicts[key].supersedes, holders.get(plan.verdicts[key].target, key)}
            for other in near & plan.changed:
                if groups[other] is not groups[key]:
                    merged = groups[other] + groups[key]
                    groups.update(dict.fromkeys(merged, merged))
        batch: list[str] = []
        for key in sorted(groups, key=natural):
            if groups[key] and key not in batch:
                batch += groups[key]
                for member in list(groups[key]):
                    groups[member] = []
            if len(batch) >= _BATCH:
                yield batch
                batch = []
        if batch:
            yield batch

    async def _write(self, keys: list[str]) -> int:
        plan = self._plan
        texts = [plan.records[key] for key in keys if key in plan.texts]
        targets = dict.fromkeys((plan.verdicts[key].target for key in keys), "Entity")
        ids = await self._sequence.take(self._namespace, len(texts) + len(targets))
        rows = [
            {
                "id": record.key,
                "node_id": node_id,
                "created_at": _moment(record.created),
                "decision": _properties(record),
                "source": source_of(record),
            }
            for record, node_id in zip(texts, ids, strict=False)
        ]
        verdicts = [self._verdict(key) for key in keys]
        replaced = [{"id": key, "replaced": list(plan.verdicts[key].supersedes)} for key in keys]
        scope = scope_token(self._namespace)

        async def work(transaction: Transaction) -> int:
            await transaction.run("ingest/release_targets", **self._where, ids=keys)
            await transaction.run("ingest/write_decisions", **self._where, scope=scope, rows=rows, run=self._run)
            created = await add_entities(transaction, self._namespace, targets, ids[len(texts) :])
            await transaction.run("ingest/write_verdicts", **self._where, rows=verdicts)
            await transaction.run("ingest/write_supersedes", **self._where, rows=replaced)
            return created

        return await self._graph.transaction(work, timeout=_TIMEOUT)

    def _verdict(self, key: str) -> dict[str, Any]:
        verdict, source = self._plan.verdicts[key], self._plan.known.get(key)
        successor = verdict.superseded_by
        return {
            "id": key,
            "status": verdict.status,
            "target": verdict.target,
            "superseded_by": successor,
            "superseded_at": _moment(self._created(successor)) if successor else None,
            "kept": source is not None and source.claims.replaced_in_service,
            "verdict": _digest(verdict),
        }

    def _created(self, key: str) -> date | None:
        record, source = self._plan.records.get(key), self._plan.known.get(key)
        return record.created if record else source.claims.created if source else None

    async def _link(self, keys: list[str]) -> int:
        """Draws the links of records that were read now; of others, which they may concern, only those to records."""
        plan = self._plan
        records = [plan.records[key] for key in keys if key in plan.records]
        between: Links = [(key, list(plan.verdicts[key].links)) for key in keys]
        named: Links = [(record.key, _named(record)) for record in records]
        relations = Rows.of(Triple(*relation) for record in records for relation in record.relations)
        labels = _labels(records)
        drawn = sum(len(links) for _, links in between + named)
        ids = await self._sequence.take(self._namespace, drawn + len(labels) + relations.ids_needed)
        whole = [key for key in keys if key in plan.records or plan.known[key].linked]

        async def work(transaction: Transaction) -> int:
            fresh = iter(ids)
            created = await add_entities(transaction, self._namespace, labels, fresh)
            created += (await write_rows(transaction, self._namespace, relations, fresh)).entities
            await transaction.run("ingest/link_decisions", **self._where, rows=_rows(between, fresh))
            await transaction.run("ingest/link_entities", **self._where, rows=_rows(named, fresh))
            await transaction.run("ingest/close_decisions", **self._where, ids=whole)
            return created

        return await self._graph.transaction(work, timeout=_TIMEOUT)


def _rows(links: Links, fresh: Iterator[int]) -> list[dict[str, Any]]:
    return [
        {
            "id": key,
            "links": [list(link) for link in pairs],
            "edges": [{"type": kind, "other": other, "edge_id": next(fresh)} for kind, other in pairs],
        }
        for key, pairs in links
    ]


def _named(record: DecisionRecord) -> list[tuple[str, str]]:
    """The people and things that a record names, as pairs of link and name."""
    things = dict.fromkeys(name for head, _, tail in record.relations for name in (head, tail))
    return [*(("DECIDED_BY", name) for name in record.authors), *(("MENTIONS", name) for name in things)]


def _labels(records: list[DecisionRecord]) -> dict[str, str]:
    """Every entity that records name, with its label where it is new."""
    named = dict.fromkeys((name for record in records for _, name in _named(record)), "Entity")
    people = dict.fromkeys((name for record in records for name in record.authors), "Person")
    return named | people | {name: label for record in records for name, label in record.labels}


def _properties(record: DecisionRecord) -> dict[str, Any]:
    return {
        "name": f"{record.key}: {record.title}",
        "title": record.title,
        "rationale": record.rationale,
        "consequences": list(record.consequences),
        "source_status": record.source_status,
        "created_by": ", ".join(record.authors) or "unknown",
    }


def _moment(day: date | None) -> datetime | None:
    return datetime.combine(day, time.min, UTC) if day else None


def _digest(verdict: Verdict) -> str:
    return hashlib.sha256(repr(verdict).encode()).hexdigest()[:32]
