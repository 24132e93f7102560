"""Commit messages as memories: what is stored, connected, set aside, and read once."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from dulwich import porcelain
from dulwich.repo import Repo

from ingest.commits import find_decision_ids, ingest_commits
from ingest.pipeline import IngestSummary
from ingest.sources.commits import CommitRecord
from server.core.errors import InvalidArgument
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.reflection.service import ReflectionService
from tests.conftest import Cypher

pytestmark = pytest.mark.anyio
_STORED = (
    "MATCH (e:Entry {namespace: $namespace}) RETURN e.body AS body, e.title AS title, e.type AS type, "
    "e.source_ref AS ref, e.metadata AS metadata, toString(e.effective_at) AS at ORDER BY e.node_id"
)


class Repository:
    """A git repository of a test."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.repo = porcelain.init(str(path))
        self._commits = 0

    def commit(self, message: str | bytes, **more: Any) -> str:
        self._commits += 1
        raw = message if isinstance(message, bytes) else message.encode()
        at = 1_767_268_800 + 3_600 * self._commits
        commit = self.repo.get_worktree().commit(
            message=raw, author=b"Ada <ada@example.org>", committer=b"Ada <ada@example.org>",
            author_timestamp=at, author_timezone=7_200, commit_timestamp=at, commit_timezone=0, **more,
        )  # fmt: skip
        return commit.decode()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")


@pytest.fixture
def ingest(graph: Graph, namespace: str, repository: Repository) -> Any:
    async def run(path: Path | None = None, **more: Any) -> IngestSummary:
        return await ingest_commits(graph, namespace, path or repository.path, project="shop", **more)

    return run


@pytest.mark.proves("ING-82")
async def test_a_commit_is_a_memory_with_hash_author_and_time_connected_to_what_it_names(
    ingest: Any, repository: Repository, cypher: Cypher
) -> None:
    await cypher(
        "CREATE (:Entity {namespace: $namespace, name: 'Redis', name_key: 'redis', node_id: -1}) "
        "CREATE (:Decision {namespace: $namespace, id: 'shop ADR 12', name: 'Use Redis', node_id: -2})"
    )
    hash_ = repository.commit("Cache carts\n\nIn redis, as shop ADR 12 says.")
    summary = await ingest()
    assert (summary.created, summary.bad) == (1, 0)
    [entry] = await cypher(_STORED)
    metadata = json.loads(entry.pop("metadata"))
    assert metadata == {
        "author": "Ada <ada@example.org>", "committed_at": "2026-01-01T13:00:00+00:00", "repository": "shop"
    }  # fmt: skip
    assert entry == {
        "body": "Cache carts\n\nIn redis, as shop ADR 12 says.", "title": "Cache carts", "type": "commit",
        "ref": hash_, "at": "2026-01-01T13:00:00Z",
    }  # fmt: skip
    edges = await cypher(
        "MATCH (:Entry {namespace: $namespace})-[r:ABOUT|MENTIONS|FROM]->(n) "
        "RETURN type(r) AS type, coalesce(n.id, n.name) AS to ORDER BY type"
    )
    assert [(edge["type"], edge["to"]) for edge in edges] == [
        ("ABOUT", "shop ADR 12"), ("FROM", "shop"), ("MENTIONS", "Redis")
    ]  # fmt: skip


@pytest.mark.proves("ING-83")
async def test_the_next_run_reads_the_new_commits_and_none_twice(
    ingest: Any, repository: Repository, cypher: Cypher, tmp_path: Path
) -> None:
    for number in range(3):
        repository.commit(f"Change {number}")
    assert (await ingest()).created == 3
    assert (await ingest()).read == 0
    repository.commit("Change 3")
    assert (await ingest(dry_run=True)).created == 1
    summary = await ingest()
    assert (summary.created, summary.read) == (1, 1)
    assert (await ingest(again=True)).unchanged == 4
    clone = tmp_path / "clone"
    porcelain.clone(str(repository.path), str(clone), checkout=False, errstream=porcelain.NoneStream()).close()
    await cypher(
        "MATCH (e:Entry {namespace: $namespace, body: 'Change 3'}) REMOVE e:Entry:Passage:Unprojected SET e:Retracted"
    )
    assert (await ingest(clone)).unchanged == 4
    assert [entry["body"] for entry in await cypher(_STORED)] == [f"Change {number}" for number in range(3)]


@pytest.mark.proves("ING-83")
async def test_a_run_that_was_interrupted_goes_on(ingest: Any, repository: Repository, cypher: Cypher) -> None:
    for number in range(3):
        repository.commit(f"Change {number}")
    await ingest()
    await cypher(
        "MATCH (s:Source {namespace: $namespace}) SET s.state = 'reading' REMOVE s.digest "
        "WITH s MATCH (e:Entry {namespace: $namespace, body: 'Change 2'}) DETACH DELETE e"
    )
    summary = await ingest()
    assert (summary.created, summary.unchanged) == (1, 2)


@pytest.mark.proves("ING-84")
async def test_what_cannot_be_a_memory_is_set_aside_and_wrong_bytes_are_replaced(
    ingest: Any, repository: Repository, cypher: Cypher
) -> None:
    repository.commit(" \n")
    repository.commit("Add password = 'hunter2hunter2' and AKIAIOSFODNN7EXAMPLE to the settings")
    repository.commit(b"Caf\xe9 opens")
    summary = await ingest()
    assert (summary.created, summary.bad) == (1, 2)
    assert [entry["body"] for entry in await cypher(_STORED)] == ["Caf\N{REPLACEMENT CHARACTER} opens"]


@pytest.mark.proves("ING-84")
async def test_a_folder_without_a_repository_is_refused_and_an_empty_one_has_no_commits(
    ingest: Any, tmp_path: Path
) -> None:
    with pytest.raises(InvalidArgument, match="not in a git repository"):
        await ingest(tmp_path)
    Repo.init(str(tmp_path / "empty"), mkdir=True).close()
    assert (await ingest(tmp_path / "empty")).read == 0


@pytest.mark.proves("ING-85")
@pytest.mark.parametrize(
    ("message", "type_"),
    [
        ("Fix the cart", "bugfix"), ("fixes #12", "bugfix"), ("Bugfix: cart", "bugfix"), ("Fixture carts", "commit"),
        ('Revert "Cache carts"', "revert"), ('Revert "Revert "Cache carts""', "commit"), ("Add a prefix", "commit"),
    ],
)  # fmt: skip
def test_fixes_and_reverts_have_types_of_their_own(message: str, type_: str) -> None:
    assert CommitRecord("0", "Ada", datetime(2026, 1, 1, tzinfo=UTC), message).type == type_


@pytest.mark.proves("ING-85")
async def test_three_fixes_of_one_thing_are_evidence(
    ingest: Any, repository: Repository, cypher: Cypher, *, graph: Graph, sequence: IdSequence, namespace: str
) -> None:
    await cypher("CREATE (:Entity {namespace: $namespace, name: 'Redis', name_key: 'redis', node_id: 0})")
    for number in range(3):
        repository.commit(f"Fix Redis, part {number}")
    await ingest()
    report = await ReflectionService(graph, sequence).reflect(namespace, at=datetime(2026, 1, 2, tzinfo=UTC))
    assert [(change.target, change.hits) for change in report.changes] == [("Redis", 3)]


def test_ids_of_decisions_in_a_message() -> None:
    found = find_decision_ids("See PEP 8 and decision_20260101_120000_000001_0123abcd.")
    assert {"PEP 8", "decision_20260101_120000_000001_0123abcd"} <= set(found)
