"""The owner of a home: one process at a time, which every process can look up.

Source: SVC-11.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import psutil
from filelock import FileLock, Timeout

from server.core.errors import HomeInUse
from server.core.files import write_atomically
from server.core.home import Home


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that owns a home, as it described itself."""

    pid: int
    command: str
    """The command that it runs: `serve`, `ingest`."""
    since: str
    """ISO 8601, UTC."""
    ports: Mapping[str, int]
    born: float
    """When the process started, in epoch seconds: process ids are reused."""
    host: str | None = None
    """The address that its HTTP server binds to, where it has one."""

    @property
    def process(self) -> psutil.Process | None:
        """The process while it runs."""
        try:
            process = psutil.Process(self.pid)
            if process.status() == psutil.STATUS_ZOMBIE or abs(process.create_time() - self.born) > 1:
                return None
        except psutil.Error:
            return None
        return process


def find_owner(home: Home) -> Owner | None:
    """Find the owner of the home; None where it has none."""
    try:
        described = Owner(**json.loads(home.owner.read_text("utf-8")))
    except FileNotFoundError:
        return None
    return described if described.process else None


@contextmanager
def own(home: Home, command: str, ports: Mapping[str, int], host: str | None = None) -> Iterator[Owner]:
    """Own the home in this block.

    The operating system releases the lock when the process ends in any way. Raises `HomeInUse`, which names the owner.
    """
    home.create()
    lock = FileLock(home.lock, timeout=0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise _describe_conflict(home) from error
    try:
        self_description = Owner(
            pid=os.getpid(),
            command=command,
            since=datetime.now(UTC).isoformat(timespec="seconds"),
            ports=dict(ports),
            born=psutil.Process().create_time(),
            host=host,
        )
        write_atomically(home.owner, json.dumps(asdict(self_description)))
        yield self_description
    finally:
        home.owner.unlink(missing_ok=True)
        lock.release()


def _describe_conflict(home: Home) -> HomeInUse:
    current = find_owner(home)
    if current is None:
        user = "by a process that is starting or ending"
    else:
        ports = ", ".join(f"{name} {port}" for name, port in current.ports.items())
        user = f"by `precedent {current.command}` (process {current.pid}, since {current.since}, {ports})"
    return HomeInUse(
        f"The home {home.root} is in use {user}. Stop it with `precedent stop`, or set PRECEDENT_HOME to another "
        "folder.",
        {"pid": current.pid if current else None, "ports": dict(current.ports) if current else {}},
    )
