"""A home of the size that is measured, built in stages; a stage that is done is not repeated."""

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench import console
from server.composition import load_embedder
from server.core.files import write_atomically
from server.core.settings import Settings
from server.graph.graph import Graph
from server.local.connection import open_graph_for_command
from server.vectors.edge import EdgeStore
from tests.interaction.service import Service

NAMESPACE = "million"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many of each a home has."""

    entities: int
    relations: int
    decisions: int
    passages: int

    @property
    def hub(self) -> int:
        """Relations of the best connected entity: 50,000 of a million entities."""
        return self.entities // 20

    def divide(self, by: int) -> "Sizes":
        return Sizes(**{name: number // by for name, number in asdict(self).items()})


class BuiltHome:
    """A home in a folder that is kept: its service, its sizes, and what is known of its stages."""

    def __init__(self, folder: Path, sizes: Sizes, jvm: str, page_cache: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.sizes = folder, sizes
        self.service = Service(folder)
        self.service.patience = 600.0
        self.service.environment |= {
            "PRECEDENT_NEO4J_JVM": jvm,
            "PRECEDENT_NEO4J_PAGE_CACHE": str(page_cache),
            "PRECEDENT_REFLECT_EVERY": "0",
            "PRECEDENT_QUERY_TIMEOUT": "60",
            "PRECEDENT_RATE_LIMIT": "none",
        }
        self._file = folder / "stages.json"
        self.done: dict[str, dict[str, Any]] = json.loads(self._file.read_text()) if self._file.exists() else {}

    @property
    def name(self) -> str:
        return self.folder.name

    async def stage(self, name: str, work: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        """Do the work of a stage unless it is done, and return what it measured; a changed size is refused."""
        if name not in self.done:
            console.print(f"{self.name}: {name} …", style="dim")
            started = time.perf_counter()
            found = await work()
            self.done[name] = {"sizes": asdict(self.sizes), **found, "seconds": time.perf_counter() - started}
            write_atomically(self._file, json.dumps(self.done, indent=1))
            console.print(f"{self.name}: {name} {self.done[name]}", style="dim")
        assert self.done[name]["sizes"] == asdict(self.sizes), f"{self.folder} has other sizes: name another folder."
        return self.done[name]

    @asynccontextmanager
    async def graph(self) -> AsyncIterator[Graph]:
        """Its graph without a service, so that no projector embeds what is written."""
        given: dict[str, Any] = {
            name: value for name, value in self.service.environment.items() if name.startswith("PRECEDENT_")
        }
        async with open_graph_for_command(Settings(**given), "build") as (graph, _):
            yield graph

    @asynccontextmanager
    async def vectors(self) -> AsyncIterator[EdgeStore]:
        embedder = await load_embedder(Settings())
        store = EdgeStore(self.service.home.vectors)
        await store.open(embedder.dimension, embedder.fingerprint)
        try:
            yield store
        finally:
            await store.close()
