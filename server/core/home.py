"""The folders of the local profile: the home of one service, and the cache that all homes share.

Source: SVC-3.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one service: graph, vectors, secrets, logs, lock."""

    root: Path

    @property
    def neo4j(self) -> Path:
        """Neo4j's own home: `conf`, `data`, `logs`, `run`."""
        return self.root / "neo4j"

    @property
    def vectors(self) -> Path:
        return self.root / "vectors"

    @property
    def secrets(self) -> Path:
        return self.root / "secrets"

    @property
    def neo4j_password(self) -> Path:
        return self.secrets / "neo4j-password"

    @property
    def agent_memory_secret(self) -> Path:
        return self.secrets / "agent-memory-secret"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def log(self) -> Path:
        """The service's own log."""
        return self.logs / "precedent.log"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def owner(self) -> Path:
        """The process that holds the lock, as JSON."""
        return self.root / "owner.json"

    def create(self) -> None:
        """Create the folders, readable only by their owner."""
        for folder in (self.root, self.secrets, self.logs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)  # also for a folder that existed


@dataclass(frozen=True, slots=True)
class Cache:
    """The folder of downloads, shared by all homes; it may be copied between machines."""

    root: Path

    @property
    def jars(self) -> Path:
        return self.root / "neo4j"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def archives(self) -> Path:
        """Class-data archives, which make the JVM start faster."""
        return self.root / "archives"

    @property
    def lock(self) -> Path:
        """Locked while something is added to the cache."""
        return self.root / "lock"


@dataclass(frozen=True, slots=True)
class LocalPaths:
    """The two folders of the local profile."""

    home: Home
    cache: Cache

    @classmethod
    def of(cls, home: Path, cache: Path) -> "LocalPaths":
        return cls(Home(home), Cache(cache))
