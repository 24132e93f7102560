"""Files as wholes: their digest, and the old text or the new one, whatever happens between."""

import hashlib
import os
from pathlib import Path

import pytest

from server.core.files import sha256_of, write_atomically


def test_the_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    file, content = tmp_path / "model", os.urandom(300_000)
    file.write_bytes(content)
    assert sha256_of(file) == hashlib.sha256(content).hexdigest()


def test_a_file_is_written_over_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "owner.json"
    for text in ("first", "ein zweiter Übergang"):
        write_atomically(file, text)
        assert file.read_text("utf-8") == text
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupted_writing_leaves_the_old_text_and_the_next_one_succeeds(tmp_path: Path) -> None:
    file = tmp_path / "owner.json"
    write_atomically(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(file, "new, up to half a pair: \ud800")
    assert file.read_text("utf-8") == "old"
    write_atomically(file, "new")
    assert file.read_text("utf-8") == "new"
    assert list(tmp_path.iterdir()) == [file]
