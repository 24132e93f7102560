"""Decision records into the graph: what differs from the ledger, with one decision in force per target at any time."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from ingest.ledger import IngestRun, RecordSource, to_source_row
from ingest.mentions import find_entities, find_mentions, join_texts
from ingest.pipeline import batches
from ingest.records import DecisionRecord, Triple, natural_sort_key
from ingest.relations import Rows, add_entities, write_rows
from ingest.resolution import Resolution, Verdict, find_reachable
from server.graph.graph import Transaction
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.graph.sequence import IdSequence
from server.retrieval.mentions import find_links

_BATCH = 100
"""Records of one transaction; more if they belong together."""
_TIMEOUT = 120.0

Links = list[tuple[str, list[tuple[str, str]]]]
"""Keys of decisions, each with its links: type, and the other's key or name."""


@dataclass(slots=True)
class Plan:
    """What differs from the graph: keys whose text, verdict or links have to be written."""

    records: Mapping[str, DecisionRecord]
    known: Mapping[str, RecordSource]
    verdicts: Mapping[str, Verdict]
    texts: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    unlinked: set[str] = field(default_factory=set)

    @property
    def touched(self) -> set[str]:
        return self.texts | self.changed | self.unlinked


def build_plan(
    records: Mapping[str, DecisionRecord], known: Mapping[str, RecordSource], resolution: Resolution, *, again: bool
) -> Plan:
    """Compare what was read with the ledger; `again` writes every record whatever the ledger says."""
    plan = Plan(records, known, resolution.verdicts)
    for key, verdict in resolution.verdicts.items():
        record, source = records.get(key), known.get(key)
        if record and (again or source is None or source.digest != record.digest):
            plan.texts.add(key)
        if key in plan.texts or source is None or source.verdict != hash_verdict(verdict):
            plan.changed.add(key)
        if key in plan.changed or source is None or not source.linked:  # not linked: a run was interrupted
            plan.unlinked.add(key)
    return plan


class DecisionRecordWriter:
    """Carries out a plan: first the records, group by group, then the links between them."""

    def __init__(self, run: IngestRun, plan: Plan) -> None:
        self._graph = run.graph
        self._namespace = run.namespace
        self._run = run
        self._plan = plan
        self._sequence = IdSequence(run.graph)

    async def write(self) -> int:
        """Write all of it and return how many entities were created."""
        plan, report, entities = self._plan, self._run.progress.report, 0
        written = linked = 0
        report("records", 0, 0.0)
        for keys in self._batch_groups():
            entities += await self._write(keys)
            written += len(keys)
            report("records", written, written / len(plan.changed))
        report("links", 0, 0.0)
        unlinked = sorted(plan.unlinked, key=natural_sort_key)
        # All entities that records name exist before the first text is searched for them, whatever the order of files.
        for keys in batches(unlinked, _BATCH):
            entities += await self._create_named(keys)
        for keys in batches(unlinked, _BATCH):
            entities += await self._link(keys)
            linked += len(keys)
            report("links", linked, linked / len(plan.unlinked))
        return entities

    def _batch_groups(self) -> Iterator[list[str]]:
        """The keys of one transaction each: records that supersede one another or hand on a target stay together."""
        plan = self._plan
        holders = {source.held: key for key, source in plan.known.items() if source.held and key in plan.changed}
        related: dict[str, set[str]] = {key: set() for key in plan.changed}
        for key in plan.changed:
            holder = holders.get(comparison_key(plan.verdicts[key].target), key)
            for other in {*plan.verdicts[key].supersedes, holder} & plan.changed:
                related[key].add(other)
                related[other].add(key)
        batch: dict[str, None] = {}
        written: set[str] = set()
        for key in sorted(plan.changed, key=natural_sort_key):
            if key not in written:
                group = find_reachable(key, related)
                written |= group
                batch |= dict.fromkeys(sorted(group, key=natural_sort_key))
            if len(batch) >= _BATCH:
                yield list(batch)
                batch = {}
        if batch:
            yield list(batch)

    async def _write(self, keys: list[str]) -> int:
        plan = self._plan
        texts = [plan.records[key] for key in keys if key in plan.texts]
        things = await find_entities(self._graph, self._namespace, [plan.verdicts[key].target for key in keys])
        targets = dict.fromkeys(things.values(), "Entity")
        ids = await self._sequence.take(self._namespace, len(texts) + len(targets))
        rows = [
            {
                "id": record.key,
                "node_id": node_id,
                "created_at": _to_datetime(record.created),
                "decision": _to_properties(record),
                "source": to_source_row(record),
            }
            for record, node_id in zip(texts, ids, strict=False)
        ]
        verdicts = [self._to_verdict_row(key, things) for key in keys]
        replaced = [{"id": key, "replaced": list(plan.verdicts[key].supersedes)} for key in keys]
        scope = namespace_tag(self._namespace)

        async def work(transaction: Transaction) -> int:
            await transaction.run("ingest/release_targets", namespace=self._namespace, ids=keys)
            await transaction.run(
                "ingest/write_decisions", namespace=self._namespace, scope=scope, rows=rows, run=self._run.id
            )
            created = await add_entities(transaction, self._namespace, targets, ids[len(texts) :])
            await transaction.run("ingest/write_verdicts", namespace=self._namespace, rows=verdicts)
            await transaction.run("ingest/write_supersedes", namespace=self._namespace, rows=replaced)
            return created

        return await self._graph.transaction(work, timeout=_TIMEOUT)

    def _to_verdict_row(self, key: str, things: Mapping[str, str]) -> dict[str, Any]:
        verdict, source = self._plan.verdicts[key], self._plan.known.get(key)
        successor = verdict.superseded_by
        return {
            "id": key,
            "status": verdict.status,
            "target": verdict.target,
            "target_key": comparison_key(verdict.target),
            "about": things[verdict.target],
            "superseded_by": successor,
            "superseded_at": _to_datetime(self._created(successor)) if successor else None,
            "kept": source is not None and source.claims.replaced_in_service,
            "verdict": hash_verdict(verdict),
        }

    def _created(self, key: str) -> date | None:
        record, source = self._plan.records.get(key), self._plan.known.get(key)
        return record.created if record else source.claims.created if source else None

    async def _create_named(self, keys: list[str]) -> int:
        """Create the entities that records name in front matter or by a link in their text."""
        records = [self._plan.records[key] for key in keys if key in self._plan.records]
        linked = [name for record in records for name in find_links(join_texts(record))]
        things = await find_entities(self._graph, self._namespace, linked)
        labels = dict.fromkeys(things.values(), "Entity") | _list_labels(records)
        if not labels:
            return 0
        ids = await self._sequence.take(self._namespace, len(labels))
        return await self._graph.transaction(
            lambda transaction: add_entities(transaction, self._namespace, labels, ids), timeout=_TIMEOUT
        )

    async def _link(self, keys: list[str]) -> int:
        """Write all links of records that were read now; of other records, only those between records."""
        plan = self._plan
        records = [plan.records[key] for key in keys if key in plan.records]
        between: Links = [(key, list(plan.verdicts[key].links)) for key in keys]
        targets = {record.key: plan.verdicts[record.key].target for record in records}
        mentions = await find_mentions(self._graph, self._namespace, records, targets)
        named: Links = []
        for record in records:
            mentioned = (("MENTIONS", name) for name in mentions[record.key])
            named.append((record.key, list(dict.fromkeys([*_list_named(record), *mentioned]))))
        relations = Rows.of(Triple(*relation) for record in records for relation in record.relations)
        labels = _list_labels(records)
        link_count = sum(len(find_links) for _, find_links in between + named)
        ids = await self._sequence.take(self._namespace, link_count + len(labels) + relations.ids_needed)
        complete = [key for key in keys if key in plan.records or plan.known[key].linked]

        async def work(transaction: Transaction) -> int:
            fresh = iter(ids)
            created = await add_entities(transaction, self._namespace, labels, fresh)
            created += (await write_rows(transaction, self._namespace, relations, fresh)).entities
            between_rows, named_rows = _to_link_rows(between, fresh), _to_link_rows(named, fresh)
            await transaction.run("ingest/link_decisions", namespace=self._namespace, rows=between_rows)
            await transaction.run("ingest/link_entities", namespace=self._namespace, rows=named_rows)
            await transaction.run("ingest/close_decisions", namespace=self._namespace, ids=complete)
            return created

        return await self._graph.transaction(work, timeout=_TIMEOUT)


def _to_link_rows(find_links: Links, fresh: Iterator[int]) -> list[dict[str, Any]]:
    return [
        {
            "id": key,
            "links": [list(link) for link in pairs],
            "edges": [{"type": kind, "other": other, "edge_id": next(fresh)} for kind, other in pairs],
        }
        for key, pairs in find_links
    ]


def _list_named(record: DecisionRecord) -> list[tuple[str, str]]:
    """The people and things that a record names, as pairs of link and name."""
    things = dict.fromkeys(name for head, _, tail in record.relations for name in (head, tail))
    return [*(("DECIDED_BY", name) for name in record.authors), *(("MENTIONS", name) for name in things)]


def _list_labels(records: list[DecisionRecord]) -> dict[str, str]:
    """Every entity that records name, with the label that it has if it is new."""
    named = dict.fromkeys((name for record in records for _, name in _list_named(record)), "Entity")
    people = dict.fromkeys((name for record in records for name in record.authors), "Person")
    return named | people | {name: label for record in records for name, label in record.labels}


def _to_properties(record: DecisionRecord) -> dict[str, Any]:
    return {
        "name": f"{record.key}: {record.title}",
        "title": record.title,
        "rationale": record.rationale,
        "consequences": list(record.consequences),
        "source_status": record.source_status,
        "created_by": ", ".join(record.authors) or "unknown",
    }


def _to_datetime(day: date | None) -> datetime | None:
    return datetime.combine(day, time.min, UTC) if day else None


def hash_verdict(verdict: Verdict) -> str:
    """The digest of a verdict in the ledger; it must stay the same from release to release."""
    return hashlib.sha256(repr(verdict).encode()).hexdigest()[:32]
