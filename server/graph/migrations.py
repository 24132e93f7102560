"""Numbered migrations of the graph's schema, recorded in the graph.

A migration is a file `cypher/schema/NNN_name.cypher` of statements that end with `;`. Each statement must be
idempotent (`IF NOT EXISTS`): two processes that start at once both run it, and a start that was interrupted runs
it again. Neo4j may look for `IF NOT EXISTS` before the other process is done: such a statement runs again, too.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random

from server.errors import Conflict, SchemaTooNew, SetupError
from server.graph.graph import Graph

_FILE = re.compile(r"^(\d{3})_(\w+)\.cypher$")
_PATIENCE = 120.0
"""Seconds: the first statement of a new Neo4j on a busy machine was seen to take more than the 10 of a tool's."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name, its statements in order."""

    version: int
    name: str
    statements: tuple[str, ...]


@cache
def known() -> tuple[Migration, ...]:
    """The migrations of this release, in order."""
    found: list[Migration] = []
    for file in files("cypher").joinpath("schema").iterdir():
        if match := _FILE.match(file.name):
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
            statements = tuple(part.strip() for part in "\n".join(lines).split(";\n") if part.strip(" ;\n"))
            found.append(Migration(int(match[1]), match[2], tuple(text.removesuffix(";") for text in statements)))
    return tuple(sorted(found, key=lambda migration: migration.version))


async def applied(graph: Graph) -> list[int]:
    """Versions that the graph says it has, ascending."""
    return [row["version"] for row in await graph.run("migrations/applied", timeout=_PATIENCE)]


async def migrate(graph: Graph) -> list[Migration]:
    """Brings the graph to this release's schema and returns what was applied.

    Raises `SchemaTooNew`, having changed nothing, when the graph has a version that this release does not know.
    """
    versions = await applied(graph)
    newest = known()[-1].version
    if versions and versions[-1] > newest:
        raise SchemaTooNew(
            f"The graph has schema {versions[-1]}, and this release knows up to {newest}. "
            "Start the release that wrote it, or a newer one.",
            {"graph": versions[-1], "release": newest},
        )
    pending = [migration for migration in known() if migration.version not in versions]
    for migration in pending:
        for statement in migration.statements:
            await _define(graph, statement)
        await graph.run("migrations/record", timeout=_PATIENCE, version=migration.version, name=migration.name)
    if pending:
        await graph.run("migrations/await_indexes", timeout=_PATIENCE)
    return pending


async def require_current(graph: Graph) -> None:
    """Raises `SetupError` where the graph lacks a migration of this release: migrating it is its service's work."""
    lacking = {migration.version for migration in known()} - set(await applied(graph))
    if lacking:
        raise SetupError(
            "The running service is of an older release, or is still starting. Wait a moment and call again; if that "
            "does not help, stop it with `precedent stop` and start it again.",
            {"lacking": sorted(lacking)},
        )


async def migrate_records(graph: Graph, version: int) -> None:
    """Brings records that were written with an older version of the schema to this release's.

    The graph has the newer migrations already: they run again, each of their statements being idempotent.
    """
    for migration in known():
        if migration.version > version:
            for statement in migration.statements:
                await _define(graph, statement)


@retry(retry=retry_if_exception_type(Conflict), stop=stop_after_attempt(10), wait=wait_random(max=0.2), reraise=True)
async def _define(graph: Graph, statement: str) -> None:
    await graph.define(statement)
