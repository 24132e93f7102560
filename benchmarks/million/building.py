"""The stages in which a home is built."""

import random
import signal
import time
from dataclasses import dataclass, field
from typing import Any

from neo4j import AsyncDriver, AsyncGraphDatabase

from benchmarks.bench import DATA, opened
from benchmarks.locomo import LOCOMO, conversations
from benchmarks.million.decisions import write_decisions
from benchmarks.million.entries import write_entries
from benchmarks.million.homes import NAMESPACE, BuiltHome
from benchmarks.million.shapes import require_same_shapes
from benchmarks.million.triples import write_triples
from benchmarks.scale import Source, read_sources
from ingest.triples import ingest_triples
from server.composition import load_embedder
from server.core.settings import Settings
from server.local.neo4j import USER
from tests.interaction.tools import ask

_SOME_NAMES = """
MATCH (entity:Entity {namespace: $namespace})
WHERE rand() < $share AND NOT EXISTS { (entity)<-[:ABOUT]-() }
RETURN entity.name AS name ORDER BY name
"""
_SHORT = "Ada likes the Bosendorfer that stands in the hall."
_LONG = " ".join(f"In week {week} the team moved another of its services to the new cluster." for week in range(9))


@dataclass(slots=True)
class Rates:
    """Triples a second, for each part of a file, as an ingestion reports its progress."""

    every: int
    parts: list[float] = field(default_factory=list)
    _counted: int = 0
    _at: float = field(default_factory=time.perf_counter)

    def report(self, stage: str, records: int, share: float) -> None:  # noqa: ARG002 - as `Progress`
        if records - self._counted >= self.every:
            now = time.perf_counter()
            self.parts.append(round((records - self._counted) / (now - self._at)))
            self._counted, self._at = records, now


_sources: list[Source] = []


async def load_sources() -> list[Source]:
    """Real texts, embedded once, which takes half a minute."""
    if not _sources:
        _sources.extend(await read_sources(await load_embedder(Settings()), conversations(LOCOMO.file)))
    return _sources


async def build(home: BuiltHome) -> None:
    """Do the stages that are not done yet; a size of 0 leaves the first alone, which starts an empty home."""

    async def start() -> dict[str, Any]:
        async with opened(home.service, home.folder) as bench:
            await _write_as_the_product(bench.service)
            await home.service.projected()
            await home.service.end(signal.SIGTERM)
        return {}

    async def relations() -> dict[str, Any]:
        file = home.folder / "triples.tsv"
        count, apart = write_triples(DATA, home.sizes, file)
        async with home.graph() as graph:
            rates = Rates(max(1, count // 20))
            started = time.perf_counter()
            summary = await ingest_triples(graph, NAMESPACE, file, progress=rates)
            seconds = time.perf_counter() - started
        file.unlink()
        found = {"read": summary.read, "created": summary.created, "entities": summary.entities_created}
        return {**found, "a_second": round(summary.read / seconds), "rates": rates.parts, "apart": apart}

    async def decisions() -> dict[str, Any]:
        sources = await load_sources()
        async with home.graph(), home.vectors() as vectors, driver_of(home) as driver:
            share = min(1.0, home.sizes.decisions / home.sizes.entities)
            found = await driver.execute_query(_SOME_NAMES, namespace=NAMESPACE, share=share, database_="neo4j")
            names = [row["name"] for row in found.records]
            random.Random(7).shuffle(names)
            return await write_decisions(driver, vectors, sources, names, home.sizes.decisions)

    async def entries() -> dict[str, Any]:
        sources = await load_sources()
        passages = home.sizes.passages - home.done["decisions"]["decision_passages"]
        async with home.graph(), home.vectors() as vectors, driver_of(home) as driver:
            written = await write_entries(driver, vectors, sources, passages)
            await require_same_shapes(driver)
        return written

    await home.stage("start", start)
    if home.sizes.entities:
        await home.stage("relations", relations)
        await home.stage("decisions", decisions)
        await home.stage("entries", entries)


async def _write_as_the_product(service: Any) -> None:
    """Two memories of a session and two decisions about a target, with which shapes are compared."""
    async with service.client(NAMESPACE) as client:
        for text in (_SHORT, _LONG, _SHORT.replace("Ada", "Ole"), _LONG.replace("team", "crew")):
            await ask(client, "save_memory", text=text, session_id="shapes", project="shapes")
        texts: dict[str, Any] = {
            "rationale": f"{_LONG} [[a mention]]",
            "target": "the shape",
            "consequences": [_SHORT],
            "about": ["a form"],
        }
        texts |= {"alternatives": [{"option": "none", "why_not": "it is needed"}]}
        first = await ask(client, "record_decision", title="Shapes are compared", **texts)
        old = [first["decision_id"]]
        await ask(client, "supersede_decision", title="Shapes are alike", old_decision_ids=old, **texts)


def driver_of(home: BuiltHome) -> AsyncDriver:
    """The bare driver of its Neo4j."""
    uri = f"bolt://127.0.0.1:{home.service.environment['PRECEDENT_BOLT_PORT']}"
    return AsyncGraphDatabase.driver(uri, auth=(USER, home.service.home.neo4j_password.read_text().strip()))
