"""Texts of files, folders and tar files."""

import io
import os
import tarfile
from pathlib import Path, PurePosixPath

import pytest

from ingest.records import BadRecord
from ingest.sources.text_files import MAX_BYTES, TextFile, read_text_files


@pytest.mark.proves("ING-15")
def test_a_folder_yields_its_texts_once_sorted_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.md", "a.rst", "sub/c.md", ".git/d.md", "picture.png", ".hidden.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    found = list(read_text_files([tmp_path, tmp_path / "b.md"]))
    assert [(part.text, part.is_explicit) for part in found if isinstance(part, TextFile)] == [
        ("a.rst", False),
        ("b.md", False),
        ("sub/c.md", False),
    ]
    assert len(found) == 3


@pytest.mark.proves("ING-15", "ING-16")
def test_a_tar_file_is_read_and_never_extracted(tmp_path: Path) -> None:
    tar_file = tmp_path / "peps.tar.gz"
    with tarfile.open(tar_file, "w:gz") as tar:
        for name in ("b.rst", "../../a.rst", "/etc/c.md", "d.png", ".f.md"):
            member = tarfile.TarInfo(name)
            member.size = 1
            tar.addfile(member, io.BytesIO(b"x"))
        link = tarfile.TarInfo("e.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    found = [part for part in read_text_files([tar_file]) if isinstance(part, TextFile)]
    assert sorted(part.path.relative_to(tar_file).as_posix() for part in found) == ["a.rst", "b.rst", "etc/c.md"]
    assert {part.collection for part in found} == {"peps", "peps/etc"} or {part.text for part in found} == {"x"}


@pytest.mark.proves("ING-13", "ING-17")
def test_what_cannot_be_read_is_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"fine\nnot \xff text")
    (tmp_path / "b.md").write_bytes(b"x" * (MAX_BYTES + 1))
    (tmp_path / "c.tar").write_bytes(b"not a tar file")
    (tmp_path / "d.md").write_text("\ufeffd\r\n", encoding="utf-8", newline="")
    (tmp_path / "e.docx").write_text("e")
    os.mkfifo(tmp_path / "f.md")
    named = [tmp_path / "c.tar", tmp_path / "e.docx", tmp_path / "missing"]
    found = list(read_text_files([tmp_path, *named]))
    bad = {(Path(part.file).name, part.line) for part in found if isinstance(part, BadRecord)}
    assert bad == {("a.md", 2), ("b.md", 0), ("c.tar", 0), ("e.docx", 0), ("f.md", 0), ("missing", 0)}
    assert [part.text for part in found if isinstance(part, TextFile)] == ["d\n"]


@pytest.mark.proves("ING-17")
def test_a_folder_that_cannot_be_read_is_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "z.md").write_text("z")
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):  # deeper than any path may be long: not even root can read that by its name
        os.mkdir("deep" * 60, dir_fd=here)
        above, here = here, os.open("deep" * 60, os.O_RDONLY, dir_fd=here)
        os.close(above)
    os.close(here)
    found = list(read_text_files([tmp_path]))
    assert [part.text for part in found if isinstance(part, TextFile)] == ["a", "z"]
    [bad] = [part for part in found if isinstance(part, BadRecord)]
    assert bad.file.startswith(str(tmp_path / "deep"))
    assert bad.reason == "it cannot be read: OSError"


@pytest.mark.parametrize(
    ("path", "collection"),
    [
        ("/home/ada/shop/docs/adr/0001-x.md", "shop"),
        ("/home/ada/shop/doc/architecture/decisions/0001-x.md", "shop"),
        ("/home/ada/shop/docs/adr/backend/0001-x.md", "shop/backend"),
        ("/home/ada/shop/0001-x.md", "shop"),
        ("/downloads/peps.tar.gz/pep-0001.rst", "peps"),
        ("/docs/adr/0001-x.md", "decisions"),
        ("/0001-x.md", "decisions"),
    ],
)
@pytest.mark.proves("ING-21")
def test_a_collection_is_named_by_the_project_around_it(path: str, collection: str) -> None:
    assert TextFile(PurePosixPath(path), "").collection == collection
