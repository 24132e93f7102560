"""A real Qdrant server for tests: QDRANT_BINARY, or the archive beside the project's folder; one node or a cluster."""

import hashlib
import lzma
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio import to_thread
from filelock import FileLock

from server.core.settings import Settings
from server.local.ports import free_ports

_ARCHIVE = "qdrant-1.18.3-linux-x86_64.xz"
_SHA_256 = "264a6f3d1d629e96d4dd710bcdf2008d36617526ca977b7fbc269285b8d93c77"
_TOOLS = Path(__file__).resolve().parents[2] / "shared" / "tools"
_START_SECONDS = 60


def find_binary() -> Path:
    """Return the server's executable; skip the test where this machine has none."""
    if named := os.environ.get("QDRANT_BINARY"):
        return Path(named)
    archive = _TOOLS / _ARCHIVE
    if not archive.exists():
        pytest.skip("needs a Qdrant server: set QDRANT_BINARY to its executable")
    binary = Settings().cache / "tests" / archive.stem
    binary.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{binary}.lock"):
        if not binary.exists():
            _unpack(archive, binary)
    return binary


def _unpack(archive: Path, binary: Path) -> None:
    draft = binary.with_suffix(".new")
    with lzma.open(archive) as packed, draft.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    with draft.open("rb") as unpacked:
        assert hashlib.file_digest(unpacked, "sha256").hexdigest() == _SHA_256, "the archive is not the expected one"
    draft.chmod(0o755)
    draft.rename(binary)


class Qdrant:
    """One node with a storage folder of its own, not started yet."""

    def __init__(self, folder: Path) -> None:
        self._binary = find_binary()
        self._folder = folder
        self.port, self.grpc_port, self._p2p_port = free_ports(3)
        self.url = f"http://127.0.0.1:{self.port}"
        self.peer = f"http://127.0.0.1:{self._p2p_port}"
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self, *, cluster: bool = False, bootstrap: str | None = None) -> None:
        """Start the node, alone or as part of a cluster, and wait until it is ready."""
        self._folder.mkdir(parents=True, exist_ok=True)
        arguments = ["--uri", self.peer] if cluster else []
        arguments += ["--bootstrap", bootstrap] if bootstrap else []
        options = {
            "SERVICE__HOST": "127.0.0.1",
            "SERVICE__HTTP_PORT": self.port,
            "SERVICE__GRPC_PORT": self.grpc_port,
            "STORAGE__STORAGE_PATH": self._folder / "storage",
            "STORAGE__SNAPSHOTS_PATH": self._folder / "snapshots",
            "CLUSTER__ENABLED": str(cluster).lower(),
            "CLUSTER__P2P__PORT": self._p2p_port,
            "TELEMETRY_DISABLED": "true",
        }
        environment = {**os.environ, **{f"QDRANT__{name}": str(value) for name, value in options.items()}}
        with (self._folder / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [self._binary, *arguments],
                env=environment,
                cwd=self._folder,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        async with httpx2.AsyncClient() as http:
            with anyio.fail_after(_START_SECONDS):
                while not await self._is_ready(http):
                    await anyio.sleep(0.05)

    async def _is_ready(self, http: httpx2.AsyncClient) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self._folder / "output").read_text()
        try:
            return (await http.get(f"{self.url}/readyz")).status_code == 200
        except httpx2.HTTPError:
            return False

    async def stop(self) -> None:
        """Kill the node, if it runs; what it answered to is in its storage."""
        if self.process is not None:
            self.process.kill()
            await to_thread.run_sync(self.process.wait)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Qdrant]:
    """A node that is ready, until the end of the block."""
    node = Qdrant(folder)
    try:
        await node.start()
        yield node
    finally:
        await node.stop()


@asynccontextmanager
async def cluster(folder: Path, size: int = 3) -> AsyncIterator[Sequence[Qdrant]]:
    """The ready nodes of one cluster, until the end of the block."""
    nodes = [Qdrant(folder / str(number)) for number in range(size)]
    try:
        first, *others = nodes
        await first.start(cluster=True)
        for node in others:
            await node.start(cluster=True, bootstrap=first.peer)
        yield nodes
    finally:
        for node in nodes:
            await node.stop()
