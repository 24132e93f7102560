"""A home whose Neo4j has its password and schema: created once a run, copied by tests that need no first start."""

import os
import shutil
from pathlib import Path

import pytest
from anyio import to_thread
from filelock import FileLock

from server.core.home import Cache, Home
from server.core.settings import Settings
from server.graph.graph import connect
from server.graph.migrations import migrate
from server.local.class_data import installation
from server.local.neo4j import USER, LocalNeo4j
from server.local.ports import Ports, free_ports


def make_neo4j(home: Home, *, lives_long: bool = False) -> LocalNeo4j:
    """A Neo4j of this home on free ports, not started; one that lives for seconds is started to be ready sooner."""
    settings = Settings()
    ports = Ports(*free_ports(2))
    flags = () if lives_long else settings.neo4j_jvm
    return LocalNeo4j(installation(Cache(settings.cache)), home, ports, jvm_flags=flags)


async def prepare_home(folders: pytest.TempPathFactory, home: Home) -> None:
    """Give a home that does not exist yet a Neo4j with a password and the current schema."""
    run = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent  # which all workers share
    template = Home(run / "prepared-home")
    lock = FileLock(run / "prepared-home.lock", thread_local=False)
    await to_thread.run_sync(lock.acquire)
    try:
        if not template.root.exists():
            await _create(template)
    finally:
        lock.release()
    await to_thread.run_sync(_copy, template, home)


async def _create(template: Home) -> None:
    draft = Home(template.root.with_name("prepared-home-draft"))
    shutil.rmtree(draft.root, ignore_errors=True)  # of a worker that was killed
    neo4j = make_neo4j(draft)
    await neo4j.start()
    try:
        async with connect(neo4j.uri, USER, neo4j.password, timeout=60, retry_time=30) as graph:
            await migrate(graph)
    finally:
        await neo4j.stop()
    draft.root.rename(template.root)


def _copy(template: Home, home: Home) -> None:
    home.create()
    data = Path("data")
    shutil.copytree(template.neo4j / data, home.neo4j / data)
    shutil.copy2(template.neo4j_password, home.neo4j_password)
