"""Files as wholes: what their bytes are, and writing one entirely or not at all."""

import hashlib
import os
from pathlib import Path


def sha256_of(file: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; blocking. Raises `OSError`."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def write_whole(file: Path, text: str) -> None:
    """Writes a text so that whoever reads the file meanwhile, or after a crash, finds the old one or this; blocking.

    For one writer at a time: what another left beside it, half written, is written over. Raises `OSError`.
    """
    draft = file.with_name(f"{file.name}.draft")
    with draft.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
