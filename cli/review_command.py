"""`precedent review`: a page in the terminal on which an admin decides about proposals."""

import getpass
from typing import Annotated

import anyio
import typer

from server.core.settings import Settings


def review(
    *,
    namespace: Annotated[str | None, typer.Option(help="Namespace to review; by default that of the settings.")] = None,
    name: Annotated[
        str | None, typer.Option("--as", help="Your name, which decisions show; by default that of your account.")
    ] = None,
) -> None:
    """Review proposals in the terminal: evidence, contradictions, near duplicates, stale decisions.

    Keys: a accepts, r rejects, x retracts what is under the cursor, m merges a pair into its first name and n into its
    second, u reloads, q quits. Works with the running service and without it.
    """
    anyio.run(_run, Settings(), namespace, name or getpass.getuser())


async def _run(settings: Settings, namespace: str | None, name: str) -> None:
    # The page and the embedding model take a second to import.
    from cli.bulk import connect_graph, project_pending
    from cli.review_page import GraphDesk, ReviewPage
    from server.composition import parts_beside_service
    from server.core.principals import Principal, Role, require_name

    caller = Principal(require_name("--as", name), "human", Role.ADMIN, namespace or settings.namespace)
    async with connect_graph(settings, "review") as (graph, has_no_projector):
        parts = await parts_beside_service(settings, graph)
        await ReviewPage(GraphDesk(parts, caller)).run_async()
        if has_no_projector:
            await project_pending(graph, settings)
