"""Lets Neo4j plan the tools' statements after the start, while nobody calls: else the first caller of each waits.

Source: SVC-88.
"""

import time
from collections.abc import Callable, Collection

import anyio
import structlog

from server.core.errors import PrecedentError
from server.core.types import QueryName
from server.graph.graph import Graph
from server.graph.statements import statements

_log = structlog.get_logger(__name__)
_QUIET_SECONDS = 2.0
"""How long nobody may have called before a statement is planned."""
_SHARE = 0.25
"""Planning takes a core: this share of one is used."""
_FIRST: tuple[QueryName, ...] = (
    "projection/existing",
    "decisions/overview_counts",
    "decisions/list_decisions",
    "decisions/waiting_proposals",
    "decisions/colliding_targets",
    "decisions/best_connected",
    "decisions/latest_changes",
    "retrieval/matching_passages",
    "retrieval/named_entities",
    "decisions/candidates",
    "entries/found_passages",
    "sequences/take",
    "entries/duplicates",
    "entries/save_entry",
    "retrieval/lock_session",
    "retrieval/last_passages",
    "retrieval/store_passages",
    "retrieval/append_context",
    "retrieval/mention",
    "decisions/entity_links",
    "decisions/lock_principal",
    "decisions/start_cooldown",
    "decisions/record_decision",
    "decisions/whole_decisions",
    "entries/entries",
    "decisions/lock_decisions",
    "decisions/decisions_to_replace",
    "decisions/supersede_decision",
    "entities/add_edge",
    "entities/near_names",
    "entities/query_neighbors",
    "entities/find_path",
)
"""The statements of the toolset `core`, in the order in which an agent needs them."""


def order_statements(families: Collection[str]) -> list[QueryName]:
    """Return the names of the statements of these families, those of everyday work first."""
    wanted = [
        name for name in statements() if name.partition("/")[0] in {*families, "retrieval", "projection", "sequences"}
    ]
    first = [name for name in _FIRST if name in wanted]
    return [*first, *(name for name in wanted if name not in first)]


async def plan_ahead(graph: Graph, families: Collection[str], get_quiet_seconds: Callable[[], float]) -> None:
    """Plan each statement that nobody has run yet; pause while somebody calls.

    `get_quiet_seconds` returns for how long nobody has called.
    """
    for name in order_statements(families):
        while (wait := _QUIET_SECONDS - get_quiet_seconds()) > 0:  # noqa: ASYNC110 - an event for each request would cost more
            await anyio.sleep(wait)
        if graph.has_run(name):
            continue
        started = time.monotonic()
        try:
            await graph.plan(name)
        except PrecedentError as error:
            _log.warning("statement_not_planned", statement=name, reason=error.message)
        await anyio.sleep((time.monotonic() - started) * (1 / _SHARE - 1))
