"""A table too large for memory that lasts as long as a command: SQLite on a file without a name."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from types import TracebackType

Key = str | int


class DiskTable:
    """Stores bytes by keys; the table is deleted when it is closed."""

    def __init__(self) -> None:
        # An empty name is a file that nobody else sees; only one thread at a time uses the table.
        self._table = sqlite3.connect("", check_same_thread=False)
        self._table.execute("CREATE TABLE stored (key PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")

    def store(self, rows: Iterable[tuple[Key, bytes]]) -> None:
        self._table.executemany("INSERT INTO stored VALUES (?, ?)", rows)

    def find(self, key: Key) -> bytes | None:
        """The value of this key, if there is one."""
        row = self._table.execute("SELECT value FROM stored WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def find_all(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """The values of these keys; keys without a value are left out."""
        return dict(
            self._table.execute(
                "SELECT stored.key, stored.value FROM json_each(?) AS asked JOIN stored ON stored.key = asked.value",
                (json.dumps(keys),),
            )
        )

    def __enter__(self) -> "DiskTable":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._table.close()
