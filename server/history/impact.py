"""What depends on a thing or a record: what breaks where it goes. Source: HIS-6 to HIS-9."""

import json
import re
from collections import Counter
from datetime import datetime

from server.core.errors import NotFound
from server.graph.graph import Graph
from server.graph.keys import comparison_key
from server.graph.vocabulary import BOOKKEEPING
from server.history.impact_models import Affected, FindImpact, Impact
from server.interface.kinds import name_kind

IGNORED = sorted(BOOKKEEPING | {"SUPERSEDES", "BECAME", "COMPETES_WITH", "WOULD_SUPERSEDE"})
"""Relations between versions of one decision: what came after it does not depend on it."""
WIDEST = 2_000
"""Relations that are followed from one distance to the next."""
_NUMBER = re.compile(r"[1-9]\d{0,17}")


async def find_impact(graph: Graph, request: FindImpact, namespace: str, now: datetime) -> Impact:
    """Return what depends on a thing or record, nearest first; raise `NotFound`."""
    row = await graph.one(
        "history/impact",
        namespace=namespace,
        name=request.of,
        number=int(request.of) if _NUMBER.fullmatch(request.of) else None,
        key=comparison_key(request.of),
        now=now,
        ignored=IGNORED,
        depth=request.depth,
        wide=WIDEST,
        limit=request.limit,
        offset=request.offset,
    )
    if row is None:
        raise NotFound(
            f"No entity has the name and no record the id {json.dumps(request.of[:200], ensure_ascii=False)}. "
            "graph_query_neighbors lists similar names.",
            {"unknown": [request.of]},
        )
    counts: Counter[str] = Counter()
    for each in row["counts"]:
        counts[name_kind([each["kind"]])] += each["many"]
    affected = [Affected(**{**each, "kind": name_kind([each["kind"]])}) for each in row["affected"]]
    end = request.offset + len(affected)
    return Impact(
        message=_format_message(counts, incomplete=row["incomplete"]),
        name=row["name"] or request.of,
        total=row["total"],
        counts=dict(counts),
        incomplete=row["incomplete"] or None,
        affected=affected,
        next_offset=end if affected and end < row["total"] else None,
    )


def _format_message(counts: dict[str, int], *, incomplete: bool) -> str:
    if not counts:
        return "Nothing that is stored depends on it."
    listed = ", ".join(f"{many} {kind}" for kind, many in counts.items())
    return f"Depends on it, nearest first: {'at least ' if incomplete else ''}{listed}."
