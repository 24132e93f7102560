"""Folders of documents: everything below them is read, and missing documents retire. Source: MEM-49, MEM-50."""

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from server.core.principals import Principal
from server.entries import documents, ingesting
from server.entries.folders import list_folder
from server.entries.uris import DIGEST, shorten_uri
from server.vectors.projector import Projector
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make
from tests.entries.test_policy import SECRETS

pytestmark = pytest.mark.anyio


def _write(folder: Path, **texts: str) -> None:
    """Writes Markdown files: `a="text"` is a.md, `sub__a="text"` is sub/a.md."""
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


async def _read(agent: Agent, *sources: str, **more: Any) -> tuple[int, int, int, int]:
    """Return the numbers of a call: documents read, stored, known, retired."""
    answer = await agent.ask("ingest_docs", sources=list(sources), **more)
    names = ("processed_sources", "imported_entries", "duplicate_entries", "retired_entries")
    read, stored, known, retired = (answer[name] for name in names)
    return read, stored, known, retired


async def _current(cypher: Cypher, project: str = "home") -> list[str]:
    rows = await cypher(
        "MATCH (e:Entry {namespace: $namespace, project: $project, status: 'active'}) "
        "RETURN e.source_ref AS ref ORDER BY ref",
        project=project,
    )
    return [row["ref"] for row in rows]


@pytest.mark.proves("MEM-48", "MEM-49")
async def test_a_folder_is_read_with_all_below_it(agent: Agent, folder: Path, cypher: Cypher) -> None:
    _write(folder, docs__a="# A\n\nzebra", docs__deep__er__b="lion", docs__c="horse", other="fox")
    for name in ("docs/d.txt", "docs/e.RST", "docs/deep/f.markdown", "docs/picture.png", "docs/noname"):
        (folder / name).write_text(f"in {name}")
    _write(folder, docs__secret=f"the key is {SECRETS['aws_access_key']}", docs__empty=" ")
    (folder / "docs/same.md").symlink_to("a.md")
    answer = await agent.ask("ingest_docs", sources=["docs"])
    assert answer == {
        "processed_sources": 6,
        "imported_entries": 6,
        "duplicate_entries": 0,
        "retired_entries": 0,
        "remaining_documents": 0,
        "skipped_sources": ["docs/empty.md", "docs/secret.md"],
        "details": [
            {"source": "docs/empty.md", "reason": "it is empty"},
            {"source": "docs/secret.md", "reason": "it is blocked by sensitive-data policy: aws_access_key"},
        ],
        "folders": [str(folder)],
    }
    read = ["docs/a.md", "docs/c.md", "docs/d.txt", "docs/deep/er/b.md", "docs/deep/f.markdown", "docs/e.RST"]
    assert await _current(cypher) == read
    # However the folder is named, and together with what is in it: everything is known.
    for sources in (["docs/"], ["./docs/../docs"], [str(folder / "docs")], ["docs\\deep", "docs/c.md"], ["."]):
        answer = await agent.ask("ingest_docs", sources=sources)
        assert (answer["imported_entries"], answer["retired_entries"]) == (int(sources == ["."]), 0)
    assert await _current(cypher) == [*read, "other.md"]


@pytest.mark.proves("MEM-45", "MEM-46")
async def test_hidden_closed_and_outside_files_of_a_folder_are_not_read(
    make: Make, principal: Principal, folder: Path, tmp_path: Path, cypher: Cypher
) -> None:
    _write(folder, docs__shown="zebra", home__secrets__note="zebra", docs__inner__home="zebra")
    _write(folder / ".git", a="zebra")
    _write(folder / "docs/.drafts", a="zebra")
    (folder / "docs/.hidden.md").write_text("zebra")
    _write(tmp_path, outside="zebra", away__far="zebra")
    (folder / "docs/out.md").symlink_to(tmp_path / "outside.md")
    (folder / "docs/away").symlink_to(tmp_path / "away")
    (folder / "docs/ours.md").symlink_to(folder / "home/secrets/note.md")
    (folder / "door").symlink_to(tmp_path / "away")
    closed = (folder / "home", folder / "docs/inner")
    async with Agent(make(closed=closed), principal).connected() as agent:
        answer = await agent.ask(
            "ingest_docs", sources=[".", "home", "home/secrets", ".git", "door", "docs/inner", ".."]
        )
    absent = "there is no such file or folder in the folders that may be read"
    assert {each["reason"] for each in answer["details"]} == {absent}
    assert answer["skipped_sources"] == ["home", "home/secrets", ".git", "door", "docs/inner", ".."]
    assert (answer["imported_entries"], await _current(cypher)) == (1, ["docs/shown.md"])


@pytest.mark.proves("MEM-50")
@pytest.mark.parametrize("long", [False, True])
async def test_a_missing_document_retires_and_is_stored_again_later(
    modern: Agent, folder: Path, cypher: Cypher, projector: Projector, long: bool
) -> None:
    more = "\n\nThe plains are wide and the grass is green. " * (40 if long else 0)
    _write(folder, docs__a="lions live here", docs__sub__b=f"zebras live here, says [[Ada]]{more}")
    assert await _read(modern, "docs") == (2, 2, 0, 0)
    await projector.drain()
    [old, *_] = await modern.found("zebras")
    (folder / "docs/sub/b.md").unlink()
    assert await _read(modern, "docs") == (1, 0, 1, 1)
    await projector.drain()
    assert old not in await modern.found("zebras live here")
    [history] = await modern.items("get_entries", ids=[old])
    assert (history["status"], history["superseded_by"]) == ("superseded", None)
    assert history["body"].startswith("zebras")
    [row] = await cypher(
        "MATCH (who:Principal)-[:DID]->(change:Change)-[:CHANGED]->(e:Entry {namespace: $namespace, id: $old}) "
        "MATCH (e)-[:FROM]->(s:Source) WHERE change.at >= s.gone_at "
        "RETURN who.name AS who, change.name AS what, s.state AS state, EXISTS { (e)-[:MENTIONS]->() } AS about, "
        "EXISTS { (:Passage)-[:PASSAGE_OF]->(e) } OR e:Passage AS found",
        old=old,
    )
    assert row == {"who": "ada", "what": "ingest_docs", "state": "gone", "about": False, "found": False}
    assert await _read(modern, "docs") == (1, 0, 1, 0), "once"
    _write(folder, docs__sub__b=f"zebras live here, says [[Ada]]{more}")
    assert await _read(modern, "docs") == (2, 1, 1, 0)
    assert (await modern.found("zebras"))[0] != old
    [source] = await cypher(
        "MATCH (s:Source {namespace: $namespace, name: 'docs/sub/b.md'}) RETURN s.state AS state, s.gone_at AS gone"
    )
    assert source == {"state": "done", "gone": None}


@pytest.mark.proves("MEM-51")
async def test_only_documents_of_the_folder_and_the_project_retire(modern: Agent, folder: Path, cypher: Cypher) -> None:
    _write(folder, docs__a="a", docs2__b="b", other__c="c", docs__d="d")
    for project in ("p", "q"):
        assert await _read(modern, ".", project=project) == (4, 4, 0, 0)
    saved = await modern.save("docs/a.md says a", source_ref="docs/a.md", project="p")
    for name in ("docs/a.md", "docs2/b.md", "other/c.md"):
        (folder / name).unlink()
    assert await _read(modern, "docs/d.md", project="p") == (1, 0, 1, 0)
    assert await _read(modern, "docs", project="p") == (1, 0, 1, 1)
    assert await _current(cypher, "p") == ["docs/a.md", "docs/d.md", "docs2/b.md", "other/c.md"]
    [kept] = await modern.items("get_entries", ids=[saved])
    assert kept["status"] == "active", "what was saved is no document"
    assert await _current(cypher, "q") == ["docs/a.md", "docs/d.md", "docs2/b.md", "other/c.md"]


@pytest.mark.proves("MEM-52")
async def test_an_unreadable_document_never_retires(
    make: Make, principal: Principal, folder: Path, cypher: Cypher
) -> None:
    names = {"docs__a": "a", "docs__b": "b", "docs__sub__c": "c", "docs__closed__d": "d", "docs__h": "h"}
    _write(folder, **names)
    async with Agent(make(), principal).connected() as agent:
        assert await _read(agent, "docs") == (5, 5, 0, 0)
    (folder / "docs/a.md").write_text(f"the key is {SECRETS['aws_access_key']}")
    (folder / "docs/b.md").write_bytes(b"\xff\xfe\x00")
    (folder / "docs/h.md").unlink()
    (folder / "docs/h.md").mkdir()
    (folder / "docs/sub/c.md").unlink()
    (folder / "docs/sub").rmdir()
    (folder / "docs/sub").symlink_to("sub")  # whoever looks into it goes round in a circle
    async with Agent(make(closed=(folder / "docs/closed",)), principal).connected() as agent:
        answer = await agent.ask("ingest_docs", sources=["docs"])
        assert (answer["retired_entries"], answer["skipped_sources"]) == (0, ["docs/a.md", "docs/b.md"])
        (folder / "docs").rename(folder / "moved")
        answer = await agent.ask("ingest_docs", sources=["docs"])
        assert (answer["retired_entries"], answer["skipped_sources"]) == (0, ["docs"])
    assert len(await _current(cypher)) == 5


@pytest.mark.proves("MEM-54")
async def test_a_folder_without_documents_is_skipped_unless_its_last_one_retires(modern: Agent, folder: Path) -> None:
    _write(folder, docs__a="a")
    await _read(modern, "docs")
    (folder / "docs/a.md").unlink()
    answer = await modern.ask("ingest_docs", sources=["docs"])
    assert (answer["retired_entries"], answer["details"]) == (1, [])
    answer = await modern.ask("ingest_docs", sources=["docs"])
    [skipped] = answer["details"]
    assert (skipped["source"], skipped["reason"].partition(":")[0]) == ("docs", "it has no document")


@pytest.mark.proves("MEM-52", "MEM-53")
async def test_a_large_folder_is_read_in_several_calls(
    modern: Agent, folder: Path, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingesting, "MOST_STORED", 5)
    monkeypatch.setattr(ingesting, "_BATCH", 5)
    _write(folder, **{f"docs__{n:02}": f"text {n}" for n in range(12)})
    for stored, left in ((5, 7), (5, 2), (2, 0), (0, 0)):
        answer = await modern.ask("ingest_docs", sources=["docs"])
        assert (answer["imported_entries"], answer["remaining_documents"]) == (stored, left)
    assert len(await _current(cypher)) == 12
    # Of what is not listed, nothing retires.
    monkeypatch.setattr(documents, "MOST_LISTED", 3)
    (folder / "docs/00.md").unlink()
    answer = await modern.ask("ingest_docs", sources=["docs"])
    assert (answer["processed_sources"], answer["retired_entries"], answer["skipped_sources"]) == (3, 1, ["docs"])
    assert len(await _current(cypher)) == 11


@pytest.mark.proves("MEM-44")
async def test_readers_of_one_folder_at_once_store_and_retire_each_document_once(
    modern: Agent, folder: Path, cypher: Cypher
) -> None:
    outcomes: list[tuple[int, int, int, int]] = []

    async def read() -> None:
        outcomes.append(await _read(modern, "docs"))

    for texts, gone in (({f"docs__{n}": f"text {n}" for n in range(6)}, []), ({}, [0, 3, 5])):
        _write(folder, **texts)
        for n in gone:
            (folder / f"docs/{n}.md").unlink()
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(read)
    assert (sum(each[1] for each in outcomes), sum(each[3] for each in outcomes)) == (6, 3)
    assert await _current(cypher) == ["docs/1.md", "docs/2.md", "docs/4.md"]


@pytest.mark.proves("MEM-19")
async def test_hits_and_timelines_have_the_source(modern: Agent, folder: Path) -> None:
    _write(folder, docs__guide=f"# Guide\n\n{'Something else. ' * 40}\n\n## Feeding\n\nZebras eat grass.")
    await _read(modern, "docs")
    saved = await modern.save("A zebra eats hay as well.", source_ref="mail of 3 May")
    bare = await modern.save("Zebras eat.")
    hits = {item["title"]: item for item in await modern.items("search", query="zebras eat")}
    assert (hits["Guide"]["source_ref"], hits["Guide"]["section"]) == ("docs/guide.md", "Feeding")
    assert {item["id"]: item["source_ref"] for item in hits.values() if item["section"] is None} == {
        saved: "mail of 3 May",
        bare: None,
    }
    timeline = await modern.items("timeline", anchor_id=saved)
    assert [item["source_ref"] for item in timeline] == ["docs/guide.md", "mail of 3 May", None]


@pytest.mark.proves("MEM-50", "MEM-52")
def test_a_file_with_any_characters_in_its_name_is_found_or_missing(tmp_path: Path) -> None:
    real = Path(os.path.realpath(tmp_path))
    names = ["a b.md", "ü#?%20&.md", "x" * 200 + ".md", "a\nb.md", "100%.md"]
    deep = real.joinpath(*(["ü" * 60] * 8))
    deep.mkdir(parents=True)
    for path in [*(real / name for name in names), deep / "far.md"]:
        path.write_text("x")
    listing = list_folder(real)
    uris = [shorten_uri(path.as_uri()) for path in listing.files]
    assert (len(uris), sum(DIGEST in uri for uri in uris)) == (6, 1)
    assert all(uri.startswith(listing.uri) for uri in uris)
    assert listing.find_missing(uris) == []
    for path in listing.files:
        path.unlink()
    # Of the list from before, nothing is missing; of a new one, everything.
    assert (listing.find_missing(uris), list_folder(real).find_missing(uris)) == ([], uris)
    partial = list_folder(real)
    partial.complete = False
    assert partial.find_missing(uris) == [uri for uri in uris if DIGEST not in uri]
