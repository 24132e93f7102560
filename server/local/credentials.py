"""The secrets of a home: made once, readable by their owner alone, never logged."""

import os
import secrets
import tempfile
from pathlib import Path


def secret(file: Path) -> str:
    """The secret in `file`, which is made (48 hexadecimal digits, mode 0600) when it is not there.

    Two processes that make it at once agree on one: it is written aside and linked into place, which fails where
    a file already is.
    """
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=".", dir=file.parent)  # mode 0600
        with os.fdopen(handle, "w") as out:
            # Hexadecimal: it never looks like an option to a command line, nor needs quoting anywhere.
            out.write(secrets.token_hex(24))
        try:
            file.hardlink_to(draft)
        except FileExistsError:
            pass  # the other one was first
        finally:
            Path(draft).unlink()
    file.chmod(0o600)
    return file.read_text("utf-8").strip()
