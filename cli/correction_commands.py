"""`precedent retract`, `undo` and `erase`: corrections by the operator. Source: CUR-19."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import anyio
import typer

from cli.terminal import out
from server.core.principals import Principal, Role
from server.core.settings import Settings
from server.interface.tools import ToolInput

_Ids = Annotated[list[str], typer.Argument(help="Ids of records, names of entities, or relations as 'A -[USES]-> B'.")]
_Reason = Annotated[str, typer.Option(help="Why; it is kept.")]
_Namespace = Annotated[str | None, typer.Option(help="Namespace to correct. Default: PRECEDENT_NAMESPACE.")]


def retract(ids: _Ids, reason: _Reason, namespace: _Namespace = None) -> None:
    """Take back what was wrong: gone from every current answer, kept as history."""
    from server.curation.models import Retract
    from server.curation.service import CurationService

    _correct("retract", CurationService.retract, Retract, namespace, ids=ids, reason=reason)


def undo(change_id: str, reason: _Reason = "Undone.", namespace: _Namespace = None) -> None:
    """Take a change back, unless later ones depend on it. `precedent changes` lists their ids."""
    from server.curation.models import Undo
    from server.curation.service import CurationService

    _correct("undo", CurationService.undo, Undo, namespace, change_id=change_id, reason=reason)


def erase(
    ids: _Ids,
    reason: _Reason,
    namespace: _Namespace = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete for good, for secrets and privacy; only that it happened remains."""
    from server.curation.models import Erase
    from server.curation.service import CurationService

    if not yes:
        typer.confirm(f"Erase {len(ids)} records for good?", abort=True)
    _correct("erase", CurationService.erase, Erase, namespace, ids=ids, reason=reason)


def _correct(
    command: str,
    use_case: Callable[..., Awaitable[Any]],
    request: type[ToolInput],
    namespace: str | None,
    **arguments: Any,
) -> None:
    """Carry out a correction in the graph, with the running service or without it, and print its message."""
    from cli.bulk import connect_graph, project_pending
    from server.curation.service import CurationService
    from server.graph.changes import audit_context

    settings = Settings()
    caller = Principal(settings.principal, "human", Role.ADMIN, namespace or settings.namespace)

    async def work() -> str:
        async with connect_graph(settings, command) as (graph, has_no_projector):
            # The running service finds by itself what has to change in Qdrant.
            with audit_context(caller.name, command, kind=caller.kind):
                answer = await use_case(CurationService(graph, lambda: None), request.parse(arguments), caller)
            if has_no_projector:
                await project_pending(graph, settings)
            return str(answer.message)

    out.print(anyio.run(work), soft_wrap=True, highlight=False, markup=False)
