"""Files: their checksum, atomic writing, and what of them survives a power cut."""

import hashlib
import os
from pathlib import Path


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; blocking. Raises `OSError`."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def write_atomically(file: Path, text: str) -> None:
    """Write a text to a file; a reader, also after a crash, finds either the old text or the new one. Blocking.

    Only for one writer at a time: an incomplete draft of an earlier writer is overwritten. Raises `OSError`.
    """
    draft = file.with_name(f"{file.name}.draft")
    with draft.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


def sync_folder(folder: Path) -> None:
    """Return when the files of a folder, and their names, survive a power cut. Blocking. Raises `OSError`."""
    for file in folder.iterdir():
        with file.open("rb+") as opened:
            os.fsync(opened.fileno())
    if os.name == "posix":
        names = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(names)
        finally:
            os.close(names)
