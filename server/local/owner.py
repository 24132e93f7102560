"""Who owns a home: one process at a time, and everyone can ask which."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import psutil
from filelock import FileLock, Timeout

from server.errors import HomeInUse
from server.files import write_whole
from server.home import Home


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that holds a home, as it described itself."""

    pid: int
    command: str
    """What it does there: `serve`, `ingest`."""
    since: str
    """ISO 8601, UTC."""
    ports: Mapping[str, int]
    born: float
    """When the process began, in seconds of the epoch: a process id alone may be another's by now."""

    @property
    def process(self) -> psutil.Process | None:
        """The process, while it lives."""
        try:
            process = psutil.Process(self.pid)
            if process.status() == psutil.STATUS_ZOMBIE or abs(process.create_time() - self.born) > 1:
                return None
        except psutil.Error:
            return None
        return process


def owner(home: Home) -> Owner | None:
    """Who holds the home now; None when nobody does."""
    try:
        described = Owner(**json.loads(home.owner.read_text("utf-8")))
    except FileNotFoundError:
        return None
    return described if described.process else None


@contextmanager
def hold(home: Home, command: str, ports: Mapping[str, int]) -> Iterator[Owner]:
    """Owns the home for the length of the block.

    The lock is the operating system's, so it is free again however the process ends. Raises `HomeInUse`, naming
    the owner.
    """
    home.create()
    lock = FileLock(home.lock, timeout=0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise _in_use(home) from error
    try:
        me = Owner(
            pid=os.getpid(),
            command=command,
            since=datetime.now(UTC).isoformat(timespec="seconds"),
            ports=dict(ports),
            born=psutil.Process().create_time(),
        )
        write_whole(home.owner, json.dumps(asdict(me)))
        yield me
    finally:
        home.owner.unlink(missing_ok=True)
        lock.release()


def _in_use(home: Home) -> HomeInUse:
    held = owner(home)
    if held is None:
        who = "by a process that is just starting or ending"
    else:
        ports = ", ".join(f"{name} {port}" for name, port in held.ports.items())
        who = f"by `precedent {held.command}` (process {held.pid}, since {held.since}, {ports})"
    return HomeInUse(
        f"The home {home.root} is in use {who}. Stop that with `precedent stop`, or set PRECEDENT_HOME to another "
        "folder.",
        {"pid": held.pid if held else None, "ports": dict(held.ports) if held else {}},
    )
