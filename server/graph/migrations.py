"""Numbered migrations of the graph's schema, recorded in the graph.

A migration is a file `cypher/schema/NNN_name.cypher` of statements that end with `;`. Each statement is idempotent
(`IF NOT EXISTS`), because two processes may start at once, and a start may be interrupted. Two processes that run the
same statement at once may still conflict; then the statement is repeated.

Source: SVC-13.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random

from server.core.errors import Conflict, SchemaTooNew, SetupError
from server.graph.graph import Graph

_FILE = re.compile(r"^(\d{3})_(\w+)\.cypher$")
_PATIENCE = 120.0
"""Seconds: the first statement of a new Neo4j may take longer than the limit of a tool's statement."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, name and statements."""

    version: int
    name: str
    statements: tuple[str, ...]


@cache
def list_migrations() -> tuple[Migration, ...]:
    """List the migrations of this release, in order."""
    found: list[Migration] = []
    for file in files("cypher").joinpath("schema").iterdir():
        if match := _FILE.match(file.name):
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
            statements = tuple(part.strip() for part in "\n".join(lines).split(";\n") if part.strip(" ;\n"))
            found.append(Migration(int(match[1]), match[2], tuple(text.removesuffix(";") for text in statements)))
    return tuple(sorted(found, key=lambda migration: migration.version))


async def load_applied_versions(graph: Graph) -> list[int]:
    """Load the schema versions of the graph, ascending."""
    return [row["version"] for row in await graph.run("migrations/applied", timeout=_PATIENCE)]


async def migrate(graph: Graph) -> list[Migration]:
    """Migrate the graph to this release's schema and return the migrations that were applied.

    Raises `SchemaTooNew`, without any change, when the graph has a version that this release does not know.
    """
    versions = await load_applied_versions(graph)
    newest = list_migrations()[-1].version
    if versions and versions[-1] > newest:
        raise SchemaTooNew(
            f"The graph has schema version {versions[-1]}, but this release only supports versions up to {newest}. "
            "Start the release that wrote it, or a newer one.",
            {"graph": versions[-1], "release": newest},
        )
    pending = [migration for migration in list_migrations() if migration.version not in versions]
    for migration in pending:
        for statement in migration.statements:
            await _define(graph, statement)
        await graph.run("migrations/record", timeout=_PATIENCE, version=migration.version, name=migration.name)
    if pending:
        await graph.run("migrations/await_indexes", timeout=_PATIENCE)
    return pending


async def require_current(graph: Graph) -> None:
    """Raise `SetupError` where the graph lacks a migration of this release: only its service migrates it."""
    missing = {migration.version for migration in list_migrations()} - set(await load_applied_versions(graph))
    if missing:
        raise SetupError(
            "The running service has an older release, or is still starting. Wait a moment and try again; if that does "
            "not help, restart it: `precedent stop`, then `precedent serve`.",
            {"missing": sorted(missing)},
        )


async def migrate_records(graph: Graph, version: int) -> None:
    """Migrate records of an older schema version in a graph that already has this release's schema.

    The newer migrations run again; each of their statements is idempotent.
    """
    for migration in list_migrations():
        if migration.version > version:
            for statement in migration.statements:
                await _define(graph, statement)


@retry(retry=retry_if_exception_type(Conflict), stop=stop_after_attempt(10), wait=wait_random(max=0.2), reraise=True)
async def _define(graph: Graph, statement: str) -> None:
    await graph.define(statement)
