"""The steps that writes of decisions and proposals share: ids, the cooldown, superseding, waiting to be searchable.

Source: DEC-4, DEC-10, DEC-70.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from secrets import token_hex
from typing import Any, TypeVar

from anyio import to_thread

from server.core.errors import ConcurrentWrite
from server.core.principals import Principal
from server.core.types import Row
from server.decisions import refusals
from server.decisions.connections import load_entity_links
from server.decisions.models import LinkedRequest, NearTarget
from server.decisions.near_targets import list_near_targets
from server.decisions.passages import AGENT_MARKER, build_passages, format_decision
from server.decisions.times import require_period
from server.graph.graph import Transaction
from server.graph.keys import comparison_key
from server.graph.lucene import namespace_tag
from server.interface.times import Clock
from server.parts import Parts
from server.retrieval.writing import prepare_text, wait_for_passages

T = TypeVar("T")
_SHORT = 10_000
"""Characters of a text that is cut at once; a longer one is cut in a thread."""
Record = dict[str, Any]
"""The parameters of a statement that stores a decision or a proposal."""


class DecisionWriter:
    """Steps of writes, each within the transaction of its caller unless it says otherwise."""

    def __init__(self, parts: Parts, *, cooldown: float, clock: Clock) -> None:
        self._graph = parts.graph
        self._parts = parts
        self._cooldown = cooldown
        self.clock = clock

    async def begin_record(self, kind: str, caller: Principal, entities: int) -> tuple[Record, list[int]]:
        """Begin a record of a kind, before its transaction; also return fresh integer ids for so many entities."""
        at = self.clock()
        node_id, *fresh = await self._parts.sequence.take(caller.namespace, 1 + entities)
        record = {
            "namespace": caller.namespace,
            "id": f"{kind}_{at:%Y%m%d_%H%M%S_%f}_{token_hex(4)}",
            "node_id": node_id,
            "origin": caller.kind,
            "by": caller.name,
            "at": at,
            "scope": namespace_tag(caller.namespace),
        }
        return record, fresh

    async def prepare_record(
        self,
        kind: str,
        caller: Principal,
        request: LinkedRequest,
        *,
        rationale: str,
        consequences: Sequence[str],
        near: bool = False,
    ) -> tuple[Record, list[NearTarget]]:
        """Prepare a new record of a kind, before its transaction; with `near`, also find near targets in force."""
        options = [alternative.option for alternative in request.alternatives]
        why_not = [alternative.why_not for alternative in request.alternatives]
        texts = [request.title, rationale, *consequences, *options, *why_not]
        links = await load_entity_links(
            self._graph, caller.namespace, request.target, request.about, texts, now=self.clock() if near else None
        )
        begun, fresh = await self.begin_record(kind, caller, len(links.about) + len(links.mentions))
        require_period(request.effective_at, request.valid_until, begun["at"])
        target_key = comparison_key(links.target)
        content = {
            "title": request.title,
            "target": request.target,
            "target_key": target_key,
            "rationale": rationale,
            "effective_at": request.effective_at,
            "valid_until": request.valid_until,
            "consequences": consequences,
            "alternatives": options,
            "alternatives_why_not": why_not,
            "things": links.build_rows(fresh),
        }
        record = await self.add_passages(begun | content)
        return record, list_near_targets(request.target, target_key, links.similar_targets)

    async def add_passages(self, record: Record) -> Record:
        """Return the record with the passages that it is found by."""
        text = format_decision(record)
        cut = partial(prepare_text, record["namespace"], record["node_id"], text, record["title"])
        prepared = cut() if len(text) <= _SHORT else await to_thread.run_sync(cut)
        return {**record, "passages": build_passages(prepared, record)}

    async def load_references(
        self, transaction: Transaction, caller: Principal, requires: Sequence[str], evidence: Sequence[str], field: str
    ) -> Record:
        """Return the parameters for `requires` and `evidence`; raise `NotFound` for ids that name no record.

        `field` is the argument that lists the evidence.
        """
        required, evidence = list(dict.fromkeys(requires)), list(dict.fromkeys(evidence))
        if not required and not evidence:
            return {"requires": [], "evidence": []}
        records = await transaction.run(
            "decisions/records", namespace=caller.namespace, ids=list(dict.fromkeys([*evidence, *required]))
        )
        decisions = {row["id"] for row in records if row["kind"] == "Decision"}
        if unknown := [id_ for id_ in required if id_ not in decisions]:
            raise refusals.build_unknown_requirement_error(unknown)
        elements: dict[str, list[str]] = {}
        for row in records:
            elements.setdefault(row["id"], []).append(row["element"])
        if unknown := [id_ for id_ in evidence if id_ not in elements]:
            raise refusals.build_unknown_evidence_error(unknown, field)
        return {"requires": required, "evidence": [element for id_ in evidence for element in elements[id_]]}

    async def commit(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run `work` in one transaction; raise what it raises.

        If another caller wrote between its checks and its write, it runs once more: then its checks name the winner.
        """
        try:
            return await self._graph.transaction(work)
        except ConcurrentWrite:
            return await self._graph.transaction(work)

    async def start_cooldown(self, transaction: Transaction, caller: Principal) -> None:
        """Start the caller's cooldown, or raise `RateLimitExceeded` while one runs.

        It holds across processes. A transaction that fails rolls it back.
        """
        if self._cooldown == 0:
            return
        who = {"namespace": caller.namespace, "principal": caller.name}
        await transaction.run("decisions/lock_principal", **who)
        row = await transaction.row("decisions/start_cooldown", **who, cooldown=math.ceil(self._cooldown * 1000))
        if row["wait"] > 0:
            raise refusals.build_cooldown_error(row["wait"])

    async def supersede(
        self, transaction: Transaction, decision: Record, old_ids: Sequence[str], caller: Principal, references: Record
    ) -> None:
        """Put a decision in force in place of others; raise why that is not possible."""
        await transaction.run("decisions/lock_decisions", namespace=caller.namespace, ids=old_ids)
        found = await load_decisions_to_replace(transaction, old_ids, decision)
        if error := refusals.find_supersede_error(old_ids, found, decision["target"], caller):
            raise error
        row = await transaction.one("decisions/supersede_decision", old_ids=old_ids, **decision, **references)
        require_stored(row, references)

    async def wait_until_searchable(self, record: Record) -> bool:
        """Wait, after the transaction and for a bounded time, until what was stored is found by meaning."""
        ids = [passage["id"] for passage in record["passages"]]
        return await wait_for_passages(self._parts.projector, record["namespace"], ids, self._parts.searchable_wait)


async def load_decisions_to_replace(transaction: Transaction, ids: Sequence[str], record: Record) -> list[Row]:
    """Return the decisions `ids`, and the decisions in force for the target of `record`.

    A statement that reads while another caller puts one decision in place of another may find neither of them in force.
    So before it says that nothing is, it reads again with the latest decision locked, until no later one came.
    """
    target = {"namespace": record["namespace"], "target_key": record["target_key"]}
    locked = None
    while True:
        found = await transaction.run("decisions/decisions_to_replace", ids=ids, now=record["at"], **target)
        if any(row["in_force"] for row in found):
            return found
        latest = await transaction.one("decisions/lock_latest_decision", **target)
        if latest is None or latest["id"] == locked:
            return found
        locked = latest["id"]


def require_stored(row: Row | None, references: Record) -> Row:
    """Return the row of a statement that stored a record; raise `ConcurrentWrite` where a reference was not stored."""
    if row is None or any(row[name] != len(references[name]) for name in ("requires", "evidence")):
        raise ConcurrentWrite(
            "CONFLICT: another caller removed a record that this one names (requires, evidence) at the same moment; "
            "call again."
        )
    return row


def add_agent_marker(rationale: str, caller: Principal) -> str:
    """Return the rationale as it is stored: an agent's begins with the marker."""
    unmarked = caller.kind == "agent" and not rationale.startswith(AGENT_MARKER)
    return f"{AGENT_MARKER} {rationale}" if unmarked else rationale
