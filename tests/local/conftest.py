"""Folders and servers for tests of the local stack."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import get_args

import anyio
import anyio.abc
import pytest

from server.core.home import Cache, Home
from server.core.settings import Settings
from server.core.types import Precision
from server.embedding.provision import model_folder
from server.local.neo4j import stop_leftover
from server.local.ports import free_ports
from tests.homes import prepare_home
from tests.local.web import Web, web


@pytest.fixture
def maven() -> Iterator[Web]:
    """A Maven repository on loopback; empty."""
    with web() as played:
        yield played


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose name is as unhandy as a person's own folder may be."""
    return Home(tmp_path / "Élodie's home")


@pytest.fixture
async def used_home(anyio_backend: str, home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The same, after a first start."""
    await prepare_home(tmp_path_factory, home)
    return home


@pytest.fixture(scope="session")
def shared_cache() -> Cache:
    """The cache of this machine, which `precedent setup` has filled."""
    return Cache(Settings().cache)


@pytest.fixture
def own_cache(shared_cache: Cache, tmp_path: Path) -> Cache:
    """A cache of the test's own with the same jars and model (links, not copies), and no archive."""
    own = Cache(tmp_path / "cache")
    models = [(model_folder(shared_cache, each), model_folder(own, each)) for each in get_args(Precision)]
    for source, target in ((shared_cache.jars, own.jars), *models):
        target.mkdir(parents=True)
        for file in source.iterdir():
            if file.is_file():
                os.link(file, target / file.name)
    return own


async def until(condition: Callable[[], object], limit: float = 120) -> None:
    """Waits until `condition` holds; a TimeoutError when it does not in `limit` seconds."""
    with anyio.fail_after(limit):
        while not condition():  # other processes tell nobody
            await anyio.sleep(0.02)


@asynccontextmanager
async def service(home: Home, cache: Cache, *deaf: str) -> AsyncIterator[anyio.abc.Process]:
    """A service in a process of its own that owns the home; what still runs when the block ends is ended."""
    ports = map(str, free_ports(2))
    command = [sys.executable, "-m", "tests.local.service", str(home.root), str(cache.root), *ports, *deaf]
    async with await anyio.open_process(command, stderr=None) as process:
        try:
            assert process.stdout is not None
            assert (await process.stdout.receive()).startswith(b"ready")
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await stop_leftover(home)


class Recorder:
    """A progress that remembers its steps."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.total = 0
        self.done = 0

    @contextmanager
    def step(self, label: str, total: int | None = None) -> Iterator["Recorder"]:
        self.steps.append(label)
        self.total += total or 0
        yield self

    def advance(self, amount: int) -> None:
        self.done += amount


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()
