"""`precedent ingest commits`: the commit messages of a git repository as memories.

A commit is a memory once in a project, known by its hash: in another clone, or when history was rewritten, it is not
stored again. A batch is one transaction. The ledger has the last commit of a complete run; the next run reads on from
there, and a run that was interrupted passes over what is stored.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anyio import to_thread

from ingest.ledger import INGEST, FileLedger, IngestRun
from ingest.pipeline import IngestSummary, Progress, batches
from ingest.records import BadRecord
from ingest.sources.commits import CommitRecord, list_commits, read_commits
from server.core.errors import PolicyBlocked
from server.core.fields import encode_json
from server.entries.models import LONGEST_TITLE
from server.entries.policy import require_no_secret
from server.entries.writing import EntryWriter, NewEntry, PreparedEntry
from server.graph.graph import Graph, Transaction
from server.graph.keys import content_key
from server.graph.sequence import IdSequence
from server.retrieval.mentions import find_possible_names

_BATCH = 100
"""Commits that one transaction stores."""
_TIMEOUT = 60.0
_DECISION_ID = re.compile(r"\bdecision_\d{8}_\d{6}_\d{6}_[0-9a-f]{8}\b")
_LONGEST_ID = 100


async def ingest_commits(
    graph: Graph,
    namespace: str,
    repository: Path,
    *,
    project: str,
    dry_run: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> IngestSummary:
    """Store the commits that lead to the repository's present one in a project, and return what was done.

    Raise `InvalidArgument` where there is no repository, and `Unavailable` when the graph cannot be reached; what was
    written until then is kept.
    """
    run = IngestRun(graph, namespace, "commits", dry_run=dry_run, again=again, progress=progress)
    ledger = FileLedger(run, repository)
    await ledger.load()
    run.progress.report("commits", 0, 0.0)
    found = await to_thread.run_sync(list_commits, repository, ledger.known.digest)
    writer = CommitWriter(ledger, project, EntryWriter(graph, IdSequence(graph)))
    done = 0
    for hashes in batches(list(found.hashes), _BATCH):
        await writer.write(await to_thread.run_sync(lambda some: list(read_commits(repository, some)), hashes))
        done += len(hashes)
        run.progress.report("commits", done, done / len(found.hashes))
    if found.hashes and not dry_run:
        await ledger.open()
        await ledger.close(found.head)
    return await run.close()


class CommitWriter:
    """Stores the commits of a repository that a project does not have yet."""

    def __init__(self, ledger: FileLedger, project: str, writer: EntryWriter) -> None:
        self._ledger = ledger
        self._run = ledger.run
        self._project = project
        self._writer = writer

    async def write(self, records: Sequence[CommitRecord | BadRecord]) -> None:
        """Store a batch in one transaction; what cannot be a memory is set aside."""
        run, summary = self._run, self._run.summary
        new: list[tuple[CommitRecord, NewEntry]] = []
        known = await self._load_known([each for each in records if isinstance(each, CommitRecord)])
        for record in records:
            if isinstance(record, BadRecord):
                summary.set_aside(record)
            elif record.hash in known:
                summary.unchanged += 1
            elif (reason := _find_secret(record)) is not None:
                summary.set_aside(BadRecord(f"{self._ledger.path}@{record.hash[:12]}", 0, reason))
            else:
                new.append((record, self._build_entry(record)))
        summary.created += len(new)
        if not new or run.dry_run:
            return
        await self._ledger.open()
        prepared = [(record, await self._writer.prepare(entry, run.namespace)) for record, entry in new]
        with run.audit_context():
            await run.graph.transaction(lambda transaction: self._store(transaction, prepared), timeout=_TIMEOUT)

    async def _store(self, transaction: Transaction, commits: Sequence[tuple[CommitRecord, PreparedEntry]]) -> None:
        run = self._run
        rows: list[dict[str, Any]] = []
        for record, prepared in commits:
            stored = await self._writer.write(transaction, prepared, run.namespace, INGEST)
            rows.append({"id": stored.id, "at": record.at, "decisions": find_decision_ids(record.message)})
        await transaction.run("ingest/link_commits", namespace=run.namespace, uri=self._ledger.uri, rows=rows)

    async def _load_known(self, records: Sequence[CommitRecord]) -> set[str]:
        """The hashes of the commits that the project has as memories; a retracted one is not stored again."""
        rows = await self._run.graph.run(
            "ingest/known_commits",
            namespace=self._run.namespace,
            project=self._project,
            rows=[
                {"hash": each.hash, "source": _build_key(each.hash), "content_key": content_key(each.message)}
                for each in records
            ],
        )
        return {row["hash"] for row in rows}

    def _build_entry(self, record: CommitRecord) -> NewEntry:
        return NewEntry(
            text=record.message,
            title=record.title[:LONGEST_TITLE],
            project=self._project,
            type=record.type,
            source_ref=record.hash,
            metadata=encode_json(
                {"author": record.author, "committed_at": record.at.isoformat(), "repository": self._ledger.path.name}
            ),
            session_id=None,
            current={"current_source": _build_key(record.hash), "hash": record.hash},
        )


def find_decision_ids(message: str) -> list[str]:
    """Return the texts in a message that can be ids of decisions, such as `PEP 8` or `shop ADR 12`."""
    read = " ".join(message.split())  # which is what spans are of
    possible = {read[start:end] for spans in find_possible_names(read).values() for start, end in spans}
    numbered = {text for text in possible if len(text) <= _LONGEST_ID and any(map(str.isdigit, text))}
    return sorted(numbered | set(_DECISION_ID.findall(message)))


def _build_key(hash_: str) -> str:
    return f"git:{hash_}"


def _find_secret(record: CommitRecord) -> str | None:
    try:
        require_no_secret(record.message, record.author)
    except PolicyBlocked as blocked:
        return f"it is blocked by sensitive-data policy: {blocked.details['pattern']}"
    return None
