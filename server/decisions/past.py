"""Decisions at another time: what held then, as far as it was known then. Source: DEC-82, DEC-83.

The statements for the present have no condition of these: they are in files of their own.
"""

from collections.abc import Iterator, Sequence

from server.core.types import Row
from server.graph.graph import Graph
from server.interface.times import Moment

_LINKS = ("replaced", "replaced_by", "requires", "required_by", "related")
"""The lists of a decision whose items have a status of their own."""


async def load_past_decisions(
    graph: Graph,
    namespace: str,
    moment: Moment,
    *,
    ids: Sequence[str],
    targets: Sequence[Row],
    most: int,
    reason: int,
) -> list[Row]:
    """Load complete decisions as they were, in the form of the statement for the present.

    Each linked decision has its status of that time; what did not count then is left out.
    """
    at = {"namespace": namespace, **moment.parameters}
    rows = await graph.run("decisions/whole_decisions_as_of", **at, ids=ids, targets=targets, most=most, reason=reason)
    linked = list(dict.fromkeys(link["id"] for row in rows for link in _list_links(row)))
    states = await graph.run("decisions/states_as_of", **at, ids=linked) if linked else []
    known = {state["id"]: {"title": state["title"], "status": state["status"]} for state in states}
    for row in rows:
        for name in _LINKS:
            row[name] = [{**link, **known[link["id"]]} for link in row[name] if link["id"] in known]
        row["totals"] = {}
    return rows


def _list_links(row: Row) -> Iterator[Row]:
    for name in _LINKS:
        yield from row[name]
