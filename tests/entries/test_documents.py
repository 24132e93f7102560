"""Documents: which files are read, and what a change of one does. Source: MEM-39, MEM-43, MEM-47."""

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from server.core.principals import Principal
from server.entries.documents import TextDocument
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make
from tests.entries.test_policy import SECRETS

pytestmark = pytest.mark.anyio


def _write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


async def _current(agent: Agent, query: str) -> list[dict[str, Any]]:
    return await agent.items("get_entries", ids=await agent.found(query) or ["none"])


@pytest.mark.proves("MEM-39", "MEM-40", "MEM-42", "MEM-48")
async def test_a_document_becomes_one_entry(agent: Agent, folder: Path) -> None:
    name = _write(folder, "docs/guide.md", "# The guide\r\n\r\nZebras are striped.\n")
    answer = await agent.ask("ingest_docs", sources=[name])
    assert answer == {
        "processed_sources": 1,
        "imported_entries": 1,
        "duplicate_entries": 0,
        "retired_entries": 0,
        "remaining_documents": 0,
        "skipped_sources": [],
        "details": [],
        "folders": [str(folder)],
    }
    [entry] = await _current(agent, "zebra")
    assert entry["title"] == "The guide"
    assert entry["body"] == "# The guide\r\n\r\nZebras are striped.\n"
    assert (entry["entry_type"], entry["project"], entry["source_ref"]) == ("ingestion", "home", "docs/guide.md")
    assert entry["metadata"] == {"ingestion": True, "source_ref": "docs/guide.md"}
    again = await agent.ask("ingest_docs", sources=[name, "docs/../docs/guide.md", "docs\\guide.md"])
    assert (again["processed_sources"], again["imported_entries"], again["duplicate_entries"]) == (3, 0, 3)
    assert len(await _current(agent, "zebra")) == 1


@pytest.mark.proves("MEM-39")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## Part\n\n# The guide\n\n# Other", "The guide"),
        ("## Part\n\ntext", "guide.md"),
        (f"# {'x' * 200}", "x" * 120),
    ],
)
async def test_the_title_of_a_document_is_its_first_heading_of_level_1_or_its_file_name(text: str, title: str) -> None:
    assert TextDocument("file:///docs/guide.md", "docs/guide.md", text).title == title


@pytest.mark.proves("MEM-46", "MEM-47")
async def test_hidden_and_own_files_do_not_exist_and_other_files_are_not_read(
    make: Make, principal: Principal, folder: Path
) -> None:
    secret = _write(folder, "home/secrets/agent-memory-secret", "zebra 00112233")
    note = _write(folder, "home/note.md", "zebra of our own")
    hidden = [_write(folder, name, "zebra") for name in (".env.md", ".git/config.md", "docs/.drafts/a.md")]
    (folder / "innocent.md").symlink_to(folder / note)
    programs = [_write(folder, name, "zebra") for name in ("Makefile", "key", "server.py", "data.json")]
    shown = _write(folder, "docs/shown.MD", "zebra")
    service = make(closed=(folder / "home",))
    async with Agent(service, principal).connected() as agent:
        answer = await agent.ask("ingest_docs", sources=[secret, note, "innocent.md", *hidden, *programs, shown])
        reasons = {each["source"]: each["reason"] for each in answer["details"]}
        absent = "there is no such file or folder in the folders that may be read"
        assert {reasons[source] for source in (secret, note, "innocent.md", *hidden)} == {absent}
        assert {reasons[source].partition(":")[0] for source in programs} == {"it is not a document"}
        assert answer["imported_entries"] == 1
        assert len(await agent.found("zebra")) == 1


@pytest.mark.proves("MEM-39", "MEM-42")
async def test_each_project_has_its_own_entry_of_a_document(modern: Agent, folder: Path) -> None:
    name = _write(folder, "a.md", "zebra")
    for project in ("p", "q"):
        answer = await modern.ask("ingest_docs", sources=[name], project=project, entry_type="manual")
        assert answer["imported_entries"] == 1
    entries = await _current(modern, "zebra")
    assert {(entry["project"], entry["entry_type"]) for entry in entries} == {("p", "manual"), ("q", "manual")}
    assert {entry["title"] for entry in entries} == {"a.md"}


@pytest.mark.proves("MEM-43")
@pytest.mark.parametrize("long", [False, True])
async def test_a_changed_document_replaces_its_earlier_entry_which_stays_as_history(
    modern: Agent, folder: Path, cypher: Cypher, projector: Projector, long: bool
) -> None:
    more = "\n\nThe plains are wide and the grass is green. " * (40 if long else 0)
    name = _write(folder, "a.md", f"zebras live here, says [[Ada]]{more}")
    await modern.ask("ingest_docs", sources=[name])
    await projector.drain()
    [old] = await modern.found("zebra")
    _write(folder, "a.md", f"lions live here{more}")
    answer = await modern.ask("ingest_docs", sources=[name])
    assert (answer["imported_entries"], answer["duplicate_entries"]) == (1, 0)
    await projector.drain()

    [new] = await modern.found("lions")
    assert await modern.found("zebra") == [new]  # like a lion, and no more than that
    [history, current] = await modern.items("get_entries", ids=[old, new])
    assert (history["status"], history["superseded_by"]) == ("superseded", new)
    assert history["body"].startswith("zebras")
    assert (current["status"], current["superseded_by"]) == ("active", None)
    assert [item["status"] for item in await modern.items("timeline", anchor_id=new)] == ["superseded", "active"]
    rows = await cypher(
        "MATCH (e:Entry {namespace: $namespace}) "
        "RETURN e:Passage OR EXISTS { (:Passage)-[:PASSAGE_OF]->(e) } AS found, "
        "EXISTS { (e)-[:MENTIONS]->() } AS about, "
        "EXISTS { (e)-[:FROM]->(:Source {kind: 'document', namespace: $namespace}) } AS source ORDER BY e.status"
    )
    assert rows == [
        {"found": True, "about": False, "source": True},
        {"found": False, "about": False, "source": True},
    ]


@pytest.mark.proves("MEM-43")
async def test_qdrant_forgets_the_passages_of_a_replaced_document(
    modern: Agent, folder: Path, cypher: Cypher, projector: Projector, vectors: EdgeStore
) -> None:
    for text in ("zebra " * 200, "lion", "horse"):
        await modern.ask("ingest_docs", sources=[_write(folder, "a.md", text)])
        await projector.drain()
        rows = await cypher("MATCH (p:Passage {namespace: $namespace}) RETURN p.id AS id")
        stored = [
            one.key async for page in vectors.scan() for one in page if one.namespace == modern.principal.namespace
        ]
        assert sorted(stored) == sorted(row["id"] for row in rows)
        assert stored


@pytest.mark.proves("MEM-43")
async def test_a_document_that_changes_back_is_current_again(modern: Agent, folder: Path) -> None:
    for text in ("zebra", "lion", "zebra"):
        name = _write(folder, "a.md", text)
        assert (await modern.ask("ingest_docs", sources=[name]))["imported_entries"] == 1
    assert len(await modern.found("zebra")) == 1
    assert await modern.found("lion") == []


@pytest.mark.proves("MEM-44")
async def test_readers_of_one_document_at_once_make_one_entry(modern: Agent, folder: Path, cypher: Cypher) -> None:
    imported: list[int] = []

    async def read() -> None:
        imported.append((await modern.ask("ingest_docs", sources=[name]))["imported_entries"])

    for text in ("first", "second"):
        name = _write(folder, "a.md", text)
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(read)
    assert sum(imported) == 2
    rows = await cypher("MATCH (e:Entry {namespace: $namespace}) RETURN e.status AS status ORDER BY status")
    assert [row["status"] for row in rows] == ["active", "superseded"]


@pytest.mark.proves("MEM-45")
async def test_a_path_outside_of_the_folders_is_not_read_in_any_form(
    agent: Agent, folder: Path, tmp_path: Path, cypher: Cypher
) -> None:
    _write(tmp_path, "outside.md", "zebra")
    _write(tmp_path, "docs root next door/near.md", "zebra")
    _write(folder, "inside.md", "lion")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "up").symlink_to(tmp_path)
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "kind.md").symlink_to(folder / "inside.md")
    sources = [
        "../outside.md",
        "..\\outside.md",
        str(tmp_path / "outside.md"),
        "link.md",
        "up/outside.md",
        "../docs root next door/near.md",
        "/etc/passwd",
        "missing.md",
        "circle",
        "nul\0.md",
        "x" * 4_000,
        "..",
        "up",
        str(tmp_path),
    ]
    answer = await agent.ask("ingest_docs", sources=sources)
    assert answer["processed_sources"] == 0
    assert answer["skipped_sources"] == [source.replace("\\", "/") for source in sources]
    assert [each["source"] for each in answer["details"]] == answer["skipped_sources"]
    reasons = {each["source"]: each["reason"] for each in answer["details"]}
    # A path outside is answered in the same words as one that does not exist.
    assert len({reasons[name] for name in ("../outside.md", "/etc/passwd", "link.md", "missing.md")}) == 1
    assert await cypher("MATCH (n {namespace: $namespace}) RETURN n") == []
    answer = await agent.ask("ingest_docs", sources=["kind.md", str(folder / "inside.md"), "../docs root/inside.md"])
    assert (answer["processed_sources"], answer["imported_entries"]) == (3, 1)


@pytest.mark.proves("MEM-47", "MEM-48")
async def test_each_source_is_decided_for_itself(agent: Agent, folder: Path) -> None:
    _write(folder, "good.md", "zebra one")
    _write(folder, "secret.md", f"the key is {SECRETS['aws_access_key']}")
    _write(folder, "empty.md", " \n")
    _write(folder, "huge.md", "x" * (1_048_576 + 1))
    (folder / "binary.md").write_bytes(b"\xff\xfe\x00")
    (folder / "nul.md").write_bytes(b"a\x00b")
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    _write(folder, "also.md", "zebra two")
    names = ["good.md", "secret.md", "empty.md", "huge.md", "binary.md", "nul.md", "pipe.md", "folder.md", "also.md"]
    answer = await agent.ask("ingest_docs", sources=names)
    assert answer["imported_entries"] == answer["processed_sources"] == 2
    assert answer["skipped_sources"] == names[1:-1]
    reasons = [each["reason"] for each in answer["details"]]
    assert reasons[0].endswith("aws_access_key")
    assert SECRETS["aws_access_key"] not in str(answer)
    assert len(await agent.found("zebra")) == 2


@pytest.mark.proves("MEM-40")
async def test_without_sources_the_default_documents_are_read(agent: Agent, folder: Path) -> None:
    _write(folder, "docs/decisions.md", "zebra decisions")
    answer = await agent.ask("ingest_docs")
    assert answer["processed_sources"] == 1
    assert answer["skipped_sources"] == ["docs/session-log.md", "docs/requirements.md"]


@pytest.mark.proves("MEM-41")
async def test_a_path_is_looked_up_in_several_folders_in_order(
    make: Make, principal: Principal, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    _write(one, "a.md", "zebra of one")
    _write(two, "a.md", "zebra of two")
    _write(two, "b.md", "zebra b")
    async with Agent(make(roots=(one, two)), principal).connected() as agent:
        await agent.ask("ingest_docs", sources=["a.md", "b.md", str(two / "a.md")])
        entries = await _current(agent, "zebra")
    assert {entry["source_ref"] for entry in entries} == {"one/a.md", "two/b.md", "two/a.md"}


@pytest.mark.proves("MEM-40")
@pytest.mark.parametrize("sources", [[], ["x"] * 101, "a.md", [1], [""], None])
async def test_invalid_sources_and_too_many_are_an_error(modern: Agent, sources: object) -> None:
    assert (await modern.refused("ingest_docs", sources=sources))["code"] == "INVALID_ARGUMENT"


@pytest.mark.proves("MEM-27", "MEM-55")
async def test_a_long_document_answers_with_the_section_that_was_asked_about(
    modern: Agent, folder: Path, projector: Projector
) -> None:
    sections = "".join(
        f"## {name}\n\n{'This part of the manual is about something else entirely. ' * 8}\n\n{text}\n\n"
        for name, text in (
            ("Installing", "Unpack the archive and run the setup program."),
            ("Feeding the parrot", "Give it two walnuts every morning."),
            ("Returning goods", "Refunds are paid within thirty days."),
        )
    )
    _write(folder, "manual.md", f"# Manual\n\n{sections}")
    await modern.ask("ingest_docs", sources=["manual.md"])
    await projector.drain()
    for query, section, text in (
        ("what does the bird eat", "Feeding the parrot", "two walnuts"),
        ("when do I get my money back", "Returning goods", "thirty days"),
    ):
        [item, *_] = await modern.items("search", query=query)
        assert (item["title"], item["section"]) == ("Manual", section)
        assert text in item["snippet"]
