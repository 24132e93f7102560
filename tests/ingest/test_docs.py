"""`ingest.docs` on a real Neo4j (issue "Entries and journal", Entries)."""

import os
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from ingest.docs import ingest_docs
from ingest.pipeline import Summary
from ingest.records import BadRecord
from server.entries.documents import DocumentWriter, Roots, Shelf, Unreadable
from server.entries.writing import EntryWriter
from server.errors import PolicyBlocked
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.entries.test_policy import SECRETS
from tests.ingest.documents import picture

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    return made


def write(folder: Path, **texts: str) -> None:
    """Writes Markdown files: `a="text"` is a.md."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def counts(summary: Summary) -> tuple[int, int, int, int]:
    return summary.created, summary.updated, summary.unchanged, summary.bad


async def ingest(graph: Graph, namespace: str, *paths: Path, **options: Any) -> Summary:
    return await ingest_docs(graph, namespace, list(paths), **{"project": "shop", **options})


def stored(entries: list[dict[str, Any]]) -> dict[str, str]:
    """The current entries: what each refers to, and its text."""
    return {entry["source_ref"]: entry["body"] for entry in entries if entry["status"] == "active"}


async def test_a_folder_becomes_one_entry_a_document(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="# A\n\nAda.\n", b="plain\n")
    (folder / "deep/er").mkdir(parents=True)
    for name in ("deep/er/c.rst", "deep/d.TXT", "deep/e.markdown"):
        (folder / name).write_text(name)
    for name in (".hidden.md", "picture.png", "noname"):
        (folder / name).write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git/f.md").write_text("x")
    summary = await ingest(graph, namespace, folder, entry_type=" manual ")
    assert counts(summary) == (5, 0, 0, 0)
    entries = await picture(driver, namespace)
    assert stored(entries) == {
        "docs/a.md": "# A\n\nAda.\n",
        "docs/b.md": "plain\n",
        "docs/deep/d.TXT": "deep/d.TXT",
        "docs/deep/e.markdown": "deep/e.markdown",
        "docs/deep/er/c.rst": "deep/er/c.rst",
    }
    assert {(entry["project"], entry["type"], entry["runs"]) for entry in entries} == {("shop", "manual", 1)}
    assert entries[0]["title"] == "A"


async def test_the_graph_is_the_one_that_the_tool_would_have_made(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    texts = {"a": "# A\n\n" + "[[Ada]] wrote it. " * 40, "b": "What Ada wrote.\r\n"}
    write(folder, **texts)
    assert counts(await ingest(graph, namespace, folder)) == (2, 0, 0, 0)

    roots, tool = Roots([folder.parent]), Shelf(f"{namespace}-tool", "ada", "shop", "ingestion")
    writer = DocumentWriter(graph, EntryWriter(graph, IdSequence(graph)))
    for name in texts:
        read = roots.read(f"docs/{name}.md")
        assert not isinstance(read, Unreadable)
        assert await writer.store(read, tool) == "new"
    written, expected = await picture(driver, namespace), await picture(driver, tool.namespace)
    assert [{**entry, "runs": 0} for entry in written] == expected
    assert [len(entry["passages"]) > 1 for entry in written] == [True, False]
    assert [entry["mentions"] for entry in written] == [["Ada"], ["Ada"]]


async def test_a_second_run_changes_nothing_and_leaves_no_trace(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada", b="Bob", bad=f"the key is {SECRETS['github_token']}")
    assert counts(await ingest(graph, namespace, folder)) == (2, 0, 0, 1)
    everything = (
        "MATCH (n {namespace: $n}) OPTIONAL MATCH (n)-[r]->() "
        "RETURN properties(n) AS node, properties(r) AS edge ORDER BY elementId(n), elementId(r)"
    )
    before = await driver.execute_query(everything, n=namespace)
    second = await ingest(graph, namespace, folder, folder / "a.md", folder.parent)
    assert counts(second) == (0, 0, 2, 1)  # each file once, and what is bad is told again
    after = await driver.execute_query(everything, n=namespace)
    assert [record.data() for record in after.records] == [record.data() for record in before.records]


async def test_a_changed_document_supersedes_its_entry_and_a_lost_one_stays(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada", b="Bob", c="Carl")
    await ingest(graph, namespace, folder)
    write(folder, a="Ada, Countess of Lovelace", d="Dora")
    (folder / "b.md").unlink()
    assert counts(await ingest(graph, namespace, folder)) == (1, 1, 1, 0)
    entries = await picture(driver, namespace)
    assert stored(entries) == {
        "docs/a.md": "Ada, Countess of Lovelace",
        "docs/b.md": "Bob",
        "docs/c.md": "Carl",
        "docs/d.md": "Dora",
    }
    [old] = [entry for entry in entries if entry["status"] == "superseded"]
    assert (old["body"], old["replaced"], old["passages"]) == ("Ada", "the document changed", [])


async def test_a_dry_run_tells_what_a_run_then_does_and_writes_nothing(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada", b="Bob")
    await ingest(graph, namespace, folder)
    write(folder, a="Ada again", c="Carl", empty=" ")
    before = await picture(driver, namespace)
    told = await ingest(graph, namespace, folder, dry_run=True)
    assert await picture(driver, namespace) == before
    done = await ingest(graph, namespace, folder)
    assert counts(told) == counts(done) == (1, 1, 1, 1)


async def test_again_stores_everything_anew(graph: Graph, driver: AsyncDriver, namespace: str, folder: Path) -> None:
    write(folder, a="Ada", b="Bob")
    await ingest(graph, namespace, folder)
    lost = "MATCH (p:Passage {namespace: $namespace}) REMOVE p:Passage:Unprojected"
    await driver.execute_query(lost, namespace=namespace)
    assert counts(await ingest(graph, namespace, folder, again=True, dry_run=True)) == (0, 2, 0, 0)
    assert counts(await ingest(graph, namespace, folder, again=True)) == (0, 2, 0, 0)
    entries = await picture(driver, namespace)
    assert [(entry["body"], entry["passages"]) for entry in entries if entry["status"] == "active"] == [
        ("Ada", ["Ada"]),
        ("Bob", ["Bob"]),
    ]
    assert {entry["replaced"] for entry in entries} == {None, "the document was read again"}


async def test_links_that_lead_out_of_a_folder_are_passed_over_and_others_are_the_file_itself(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder.parent, outside="secret")
    write(folder, inside="Ada")
    (folder.parent / "elsewhere").mkdir()
    write(folder.parent / "elsewhere", more="more")
    (folder / "out.md").symlink_to(folder.parent / "outside.md")
    (folder / "further").symlink_to(folder.parent / "elsewhere")
    (folder / "same.md").symlink_to("inside.md")
    (folder / "around.md").symlink_to("around.md")
    summary = await ingest(graph, namespace, folder)
    assert summary.passed_over == [str(folder / "out.md")]
    assert summary.bad_records == [BadRecord(str(folder / "around.md"), 0, "it cannot be read: OSError")]
    assert stored(await picture(driver, namespace)) == {"docs/inside.md": "Ada"}
    # What the operator names is read wherever it is; it is what it is, under its own name.
    assert counts(await ingest(graph, namespace, folder / "out.md", folder / "further")) == (2, 0, 0, 0)
    assert set(stored(await picture(driver, namespace))) > {"elsewhere/more.md", f"{folder.parent.name}/outside.md"}


async def test_what_cannot_be_an_entry_is_set_aside_with_its_reason_and_the_rest_goes_on(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, good="Ada", secret=f"the key is {SECRETS['aws_access_key']}", empty="\n", huge="x" * (1_048_576 + 1))
    (folder / "binary.md").write_bytes(b"\xff\xfe\x00")
    (folder / "nul.md").write_bytes(b"a\x00b")
    (folder / "word.docx").write_text("x")
    os.mkfifo(folder / "pipe.md")
    (folder / "name\udcff.md").write_text("x")  # how Python shows a byte that is no text
    summary = await ingest(graph, namespace, folder, folder / "word.docx")
    assert counts(summary) == (1, 0, 0, 8)
    assert {Path(record.file).stem: record.reason for record in summary.bad_records} == {
        "secret": "it is blocked by sensitive-data policy: aws_access_key",
        "empty": "it is empty",
        "huge": "it is longer than 1,048,576 characters",
        "binary": "it is not UTF-8 text",
        "nul": "it is not text",
        "word": "documents are .markdown, .md, .rst, .txt files",
        "pipe": "it is no file",
        "name\udcff": "its name is not UTF-8 text",
    }
    assert stored(await picture(driver, namespace)) == {"docs/good.md": "Ada"}
    assert SECRETS["aws_access_key"] not in str(summary)


async def test_each_project_has_its_own_entries_and_a_name_that_holds_a_secret_is_refused(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada")
    for project in ("shop", "p" * 100):
        assert counts(await ingest(graph, namespace, folder, project=project)) == (1, 0, 0, 0)
    assert [entry["project"] for entry in await picture(driver, namespace)] == ["p" * 64, "shop"]
    with pytest.raises(PolicyBlocked):
        await ingest(graph, namespace, folder, project=SECRETS["github_token"])


async def test_progress_is_told_to_its_end(graph: Graph, namespace: str, folder: Path) -> None:
    heard: list[tuple[str, int, float]] = []

    class Listener:
        def at(self, stage: str, records: int, share: float) -> None:
            heard.append((stage, records, share))

    write(folder, a="Ada", b="Bob", c="Carl", d="Dora")
    await ingest(graph, namespace, folder, progress=Listener())
    assert heard == [("documents", count, count / 4) for count in range(5)]
