"""`ingest.docs` on a real Neo4j."""

import os
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from ingest.docs import ingest_docs
from ingest.pipeline import IngestSummary
from ingest.records import BadRecord
from server.core.errors import PolicyBlocked
from server.entries.documents import DocumentRoots, DocumentWriter, IngestionContext, TextDocument
from server.entries.writing import EntryWriter
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.entries.test_policy import SECRETS
from tests.ingest.documents import list_documents

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


def counts(summary: IngestSummary) -> tuple[int, int, int, int]:
    return summary.created, summary.updated, summary.unchanged, summary.bad


async def ingest(graph: Graph, namespace: str, *paths: Path, **options: Any) -> IngestSummary:
    return await ingest_docs(graph, namespace, list(paths), **{"project": "shop", **options})


def stored(entries: list[dict[str, Any]]) -> dict[str, str]:
    """The current entries: what each refers to, and its text."""
    return {entry["source_ref"]: entry["body"] for entry in entries if entry["status"] == "active"}


@pytest.mark.proves("ING-44", "ING-49")
async def test_a_folder_becomes_one_entry_a_document(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="# A\n\nAda.\n", b="plain\n")
    (folder / "deep/er").mkdir(parents=True)
    for name in ("deep/er/c.rst", "deep/d.TXT", "deep/e.markdown"):
        (folder / name).write_text(name)
    for name in (".hidden.md", "list_documents.png", "noname"):
        (folder / name).write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git/f.md").write_text("x")
    summary = await ingest(graph, namespace, folder, entry_type=" manual ")
    assert counts(summary) == (5, 0, 0, 0)
    entries = await list_documents(driver, namespace)
    assert stored(entries) == {
        "docs/a.md": "# A\n\nAda.\n",
        "docs/b.md": "plain\n",
        "docs/deep/d.TXT": "deep/d.TXT",
        "docs/deep/e.markdown": "deep/e.markdown",
        "docs/deep/er/c.rst": "deep/er/c.rst",
    }
    assert {(entry["project"], entry["type"], entry["runs"]) for entry in entries} == {("shop", "manual", 1)}
    assert entries[0]["title"] == "A"


@pytest.mark.proves("ING-43")
async def test_the_graph_is_the_one_that_the_tool_would_have_made(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    texts = {"a": "# A\n\n" + "[[Ada]] wrote it. " * 40, "b": "What Ada wrote.\r\n"}
    write(folder, **texts)
    assert counts(await ingest(graph, namespace, folder)) == (2, 0, 0, 0)

    roots, tool = DocumentRoots([folder.parent]), IngestionContext(f"{namespace}-tool", "ada", "shop", "ingestion")
    writer = DocumentWriter(graph, EntryWriter(graph, IdSequence(graph)))
    for name in texts:
        read = roots.read(f"docs/{name}.md")
        assert isinstance(read, TextDocument)
        assert await writer.store(read, tool) == "new"
    written, expected = await list_documents(driver, namespace), await list_documents(driver, tool.namespace)
    assert [{**entry, "runs": 0} for entry in written] == expected
    assert [len(entry["passages"]) > 1 for entry in written] == [True, False]
    assert [entry["mentions"] for entry in written] == [["Ada"], ["Ada"]]


@pytest.mark.proves("ING-7", "ING-44")
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
    assert counts(second) == (0, 0, 2, 1)  # each file once, and what is bad is reported again
    after = await driver.execute_query(everything, n=namespace)
    assert [record.data() for record in after.records] == [record.data() for record in before.records]


@pytest.mark.proves("ING-45")
async def test_a_changed_document_supersedes_its_entry_and_one_that_is_gone_retires(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada", b="Bob", c="Carl")
    write(folder.parent, beside="Eve")
    await ingest(graph, namespace, folder, folder.parent / "beside.md")
    write(folder, a="Ada, Countess of Lovelace", d="Dora")
    (folder / "b.md").unlink()
    (folder.parent / "beside.md").unlink()
    dry = await ingest(graph, namespace, folder, dry_run=True)
    assert (dry.retired, len(stored(await list_documents(driver, namespace)))) == (1, 4)
    # Not by a file that is named, nor for another project: nobody has read the folder for it.
    assert (await ingest(graph, namespace, folder / "a.md", project="other")).retired == 0
    summary = await ingest(graph, namespace, folder, folder / "c.md", folder)
    assert (counts(summary), summary.retired) == ((1, 1, 1, 0), 1)
    entries = [entry for entry in await list_documents(driver, namespace) if entry["project"] == "shop"]
    assert stored(entries) == {
        "docs/a.md": "Ada, Countess of Lovelace",
        f"{folder.parent.name}/beside.md": "Eve",
        "docs/c.md": "Carl",
        "docs/d.md": "Dora",
    }
    history = {entry["body"]: entry for entry in entries if entry["status"] == "superseded"}
    assert set(history) == {"Ada", "Bob"}
    assert (history["Ada"]["replaced"], history["Ada"]["passages"]) == ("the document changed", [])
    assert (history["Bob"]["replaced"], history["Bob"]["passages"], history["Bob"]["runs"]) == (None, [], 2)
    again = await ingest(graph, namespace, folder)
    assert (counts(again), again.retired) == ((0, 0, 3, 0), 0)


@pytest.mark.proves("ING-6")
async def test_a_dry_run_reports_what_a_run_then_does_and_writes_nothing(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada", b="Bob")
    await ingest(graph, namespace, folder)
    write(folder, a="Ada again", c="Carl", empty=" ")
    before = await list_documents(driver, namespace)
    dry = await ingest(graph, namespace, folder, dry_run=True)
    assert await list_documents(driver, namespace) == before
    done = await ingest(graph, namespace, folder)
    assert counts(dry) == counts(done) == (1, 1, 1, 1)


@pytest.mark.proves("ING-8")
async def test_again_stores_every_document_again(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada", b="Bob")
    await ingest(graph, namespace, folder)
    lost = "MATCH (p:Passage {namespace: $namespace}) REMOVE p:Passage:Unprojected"
    await driver.execute_query(lost, namespace=namespace)
    assert counts(await ingest(graph, namespace, folder, again=True, dry_run=True)) == (0, 2, 0, 0)
    assert counts(await ingest(graph, namespace, folder, again=True)) == (0, 2, 0, 0)
    entries = await list_documents(driver, namespace)
    assert [(entry["body"], entry["passages"]) for entry in entries if entry["status"] == "active"] == [
        ("Ada", ["Ada"]),
        ("Bob", ["Bob"]),
    ]
    assert {entry["replaced"] for entry in entries} == {None, "the document was read again"}


@pytest.mark.proves("ING-46")
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
    assert stored(await list_documents(driver, namespace)) == {"docs/inside.md": "Ada"}
    # What the operator names is read wherever it is; it is what it is, under its own name.
    assert counts(await ingest(graph, namespace, folder / "out.md", folder / "further")) == (2, 0, 0, 0)
    assert set(stored(await list_documents(driver, namespace))) > {
        "elsewhere/more.md",
        f"{folder.parent.name}/outside.md",
    }


@pytest.mark.proves("ING-3", "ING-47", "ING-48")
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
        "pipe": "it is not a regular file",
        "name\udcff": "its name is not UTF-8 text",
    }
    assert stored(await list_documents(driver, namespace)) == {"docs/good.md": "Ada"}
    assert SECRETS["aws_access_key"] not in str(summary)


@pytest.mark.proves("ING-48", "ING-49")
async def test_each_project_has_its_own_entries_and_a_name_that_holds_a_secret_is_refused(
    graph: Graph, driver: AsyncDriver, namespace: str, folder: Path
) -> None:
    write(folder, a="Ada")
    for project in ("shop", "p" * 100):
        assert counts(await ingest(graph, namespace, folder, project=project)) == (1, 0, 0, 0)
    assert [entry["project"] for entry in await list_documents(driver, namespace)] == ["p" * 64, "shop"]
    with pytest.raises(PolicyBlocked):
        await ingest(graph, namespace, folder, project=SECRETS["github_token"])


@pytest.mark.proves("ING-14")
async def test_progress_is_reported_to_its_end(graph: Graph, namespace: str, folder: Path) -> None:
    heard: list[tuple[str, int, float]] = []

    class Listener:
        def report(self, stage: str, records: int, share: float) -> None:
            heard.append((stage, records, share))

    write(folder, a="Ada", b="Bob", c="Carl", d="Dora")
    await ingest(graph, namespace, folder, progress=Listener())
    assert heard == [("documents", count, count / 4) for count in range(5)]
