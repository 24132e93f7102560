"""A table too large for memory, for the length of a command: SQLite on a file without a name."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from types import TracebackType

Key = str | int


class Shelf:
    """Keeps bytes by keys; what is kept is gone with the process."""

    def __init__(self) -> None:
        # An empty name is a file of its own that nobody else sees; whoever is handed the shelf is its only user.
        self._table = sqlite3.connect("", check_same_thread=False)
        self._table.execute("CREATE TABLE kept (key PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")

    def keep(self, rows: Iterable[tuple[Key, bytes]]) -> None:
        self._table.executemany("INSERT INTO kept VALUES (?, ?)", rows)

    def get(self, key: Key) -> bytes | None:
        """What is kept by this key."""
        row = self._table.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def find(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """What is kept by these keys; keys that nothing is kept by are left out."""
        asked = json.dumps(keys)
        return dict(
            self._table.execute(
                "SELECT kept.key, kept.value FROM json_each(?) AS asked JOIN kept ON kept.key = asked.value", (asked,)
            )
        )

    def __enter__(self) -> "Shelf":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._table.close()
