"""Insights: what was distilled from dialogues, found by its own words and by what was said around its sources.

Source: cognitive.md "compress_to_l2_insight"; design.md section 3; docs/decisions/0011. What is around an insight is
what its sources say, and the two dialogues before and after them. An insight without sources stands after what its
principal stored before it, as long as that is not long ago.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from server.cognition.dialogues import said
from server.cognition.fidelity import fidelity, warning
from server.cognition.models import CompressToL2Insight, InsightStored
from server.cognition.settings import CognitionSettings
from server.errors import InvalidArgument
from server.fields import captioned, iso, milliseconds
from server.graph.graph import Graph, Transaction
from server.graph.sequence import IdSequence
from server.principals import Principal
from server.ranking.terms import terms
from server.retrieval.passages import around
from server.retrieval.scope import family_word, place_word, session_word
from server.retrieval.writing import PassageWriter, Prepared, last_said, now_after, searchable, store
from server.types import Row
from server.vectors.projector import Projector

FAMILY = "insight"
_WORDS_AROUND, _WORDS_EACH = 400, 40
"""Words that all dialogues around an insight give together at most, and that each gives."""
_RUN = 30 * 60 * 1000
"""Milliseconds after which what a principal stores has nothing to do with what it stored before."""
_PAUSE = 10
"""Places that such a pause takes, so that what stands on both sides of it is not near."""


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """Where an insight stands: its words for indexes, what its passages are found by beside, what it comes after."""

    scopes: list[str]
    nearby: list[str] | None = None
    session: str | None = None
    first_place: int | None = None
    last: Sequence[Row] = ()
    at: int | None = None


class Insights:
    """Stores insights."""

    def __init__(self, graph: Graph, sequence: IdSequence, projector: Projector, settings: CognitionSettings) -> None:
        self._graph = graph
        self._projector = projector
        self._settings = settings
        self._passages = PassageWriter(graph, sequence)

    async def store(self, request: CompressToL2Insight, caller: Principal) -> InsightStored:
        """Stores an insight, and waits a moment until it can be found by meaning.

        Raises `InvalidArgument` that names the source ids that are no dialogues; then nothing is written.
        """
        prepared = await self._passages.prepare(caller.namespace, request.content)
        score = fidelity(request.content)
        warned = warning(score, self._settings.fidelity_threshold)
        source_ids = list(dict.fromkeys(request.source_ids))
        told: dict[str, Any] = {
            "name": captioned(request.content),
            "content": request.content,
            "source_ids": source_ids,
            "fidelity_score": score,
            "fidelity_warning": warned is not None,
            "warning_message": warned,
        }

        async def work(transaction: Transaction) -> datetime:
            if source_ids:
                where = await _among_dialogues(transaction, prepared, source_ids)
            else:
                where = await _after_the_last(transaction, caller)
            at = now_after(where.at)
            row = await transaction.one(
                "cognition/store_insight",
                namespace=caller.namespace,
                id=prepared.number,
                at=at,
                by=caller.name,
                **told,
            )
            assert row is not None
            found_by = prepared.found_by(
                scopes=[*scopes(caller.namespace, score), *where.scopes],
                at=milliseconds(at),
                session=where.session,
                last=where.last,
                first_place=where.first_place,
                nearby=where.nearby,
            )
            await store(transaction, prepared, row["element"], found_by, where.last)
            return at

        at = await self._graph.transaction(work)
        found = await searchable(self._projector, prepared, self._settings.searchable_wait)
        return InsightStored(
            id=prepared.number,
            embedding_status="success" if found else "pending",
            fidelity_score=score,
            fidelity_warning=warned is not None,
            warning_message=warned,
            timestamp=iso(milliseconds(at)),
        )


def scopes(namespace: str, score: float) -> list[str]:
    """The words that an insight is narrowed by: of the family, and one for each tenth of fidelity up to its own."""
    return [narrowest(namespace, None), *(narrowest(namespace, tenth / 10) for tenth in range(int(score * 10) + 1))]


def narrowest(namespace: str, fidelity_min: float | None) -> str:
    """The word that every insight of at least this fidelity carries; some of less than a tenth below it do as well."""
    if fidelity_min is None:
        return family_word(FAMILY, namespace)
    return family_word(FAMILY, namespace, f"fidelity {int(fidelity_min * 10)}")


async def _among_dialogues(transaction: Transaction, prepared: Prepared, ids: Sequence[int]) -> _Surroundings:
    """Where the sources stand; their sessions are locked, so that what is said next is told to the insight as well."""
    sources = await transaction.run("cognition/sources", namespace=prepared.namespace, ids=ids)
    known = {row["id"]: row for row in sources}
    if unknown := [id_ for id_ in ids if id_ not in known]:
        raise InvalidArgument(
            f"source_ids: there is no dialogue {', '.join(map(str, unknown))}; nothing was written. Give ids that "
            "store_raw_dialogue answered with, or an empty list.",
            {"field": "source_ids", "unknown": unknown},
        )
    sessions = sorted({row["session_id"] for row in sources})
    await transaction.run("cognition/lock_sessions", namespace=prepared.namespace, session_ids=sessions)
    rows = await transaction.run("cognition/said_around", namespace=prepared.namespace, ids=ids)
    each = max(1, min(_WORDS_EACH, _WORDS_AROUND // len(rows)))
    words = " ".join(" ".join(terms(said(row["speaker"], row["content"]))[:each]) for row in rows)
    first = known[ids[0]]
    places = [row["place"] for row in sources if row["session_id"] == first["session_id"]]
    session = session_word(family_word("dialogue", prepared.namespace, first["session_id"]))
    return _Surroundings(
        [session, place_word(min(places), max(places))],
        nearby=[f"{own} {words}" for own in around(prepared.passages, [])],
    )


async def _after_the_last(transaction: Transaction, caller: Principal) -> _Surroundings:
    """After what the principal stored last, which nobody else does meanwhile."""
    await transaction.run("cognition/lock_principal", namespace=caller.namespace, principal=caller.name)
    session = session_word(family_word(FAMILY, caller.namespace, caller.name))
    last = await last_said(transaction, caller.namespace, session)
    if not last:
        return _Surroundings([], session=session)
    recent = now_after(None)
    if milliseconds(recent) - last[0]["at"] <= _RUN:
        return _Surroundings([], session=session, last=last, at=last[0]["at"])
    return _Surroundings([], session=session, first_place=last[0]["place"] + _PAUSE, at=last[0]["at"])
