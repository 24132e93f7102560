"""The secrets of a home: created once, readable only by their owner, never logged.

Source: SVC-8.
"""

import os
import secrets
import tempfile
from pathlib import Path


def load_secret(file: Path) -> str:
    """Return the secret in `file`; create it (48 hexadecimal digits, mode 0600) where there is none.

    Two processes that create it at once get the same secret: it is written to a draft and linked, and linking fails
    where the file exists.
    """
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=".", dir=file.parent)  # mode 0600
        with os.fdopen(handle, "w") as out:
            # Hexadecimal digits never look like an option and need no quotes.
            out.write(secrets.token_hex(24))
        try:
            file.hardlink_to(draft)
        except FileExistsError:
            pass  # another process was faster
        finally:
            Path(draft).unlink()
    file.chmod(0o600)
    return file.read_text("utf-8").strip()
