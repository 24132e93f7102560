"""A model hub and a package index on loopback."""

from collections.abc import Iterator

import pytest

from server.core.home import Cache
from server.core.settings import Settings
from tests.local.conftest import Recorder
from tests.local.web import Web, web


@pytest.fixture
def hub() -> Iterator[Web]:
    """A model hub on loopback; empty."""
    with web() as played:
        yield played


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """A package index on loopback, which `pip` asks for the length of a test; empty."""
    with web() as played:
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_CONFIG_FILE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_INDEX_URL", f"{played.address}/simple")
        yield played


@pytest.fixture(scope="session")
def shared_cache() -> Cache:
    """The cache of this machine, which `precedent setup` has filled."""
    return Cache(Settings().cache)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()
