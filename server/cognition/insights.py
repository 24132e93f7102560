"""Storing insights, which are found by their own words and by the dialogues around their sources.

The surroundings of an insight are its sources and the two dialogues before and after each. An insight without sources
is next to the insight that its principal stored before it, unless a long time passed (docs/decisions/0011).

Source: COG-15, COG-20, COG-21.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from server.cognition.dialogues import format_utterance
from server.cognition.fidelity import build_warning, compute_fidelity
from server.cognition.models import CompressToL2Insight, InsightStored
from server.core.errors import InvalidArgument
from server.core.fields import format_caption, format_time, to_milliseconds
from server.core.principals import Principal
from server.graph.graph import Transaction
from server.parts import Parts
from server.ranking.terms import extract_terms
from server.retrieval.scope import build_family_tag, mark_session_key
from server.retrieval.writing import (
    PassageWriter,
    PreparedText,
    SessionEnd,
    choose_time_after,
    load_session_end,
    store_passages,
    wait_until_searchable,
)

FAMILY = "insight"
_WORDS_AROUND, _WORDS_EACH = 400, 40
"""Most words taken from all dialogues around an insight together, and from each of them."""
_LONGEST_GAP = 30 * 60 * 1000
"""Milliseconds after which an insight of a principal is unrelated to the one before."""
_GAP_POSITIONS = 10
"""Positions that such a gap takes, so that the insights on both sides of it are not neighbours."""


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The position of an insight in its session, the words around it, and the passages before it."""

    nearby: str | None = None
    session: str | None = None
    first_position: int | None = None
    last_position: int | None = None
    last: SessionEnd = field(default_factory=SessionEnd)
    at: int | None = None


class Insights:
    """Stores insights."""

    def __init__(self, parts: Parts, *, fidelity_threshold: float) -> None:
        self._graph = parts.graph
        self._parts = parts
        self._fidelity_threshold = fidelity_threshold
        self._passages = PassageWriter(parts.graph, parts.sequence)

    async def store(self, request: CompressToL2Insight, caller: Principal) -> InsightStored:
        """Stores an insight and waits, within the time set, until it can be found by meaning.

        Raises `InvalidArgument` with the unknown source ids; then nothing is written.
        """
        prepared = await self._passages.prepare(caller.namespace, request.content)
        score = compute_fidelity(request.content)
        warning = build_warning(score, self._fidelity_threshold)
        source_ids = list(dict.fromkeys(request.source_ids))
        properties: dict[str, Any] = {
            "name": format_caption(request.content),
            "content": request.content,
            "source_ids": source_ids,
            "fidelity_score": score,
            "fidelity_warning": warning is not None,
            "warning_message": warning,
        }

        async def work(transaction: Transaction) -> datetime:
            if source_ids:
                surroundings = await _find_by_sources(transaction, prepared, source_ids)
            else:
                surroundings = await _find_by_previous(transaction, caller)
            at = choose_time_after(surroundings.at)
            row = await transaction.row(
                "cognition/store_insight",
                namespace=caller.namespace,
                id=prepared.number,
                at=at,
                by=caller.name,
                **properties,
            )
            found_by = prepared.found_by(
                scopes=list_scope_tags(caller.namespace, score),
                at=to_milliseconds(at),
                session=surroundings.session,
                last=surroundings.last,
                first_place=surroundings.first_position,
                last_place=surroundings.last_position,
                nearby=surroundings.nearby,
            )
            await store_passages(transaction, prepared, row["element"], found_by, surroundings.last)
            return at

        at = await self._graph.transaction(work)
        found = await wait_until_searchable(self._parts.projector, prepared, self._parts.searchable_wait)
        return InsightStored(
            id=prepared.number,
            embedding_status="success" if found else "pending",
            fidelity_score=score,
            fidelity_warning=warning is not None,
            warning_message=warning,
            timestamp=format_time(to_milliseconds(at)),
        )


def list_scope_tags(namespace: str, score: float) -> list[str]:
    """Return the scope tags of an insight: that of the family, and one for each tenth of fidelity up to its own."""
    tenths = (tenth / 10 for tenth in range(int(score * 10) + 1))
    return [build_scope_tag(namespace, None), *(build_scope_tag(namespace, least) for least in tenths)]


def build_scope_tag(namespace: str, fidelity_min: float | None) -> str:
    """Return a tag that every insight of at least this fidelity has; some up to a tenth below have it as well."""
    if fidelity_min is None:
        return build_family_tag(FAMILY, namespace)
    return build_family_tag(FAMILY, namespace, f"fidelity {int(fidelity_min * 10)}")


async def _find_by_sources(transaction: Transaction, prepared: PreparedText, ids: Sequence[int]) -> _Surroundings:
    """Return the surroundings of the sources, with their sessions locked: the next dialogue reaches the insight too."""
    sources = await transaction.run("cognition/source_dialogues", namespace=prepared.namespace, ids=ids)
    known = {row["id"]: row for row in sources}
    if unknown := [id_ for id_ in ids if id_ not in known]:
        raise InvalidArgument(
            f"source_ids: there is no dialogue {', '.join(map(str, unknown))}; nothing was written. Use ids from "
            "store_raw_dialogue, or an empty list.",
            {"field": "source_ids", "unknown": unknown},
        )
    sessions = sorted({row["session_id"] for row in sources})
    await transaction.run("cognition/lock_sessions", namespace=prepared.namespace, session_ids=sessions)
    rows = await transaction.run("cognition/surrounding_dialogues", namespace=prepared.namespace, ids=ids)
    each = max(1, min(_WORDS_EACH, _WORDS_AROUND // len(rows)))
    words = " ".join(" ".join(extract_terms(format_utterance(row["speaker"], row["content"]))[:each]) for row in rows)
    first = known[ids[0]]
    positions = [row["position"] for row in sources if row["session_id"] == first["session_id"]]
    session = mark_session_key(build_family_tag("dialogue", prepared.namespace, first["session_id"]))
    return _Surroundings(nearby=words, session=session, first_position=min(positions), last_position=max(positions))


async def _find_by_previous(transaction: Transaction, caller: Principal) -> _Surroundings:
    """Return the position after the principal's previous insight, with the principal locked."""
    await transaction.run("cognition/lock_principal", namespace=caller.namespace, principal=caller.name)
    session = mark_session_key(build_family_tag(FAMILY, caller.namespace, caller.name))
    last = await load_session_end(transaction, caller.namespace, session)
    if not last:
        return _Surroundings(session=session)
    now = choose_time_after(None)
    if last.at is None or to_milliseconds(now) - last.at <= _LONGEST_GAP:
        return _Surroundings(session=session, last=last, at=last.at)
    return _Surroundings(session=session, first_position=last.passages[0]["place"] + _GAP_POSITIONS, at=last.at)
