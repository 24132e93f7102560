"""A damaged or changed file is refused with the number of the line, before anything is changed."""

import gzip
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from server.core.errors import InvalidArgument, PrecedentError, SchemaTooNew
from server.graph.graph import Graph
from server.graph.lucene import digest, namespace_tag
from tests.ingest.backup.snapshot import cypher, exported, imported

pytestmark = pytest.mark.anyio
Lines = list[dict[str, Any]]


@pytest.fixture
async def lines(graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path) -> Lines:
    """The lines of a backup: manifest, two nodes, one relationship, checksum."""
    made = "CREATE (:Thing {namespace: $n, uid: 1, at: date()})-[:R {a: 1}]->(:Thing {namespace: $n, uid: 2})"
    await cypher(driver, made, n=namespace)
    await exported(graph, namespace, tmp_path / "backup.jsonl")
    return [json.loads(line) for line in (tmp_path / "backup.jsonl").read_text().splitlines()]


def sealed(lines: Lines, file: Path) -> Path:
    """Writes lines with a checksum that fits: as somebody would who knows how."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines[:-1])
    file.write_bytes(body + json.dumps({"sha256": sha256(body).hexdigest()}).encode() + b"\n")
    return file


async def left(driver: AsyncDriver, namespace: str) -> list[list[Any]]:
    return await cypher(driver, "MATCH (n {namespace: $n}) RETURN labels(n)", n=f"{namespace}-copy")


def _set(line: int, **values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[line].update(values)


_WRONG: dict[str, tuple[int, Callable[[Lines], None], str]] = {
    "not a backup": (1, _set(0, archive="other"), "not a backup"),
    "another format": (1, _set(0, format=2), "this release reads 1"),
    "a bad manifest": (1, _set(0, nodes="two"), "nodes"),
    "fewer nodes than stated": (1, _set(0, nodes=3), "the manifest states 3 nodes"),
    "another content": (1, _set(0, content="0" * 64), "content"),
    "a changed property": (1, _set(1, properties={"uid": 3}), "content"),
    "a number left out": (3, _set(2, node=3), "node 2 comes next|and 2 comes next"),
    "a token": (2, _set(1, labels=["Token"]), "a backup has no node"),
    "a label that cannot be": (2, _set(1, labels=[""]), "not valid labels"),
    "another namespace": (2, _set(1, properties={"namespace": "theirs"}), "namespace"),
    "an end that is not there": (4, _set(3, to=7), "no node 7"),
    "a type that cannot be": (4, _set(3, relation="a\0"), "not a valid type"),
    "a number too large": (4, _set(3, properties={"a": 2**63}), "'a'"),
    "elements of two types": (4, _set(3, properties={"a": [1, "b"]}), "one type"),
    "text that is no text": (4, _set(3, properties={"a": "\ud800"}), "'a'"),
    "a map": (4, _set(3, properties={"a": {"MAP": "b"}}), "not a valid type"),
    "something else": (4, _set(3, more=1), "neither a node nor a relationship"),
}


@pytest.mark.parametrize("case", _WRONG)
@pytest.mark.proves("ING-72")
async def test_a_bad_line_is_named_and_nothing_is_changed(  # noqa: PLR0917 - fixtures
    case: str, graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path, lines: Lines
) -> None:
    number, spoil, reason = _WRONG[case]
    spoil(lines)
    with pytest.raises(InvalidArgument, match=rf"line {number}: .*({reason})"):
        await imported(graph, sealed(lines, tmp_path / "a.jsonl"), f"{namespace}-copy")
    assert await left(driver, namespace) == []


@pytest.mark.proves("ING-73")
async def test_a_newer_schema_is_refused(graph: Graph, namespace: str, tmp_path: Path, lines: Lines) -> None:
    lines[0]["schema"] = 1000
    with pytest.raises(SchemaTooNew, match="1000"):
        await imported(graph, sealed(lines, tmp_path / "a.jsonl"), f"{namespace}-copy")


@pytest.mark.proves("ING-73")
async def test_records_of_an_older_schema_are_migrated(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    """As where an agent used a label that has become ours since (migration 7)."""
    await cypher(driver, "CREATE (:Entity:Change {namespace: $n, name: 'a'})", n=namespace)
    await exported(graph, namespace, tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    lines[0]["schema"] = 6
    await imported(graph, sealed(lines, tmp_path / "a.jsonl"), f"{namespace}-copy")
    found = await cypher(
        driver, "MATCH (e {namespace: $n, name: 'a'}) RETURN labels(e), e.label", n=f"{namespace}-copy"
    )
    assert found == [[["Entity"], "Change"]]


@pytest.mark.proves("ING-72")
async def test_damage_is_found_wherever_it_is(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path, lines: Lines
) -> None:
    """Bytes that are changed and ends that are missing, all over the file, plain and gzipped."""
    plain = (tmp_path / "backup.jsonl").read_bytes()
    packed = gzip.compress(plain)
    spoilt = [plain[:cut] for cut in range(0, len(plain), 97)] + [packed[:cut] for cut in range(0, len(packed), 41)]
    spoilt += [plain[:at] + bytes([plain[at] ^ 1]) + plain[at + 1 :] for at in range(0, len(plain), 61)]
    spoilt += [packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :] for at in range(10, len(packed), 29)]
    spoilt += [b"", b"\n", b"[]\n", plain + b"{}\n", b"[" * 100_000]
    for each in spoilt:
        (tmp_path / "a.jsonl").write_bytes(each)
        with pytest.raises(PrecedentError):
            await imported(graph, tmp_path / "a.jsonl", f"{namespace}-copy")
    assert await left(driver, namespace) == []
    (tmp_path / "a.jsonl").write_bytes(packed)
    assert (await imported(graph, tmp_path / "a.jsonl", f"{namespace}-copy")).manifest.nodes == 2


@pytest.mark.proves("ING-74", "ING-75")
async def test_what_only_neo4j_refuses_is_removed(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    """Two entities of one name: the file is valid, and no graph can store it."""
    await cypher(
        driver,
        "UNWIND [1, 2] AS id CREATE (:Thing {namespace: $n, name: 'twin', uid: id})-[:R]->(:Thing {namespace: $n})",
        n=namespace,
    )
    await exported(graph, namespace, tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    for line in lines:
        if "labels" in line and "node" in line:
            line["labels"] = ["Entity"]
    with pytest.raises(InvalidArgument, match="content") as refused:
        await imported(graph, sealed(lines, tmp_path / "a.jsonl"), f"{namespace}-copy")
    lines[0]["content"] = refused.value.message.split("has content ")[1][:64]
    lines[0]["labels"] = {"Entity": 4}
    with pytest.raises(PrecedentError, match=r"lines 2 to 5: .*is removed"):
        await imported(graph, sealed(lines, tmp_path / "a.jsonl"), f"{namespace}-copy")
    assert await left(driver, namespace) == []


@pytest.mark.proves("ING-81")
async def test_a_tag_that_cannot_be_derived_binds_a_backup_to_its_own_name(
    graph: Graph, driver: AsyncDriver, namespace: str, tmp_path: Path
) -> None:
    tags = f"{namespace_tag(namespace)} ns{digest('whatever')} record7"
    await cypher(driver, "CREATE (:Passage {namespace: $n, id: 'p', scope: $scope})", n=namespace, scope=tags)
    await exported(graph, namespace, tmp_path / "a.jsonl")
    with pytest.raises(InvalidArgument, match="line 2: the tag"):
        await imported(graph, tmp_path / "a.jsonl", f"{namespace}-copy")
    assert await left(driver, namespace) == []
    await cypher(driver, "MATCH (n {namespace: $n}) DETACH DELETE n", n=namespace)
    await imported(graph, tmp_path / "a.jsonl")
    assert await cypher(driver, "MATCH (n:Passage {namespace: $n}) RETURN n.scope", n=namespace) == [[tags]]
